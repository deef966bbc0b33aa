#!/usr/bin/env python3
"""Machines that are not the known ones, for `nearfar fit` to find: geometry,
latencies, rates and rules drawn by a seed around h200-sxm, or around another
machine, whose SMs and L2 are kept. Writes machine-NN.yaml into a folder; the
same seed gives the same files.
usage: draw_machines.py SEED COUNT FOLDER [BASE]"""
import os
import random
import sys

MIB, KIB = 1 << 20, 1 << 10

# L2, its slices, and how many of them hold lines.
L2 = [(60 * MIB, 96, 94), (60 * MIB, 96, 90), (50 * MIB, 80, 80),
      (48 * MIB, 96, 96), (40 * MIB, 80, 76), (30 * MIB, 48, 48)]

# A factor is drawn between low and high, for six of ten parameters. What has no
# name is drawn for none, so that the machines of a seed are always the same.
FACTORS = {
    "l1_hit_cycles": (30.0, 0.8, 1.3), None: (1, 0, 1),
    "l2_near_cycles": (268.7, 0.75, 1.3), "bridge_cycles": (82.0, 0.6, 1.4),
    "bridge_data_cycles": (30, 0.5, 2), "dram_near_cycles": (198, 0.8, 1.4),
    "dram_row_cycles": (51, 0.7, 1.4), "tlb_miss_cycles": (11, 0.8, 2.5),
    "tlb2_miss_cycles": (105, 0.7, 1.4), "l1_line_cycles": (1.07, 0.85, 1.3),
    "l1_pass_cycles": (2.2, 0.8, 1.3),
    "scheduler_data_bytes_per_cycle": (36, 0.8, 1.3),
    "sm_request_bytes_per_cycle": (31.24, 0.75, 1.3),
    "sm_request_cycles": (1, 0.9, 1.4),
    "sm_reply_bytes_per_cycle": (117, 0.7, 1.05),
    "sm_inflight_sectors": (2080, 0.7, 1.3),
    "slice_bytes_per_cycle": (64, 0.7, 1.2),
    "slice_request_cycles": (1.15, 0.85, 1.3),
    "crossbar_bytes_per_cycle": (4650, 0.7, 1.1),
    "side_store_bytes_per_cycle": (1150, 0.75, 1),
    "dram_bytes_per_s": (4.478e12, 0.6, 1.1),
    "dram_activate_cycles": (9.5, 0.8, 1.4),
    "dram_reread_cycles": (25, 0.8, 1.3),
    "atomic_kept_cycles": (1.427, 0.8, 1.4),
    "atomic_whole_cycles": (1.165, 0.85, 1.3),
    "atomic_flit_cycles": (1.18, 0.9, 1.3),
    "atomic_sector_cycles": (1.9, 0.8, 1.4),
    "atomic_whole_sector_cycles": (1.65, 0.8, 1.3),
    "atomic_port_flit_cycles": (1.03, 0.8, 1.4),
    "atomic_reply_pass_cycles": (2, 0.8, 1.4),
    "atomic_reply_lane_cycles": (0.355, 0.8, 1.4),
    "shared_atomic_cycles": (0.955, 0.8, 1.4),
}
WHOLE = {"l1_hit_cycles", "bridge_cycles", "bridge_data_cycles",
         "dram_near_cycles", "dram_row_cycles", "tlb_miss_cycles",
         "tlb2_miss_cycles", "sm_inflight_sectors"}


def side_mask(draw, gpcs):
    """Both sides have three GPCs at least, and GPC 0 is on the first."""
    while True:
        mask = draw.randrange(1 << gpcs) & ~1
        if 3 <= bin(mask).count("1") <= gpcs - 3:
            return mask


def chip(draw):
    values = {}
    if draw.random() < 0.7:
        values["gpc_count"] = gpcs = draw.choice([7, 8])
        values["sm_count"] = draw.choice([108, 114, 120, 128])
        values["gpc_tpcs"] = 0
        values["gpc_of_rest"] = 0
        values["gpc_side_mask"] = hex(side_mask(draw, gpcs))
    values["l2_partitions"] = 1 if draw.random() < 0.2 else 2
    l2, slices, used = draw.choice(L2)
    values.update(l2_bytes=l2, l2_slices=slices, l2_slices_used=used)
    return values


def sizes(draw):
    values = {}
    values["l1_cache_bytes"] = draw.randrange(120, 244, 4) * KIB
    bits = draw.sample(range(12, 21), draw.randint(2, 6))
    values["home_hash_mask"] = hex(sum(1 << b for b in bits) | 1 << 21)
    values["floor_seed"] = draw.randrange(100, 100000)
    ways = draw.choice([2, 4, 8])
    values["tlb_ways"] = ways
    values["tlb_entries"] = draw.choice([16, 24, 32, 48, 64])
    values["tlb_reach_bytes"] = draw.choice([4, 8, 16, 32]) * MIB
    return values


def rules(draw):
    return {"l2_fetch_bytes": draw.choice([32, 64, 128]),
            "l1_store_allocates": draw.choice([0, 1]),
            "l1_store_evicts": draw.choice([0, 0, 1])}


def machine(draw, base):
    values = {} if base else chip(draw)
    values.update(sizes(draw))
    values.update(rules(draw))
    if base:  # few SMs do not show what of a distance is the floor plan's
        del values["floor_seed"]
    for name, (middle, low, high) in FACTORS.items():
        factor, taken = draw.uniform(low, high), draw.random() < 0.6
        value = middle * factor
        if name and taken:
            values[name] = round(value) if name in WHOLE else f"{value:.4g}"
    return values


def main():
    seed, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    base = sys.argv[4] if len(sys.argv) > 4 else None
    units = dict(line.split() for line in sys.stdin)
    os.makedirs(folder, exist_ok=True)
    for number in range(1, count + 1):
        draw = random.Random(f"{seed}-{number}")
        name = f"machine-{number:02}"
        with open(f"{folder}/{name}.yaml", "w", encoding="utf-8") as out:
            out.write(f"schema: nearfar-machine/1\nname: {name}\n"
                      f"base: {base or 'h200-sxm'}\nparameters:\n")
            for key, value in machine(draw, base).items():
                out.write(f"  {key}: {{value: {value}, unit: {units[key]}, "
                          'origin: "assumed: drawn"}\n')


main()
