#!/usr/bin/env python3
"""Which lines of the product each part of the tests runs, as gcov counts them.

usage: reach.py [PART...] (after make CONFIG=coverage; from the project's root)
       reach.py --rooms   the share of lines that all parts together run, by
                          room; fails where the harness, or the backends, have
                          less than 80 percent

environment: REACH_SECONDS: processor time that a part may take, 900

Writes build/mutants/reach.json: for each part its seconds, and for each file
the lines that it runs; and for each file the lines that can be run. Parts that
stand there are not run again. With PARTs, those that begin so.
"""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import time

import parts as tests

FILE = pathlib.Path("build/mutants/reach.json")
LEAST = 80  # percent
SECONDS = int(os.environ.get("REACH_SECONDS", "900"))  # of the processors
PRODUCT = ("harness/", "bench/", "backend_sim/", "backend_cuda/")


def counted(folder):
    """(file, lines that can be run, lines that were run) of counts there."""
    root = pathlib.Path("build/coverage").resolve()
    below = pathlib.Path(folder, *root.parts[1:])
    data = sorted(str(p) for p in below.rglob("*.gcda")
                  if str(p.relative_to(below)).startswith(PRODUCT))
    for name in data:
        note = pathlib.Path(name).relative_to(below).with_suffix(".gcno")
        os.symlink(root / note, pathlib.Path(name).with_suffix(".gcno"))
    said = subprocess.run(["gcov", "--json-format", "--stdout", *data],
                          check=True, capture_output=True).stdout
    for report in said.splitlines():
        if not report.startswith(b"{"):
            continue
        for file in json.loads(report)["files"]:
            if file["file"].startswith(PRODUCT):
                yield (file["file"],
                       [l["line_number"] for l in file["lines"]],
                       [l["line_number"] for l in file["lines"]
                        if l["count"]])


def measure(part, known):
    folder = tempfile.mkdtemp(dir="build/mutants")
    start = time.monotonic()
    said, taken = tests.run([part], ".", "coverage", SECONDS,
                            {"GCOV_PREFIX": os.path.abspath(folder)})
    seconds = time.monotonic() - start
    lines = {}
    for name, can, did in counted(folder):
        known.setdefault(name, [])
        known[name] = sorted({*known[name], *can})
        if did:
            lines[name] = sorted({*lines.get(name, []), *did})
    shutil.rmtree(folder)
    print(f"{part.name}: {seconds:.1f} s, {sum(map(len, lines.values()))} "
          f"lines{', ' + said if said else ''}", flush=True)
    return {"seconds": round(seconds, 2), "processor_seconds": round(taken, 2),
            "lines": lines}


def rooms(reach):
    """Prints the table; returns whether too few lines are run."""
    ran = collections.defaultdict(set)
    for part in reach["parts"].values():
        for name, lines in part["lines"].items():
            ran[name].update(lines)
    sums = collections.defaultdict(lambda: [0, 0])
    for name, lines in reach["known"].items():
        words = name.split("/")
        room = "/".join(words[:2] if len(words) > 2 else words[:1])
        for row in (room, f"all of {words[0].split('_')[0]}"):
            sums[row][0] += len(lines)
            sums[row][1] += len(ran[name].intersection(lines))
    print("| room | lines | run | share |\n|---|---|---|---|")
    for row, (can, did) in sorted(sums.items()):
        print(f"| {row} | {can} | {did} | {100 * did / can:.1f} % |")
    return any(100 * did < LEAST * can for row, (can, did) in sums.items()
               if row.startswith("all of"))


def main():
    if sys.argv[1:] == ["--rooms"]:
        sys.exit(rooms(json.loads(FILE.read_text())))
    FILE.parent.mkdir(parents=True, exist_ok=True)
    reach = (json.loads(FILE.read_text()) if FILE.exists() else
             {"known": {}, "parts": {}})
    names = tuple(sys.argv[1:]) or ("",)
    for part in tests.every() + tests.others():
        if part.name.startswith(names) and part.name not in reach["parts"]:
            reach["parts"][part.name] = measure(part, reach["known"])
            FILE.write_text(json.dumps(reach))


if __name__ == "__main__":
    main()
