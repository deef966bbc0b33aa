#!/usr/bin/env python3
"""Judges fits against the machines that they were to find.

A parameter that a fit calls constrained, with an interval of at most 10 % to
either side, is found if it is within 3 % or the interval holds the truth.
Geometry must be exact; what a fit names as not constrained, or as known to no
better than 10 %, is counted apart.
usage: judge.py NEARFAR FOLDER NUMBER...   (reads FOLDER/machine-NN.yaml and
FOLDER/fitted-NN.yaml; status 1 if less than 95 % is found or geometry is wrong)
"""
import re
import subprocess
import sys

EXACT = ["sm_count", "l2_partitions", "l2_bytes", "l2_slices_used",
         "l1_cache_bytes", "tlb_entries", "tlb_ways", "tlb_reach_bytes",
         "l2_fetch_bytes", "l1_store_allocates", "l1_store_evicts"]
PAGE = (1 << 21) - 1
LINE = re.compile(r"^  (\w+): \{value: ([^,]+),.*\}(.*)$")


def values(nearfar, path):
    """What the model reads of a machine file."""
    text = subprocess.run([nearfar, "list", "parameters", "-m", path, "-f",
                           "csv"], check=True, capture_output=True,
                          text=True).stdout
    rows = [line.split(",") for line in text.splitlines()]
    at = rows[0].index("value")
    return {row[0]: float(int(row[at], 0) if row[at].startswith("0x")
                          else row[at]) for row in rows[1:]}


def intervals(path):
    """What the fit says of each: (low, high), or the reason why not."""
    found = {}
    for line in open(path, encoding="utf-8"):
        match = LINE.match(line)
        if not match or "#" not in match[3]:
            continue
        words = match[3].split()
        if "interval" in words[:-1]:
            at = words.index("interval")
            found[match[1]] = (float(words[at + 1]), float(words[at + 2]))
    return found


def judge(nearfar, folder, number, totals):
    true = values(nearfar, f"{folder}/machine-{number}.yaml")
    fitted = values(nearfar, f"{folder}/fitted-{number}.yaml")
    known = intervals(f"{folder}/fitted-{number}.yaml")
    wrong = [n for n in EXACT if fitted[n] != true[n] and not
             (n not in known and n not in ("sm_count", "l2_partitions",
                                           "l2_bytes", "l2_slices_used"))]
    if true["l2_partitions"] == 2 and (
            int(fitted["home_hash_mask"]) ^ int(true["home_hash_mask"])) & PAGE:
        wrong.append("home_hash_mask")
    missed, found, loose = [], 0, 0
    for name, (low, high) in known.items():
        value, truth = fitted[name], true[name]
        if name in EXACT:
            continue
        if value == 0 or max(high - value, value - low) > 0.1 * abs(value):
            loose += 1
        elif abs(value - truth) <= 0.03 * abs(truth) or low <= truth <= high:
            found += 1
        else:
            missed.append(f"{name} {truth:g}: {value:g} ({low:g} to {high:g})")
    totals["found"] += found
    totals["missed"] += len(missed)
    totals["loose"] += loose
    totals["wrong"] += len(wrong)
    print(f"{number}: {found} found, {len(missed)} missed, {loose} known to no "
          f"better than 10 %; geometry "
          + (f"wrong: {', '.join(wrong)}" if wrong else "exact"))
    for line in missed:
        print(f"    {line}")


def main():
    totals = {"found": 0, "missed": 0, "loose": 0, "wrong": 0}
    for number in sys.argv[3:]:
        judge(sys.argv[1], sys.argv[2], number, totals)
    judged = totals["found"] + totals["missed"]
    share = totals["found"] / judged if judged else 0
    print(f"{len(sys.argv) - 3} machines: {100 * share:.1f} % of {judged} "
          f"constrained parameters found, {totals['wrong']} wrong in geometry")
    sys.exit(share < 0.95 or totals["wrong"] > 0)


main()
