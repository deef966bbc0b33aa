#!/usr/bin/env python3
"""Which lines of kernels warps could not issue, by Nsight Compute's samples of stalled
warps. Needs Python 3.8; where a GPU is, ncu with its module ncu_report, too.

usage: stalls.py label TO JOB...     here, with ptxas: a folder for the GPU
       stalls.py sample NEARFAR FROM OUT [--interval N] [JOB...]
                                     there: OUT/samples.tsv, a line an instruction
       stalls.py lines FROM OUT      here: samples by line of the source, to standard
                                     output, as results/kernels/stalls.tsv has them

A sample is a warp whose next instruction was looked at, every 32 * 2^N cycles; one that
was selected, or could have been, did not wait. ncu has addresses of instructions. For
each of them to have a line of PTX, `label` gives each instruction of a module a `.loc`
of its own, which changes no code, and assembles it: FROM/MODULE.cubin has the table, and
the driver's compiler, of the same version, makes the same code. A line of the source is
then the outermost one that the module's own `.loc` says: where a function was called
from, if it was expanded there. Caches are cold.
"""
import collections
import glob
import os
import re
import shutil
import subprocess
import sys

NOT_STALLED = {"selected", "not_selected"}
PREFIX = "smsp__pcsamp_warps_issue_stalled_"


def read_text(path):
    with open(path, errors="replace") as source:
        return source.read()


# ---- a line for each instruction ----

def without_comments(text):
    """The same lines, without what is no PTX."""
    return re.sub(r"/\*.*?\*/|//[^\n]*",
                  lambda m: re.sub(r"[^\n]", " ", m.group(0)), text, flags=re.S)


def label(text, name):
    """PTX whose instructions have their own line as their `.loc`."""
    out, depth, begins, body = [], 0, True, False
    for number, (line, code) in enumerate(
            zip(text.split("\n"), without_comments(text).split("\n")), 1):
        code = code.strip()
        if re.match(r"\.(loc|file)\b", code):
            continue
        if not body:
            out.append(line)
            if code.startswith(".address_size"):
                out.append(f'.file 1 "{name}"')
            body = code == "{"
            depth, begins = 1, True
            continue
        word = re.sub(r"^(\$?[\w$%]+:\s*)+", "", code)
        if begins and word and word[0] not in ".{}":
            out.append(f"\t.loc 1 {number} 0")
        out.append(line)
        if code:
            depth += code.count("{") - code.count("}")
            begins = code[-1] in ";{}:"
            body = depth > 0
    return "\n".join(out)


def label_jobs(to, jobs):
    os.makedirs(to, exist_ok=True)
    for job in jobs:
        module = re.search(r"^module (\S+)", read_text(job), re.M).group(1)
        path = os.path.join(os.path.dirname(job), module)
        text = read_text(path)
        labelled = os.path.join(to, module)
        with open(labelled, "w") as out:
            out.write(label(text, module))
        shutil.copy(path, labelled + ".as_is")
        shutil.copy(job, to)
        target = re.search(r"^\.target\s+(sm_\w+)", text, re.M).group(1)
        arch = target if target.endswith("a") else "sm_90"
        subprocess.run(["ptxas", "-arch=" + arch, "-lineinfo", labelled, "-o",
                        labelled.replace(".ptx", ".cubin")], check=True)


def entries(text):
    """[(entry, its first line)] of a module, in order."""
    return [(m.group(1), text.count("\n", 0, m.start()) + 1) for m in re.finditer(
        r"^[^\S\n]*(?:\.visible\s+|\.weak\s+)*\.entry\s+([\w$]+)", text, re.M)]


def addresses(cubin, text):
    """{entry: [(address, line of PTX)]}, ascending."""
    said = subprocess.run(["readelf", "--debug-dump=decodedline", "-W", cubin],
                          capture_output=True, text=True, check=True).stdout
    found, sequence = {}, []
    for line in said.splitlines():
        row = re.match(r"\S+\s+(\d+|-)\s+(0x[0-9a-f]+|0)\b", line)
        if not row:
            continue
        if row.group(1) != "-":
            sequence.append((int(row.group(2), 16), int(row.group(1))))
            continue
        before = [e for e, first in entries(text) if first <= sequence[0][1]]
        found[before[-1]] = sequence
        sequence = []
    return found


def sources(text):
    """[line of PTX] -> "file:line" of the source, or "-"; from 1."""
    files = {m.group(1): os.path.basename(m.group(2)) for m in re.finditer(
        r'^\s*\.file\s+(\d+)\s+"([^"]*)"', text, re.M)}
    called, found, now = {}, ["-"], "-"
    for line in text.split("\n"):
        if re.match(r"\s*(\.visible\s+|\.weak\s+)*\.(entry|func)\b", line):
            now = "-"
        loc = re.match(r"\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:.*inlined_at\s+(\d+)\s+"
                       r"(\d+)\s+(\d+))?", line)
        if loc:
            place = loc.group(1, 2, 3)
            if loc.group(4):
                called[place] = loc.group(4, 5, 6)
                place = loc.group(4, 5, 6)
                while place in called and called[place] != place:
                    place = called[place]
            now = f"{files.get(place[0], '?')}:{place[1]}"
        found.append(now)
    return found


# ---- where a GPU is ----

def launches(job):
    return re.findall(r"^launch (\S+)", read_text(job), re.M)


def import_report():
    for folder in sorted(glob.glob("/opt/nvidia/nsight-compute/*/extras/python") +
                         glob.glob("/usr/local/cuda*/nsight-compute*/extras/python")):
        sys.path.insert(0, folder)
    import ncu_report  # comes with Nsight Compute
    return ncu_report


def put_kernel(job, launch, action, out):
    """A row for each instruction: its address, samples by reason, text."""
    rows = collections.defaultdict(dict)
    for name in action.metric_names():
        if not name.startswith(PREFIX) or name.endswith("_not_issued"):
            continue
        metric = action.metric_by_name(name)
        ids = metric.correlation_ids()
        for i in range(metric.num_instances()):
            if metric.as_uint64(i):
                rows[ids.as_uint64(i)][name[len(PREFIX):]] = metric.as_uint64(i)
    executed = action.metric_by_name("inst_executed").correlation_ids()
    first = min(executed.as_uint64(i) for i in range(executed.num_instances()))
    cycles = action.metric_by_name("sm__cycles_elapsed.max").as_double()
    for pc, reasons in sorted(rows.items()):
        out.write("\t".join([
            job, str(launch), action.name(), f"{cycles:.0f}", f"{pc - first:x}",
            " ".join(f"{k}={v}" for k, v in sorted(reasons.items())),
            " ".join(action.sass_by_pc(pc).split())]) + "\n")


def sample(nearfar, folder, to, interval, jobs):
    ncu_report = import_report()
    os.makedirs(to, exist_ok=True)
    jobs = jobs or sorted(glob.glob(folder + "/*.job"))
    names = "|".join(sorted({e for job in jobs for e in launches(job)}))
    report = os.path.join(to, "samples.ncu-rep")
    subprocess.run(["ncu", "--clock-control", "none", "--cache-control", "all",
                    "--kernel-name-base", "function", "--kernel-name",
                    f"regex:^({names})$", "--section", "SourceCounters", "--metrics",
                    "sm__cycles_elapsed.max", "--warp-sampling-interval", interval,
                    "-f", "-o", report, nearfar, "run", "--kernel", *jobs, "-b", "cuda",
                    "-r", "1", "-w", "0", "-f", "csv", "-o", os.devnull], check=True)
    with open(os.path.join(to, "gpu.txt"), "w") as out:
        subprocess.run(["nvidia-smi", "--query-gpu=name,uuid,driver_version",
                        "--format=csv,noheader"], stdout=out, check=True)
    of = ncu_report.load_report(report)
    actions = [of.range_by_idx(r).action_by_idx(a) for r in range(of.num_ranges())
               for a in range(of.range_by_idx(r).num_actions())]
    wanted = [(job, i, e) for job in jobs for i, e in enumerate(launches(job))]
    if [e for _, _, e in wanted] != [a.name() for a in actions]:
        raise SystemExit("other kernels ran than the jobs say")
    with open(os.path.join(to, "samples.tsv"), "w") as out:
        for (job, i, _), action in zip(wanted, actions):
            put_kernel(os.path.basename(job)[:-4], i, action, out)


# ---- by line ----

def module_of(folder, job):
    module = re.search(r"^module (\S+)", read_text(f"{folder}/{job}.job"),
                       re.M).group(1)
    return f"{folder}/{module}"


def line_of(table, address):
    """The last row at or before the address."""
    found = 0
    for at, line in table:
        if at > address:
            break
        found = line
    return found


def by_line(folder, rows):
    """{(job, launch, kernel, cycles): {source: {reason: samples}}}"""
    known, found = {}, collections.OrderedDict()
    for job, launch, kernel, cycles, address, reasons, _ in rows:
        path = module_of(folder, job)
        if path not in known:
            text = read_text(path + ".as_is")
            known[path] = (addresses(path.replace(".ptx", ".cubin"), text),
                           sources(text))
        tables, places = known[path]
        place = places[line_of(tables[kernel], int(address, 16))]
        to = found.setdefault((job, launch, kernel, cycles), {}).setdefault(
            place, collections.Counter())
        for word in reasons.split():
            reason, count = word.split("=")
            if reason not in NOT_STALLED:
                to[reason] += int(count)
    return found


def put_lines(folder, to):
    rows = [line.split("\t") for line in read_text(to + "/samples.tsv").splitlines()]
    print("job", "launch", "kernel", "cycles", "line", "samples", "share", "reasons",
          sep="\t")
    for key, places in by_line(folder, rows).items():
        every = sum(sum(r.values()) for r in places.values())
        for place, reasons in sorted(places.items(), key=lambda p: -sum(p[1].values())):
            count = sum(reasons.values())
            if count:
                print(*key, place, count, f"{count / every:.4f}", " ".join(
                    f"{k}={v}" for k, v in reasons.most_common()), sep="\t")


def main(words):
    interval = "0"
    if "--interval" in words:
        at = words.index("--interval")
        interval = words[at + 1]
        del words[at:at + 2]
    if len(words) > 2 and words[0] == "label":
        label_jobs(words[1], words[2:])
    elif len(words) > 3 and words[0] == "sample":
        sample(*words[1:4], interval, words[4:])
    elif len(words) == 3 and words[0] == "lines":
        put_lines(*words[1:])
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
