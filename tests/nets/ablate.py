#!/usr/bin/env python3
"""What each rule of the model gains: the errors without it, less those with it.

usage: ablate.py NEARFAR OUT [RULE...] [--minutes N]
                 [--kind programs|kernels|both]

rules.tsv says how a rule is taken away: by words of `nearfar run`, or by a build.
Five judges, each the mean error in percent, on two chips: a share of what is held
out, short and long programs of the net, the kernels' cycles, and their sectors
read from L2 and DRAM. A judge that a rule does not serve is left out ("-").

results/ablation.tsv has a row a rule: points gained, positive where the rule makes
the model better. A row belongs to the digest of what the model says for its judges
(the rows of results/same.tsv), of the rule's words and of the judges; one whose
digest has changed is made again, so that a run that was stopped goes on. --minutes ends it
after the rule at hand.
"""
import fcntl
import glob
import os
import shutil
import statistics
import subprocess
import sys
import time

import gate
import model as runs
import same

RULES = "tests/nets/rules.tsv"
TABLE = "results/ablation.tsv"
JUDGES = ("held-out", "net short", "net long", "kernels cycles",
          "kernels sectors")


def columns_of(judges):
    """Of the table: the judges on each chip."""
    return [f"{chip.split('-')[0]} {judge}" for chip in gate.CHIPS
            for judge in judges]


COLUMNS = columns_of(JUDGES)
HEAD = "# rule\tkind\tdigest\t" + "\t".join(COLUMNS) + "\n"
SERVED = {"programs": JUDGES[:3], "kernels": JUDGES[3:], "both": JUDGES}
SETS = {"programs": ("held-out", "net"), "kernels": ("kernels",)}
SETS["both"] = SETS["programs"] + SETS["kernels"]

# What is held out, cheap points of it: the last -x counts.
HELD_OUT = {
    "chase-ca": [], "chase-cg": [], "chase-atom": [],
    "chase-parallel": ["-x", "10MiB,48MiB"],
    "bandwidth-sms": [], "bandwidth-shared": [], "bandwidth-warps": [],
    "bandwidth-dram": ["-x", "5,40"],
    "bandwidth-copy": ["-x", "10,80"],
    "bandwidth-write": ["-x", "10,80"],
    "loaded-latency": ["-x", "40"],
    "loaded-latency-delay": ["-x", "60"],
    "atomics": [], "atomics-64": [], "atomics-lines": ["-x", "10,40"],
    "stride-sweep": ["-x", "40,160"], "tlb-reach": [],
    "residency": ["--hot-as", "normal,L2::evict_last", "-x", "20MiB,40MiB"]}
SHORT_CYCLES = 12000
LONG_EVERY = 3   # of the longer programs of the net, by name
KERNEL_EVERY = 2  # of the jobs that were looked at; all others


def read_rules():
    """{name: (how, kind)}"""
    return {row[0]: (row[3], row[4]) for row in runs.read_table(RULES)}


def silicon_cycles(chip):
    return {row[0]: float(row[1])
            for row in runs.read_table(f"results/net/{chip}.tsv")}


def net_programs():
    """(short, long), by what the H200 takes: the same on all chips."""
    cycles = silicon_cycles(gate.CHIPS[0])
    short = [n for n in sorted(cycles) if cycles[n] <= SHORT_CYCLES]
    longer = [n for n in sorted(cycles) if cycles[n] > SHORT_CYCLES]
    return short, longer[::LONG_EVERY]


def kernel_jobs():
    """A pattern of the jobs that are run."""
    jobs = runs.kernel_errors.find_jobs(runs.KERNELS, "small", "")
    seen = [j for j in jobs if not runs.kernel_errors.is_unseen(j)]
    chosen = seen[::KERNEL_EVERY] + [j for j in jobs
                                     if runs.kernel_errors.is_unseen(j)]
    return "^(" + "|".join(chosen).replace(".", r"\.") + ")$"


def mean_percent(pairs):
    return 100 * statistics.fmean(abs(now / was - 1) for now, was in pairs)


class Judge:
    """The errors of one program of nearfar with one set of words."""

    def __init__(self, nearfar, out, words):
        self.nearfar, self.out, self.words = nearfar, out, words

    def held_out(self, model, chip):
        rows = runs.read_rows(self.nearfar, "held-out")
        for name, more in HELD_OUT.items():
            model.row("held-out", name, [*rows[name], *more])
        text = gate.said("tests/support/errors.sh", self.nearfar,
                         f"results/held-out/{chip}", model.path("held-out"))
        line = [row for row in text.splitlines()
                if row.startswith("| all that is compared in percent")][0]
        return {"held-out": float(line.split("|")[3].split()[0])}

    def net(self, model, chip):
        silicon = silicon_cycles(chip)
        short, longer = net_programs()
        cycles = model.programs("net", short + longer)
        return {judge: mean_percent([(cycles[n], silicon[n]) for n in names])
                for judge, names in (("net short", short),
                                     ("net long", longer))}

    def kernels(self, model, chip):
        errors = runs.kernel_errors
        silicon = errors.read_silicon(
            sorted(glob.glob(f"results/kernels/{chip}*.tsv")), "cold")
        modelled = errors.read_model(model.kernels(kernel_jobs()))
        found = {"kernels cycles": [], "kernels sectors": []}
        for key in modelled.keys() & silicon.keys():
            for number, (_, metric, least) in enumerate(errors.MEASURES):
                off = errors.error_of(modelled[key], silicon[key], metric,
                                      least)
                if off is not None:
                    found[JUDGES[3 + (number > 0)]].append(100 * abs(off))
        return {judge: statistics.fmean(v) for judge, v in found.items()}

    def errors(self, chip, judges):
        model = runs.Model(self.nearfar, self.out, chip, self.words,
                           say=False)
        found = {}
        if "held-out" in judges:
            found.update(self.held_out(model, chip))
        if "net short" in judges:
            found.update(self.net(model, chip))
        if "kernels cycles" in judges:
            found.update(self.kernels(model, chip))
        return found

    def all(self, judges):
        """{column: mean error in percent}"""
        return {f"{chip.split('-')[0]} {judge}": value
                for chip in gate.CHIPS
                for judge, value in self.errors(chip, judges).items()}


def judges_digest(nearfar, kind):
    """Of what a row of this kind was judged by, but the rule."""
    model = [row for row in sorted(same.read_committed().items())
             if row[0][0] == "model" and row[0][1] in SETS[kind]]
    silicon = [gate.silicon_digest(gate.silicon_files(nearfar, part, chip))
               for chip in gate.CHIPS for part in SETS[kind]]
    return same.digest([model, silicon, HELD_OUT, SHORT_CYCLES, LONG_EVERY,
                        KERNEL_EVERY])


def build_without(rule):
    path = f"build/ablate/without/{rule}/nearfar"
    subprocess.run(["make", f"-j{os.cpu_count()}", f"WITHOUT={rule}", path],
                   check=True, stdout=subprocess.DEVNULL)
    return path


def errors_without(options, how, judges):
    out = os.path.join(options.out, "rule")
    shutil.rmtree(out, ignore_errors=True)
    if how.startswith("WITHOUT="):
        judge = Judge(build_without(how.split("=")[1]), out, [])
    else:
        judge = Judge(options.nearfar, out, how.split())
    return judge.all(judges)


def read_table():
    if not os.path.exists(TABLE):
        return {}
    return {row[0]: row[1:] for row in runs.read_table(TABLE)
            if len(row) == HEAD.count("\t") + 1}


def write_table(rows):
    runs.write_table(TABLE, HEAD, [(name, *rows[name])
                                   for name in sorted(rows)])


def alone(folder):
    """The lock of a folder, while the file that is returned is open: two runs
    would remove each other's series, and write each other's rows away."""
    os.makedirs(folder, exist_ok=True)
    lock = open(os.path.join(folder, "lock"), "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SystemExit(f"ablate.py: another one runs in '{folder}'") \
            from None
    return lock


def gains(base, without):
    return [f"{without[c] - base[c]:+.2f}" if c in without else "-"
            for c in COLUMNS]


def is_due(name, rules, rows, digests):
    how, kind = rules[name]
    return name not in rows or \
        rows[name][1] != same.digest([digests[kind], how])


def run(options, rules, rows):
    digests = {kind: judges_digest(options.nearfar, kind)
               for kind in SERVED}
    ends = time.monotonic() + 60 * options.minutes
    base = {}
    for name in options.rules or rules:
        how, kind = rules[name]
        if not is_due(name, rules, rows, digests) or (
                options.kind and kind != options.kind):
            continue
        if time.monotonic() > ends:
            break
        if not base.keys() >= set(columns_of(SERVED[kind])):
            base.update(Judge(options.nearfar,
                              os.path.join(options.out, "all"),
                              []).all(SERVED[kind]))
            print(f"  BASE    {base}", file=sys.stderr, flush=True)
        begin = time.monotonic()
        try:
            without = errors_without(options, how, SERVED[kind])
        except (SystemExit, subprocess.CalledProcessError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        rows[name] = [kind, same.digest([digests[kind], how]),
                      *gains(base, without)]
        write_table(rows)
        print(f"  ABLATE  {name}: {' '.join(rows[name][2:])} "
              f"({time.monotonic() - begin:.0f} s)", file=sys.stderr,
              flush=True)
    return sum(not is_due(name, rules, rows, digests) for name in rules)


def main(words):
    parser = runs.parser_of(__doc__)
    parser.add_argument("rules", nargs="*")
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--kind", choices=sorted(SERVED))
    options = parser.parse_args(words)
    rules = read_rules()
    wrong = [name for name in options.rules if name not in rules]
    if wrong:
        parser.error(f"'{wrong[0]}' is no rule of {RULES}")
    with alone(options.out):
        rows = {name: row for name, row in read_table().items()
                if name in rules}
        done = run(options, rules, rows)
        write_table(rows)
    print(f"ablate: {done} of {len(rules)} rules are in {TABLE}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
