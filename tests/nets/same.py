#!/usr/bin/env python3
"""What a change of structure must not move, held to results/same.tsv.

usage: same.py NEARFAR OUT [--quick] [--update] [--class model|words]
environment: NEARFAR, for the transcripts

Two classes. *model*: every series of the suite, of what is held out and of the
pair, the programs drawn at random, the kernels with their counters and buffers,
each machine, and the PTX of programs. *words*: transcripts, help, lists, a page.
A row is a digest and a figure; what moved is named with both figures, and the
exit status is 1. --quick is a share of it, in half a minute. OUT keeps what the
model said, by program (model.py), so that a run that was stopped goes on.
--update writes the file anew; its diff is what moved.
"""
import concurrent.futures
import hashlib
import json
import os
import re
import statistics
import subprocess
import sys

import model as runs

TABLE = "results/same.tsv"
HEAD = "# class\tset\tname\tdigest\tfigure\n"
# Not what the model says, but how it came to it; and what it says more than when
# the digests were made.
INTERNAL = ("nearfar__events.sum",
            "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
            "nearfar__barrier_wait_cycles.sum")
PROGRAM_MACHINE = "h200-sxm"

QUICK_ROWS = {
    "suite": ["tlb-reach-atom", "atomic-contention-word",
              "atomic-contention-warp-line", "prefetch-size-ca",
              "sharing-part"],
    "held-out": ["tlb-reach", "atomics-64"],
    "pair": ["peer-sharing", "host-tlb"]}
QUICK_CYCLES_MOST = 12000
QUICK_PROGRAMS = 24
QUICK_JOBS = r"(scan|sort|histogram)/"

MACHINE_RUNS = [
    "pointer-chase --op ld.ca -x 4KiB,64KiB,1MiB,16MiB,64MiB --loads 512",
    "atomic-contention --pattern warp-line -x 1,%S --iterations 8",
    "coalescing --op ld.ca -x 4,32",
    "bandwidth --footprint %L/4 -x 1,%S --volume 128KiB"]

PAGE = ["results/h200-sxm/pointer-chase-ld.ca.json.gz",
        "results/h200-sxm/atomic-contention-word.json.gz"]


def digest(value):
    text = value if isinstance(value, str) else \
        json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# ---- the model ----

def spoken(series):
    """What a series says, without where and when it was made."""
    kept = {key: value for key, value in series.items() if key != "provenance"}
    for point in kept["points"]:
        for name in INTERNAL:
            point.get("counters", {}).pop(name, None)
    return kept


def figure_of(every):
    """Points, and the mean of the first metric's medians over them."""
    metric = every[0]["metrics"][0]
    values = [point["metrics"][metric]["median"] for series in every
              for point in series["points"]
              if metric in point.get("metrics", {})]
    values = [value for value in values if value is not None]
    mean = f" {metric}={statistics.fmean(values):.6g}" if values else ""
    return f"points={sum(len(s['points']) for s in every)}{mean}"


def series_row(group, name, path):
    every = [spoken(series) for series in runs.read_series(path)]
    return ("model", group, name, digest(every), figure_of(every))


def list_rows(model, quick):
    for part in runs.LISTS:
        names = QUICK_ROWS[part] if quick else None
        for name, path in model.rows(part, names).items():
            yield series_row(part, name, path)


def quick_programs(part, committed):
    """The short ones by what they took when the table was made."""
    short = [(float(figure.split("=")[1]), name)
             for (_, group, name), (_, figure) in committed.items()
             if group == part]
    return [name for cycles, name in sorted(short)
            if cycles <= QUICK_CYCLES_MOST][-QUICK_PROGRAMS:]


def program_rows(model, quick, committed):
    for part in runs.FOLDERS:
        names = quick_programs(part, committed) if quick else None
        if quick and not names:
            continue
        cycles = model.programs(part, names)
        for series in runs.read_series(model.path(part + ".json.gz")):
            name = series["bench"]
            yield ("model", part, name, digest(spoken(series)),
                   f"cycles={cycles[name]:.10g}")


def kernel_rows(model, quick):
    path = model.kernels(QUICK_JOBS if quick else "")
    for series in runs.read_series(path):
        sums = {"cycles": 0, "l2_sectors": 0, "dram_sectors": 0}
        for point in series["points"]:
            measures = runs.kernel_errors.point_measures(point)
            sums["cycles"] += measures["sm__cycles_elapsed.max"]
            sums["l2_sectors"] += measures["lts__t_sectors_op_read.sum"]
            sums["dram_sectors"] += measures["dram__sectors_read.sum"]
        yield ("model", "kernels", series["bench"], digest(spoken(series)),
               " ".join(f"{key}={value:.10g}" for key, value in sums.items()))
    buffers = {}
    for job, *rest in runs.read_table(model.path("kernels-digests.tsv")):
        buffers.setdefault(job, []).append(rest)
    for job, rows in buffers.items():
        yield ("model", "buffers", job, digest(rows), f"buffers={len(rows)}")


def listed(nearfar, *words):
    said = subprocess.run([nearfar, "list", *words, "-f", "json"],
                          check=True, capture_output=True, text=True).stdout
    return json.loads(said)


def parameters_row(nearfar, name, machine):
    """Of the values: few runs of a machine do not feel each of them."""
    values = [(row["name"], row["value"], row["unit"])
              for row in listed(nearfar, "parameters", "-m", machine)]
    return ("model", "machines", f"{name} parameters", digest(values),
            f"parameters={len(values)}")


def machine_rows(model, quick):
    names = [row["name"] for row in listed(model.nearfar, "machines")["items"]]
    for name in names:
        yield parameters_row(model.nearfar, name, name)
    for name in names[:1] if quick else names:
        for words in MACHINE_RUNS:
            bench = words.split()[0]
            out = model.path("machines", f"{name}-{bench}.json.gz")
            try:
                model.once([*words.split(), "--no-samples", "-m", name, "-r",
                            "1", "-w", "0", *model.words], out)
                yield series_row("machines", f"{name} {bench}", out)
            except SystemExit as refused:  # an old machine lacks some
                yield ("model", "machines", f"{name} {bench}",
                       digest(str(refused)), "refused")


# ---- words ----

def say(nearfar, *words):
    """What a command says, and how it ends."""
    ended = subprocess.run([nearfar, *words], capture_output=True, text=True,
                           env={**os.environ, "COLUMNS": "80",
                                "NO_COLOR": "1", "LC_ALL": "C"})
    return f"{ended.stdout}\n{ended.stderr}\n{ended.returncode}\n"


def word_row(group, name, text):
    return ("words", group, name, digest(text),
            f"lines={text.count(chr(10))} words={len(text.split())}")


def ptx_commands(nearfar, quick):
    """{(set, name): [words of a command, ...]}: a row each."""
    found = {}
    for part in runs.LISTS:
        rows = runs.read_rows(nearfar, part)
        machine = PROGRAM_MACHINE + ("-x2" if part == "pair" else "")
        for name, words in rows.items():
            found[part, name] = [["run", *words, "-m", machine]]
    for part in runs.FOLDERS:
        folder = os.path.join(runs.RESULTS, part)
        for name in sorted(os.listdir(folder)):
            if name.endswith(".txt"):
                kind = re.sub(r"-\d+\.txt$", "", name)
                found.setdefault((part, kind), []).append(
                    ["run", "--program", os.path.join(folder, name)])
    return dict(list(found.items())[::12]) if quick else found


def ptx_rows(nearfar, quick):
    def texts(commands):
        return "".join(say(nearfar, *words, "--dump-ptx")
                       for words in commands)

    commands = ptx_commands(nearfar, quick)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (part, name), text in zip(
                commands, pool.map(texts, commands.values())):
            yield ("model", "ptx", f"{part} {name}", digest(text),
                   f"lines={text.count(chr(10))}")


def help_rows(nearfar):
    top = say(nearfar, "--help")
    yield word_row("help", "nearfar", top)
    for command in re.findall(r"^  ([a-z]+) ", top, re.M):
        yield word_row("help", command, say(nearfar, command, "--help"))
    benches = listed(nearfar, "benches")["items"]
    topics = [name[:-4] for name in sorted(
        os.listdir("harness/command/topics")) if name.endswith(".txt")]
    for name in [bench["name"] for bench in benches] + topics:
        yield word_row("help", f"help {name}", say(nearfar, "help", name))
    for what in ("benches", "backends", "machines", "parameters", "controls",
                 "instructions", "marks", "metrics"):
        yield word_row("list", what, say(nearfar, "list", what))


def page_rows(nearfar):
    """A report, without the scripts that npm may have brought."""
    page = say(nearfar, "report", *PAGE, "-o", "/dev/stdout")
    page = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.S)
    yield word_row("page", "report", page)


def transcript_rows(quick):
    """Held to tests/golden; a row for each file: what differs is in it."""
    files = ["tests/golden/errors.txt"] if quick else sorted(
        os.path.join("tests/golden", name)
        for name in os.listdir("tests/golden") if name.endswith(".txt"))
    for path in files:
        said = subprocess.run(["tests/golden/check.sh", path], text=True,
                              capture_output=True).stdout
        wrong = re.findall(r"^not ok golden (.*)$", said, re.M)
        count = len(re.findall(r"^(?:not )?ok ", said, re.M))
        yield ("words", "transcripts", os.path.basename(path)[:-4],
               digest(wrong), f"transcripts={count}" + (
                   f" differ={len(wrong)}: " + "; ".join(wrong[:3])
                   if wrong else ""))


# ---- the table ----

def read_committed():
    if not os.path.exists(TABLE):
        return {}
    return {tuple(row[:3]): tuple(row[3:])
            for row in runs.read_table(TABLE, HEAD, 3)}


def all_rows(options, committed):
    if options.which != "words":
        model = runs.Model(options.nearfar, options.out, PROGRAM_MACHINE)
        yield from list_rows(model, options.quick)
        yield from program_rows(model, options.quick, committed)
        yield from kernel_rows(model, options.quick)
        yield from machine_rows(model, options.quick)
        yield from ptx_rows(options.nearfar, options.quick)
    if options.which != "model":
        yield from help_rows(options.nearfar)
        yield from page_rows(options.nearfar)
        yield from transcript_rows(options.quick)


def compare(rows, committed, whole):
    """Prints what moved; how many did."""
    moved = 0
    for key, (now, figure) in rows.items():
        before = committed.get(key)
        if before == (now, figure):
            continue
        moved += 1
        name = " ".join(key)
        if not before:
            print(f"new: {name}: {figure}")
        elif before[1] == figure:
            print(f"moved: {name}: {figure} as before, other digits or "
                  f"words did")
        else:
            print(f"moved: {name}: {before[1]} -> {figure}")
    for key in committed.keys() - rows.keys() if whole else ():
        moved += 1
        print(f"gone: {' '.join(key)}")
    return moved


def write(rows, committed, which):
    """The rows of a class that was not asked for stay."""
    kept = {key: value for key, value in committed.items()
            if which and key[0] != which}
    runs.write_table(TABLE, HEAD, [
        (*key, *value) for key, value in {**kept, **rows}.items()])


def main(words):
    parser = runs.parser_of(__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--class", dest="which", choices=["model", "words"])
    options = parser.parse_args(words)
    if options.quick and options.update:
        parser.error("--update writes the whole table: without --quick")
    committed = read_committed()
    rows = {row[:3]: row[3:] for row in all_rows(options, committed)}
    if options.update:
        moved = compare(rows, committed, not options.which)
        write(rows, committed, options.which)
        print(f"same: {len(rows)} rows written, {moved} of them moved")
        return 0
    moved = compare(rows, committed, not options.quick and not options.which)
    print(f"same: {len(rows)} rows, {moved} moved" +
          ("" if moved else ": nothing"))
    return 1 if moved else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
