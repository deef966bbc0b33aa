#!/usr/bin/env python3
"""The model's errors against silicon, by kind, against results/limits.tsv.

usage: gate.py NEARFAR OUT [--chip MACHINE] [--update [--reason TEXT]]

Chips are machines of the model with silicon of their own. A limit is what the
model was off by when the limit was set; kinds may be worse than that by 0.5 points
in the median and 2 at the 90th percentile, pooled figures by nothing. The exit
status is 1 where one is.

--update lowers limits to what the model reaches. One that would rise stays, and
is named, unless --reason says why (a correction of values): the reason goes to
results/log/raised.md. A limit belongs to the digest of its silicon: with other
silicon it is set anew, which takes the model that results/same.tsv knows. A limit
also holds the number of points: one over fewer, or over none, is as one that would
rise. OUT keeps what the model said (model.py).
"""
import datetime
import glob
import hashlib
import os
import re
import subprocess
import sys

import model as runs
import same

LIMITS = "results/limits.tsv"
LOG = "results/log/raised.md"
HEAD = ("# chip\tset\tkind\tpooled\tpoints\tmedian\tpercentile_90\tunit"
        "\tsilicon\n")
SLACK_MEDIAN, SLACK_P90 = 0.5, 2.0
CHIPS = ("h200-sxm", "h100-sxm")

# Silicon of each set, of a chip; the kernels have a file for each half.
SILICON = {
    "suite": "results/{chip}/*.gz",
    "held-out": "results/held-out/{chip}/*.gz",
    "programs": "results/programs/{chip}.tsv",
    "net": "results/net/{chip}.tsv",
    "kernels": "results/kernels/{chip}*.tsv",
    "sequences": "results/kernels/sequences-{chip}.tsv"}
POOLED = ("all", "all that is compared in percent", "looked at cycles",
          "never looked at cycles")


def silicon_files(nearfar, part, chip):
    """Of a list, the files of its rows."""
    paths = sorted(glob.glob(SILICON[part].format(chip=chip)))
    if part not in runs.LISTS:
        return paths
    every = runs.read_rows(nearfar, part)
    return [path for path in paths if row_name(path) in every]


def silicon_digest(paths):
    every = hashlib.sha256()
    for path in paths:
        every.update(os.path.basename(path).encode())
        with open(path, "rb") as source:
            every.update(source.read())
    return every.hexdigest()[:16]


def row_name(path):
    return re.sub(r"\.(json|csv)\.gz$", "", os.path.basename(path))


def said(*words):
    ended = subprocess.run(words, capture_output=True, text=True)
    if ended.returncode:
        raise SystemExit(f"{words[0]}: {ended.stderr.strip()}")
    return ended.stdout


def number(cell):
    """(12.5, '%') of '12.5 %'."""
    value, unit = cell.split()
    return float(value), unit


def markdown_rows(text):
    """{kind: (points, median, 90th percentile, unit)} of a table of errors."""
    found = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 6:
            continue
        differing = re.fullmatch(r"(\d+) of (\d+) cells", cells[1])
        if differing:
            count = float(differing[1])
            found[cells[0]] = (int(differing[2]), count, count, "cells")
        if not re.fullmatch(r"\d+", cells[1]):
            continue
        median, unit = number(cells[3])
        found[cells[0]] = (int(cells[1]), median, number(cells[4])[0], unit)
    return found


def kernel_rows(text):
    """The same of kernel_errors.py's summary."""
    found = {}
    for line in text.splitlines():
        match = re.fullmatch(r"((?:(?:never )?looked at|last launches)"
                             r" +[A-Za-z0-9 ]+?) +(\d+)"
                             r" +([\d.]+) % +([\d.]+) % +([\d.]+) %", line)
        if match:
            kind = re.sub(r" +", " ", match[1])
            found[kind] = (int(match[2]), float(match[3]), float(match[4]),
                           "%")
    return found


def errors_of(nearfar, model, part, paths):
    """{kind: (points, median, 90th percentile, unit)} of a set."""
    chip = model.machine
    if part in runs.LISTS:
        model.rows(part, [row_name(path) for path in paths])
        folder = os.path.dirname(paths[0])
        return markdown_rows(said("tests/support/errors.sh", nearfar, folder,
                                  model.path(part)))
    if part in runs.FOLDERS:
        model.programs(part)
        return markdown_rows(said("tests/support/program_errors.sh", paths[0],
                                  model.path(part + ".tsv")))
    words = ["tests/support/kernel_errors.py", nearfar, runs.KERNELS, *paths,
             "--machine", chip, "--model"]
    if part == "sequences":
        return kernel_rows(said(*words, model.sequences(), "--size", "warm",
                                "--caches", "sequence"))
    return kernel_rows(said(*words, model.kernels()))


def measure(options):
    """{(chip, set, kind): (pooled, points, median, p90, unit, silicon)}"""
    found = {}
    for chip in options.chip or CHIPS:
        model = runs.Model(options.nearfar, options.out, chip)
        for part in SILICON:
            paths = silicon_files(options.nearfar, part, chip)
            digest = silicon_digest(paths)
            for kind, row in errors_of(options.nearfar, model, part,
                                       paths).items():
                found[chip, part, kind] = (
                    "pooled" if kind in POOLED else "kind", *row, digest)
    return found


def read_limits():
    if not os.path.exists(LIMITS):
        return {}
    try:
        return {tuple(row[:3]): (row[3], int(row[4]), float(row[5]),
                                 float(row[6]), *row[7:])
                for row in runs.read_table(LIMITS, HEAD, 3)}
    except ValueError as error:
        raise SystemExit(f"{LIMITS}: {error}") from None


def write_limits(limits):
    runs.write_table(LIMITS, HEAD, [
        (*key, pooled, str(points), f"{median:.1f}", f"{p90:.1f}", unit,
         silicon) for key, (pooled, points, median, p90, unit, silicon) in
        sorted(limits.items())])


def is_beyond(now, limit):
    """A tenth is the last digit of both; what is no number is beyond."""
    slack = (0, 0) if now[0] == "pooled" else (SLACK_MEDIAN, SLACK_P90)
    return not (now[2] <= limit[2] + slack[0] + 0.01 and
                now[3] <= limit[3] + slack[1] + 0.01)


def describe(row):
    return f"{row[2]:.1f} and {row[3]:.1f} {row[4]} over {row[1]}"


def judge(found, limits):
    """Prints what is beyond its limit, or has none; how many are."""
    wrong = 0
    for key, now in found.items():
        name = " ".join(key)
        limit = limits.get(key)
        if not limit:
            print(f"no limit: {name}: {describe(now)}")
        elif limit[5] != now[5]:
            print(f"other silicon: {name}: {describe(now)}; `make "
                  f"gate-update` sets the limit anew")
        elif now[1] < limit[1]:
            print(f"fewer points: {name}: {describe(now)}; the limit is "
                  f"{describe(limit)}")
        elif is_beyond(now, limit):
            print(f"beyond: {name}: {describe(now)}; the limit is "
                  f"{describe(limit)}")
        else:
            continue
        wrong += 1
    chips = {key[0] for key in found}
    for key in limits.keys() - found.keys():
        if key[0] in chips:
            print(f"gone: {' '.join(key)}")
            wrong += 1
    return wrong


def model_moved(options):
    """Rows of the model's digests that are not as they are committed."""
    committed = same.read_committed()
    model = runs.Model(options.nearfar, options.out, same.PROGRAM_MACHINE)
    rows = [*same.list_rows(model, False),
            *same.program_rows(model, False, committed),
            *same.kernel_rows(model, False),
            *same.machine_rows(model, False)]
    return [row for row in rows if committed.get(row[:3], ("",))[0] != row[3]]


def note_reason(reason, raised):
    new = not os.path.exists(LOG)
    with open(LOG, "a") as out:
        if new:
            out.write("# Limits that were raised\n")
        out.write(f"\n## {datetime.date.today()}\n\n{reason}\n\n")
        for key, before, now in raised:
            out.write(f"- {' '.join(key)}: {describe(before)} -> "
                      f"{describe(now)}\n")


def updated(found, limits, options):
    """The limits as they are to be; what rises without a reason is named."""
    silicon = {key[:2]: now[5] for key, now in found.items()}
    made = {key: limit for key, limit in limits.items()
            if silicon.get(key[:2], limit[5]) == limit[5]}
    anew = [key for key in found
            if key in limits and limits[key][5] != found[key][5]]
    if anew:
        moved = model_moved(options)
        if moved:
            raise SystemExit(
                f"gate.py: silicon changed, and the model too "
                f"({' '.join(moved[0][:3])}): set limits anew with the model "
                f"that results/same.tsv knows")
    raised = []
    for key, now in found.items():
        limit = limits.get(key)
        made[key] = now
        if not limit or key in anew:
            continue
        fewer = now[1] < limit[1]
        rises = not (now[2] <= limit[2] and now[3] <= limit[3])
        if options.reason and (fewer or rises and is_beyond(now, limit)):
            raised.append((key, limit, now))
        elif fewer:
            made[key] = limit
        elif rises:
            made[key] = (*now[:2], min(now[2], limit[2]),
                         min(now[3], limit[3]), *now[4:])
    if raised:
        note_reason(options.reason, raised)
    return made


def main(words):
    parser = runs.parser_of(__doc__)
    parser.add_argument("--chip", action="append", choices=CHIPS)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--reason")
    options = parser.parse_args(words)
    found, limits = measure(options), read_limits()
    if options.update:
        limits = updated(found, limits, options)
        write_limits(limits)
    wrong = judge(found, limits)
    print(f"gate: {len(found)} figures, {wrong} beyond their limits")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
