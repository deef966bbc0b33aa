#!/usr/bin/env python3
"""Where single loads wait beside SMs that read L2: the latency of one SM's
chase, slice by slice. Which slice a line is in is known but for its page: of the
64 hashes that a page can add, the one that explains the latencies best is taken.
Needs Python 3.8; it stands alone, for the bundle.

usage: hot_slices.py NEARFAR MACHINE.yaml [WORD...]   (words of `nearfar run`)

Prints a line for each chase: the SM, how many others read, the home of the
lines (0 or 1, but for what the page adds), the share of the variance that the
slices explain, and the mean cycles of each slice of a side.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

LINES = 512  # of the ring, 64 KiB
ROUNDS = 8
SLICES = 47

PROGRAM = """nearfar-program 1
name c{sm}-n{sms}
seed 1
buffer ring bytes=64KiB fill=ring slot=128 order=sequential seed=1
buffer data bytes=14MiB fill=random seed=1
{warm}launch warm-ring
  role chase sms={sm}:1 threads=1024
    repeat 64 unroll=4
      ld.global.cg.v4.b32 [ring + lane*16 + warp*512 + loop0*16KiB wrap 64KiB]
    end
launch measure
  role chase sms={sm}:1 threads=32 lanes=1
    repeat {lines} unroll=16
      ld.global.cg.b64 [ring chase]
    end
    repeat {count} time=each region=measure
      ld.global.cg.b64 [ring chase]
    end
{load}"""
READ = ("ld.global.cg.v4.b32 [data + lane*16 + warp*512 + block*16KiB + "
        "loop0*{stride}KiB wrap 14MiB]")
WARM = """launch warm-load
  role load sms=16:{sms} threads=1024
    repeat 32 unroll=8
      {read}
    end
"""
LOAD = """  role load sms=16:{sms} threads=1024 background
    repeat 256 unroll=8
      {read}
    end
"""


def program(sm, sms):
    read = READ.format(stride=16 * sms)
    return PROGRAM.format(
        sm=sm, sms=sms, lines=LINES, count=LINES * ROUNDS,
        warm=WARM.format(sms=sms, read=read) if sms else "",
        load=LOAD.format(sms=sms, read=read) if sms else "")


def folds(machine):
    """Hash and home of each line of a page's first 64 KiB."""
    with open(machine) as file:
        text = file.read()

    def mask(name):
        return int(re.search(name + r": \{value: (0x[0-9a-f]+)", text)[1], 16)

    masks = [mask("slice_hash_mask_%d" % i) for i in range(6)]
    home = mask("home_hash_mask")

    def parity(value):
        return bin(value).count("1") & 1

    return [(sum(parity(128 * line & m) << i for i, m in enumerate(masks)),
             parity(128 * line & home)) for line in range(LINES)]


def by_slice(latencies, places, page):
    slices = {}
    for (hash_, home), cycles in zip(places, latencies):
        slices.setdefault((home, (hash_ ^ page) % SLICES), []).append(cycles)
    return slices


def left_over(slices):
    return sum(sum((x - sum(v) / len(v)) ** 2 for x in v)
               for v in slices.values())


def median(values):
    return sorted(values)[len(values) // 2]


def main():
    nearfar, machine, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    places = folds(machine)
    with tempfile.TemporaryDirectory() as folder:
        for sm in (0, 2, 4, 8):
            for sms in (0, 64, 112):
                path = os.path.join(folder, "c%d-n%d.txt" % (sm, sms))
                with open(path, "w") as file:
                    file.write(program(sm, sms))
        out = os.path.join(folder, "out.json")
        subprocess.run([nearfar, "run", "--program", folder, "-r", "1",
                        "-w", "0", "-o", out] + words, check=True)
        with open(out) as file:
            series = json.load(file)["series"]
    first = series[0]["provenance"]
    print("# tests/hardware/hot_slices.py: %s, driver %s, %s; cycles" % (
        first.get("device.uuid", first.get("machine")),
        first.get("driver.version", "none"), first.get("date", "no date")))
    print("# sm\treaders\thome\texplained\t" +
          "\t".join("slice_%d" % i for i in range(SLICES)))
    for point in (p for s in series for p in s["points"]):
        name = re.search(r"\nname c(\d+)-n(\d+)\n", point["program"])
        values = point["values"]["latency_cycles"]
        latencies = [median(values[line::LINES]) for line in range(LINES)]
        mean = sum(latencies) / LINES
        slices = min((by_slice(latencies, places, page)
                      for page in range(64)), key=left_over)
        explained = 1 - left_over(slices) / sum(
            (x - mean) ** 2 for x in latencies)
        for home in (0, 1):
            print("%s\t%s\t%d\t%.3f\t%s" % (
                name[1], name[2], home, explained, "\t".join(
                    "%.0f" % (sum(v) / len(v)) for v in (
                        slices.get((home, i), [0]) for i in range(SLICES)))))


main()
