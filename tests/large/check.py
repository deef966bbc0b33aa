#!/usr/bin/env python3
"""Large files of series, and the memory that they take to be read.

usage: check.py NEARFAR FOLDER

Ten million samples in one file become histograms, and 50 series of 10,000
points a report, within 512 MiB each. Prints a row for each command.
"""
import gzip
import os
import resource
import shutil
import subprocess
import sys
import time

LIMIT_KIB = 512 * 1024
HERE = os.path.dirname(os.path.abspath(__file__))
nearfar, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
os.makedirs(folder, exist_ok=True)
os.chdir(folder)


def make(program, *words):
    if not os.path.exists(words[0]):
        subprocess.run([sys.executable, os.path.join(HERE, program),
                        words[0] + ".part", *words[1:]], check=True)
        os.rename(words[0] + ".part", words[0])


def peak_kib(command):
    """Of a process of its own, so that no other's peak counts."""
    child = os.fork()
    if not child:
        with open("said.txt", "w") as said:
            status = subprocess.run(command, stdout=said, stderr=said)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        with open("peak.txt", "w") as out:
            out.write(str(peak))
        os._exit(status.returncode)
    if os.waitpid(child, 0)[1]:
        sys.exit(f"{' '.join(command)}: " + open("said.txt").read())
    return int(open("peak.txt").read())


make("samples.py", "samples.json")
make("samples.py", "points.json", "10")
make("../page/large.py", "series.json")
if not os.path.exists("samples.json.gz"):
    with open("samples.json", "rb") as plain, \
            gzip.open("samples.json.gz", "wb", 1) as packed:
        shutil.copyfileobj(plain, packed)

wrong = False
for words in ("modes samples.json", "modes samples.json.gz",
              "modes samples.json -o modes.svg", "modes points.json",
              "show samples.json", "report samples.json -o samples.html",
              "report points.json -o points.html",
              "report series.json -o series.html"):
    begin = time.monotonic()
    peak = peak_kib([nearfar, *words.split()])
    print(f"  {peak // 1024:4} MiB  {time.monotonic() - begin:5.1f} s  "
          f"{words}", flush=True)
    wrong |= peak > LIMIT_KIB
if wrong:
    sys.exit(f"more than {LIMIT_KIB // 1024} MiB")
