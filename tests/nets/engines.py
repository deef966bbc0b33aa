#!/usr/bin/env python3
"""The model's errors against silicon by either way to run programs, as a table.

usage: engines.py NEARFAR OUT [--machine MACHINE] [--every N] [--seconds S]
                  [--part PART...] [--jobs N]

Both ways run the same: of the programs, those of the folders programs and net, and
of the lists suite and held-out the rows, each N-th by name, if the first way takes
at most S seconds for it. OUT keeps what the model said (model.py), in a folder for
each way. The table has the median and the 90th percentile of the errors of each
kind, in percent, by programs and by kernels, and what could not be run.
"""
import glob
import os
import subprocess
import sys
import time

import gate
import model as runs

WAYS = ("programs", "kernels")
PARTS = ("programs", "net", "suite", "held-out")


def run_one(nearfar, way, words, out, limit):
    """Seconds that `nearfar run` took; None: longer than the limit; a sentence:
    it failed."""
    begun = time.monotonic()
    try:
        ended = subprocess.run(
            [nearfar, "run", *words, "--engine", way, "-r", "1", "-w", "0",
             "--force", "-o", out], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return None
    if ended.returncode:
        return ended.stderr.strip().splitlines()[-1]
    return time.monotonic() - begun


class Ways:
    """Both ways over parts of the nets."""

    def __init__(self, options):
        self.o = options
        self.model = runs.Model(options.nearfar, options.out, options.machine)
        self.slow, self.refused = [], []

    def folder(self, part, way):
        path = self.model.path(part, way)
        os.makedirs(path, exist_ok=True)
        return path

    def both(self, part, name, words):
        """Runs both; whether both have a file now."""
        outs = [os.path.join(self.folder(part, way), name + ".json.gz")
                for way in WAYS]
        limit = self.o.seconds
        for way, out in zip(WAYS, outs):
            if os.path.exists(out):
                continue
            took = run_one(self.o.nearfar, way,
                           [*words, "-m", self.o.machine, "-j",
                            str(self.o.jobs)], out, limit)
            if took is None and way == WAYS[0]:
                self.slow.append(name)
                return False
            if not isinstance(took, float):
                self.refused.append((name, took or "longer than "
                                     f"{limit:.0f} s"))
                os.remove(outs[0])
                return False
            limit = max(60, 20 * took)
        return True

    def drawn(self, names):
        return sorted(names)[::self.o.every]

    def programs(self, part):
        """{kind: row} by either way."""
        silicon = f"results/{part}/{self.o.machine}.tsv"
        rows = runs.read_table(silicon)
        cycles = {way: {} for way in WAYS}
        for name in self.drawn(row[0] for row in rows):
            path = f"results/{part}/{name}.txt"
            if not os.path.exists(path) or not self.both(
                    part, name, ["--program", path, "--no-samples"]):
                continue
            for way in WAYS:
                out = os.path.join(self.folder(part, way), name + ".json.gz")
                point = runs.read_series(out)[0]["points"][0]
                if "spans" in point:
                    cycles[way][name] = point["spans"][0]["cycles"]
                else:
                    self.refused.append((name, point.get("skipped", "")))
        both = cycles[WAYS[0]].keys() & cycles[WAYS[1]].keys()
        found = []
        for way in WAYS:
            files = {"silicon": [row for row in rows if row[0] in both],
                     way: [(n, f"{cycles[way][n]:.10g}") for n in both]}
            for which, table in files.items():
                runs.write_table(self.model.path(which + ".tsv"),
                                 "# program\tcycles\n", table)
            found.append(gate.markdown_rows(gate.said(
                "tests/support/program_errors.sh",
                self.model.path("silicon.tsv"),
                self.model.path(way + ".tsv"))))
        return found

    def rows(self, part):
        every = runs.read_rows(os.path.join(runs.RESULTS, runs.LISTS[part]))
        silicon = self.model.path(part, "silicon")
        os.makedirs(silicon, exist_ok=True)
        for path in glob.glob(os.path.join(silicon, "*")):
            os.remove(path)
        kept = {gate.row_name(path): path for path in
                gate.silicon_files(part, self.o.machine)}
        for name in self.drawn(kept):
            words = every[name]
            if "--samples" not in words and name != "near-far":
                words = [*words, "--no-samples"]
            if self.both(part, name, words):
                os.symlink(os.path.abspath(kept[name]), os.path.join(
                    silicon, os.path.basename(kept[name])))
        return [gate.markdown_rows(gate.said(
            "tests/support/errors.sh", self.o.nearfar, silicon,
            self.folder(part, way))) for way in WAYS]


def put(part, by_programs, by_kernels):
    for kind in by_programs:
        if kind not in by_kernels:
            continue
        a, b = by_programs[kind], by_kernels[kind]
        print(f"| {part} | {kind} | {a[0]} | {a[1]:.1f} | {b[1]:.1f} | "
              f"{a[2]:.1f} | {b[2]:.1f} |")


def main(words):
    parser = runs.parser_of(__doc__)
    parser.add_argument("--machine", default="h200-sxm")
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--part", nargs="*", default=PARTS)
    ways = Ways(parser.parse_args(words))
    print("| set | kind | points | median, programs | median, kernels | "
          "90th percentile, programs | 90th percentile, kernels |")
    print("|---|---|---|---|---|---|---|")
    for part in ways.o.part:
        put(part, *(ways.rows(part) if part in runs.LISTS
                    else ways.programs(part)))
        sys.stdout.flush()
    if ways.slow:
        print("\nLeft out, too slow: " + ", ".join(ways.slow))
    for name, why in ways.refused:
        print(f"\nNot by kernels: {name}: {why}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
