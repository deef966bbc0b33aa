#!/usr/bin/env python3
"""The model's errors against Nsight's counters of the jobs of tests/kernels.

usage: kernel_errors.py NEARFAR KERNELS SILICON.tsv...
                        [--size small|large|warm]
                        [--caches cold|warm|sequence] [--match REGEX]
                        [--jobs N] [--machine M] [--model FILE]

Cold: caches are emptied before each launch, as ncu does. Warm: each launch
runs once more before the one that counts. Sequence: the jobs (of the size
warm) run as they are, from a flush on, and the last launch of each is judged, by
what those before it left. A launch of the silicon that was measured several times counts with its median. Prints a line for each launch
and the errors of two sets: kernels that mechanisms were looked for on, and
those of the folders unseen_*, which were measured and compared when the model
was as it is, and on which nothing is ever looked for. --model names the series
of a run that is there already (run_model writes one).
"""
import argparse
import csv
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

# What is compared: its name in the table, Nsight's, the fewest that count.
MEASURES = [("cycles", "sm__cycles_elapsed.max", 1),
            ("L2 read", "lts__t_sectors_op_read.sum", 1000),
            ("DRAM read", "dram__sectors_read.sum", 1000)]
# Of fewer than these, runs of a sequence differ by more than a tenth.
SEQUENCE_MEASURES = [*MEASURES[:2],
                     ("DRAM read", "dram__sectors_read.sum", 40000),
                     ("DRAM write", "dram__sectors_write.sum", 40000)]


def measures_of(caches):
    return SEQUENCE_MEASURES if caches == "sequence" else MEASURES


def find_jobs(kernels, size, match):
    """[(path below `kernels`)] of the jobs of that size."""
    found = []
    for folder, _, names in os.walk(kernels):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), kernels)
            if name.endswith(f"-{size}.job") and re.search(match, path):
                found.append(path)
    return sorted(found)


def job_name(path):
    return os.path.basename(path)[:-len(".job")]


def is_unseen(path):
    return path.startswith("unseen_")


def read_silicon(paths, caches):
    """{(job, launch): {measure: median of the repeats}}"""
    repeats = {}
    for path in paths:
        with open(path) as source:
            for row in csv.DictReader(source, delimiter="\t"):
                if row["caches"] != caches:
                    continue
                key = row["job"], int(row["launch"])
                repeats.setdefault(key, []).append(row)
    return {key: {metric: statistics.median(float(r[metric]) for r in rows)
                  for _, metric, _ in measures_of(caches) if rows[0][metric]}
            for key, rows in repeats.items()}


def with_flushes(path):
    """The job, with the caches emptied before each launch."""
    with open(path) as source:
        lines = source.read().splitlines()
    with open(path, "w") as out:
        for line in lines:
            # one that depends on another cannot wait for its end
            flush = (line.startswith("launch ") and " flush" not in line
                     and " after=" not in line)
            out.write(line + (" flush" if flush else "") + "\n")


def point_measures(point):
    """{Nsight's name: value} of a launch on the model."""
    values = dict(point["counters"])
    values["sm__cycles_elapsed.max"] = point["metrics"]["elapsed_cycles"][
        "median"]
    return values


def run_model(nearfar, kernels, jobs, caches, out, words):
    """Runs the jobs; `out` is the file of their series, `words` are more of
    `nearfar run`."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = os.path.join(scratch, "kernels")
        shutil.copytree(kernels, copy)
        paths = [os.path.join(copy, job) for job in jobs]
        if caches == "cold":
            for path in paths:
                with_flushes(path)
        warm = ["--warm"] if caches == "warm" else []
        subprocess.run([nearfar, "run", "--kernel", *paths, *warm, "-r", "1",
                        "--force", "-o", out, *words],
                       check=True, stdout=subprocess.DEVNULL)


def read_model(path):
    """{(job, launch): {metric: value}} of the model."""
    with open(path) as source:
        document = json.load(source)
    return {(series["bench"], int(point["x"])):
            point_measures(point)
            for series in document["series"] for point in series["points"]}


def quantile(values, share):
    """The smallest value that `share` of them do not exceed."""
    return sorted(values)[max(0, -int(-share * len(values) // 1) - 1)]


def print_launches(model, silicon, order, measures):
    print(f"{'launch':32} {'silicon':>9} {'model':>9} {'cycles':>8}"
          f" {'L2 read':>8}" +
          "".join(f" {what:>{len(what)}}" for what, _, _ in measures[2:]))
    for key in order:
        cycles = MEASURES[0][1]
        errors = [error_of(model[key], silicon[key], metric, least)
                  for _, metric, least in measures]
        shown = ["-" if e is None else f"{100 * e:+.1f} %" for e in errors]
        print(f"{key[0] + ' ' + str(key[1]):32} {silicon[key][cycles]:9.0f}"
              f" {model[key][cycles]:9.0f} {shown[0]:>8} {shown[1]:>8}" +
              "".join(f" {error:>{len(measure[0])}}" for measure, error in
                      zip(measures[2:], shown[2:])))


def error_of(model, silicon, metric, least):
    """None: too few to compare, or not measured."""
    if silicon.get(metric, 0) < least:
        return None
    return model[metric] / silicon[metric] - 1


def print_summary(name, model, silicon, keys, measures):
    for what, metric, least in measures:
        errors = [error_of(model[k], silicon[k], metric, least) for k in keys]
        errors = [abs(e) for e in errors if e is not None]
        if errors:
            print(f"{name:16} {what:10} {len(errors):4}"
                  f" {100 * statistics.median(errors):8.1f} %"
                  f" {100 * quantile(errors, 0.9):8.1f} %"
                  f" {100 * max(errors):8.1f} %")


def main(words):
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nearfar")
    parser.add_argument("kernels")
    parser.add_argument("silicon", nargs="+")
    parser.add_argument("--size", default="small", choices=["small", "large", "warm"])
    parser.add_argument("--caches", default="cold",
                        choices=["cold", "warm", "sequence"])
    parser.add_argument("--match", default="")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--machine", default="h200-sxm")
    parser.add_argument("--model")
    options = parser.parse_args(words)
    measures = measures_of(options.caches)
    silicon = read_silicon(options.silicon, options.caches)
    jobs = [j for j in find_jobs(options.kernels, options.size, options.match)
            if (job_name(j), 0) in silicon]
    if not jobs:
        raise SystemExit("kernel_errors.py: no such job was measured")
    with tempfile.TemporaryDirectory() as scratch:
        path = options.model or os.path.join(scratch, "model.json")
        if not options.model:
            run_model(options.nearfar, options.kernels, jobs, options.caches,
                      path, ["-j", str(options.jobs), "-m", options.machine])
        model = read_model(path)
    unseen = {job_name(j) for j in jobs if is_unseen(j)}
    keys = sorted(k for k in model if k in silicon)
    print_launches(model, silicon, keys, measures)
    print(f"\n{options.caches} caches, {options.size} jobs:  launches"
          f"   median   90th pct.   worst")
    if options.caches == "sequence":
        last = {key[0]: key for key in keys}
        print_summary("last launches", model, silicon, list(last.values()),
                      measures)
        return 0
    print_summary("looked at", model, silicon,
                  [k for k in keys if k[0] not in unseen], measures)
    print_summary("never looked at", model, silicon,
                  [k for k in keys if k[0] in unseen], measures)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
