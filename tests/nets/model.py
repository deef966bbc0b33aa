#!/usr/bin/env python3
"""Runs the model over all that the nets hold it to, into a folder.

usage: model.py NEARFAR OUT MACHINE [PART...] [--jobs N]

Parts, in OUT/MACHINE/: suite, held-out, pair (a file a row of these suites),
programs, net (NAME.tsv and NAME.json.gz of a folder of results/), kernels
(kernels.json and kernels-digests.tsv of the small jobs, with cold caches). `pair`
runs on MACHINE-x2. What is there already, by the same program and of the same inputs, is
left; another program begins anew. So a run that was stopped goes on.
"""
import argparse
import glob
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import kernel_errors  # noqa: E402

RESULTS = "results"
KERNELS = "tests/kernels"
LISTS = {"suite": "default", "held-out": f"{RESULTS}/held-out.txt",
         "pair": f"{RESULTS}/pair.txt"}
FOLDERS = ("programs", "net")
PARTS = (*LISTS, *FOLDERS, "kernels")


def read_rows(nearfar, part):
    """{name: words of `nearfar run`} of a suite, as the program reads it."""
    listed = subprocess.run([nearfar, "plan", LISTS[part], "--rows"],
                            text=True, stdout=subprocess.PIPE)
    if listed.returncode:
        raise SystemExit(f"the rows of {LISTS[part]} cannot be read")
    rows = [line.split() for line in listed.stdout.splitlines()]
    return {row[0]: row[1:] for row in rows}


def read_table(path, head=None, keys=0):
    """Rows of a file of tab-separated columns, without its comments. With
    `head` each row has its columns, and no other one its first `keys`."""
    with open(path) as source:
        lines = enumerate(source, 1)
        rows = [(number, line.rstrip("\n").split("\t"))
                for number, line in lines
                if line.strip() and not line.startswith("#")]
    seen = {}
    for number, row in rows if head else ():
        if len(row) != len(head.split("\t")):
            raise SystemExit(f"{path}, line {number}: the row has {len(row)} "
                             f"columns, not {len(head.split(chr(9)))}")
        first = seen.setdefault(tuple(row[:keys]), number)
        if first != number:
            raise SystemExit(f"{path}, line {number}: '{' '.join(row[:keys])}'"
                             f" has a row in line {first}")
    return [row for _, row in rows]


def write_table(path, head, rows):
    """All of it, or what was there before."""
    try:
        with open(path + ".part", "w") as out:
            out.write(head)
            out.writelines("\t".join(row) + "\n" for row in rows)
        os.replace(path + ".part", path)
    except OSError as error:
        raise SystemExit(f"cannot write '{path}': {error.strerror}") from None


def code_digest(path):
    """Of a program's code and data: without what only a debugger reads, so
    that other comments leave it."""
    with tempfile.NamedTemporaryFile() as bare:
        subprocess.run(["objcopy", "--strip-all",
                        "--remove-section=.note.gnu.build-id", path,
                        bare.name], check=True)
        return hashlib.sha256(bare.read()).hexdigest()[:16]


def text_of(path):
    if not os.path.exists(path):
        return ""
    with open(path) as source:
        return source.read()


def inputs_digest(paths):
    every = hashlib.sha256()
    for path in sorted(paths):
        with open(path, "rb") as source:
            text = source.read()
        every.update(f"{os.path.basename(path)} {len(text)} ".encode() + text)
    return every.hexdigest()[:16]


class Model:
    """What one machine says, in a folder of its own."""

    def __init__(self, nearfar, out, machine, words=(), jobs=0, say=True):
        self.nearfar, self.machine = nearfar, machine
        self.folder = os.path.join(out, machine)
        self.words = [*words, *(["-j", str(jobs)] if jobs else [])]
        self.say = say
        self._begin()

    def _begin(self):
        """Empties the folder unless this program made what is in it."""
        stamp = os.path.join(self.folder, "made-by")
        digest = code_digest(self.nearfar) + "\n"
        if text_of(stamp) == digest:
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        with open(stamp, "w") as out:
            out.write(digest)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def begin(self, work, out):
        """Whether `out` is to be made: it is not there, or of other work. What
        other work left of a run that was stopped is removed."""
        if os.path.exists(out) and text_of(out + ".words") == work:
            return False
        if self.say:
            print(f"  MODEL   {self.machine} {os.path.relpath(out)}",
                  file=sys.stderr, flush=True)
        os.makedirs(os.path.dirname(out), exist_ok=True)
        if text_of(out + ".begun") != work:
            for name in (out, out + ".words", out + ".journal"):
                if os.path.exists(name):
                    os.remove(name)
            with open(out + ".begun", "w") as stamp:
                stamp.write(work)
        return True

    def once(self, words, out, inputs=()):
        """`nearfar run` with these words into the file `out`, once."""
        work = f"{' '.join(words)}\n{inputs_digest(inputs)}\n"
        if not self.begin(work, out):
            return
        again = "--resume" if os.path.exists(out + ".journal") else "--force"
        code = subprocess.run(
            [self.nearfar, "run", *words, again, "-o", out], text=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if code.returncode:
            raise SystemExit(f"{' '.join(words)}: {code.stderr.strip()}")
        os.replace(out + ".begun", out + ".words")

    def row(self, part, name, words):
        """A row of a list; its series are in the file whose path is
        returned."""
        machine = self.machine + ("-x2" if part == "pair" else "")
        kept = [] if "--samples" in words or name == "near-far" else \
            ["--no-samples"]
        out = self.path(part, name + ".json.gz")
        self.once([*words, *kept, "-m", machine, "-r", "1", "-w", "0",
                   *self.words], out)
        return out

    def rows(self, part, names=None):
        """The rows of a list, or some of them: {name: path}."""
        every = read_rows(self.nearfar, part)
        return {name: self.row(part, name, every[name])
                for name in names or every}

    def programs(self, part, names=None, folder=None):
        """All programs of a folder, or some: {name: cycles}, also as
        PART.tsv."""
        folder = folder or os.path.join(RESULTS, part)
        names = names or sorted(
            name[:-4] for name in os.listdir(folder) if name.endswith(".txt"))
        out = self.path(part + ".json.gz")
        paths = [os.path.join(folder, name + ".txt") for name in names]
        self.once(["--program", *paths, "--no-samples", "-m", self.machine,
                   "-r", "1", "-w", "0", *self.words], out, paths)
        cycles = {s["bench"]: s["points"][0]["spans"][0]["cycles"]
                  for s in read_series(out) if "spans" in s["points"][0]}
        with open(self.path(part + ".tsv"), "w") as table:
            table.write("# program\tmedian_cycles\n")
            table.writelines(f"{name}\t{value:.10g}\n"
                             for name, value in sorted(cycles.items()))
        return cycles

    def sequences(self):
        """Jobs whose last launch finds what those before it left: path of
        their series."""
        return self.kernels("", "warm", "sequence", "sequences")

    def kernels(self, match="", size="small", caches="cold", name="kernels"):
        """The small jobs with cold caches, or others: path of their series."""
        out = self.path(name + ".json")
        jobs = kernel_errors.find_jobs(KERNELS, size, match)
        paths = [os.path.join(KERNELS, job) for job in jobs] + glob.glob(
            os.path.join(KERNELS, "**", "*.ptx"), recursive=True)
        words = ["-m", self.machine, "-f", "json", "--digests",
                 self.path(name + "-digests.tsv"), *self.words]
        if self.begin(f"{' '.join(words)}\n{inputs_digest(paths)}\n", out):
            made = out + ".part"
            try:
                kernel_errors.run_model(self.nearfar, KERNELS, jobs, caches,
                                        made, words)
            except subprocess.CalledProcessError:
                raise SystemExit("model.py: the kernels failed") from None
            os.replace(made, out)
            os.replace(out + ".begun", out + ".words")
        return out

    def run(self, part):
        if part in LISTS:
            return self.rows(part)
        return self.kernels() if part == "kernels" else self.programs(part)


def read_series(path):
    """The series of a file of nearfar's JSON."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt") as source:
        return json.load(source)["series"]


def parser_of(doc):
    """What the nets' programs take alike: the program, and a folder for what
    the model says. All paths are of the project's folder."""
    if not os.path.isdir(RESULTS):
        raise SystemExit(f"there is no '{RESULTS}' here: run this in the "
                         f"project's folder")
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nearfar")
    parser.add_argument("out")
    return parser


def main(words):
    parser = parser_of(__doc__)
    parser.add_argument("machine")
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--jobs", type=int, default=0)
    options = parser.parse_args(words)
    wrong = [part for part in options.parts if part not in PARTS]
    if wrong:
        parser.error(f"'{wrong[0]}' is no part: {' '.join(PARTS)}")
    model = Model(options.nearfar, options.out, options.machine,
                  jobs=options.jobs)
    for part in options.parts or PARTS:
        model.run(part)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
