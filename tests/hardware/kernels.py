#!/usr/bin/env python3
"""Runs jobs on a GPU, keeps the digests of their buffers, and reads Nsight
Compute's counters of every launch, with cold and with warm caches. Needs
Python 3.8, a driver and, for the counters, ncu; it stands alone, for the
bundle.

usage: kernels.py NEARFAR OUT JOB|FOLDER... [--steps digests,cold,warm]
                  [--ncu NCU] [--match REGEX] [--seconds N]

Another step is `sequence`.

What is written to the folder OUT:
  digests.tsv   job, buffer and digest of its last content, as
                `nearfar run --kernel ... --check` reads it
  events.json   the same run as series: cycles between events, GPU, driver
  cold.csv, warm.csv, sequence.csv   what ncu said
  kernels.tsv   a line for each launch and state of the caches
  failures.txt  the jobs that did not run, with the reason

Cold: ncu empties the caches before each pass (--cache-control all). Warm: each
launch runs once more before it is measured, and caches stay as they are.
Sequence: launches find what those before them left, from the flush at the job's
begin on; each pass of ncu is a run of nearfar of its own, and all of it is done
SEQUENCE_RUNS times. The clocks are left alone. A job that fails is left out and the others go on.
"""
import argparse
import csv
import json
import math
import os
import re
import shutil
import subprocess
import sys
import time

METRICS = """
sm__cycles_elapsed.max gpu__time_duration.sum
lts__t_sectors_op_read.sum lts__t_sectors_op_write.sum
lts__t_sectors_op_atom.sum lts__t_sectors_op_red.sum
lts__t_sectors_lookup_hit.sum lts__t_sectors_lookup_miss.sum
dram__sectors_read.sum dram__sectors_write.sum
l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
l1tex__data_bank_conflicts_pipe_lsu.sum
launch__registers_per_thread launch__waves_per_multiprocessor
launch__occupancy_limit_blocks launch__occupancy_limit_registers
launch__occupancy_limit_shared_mem launch__occupancy_limit_warps
launch__shared_mem_config_size launch__shared_mem_per_block
sm__warps_active.sum smsp__inst_executed.sum
smsp__inst_executed_pipe_alu.sum smsp__inst_executed_pipe_fma.sum
smsp__inst_executed_pipe_fp64.sum smsp__inst_executed_pipe_lsu.sum
smsp__inst_executed_pipe_xu.sum smsp__inst_executed_pipe_cbu.sum
smsp__inst_executed_pipe_adu.sum smsp__inst_executed_pipe_uniform.sum
""".split()

# Where ncu refuses the list above without a word of what it does not know.
CORE_METRICS = [m for m in METRICS if re.match(
    r"(sm__cycles|gpu__time|lts__t_sectors_op_(read|write)|dram__|"
    r"launch__registers|smsp__inst_executed\.)", m)]

# Few, so that they take few passes.
SEQUENCE_METRICS = [m for m in METRICS if re.match(
    r"(sm__cycles|gpu__time|lts__t_sectors_|dram__|launch__registers)", m)]
SEQUENCE_RUNS = 3

NCU_PLACES = ("/usr/local/cuda/bin/ncu", "/opt/nvidia/nsight-compute")


def say(words):
    print(f"{time.strftime('%H:%M:%S')} {words}", file=sys.stderr, flush=True)


# ---- jobs ----

def find_jobs(words, match):
    """The files that the words name, in order."""
    paths = []
    for word in words:
        if os.path.isdir(word):
            paths += sorted(os.path.join(folder, name)
                            for folder, _, names in os.walk(word)
                            for name in names if name.endswith(".job"))
        else:
            paths.append(word)
    return [p for p in paths if re.search(match, p)]


def job_name(path):
    return re.sub(r"\.job$", "", os.path.basename(path))


def parse_launches(text):
    """What `run --kernel --dry-run` prints: (job, index of the launch, its
    entry, executed launches, of which the last `repeats` count)."""
    launches = []
    for line in text.splitlines():
        found = re.match(r"(\S+) launch=(\S+) blocks=\d+ threads=\d+ "
                         r"warmups=(\d+) repeats=(\d+)$", line)
        if not found:
            continue
        job, entry = found.group(1), found.group(2)
        warmups, repeats = int(found.group(3)), int(found.group(4))
        index = 0
        if launches and launches[-1][0] == job:
            index = launches[-1][1] + 1
        launches.append((job, index, entry, warmups + repeats, repeats))
    return launches


# ---- ncu's CSV ----

def parse_number(text):
    """None for what is no number: ncu says "nan" of what it has not read."""
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def parse_ncu(text):
    """A list of (kernel, {metric: number}) in the order of execution, of
    `--csv --page raw`: a head, a row of units, a row a kernel. Lines of the
    profiler and of the program around it are passed over."""
    lines = [line for line in text.splitlines()
             if line.startswith('"') and line.count('"') > 3]
    rows = list(csv.reader(lines))
    heads = [i for i, row in enumerate(rows) if "Kernel Name" in row]
    if not heads:
        return []
    head = rows[heads[0]]
    name, number = head.index("Kernel Name"), head.index("ID")
    kernels = []
    for row in rows[heads[0] + 1:]:
        if len(row) != len(head) or not row[number].isdigit():
            continue
        values = {}
        for column, text_value in zip(head, row):
            if "__" in column:
                # "launch__x" may come as "section: launch__x (unit)".
                metric = re.search(r"[a-z0-9]+__[A-Za-z0-9_.]+", column)
                values[metric.group(0)] = parse_number(text_value)
        # The entry alone, without parameters.
        kernels.append((row[name].split("(")[0].strip(), values))
    return kernels


def assign(launches, kernels):
    """Gives each launch its counted executions: a list of (job, index, entry,
    repeat, values) and a list of jobs that are incomplete. A job whose kernels
    are missing does not shift those of the next."""
    found, missing, at = [], [], 0
    jobs = []
    for launch in launches:
        if not jobs or jobs[-1][0][0] != launch[0]:
            jobs.append([])
        jobs[-1].append(launch)
    for job in jobs:
        wanted = [entry for _, _, entry, runs, _ in job for _ in range(runs)]
        got = [kernel for kernel, values in kernels[at:at + len(wanted)]
               if values.get("sm__cycles_elapsed.max") is not None]
        if got != wanted:
            missing.append(job[0][0])
            continue
        for name, index, entry, runs, repeats in job:
            for repeat in range(repeats):
                _, values = kernels[at + runs - repeats + repeat]
                found.append((name, index, entry, repeat, values))
            at += runs
    return found, missing


def unknown_metrics(text):
    """Those that this ncu or GPU does not have, by its own words."""
    if not re.search(r"[Ff]ailed to find metric|[Uu]nknown metric|"
                     r"[Cc]ould not find metric", text):
        return []
    return [m for m in METRICS if re.search(
        r"metric[^\n]*" + re.escape(m.split(".")[0]) + r"\b", text)]


# ---- running ----

class Failures:
    def __init__(self, path):
        self.path = path
        self.lines = []
        self.write()

    def write(self):
        with open(self.path, "w") as out:
            out.writelines(line + "\n" for line in self.lines)

    def add(self, job, reason):
        say(f"{job}: {reason}")
        self.lines.append(f"{job}\t{reason}")
        self.write()


def culprit(said, jobs):
    """The job that a message of nearfar names; None: it names none."""
    names = {job_name(path): path for path in jobs}
    for name in re.findall(r"(?:program|job) '([^']+)'", said):
        if name in names:
            return names[name]
    for path in jobs:
        if path in said:
            return path
    return None


def run_command(command, seconds):
    # Under ncu a launch is executed several times.
    environment = dict(os.environ, NEARFAR_WATCHDOG_SECONDS="120")
    # What it loads into the program wants the host's libc, not a bundle's.
    if os.path.basename(command[0]) == "ncu":
        environment["NEARFAR_HOST_LIBC"] = "1"
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=seconds,
                              env=environment,
                              universal_newlines=True, errors="replace")
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        said = late.stdout or ""
        if isinstance(said, bytes):
            said = said.decode(errors="replace")
        return 124, said + f"\nstopped after {seconds:.0f} s\n"


class Session:
    def __init__(self, options):
        self.o = options
        self.deadline = time.monotonic() + options.seconds
        self.failures = Failures(os.path.join(options.out, "failures.txt"))
        self.jobs = []

    def left(self):
        return max(10.0, self.deadline - time.monotonic())

    def path(self, name):
        return os.path.join(self.o.out, name)

    def nearfar(self, *words):
        return [self.o.nearfar, "run", "--kernel", *self.jobs, "-b", "cuda",
                "-r", "1", "-w", "0", *words]

    def drop(self, said, what):
        """Leaves the job out that failed; False: it is not known which."""
        job = culprit(said, self.jobs)
        reason = [line for line in said.splitlines() if "nearfar:" in line]
        reason = reason[-1] if reason else said.strip()[-300:]
        self.failures.add(job_name(job) if job else what, reason)
        if job:
            self.jobs.remove(job)
        return bool(job)

    def launches(self, *words):
        while True:
            code, said = run_command(self.nearfar("--dry-run", *words), 60)
            if not code:
                return parse_launches(said)
            if not self.drop(said, "reading") or not self.jobs:
                raise SystemExit(f"the jobs cannot be read:\n{said}")

    def digests(self):
        while self.jobs:
            say(f"digests of {len(self.jobs)} jobs")
            code, said = run_command(self.nearfar(
                "--digests", self.path("digests.tsv"), "-f", "json", "--force", "-o",
                self.path("events.json")), self.left())
            if not code:
                return
            if not self.drop(said, "digests"):
                raise SystemExit(f"the jobs do not run:\n{said[-2000:]}")

    def counters(self, state):
        """All jobs under one ncu; a job that fails is left out, and those
        before it are not run again."""
        warm = ["--warm"] if state == "warm" else []
        sequence = state == "sequence"
        replay = ["--replay-mode", "application"] if sequence else []
        metrics = list(SEQUENCE_METRICS if sequence else METRICS)
        rows = []
        every, self.jobs = self.jobs, list(self.jobs)
        while self.jobs:
            launches = self.launches(*warm)
            log = self.path(f"{state}.csv")
            entries = "|".join(sorted({re.escape(l[2]) for l in launches}))
            say(f"ncu, {state} caches: {len(launches)} launches")
            code, said = run_command(
                [self.o.ncu, "--csv", "--page", "raw", "--print-units", "base",
                 "--clock-control", "none", "--cache-control",
                 "all" if state == "cold" else "none", *replay,
                 "--kernel-name-base", "function",
                 "--kernel-name", f"regex:^({entries})$", "--metrics",
                 ",".join(metrics), "--force-overwrite", "--log-file", log,
                 *self.nearfar(*warm, "-o", os.devnull, "-f", "csv")],
                self.left())
            text = ""
            if os.path.exists(log):
                with open(log, errors="replace") as source:
                    text = source.read()
            unknown = unknown_metrics(said + text)
            if unknown and set(unknown) & set(metrics):
                say(f"without {', '.join(unknown)}, which ncu does not know")
                metrics = [m for m in metrics if m not in unknown]
                continue
            kernels = parse_ncu(text)
            found, missing = assign(launches, kernels)
            if code and code != 124 and not kernels and (
                    not sequence and metrics != CORE_METRICS and
                    "nearfar:" not in said):
                say(f"ncu ended with {code}; again with fewer metrics: "
                    f"{(text or said).strip()[-500:]}")
                metrics = list(CORE_METRICS)
                continue
            rows += found
            done = {row[0] for row in found}
            if not code and not missing:
                break
            before = len(self.jobs)
            self.jobs = [j for j in self.jobs if job_name(j) not in done]
            # Jobs run in order: the first without counters ended the others,
            # as one does that breaks when it is run once more.
            if culprit(said, self.jobs) or code in (0, 124) or not self.jobs:
                if not self.drop(said + text, f"ncu {state}") and (
                        code == 124 or len(self.jobs) == before):
                    break
            else:
                self.failures.add(job_name(self.jobs.pop(0)),
                                  f"ncu ended with {code} at it")
        self.jobs = every
        return rows

    def sequences(self):
        """The same of several runs, whose number is added to the repeat's."""
        rows = []
        for run in range(SEQUENCE_RUNS):
            found = self.counters("sequence")
            repeats = 1 + max((row[3] for row in found), default=0)
            rows += [(*row[:3], row[3] + run * repeats, row[4])
                     for row in found]
        return rows

    def gpu(self):
        """The GPU's UUID and the driver's version, as nearfar saw them."""
        try:
            with open(self.path("events.json")) as source:
                facts = json.load(source)["series"][0]["provenance"]
            return facts["device.uuid"], facts.get("driver.version", "")
        except (OSError, LookupError, ValueError):
            code, said = run_command(
                ["nvidia-smi", "--query-gpu=uuid,driver_version",
                 "--format=csv,noheader"], 60)
            first = said.splitlines()[0] if not code else ","
            return tuple(word.strip() for word in first.split(",")[:2])

    def write(self, rows):
        uuid, driver = self.gpu()
        with open(self.path("kernels.tsv"), "w") as out:
            out.write("\t".join(["job", "launch", "entry", "repeat", "caches",
                                 *METRICS, "gpu", "driver"]) + "\n")
            for state, (job, index, entry, repeat, values) in rows:
                numbers = [format_number(values.get(m)) for m in METRICS]
                out.write("\t".join([job, str(index), entry, str(repeat),
                                     state, *numbers, uuid, driver]) + "\n")
        say(f"{len(rows)} lines in {self.path('kernels.tsv')}")


def format_number(value):
    if value is None:
        return ""
    return str(int(value)) if value == int(value) else repr(value)


def find_ncu(given):
    if given or shutil.which("ncu"):
        return given or shutil.which("ncu")
    for place in NCU_PLACES:
        if os.path.isfile(place):
            return place
        for folder in sorted(os.listdir(place) if os.path.isdir(place) else [],
                             reverse=True):
            path = os.path.join(place, folder, "ncu")
            if os.path.isfile(path):
                return path
    return None


def read_options(words):
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nearfar")
    parser.add_argument("out")
    parser.add_argument("jobs", nargs="+")
    parser.add_argument("--steps", default="digests,cold,warm")
    parser.add_argument("--ncu")
    parser.add_argument("--match", default="")
    parser.add_argument("--seconds", type=float, default=540)
    return parser.parse_args(words)


def main(words):
    options = read_options(words)
    steps = options.steps.split(",")
    os.makedirs(options.out, exist_ok=True)
    session = Session(options)
    session.jobs = find_jobs(options.jobs, options.match)
    if not session.jobs:
        raise SystemExit("no job is named so")
    options.ncu = find_ncu(options.ncu)
    if "digests" in steps:
        session.digests()
    rows = []
    for state in ("cold", "warm", "sequence"):
        if state not in steps:
            continue
        if not options.ncu:
            raise SystemExit("there is no ncu; --ncu names it")
        found = (session.sequences() if state == "sequence" else
                 session.counters(state))
        rows += [(state, row) for row in found]
        session.write(rows)
    if session.failures.lines:
        say(f"{len(session.failures.lines)} failures, in failures.txt")
    return 1 if session.failures.lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
