#!/usr/bin/env python3
"""Random machines and random streams of requests: when the engine answers each of
them, and when model.py does. They must agree to the cycle.

usage: check.py [FIRST CASES]
environment: TESTS (the folder with servers/feed)
"""
import os
import random
import re
import subprocess
import sys
import tempfile

import model

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
MACHINE = os.path.join(ROOT, 'backend_sim', 'machines', 'h200-sxm.yaml')

# What model.py leaves out is off: rules that draw, other levels' limits, turns.
OFF = {
    'gpc_tpcs': 0, 'gpc_of_rest': 0, 'page_seed': 0, 'page_first': 0,
    'sms_per_tpc': 1, 'slice_pair': 0, 'l1_random_share': 0,
    'l2_random_share': 0, 'gpc_merge_cycles': 0, 'store_merge_cycles': 0,
    'dram_refresh_interval_cycles': 0, 'dram_spread_cycles': 0,
    'dram_common_share': 1, 'dram_turnaround_cycles': 0, 'dram_banks': 1,
    'dram_channels_per_slice': 1, 'dram_row_cycles': 0,
    'dram_row_busy_cycles': 0, 'dram_activate_cycles': 0,
    'floor_sm_cycles': 0, 'floor_slice_cycles': 0, 'floor_product_cycles': 0,
    'tlb_miss_cycles': 0, 'tlb2_miss_cycles': 0, 'tlb_port_cycles': 0,
    'reply_header_bytes': 0, 'sm_inflight_sectors': 1000000,
    'crossbar_bytes_per_cycle': 1000000,
    'crossbar_gpc_bytes_per_cycle': 1000000,
    'crossbar_rest_bytes_per_cycle': 1000000,
}

STORES = ('st.global.b32', 'ld.global.cg.b32', 'st.global.b32')
ALL = range(1, 16)
ATOMICS = ('atom.global.add.u32', 'red.global.add.u32')
PAST_L1 = ('ld.global.cg.b32',)
ANY_LOAD = ('ld.global.cg.b32', 'ld.global.cv.b32', 'ld.global.ca.b32',
            'ld.global.b32', 'ld.global.ca.b32')



def draw_rows(rng):
    """Banks with rows, activates and refreshes."""
    return {
        'dram_banks': rng.choice((1, 2, 3, 8)),
        'dram_channels_per_slice': rng.choice((1, 1, 2, 4)),
        'dram_row_bytes': rng.choice((256, 512, 1024, 2048)),
        'dram_row_cycles': rng.randint(0, 80),
        'dram_row_busy_cycles': rng.randint(0, 160),
        'dram_activate_cycles': round(rng.uniform(0, 20), 3),
        'dram_refresh_interval_cycles': rng.choice((0, rng.randint(500, 9000))),
        'dram_refresh_cycles': rng.randint(0, 600),
        'dram_stagger_cycles': rng.choice((0, rng.randint(1, 400))),
    }


def draw_stores(rng):
    """Ways of stores."""
    def some(least, most):
        return round(rng.uniform(least, most), 3)
    return {
        'sm_request_bytes_per_cycle': some(8, 128),
        'cpc_request_bytes_per_cycle': some(16, 600),
        'side_store_bytes_per_cycle': rng.choice((1000000, some(8, 200))),
        'side_store_head_bytes': 0,
        'bridge_data_cycles': rng.choice((0, rng.randint(1, 90))),
        'slice_write_bytes_per_cycle': some(8, 64),
        'slice_store_lines': 64, 'slice_writebacks': 65536,
        'l1_store_evicts': rng.choice((0, 1)),
        'l1_store_allocates': rng.choice((0, 1)),
        'l2_part_ways': 65536, 'l2_dirty_ways': 65536,
    }


def draw_atomics(rng):
    """Units of atomics; what counts for several operands is off."""
    def some(least, most):
        return round(rng.uniform(least, most), 3)
    m = draw_stores(rng)
    m.update({
        'atomic_extra_cycles': rng.randint(0, 60),
        'atomic_sector_cycles': some(.5, 6), 'atomic_kept_cycles': some(.5, 6),
        'atomic_return_cycles': some(0, 3),
        'atomic_return_value_cycles': some(0, 3),
        'atomic_kept_lines': rng.choice((1, 2, 4)),
        'atomic_flit_cycles': 0, 'atomic_port_flit_cycles': 0,
        'atomic_reply_pass_cycles': 0, 'atomic_reply_join_cycles': 0,
        'atomic_reply_lane_cycles': 0, 'slice_reduction_sectors': 0,
    })
    return m


def draw_nothing(rng):
    return {}


# By name: forms, requests of a burst, bursts, lines that they choose among, cycles
# between two requests at most, and what else is drawn of the machine.
STREAMS = {
    'L1 and one at a time': (ANY_LOAD, 12, 8, 10, 30, draw_nothing),
    'bursts from L2 and DRAM': (PAST_L1, 60, 4, 60, 30, draw_nothing),
    'bursts with L1': (ANY_LOAD, 25, 5, 25, 30, draw_nothing),
    'floods': (PAST_L1, 150, 2, 150, 1, draw_nothing),
    'stores and loads': (STORES, 12, 6, 12, 2000, draw_stores),
    'floods of stores': (STORES, 150, 2, 150, 1, draw_stores),
    'atomics one at a time': (ANY_LOAD + 2 * STORES[:1] + 3 * ATOMICS, 12, 6, 12,
                              20, draw_atomics),
    'rows of DRAM': (PAST_L1, 60, 5, 60, 30, draw_rows),
}


def machine_file():
    """Numbers and units of the machine that the drawn ones begin with."""
    numbers, units = {}, {}
    with open(MACHINE) as f:
        for line in f:
            found = re.match(r'  (\w+): \{value: ([^,]+), unit: ([^,]+),', line)
            if not found:
                continue
            units[found[1]] = found[3]
            try:
                numbers[found[1]] = float(found[2])
            except ValueError:  # a mask, or a size with its unit
                numbers[found[1]] = found[2]
    return numbers, units


def draw_masks(rng):
    """Seven bits of a line's place in its block tell home and hash; bits above the
    block join them at random."""
    def above():
        return rng.getrandbits(14) << 17
    low = rng.sample(range(7, 17), 7)
    masks = {'home_hash_mask': 1 << low[0] | above()}
    for i in range(6):
        masks['slice_hash_mask_%d' % i] = 1 << low[i + 1] | above()
    return masks


def draw_machine(rng, more):
    def some(least, most):
        return round(rng.uniform(least, most), 3)
    partitions = rng.choice((1, 2))
    gpcs = rng.choice((2, 4) if partitions == 2 else (1, 2, 4))
    slices = rng.choice((2, 4, 8, 10, 32))
    m = dict(OFF)
    m.update(draw_masks(rng))
    m.update({
        'sm_count': gpcs * rng.choice((1, 2, 4)), 'gpc_count': gpcs,
        'gpc_side_mask': rng.choice((1, 2) if gpcs == 2 else (5, 3, 12, 6)),
        'l2_partitions': partitions, 'l2_slices_used': slices,
        'l2_slices': slices, 'l2_near_cycles': rng.randint(100, 400),
        'l1_line_cycles': some(.25, 4), 'l1_miss_cycles': rng.randint(0, 30),
        'l1_hit_cycles': rng.randint(20, 60),
        'sm_request_cycles': some(.25, 4),
        'gpc_request_cycles': some(.05, 2),
        'gpc_reply_bytes_per_cycle': some(20, 200),
        'sm_reply_bytes_per_cycle': some(8, 128),
        'bridge_cycles': rng.randint(10, 100),
        'bridge_request_cycles': some(.05, 2),
        'bridge_bytes_per_cycle': some(8, 640),
        'slice_request_cycles': some(.25, 4),
        'slice_bytes_per_cycle': some(8, 64),
        'l2_fetch_bytes': rng.choice((32, 64, 128)),
        'dram_near_cycles': rng.randint(50, 400),
        'dram_far_cycles': rng.choice((0, rng.randint(1, 200))),
        'dram_bytes_per_s': round(rng.uniform(8e9, 8e10) * slices),
    })
    m.update(more(rng))
    return m


def draw_stream(rng, m, stream):
    """In a burst each line is asked for once: what is under way already is not for
    this model."""
    forms, burst, bursts, lines, gap, more = STREAMS[stream]
    apart = 1500 if more is draw_atomics else 0
    blocks = [rng.randrange(256) for _ in range(4)]
    pool = [rng.choice(blocks) * 1024 + rng.randrange(1024)
            for _ in range(lines)]
    asked = []
    for i in range(bursts):
        cycle = i * 30000
        for line in rng.sample(sorted(set(pool)),
                               min(burst, len(set(pool)))):
            cycle += apart + rng.choice((0, 0, 0, rng.randint(0, gap)))
            form = rng.choice(forms)
            sectors = rng.choice((1, 2, 4, 8) if form in ATOMICS else ALL)
            asked.append((form, cycle, rng.randrange(m['sm_count']), line,
                          sectors, 1, 1))
    return asked


def write_machine(m, units, file):
    with open(file, 'w') as f:
        f.write('schema: nearfar-machine/1\nname: drawn\nbase: h200-sxm\n'
                'about: a drawn machine\nparameters:\n')
        for name, value in m.items():
            f.write('  %s: {value: %s, unit: %s, origin: "assumed: drawn"}\n' %
                    (name, value, units[name]))


def feed(cases, units, folder):
    """The engine's answers."""
    words = []
    for i, (m, asked) in enumerate(cases):
        file = '%s/%d.yaml' % (folder, i)
        write_machine(m, units, file)
        words.append('machine ' + file)
        for form, *numbers in asked:
            words.append('ask ' + form)
            words.append('at ' + ' '.join(str(n) for n in numbers))
        words.append('run')
    p = subprocess.run([os.environ['TESTS'] + '/servers/feed'],
                       input='\n'.join(words) + '\n', capture_output=True,
                       text=True, timeout=600)
    if p.returncode:
        sys.exit(p.stderr or 'servers/feed ended with %d' % p.returncode)
    return [[int(n) for n in line.split()] for line in p.stdout.splitlines()]


def first_difference(numbers, m, asked, answers):
    expected = model.Chip(dict(numbers, **m)).run(asked)
    for a, found, wanted in zip(asked, answers, expected):
        if found != wanted:
            return '%s: answered at %d, by the model at %d' % (
                ' '.join(str(x) for x in a), found, wanted)
    return None


def main():
    first, count = (int(a) for a in sys.argv[1:3] or (1, 20))
    numbers, units = machine_file()
    failed = False
    for stream in STREAMS:
        cases = []
        for seed in range(first, first + count):
            rng = random.Random('%s %d' % (stream, seed))
            m = draw_machine(rng, STREAMS[stream][5])
            cases.append((m, draw_stream(rng, m, stream)))
        bad = []
        with tempfile.TemporaryDirectory() as folder:
            found = feed(cases, units, folder)
        for seed, (case, answers) in enumerate(zip(cases, found), first):
            difference = first_difference(numbers, *case, answers)
            if difference:
                bad.append('  case %d: %s' % (seed, difference))
        requests = sum(len(asked) for _, asked in cases)
        print('%s servers: %s, %d requests of %d machines' % (
            'not ok' if bad else 'ok', stream, requests, count))
        print('\n'.join(bad[:5]), end='\n' if bad else '')
        failed = failed or bool(bad)
    sys.exit(bool(failed))


main()
