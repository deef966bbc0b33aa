#!/usr/bin/env python3
"""Lists what can be taken away from the product, one change a line.

usage: candidates.py [FILE...]   (default: all sources of the product)

Found in the text, not chosen by hand: every comparison, every && and ||, every
negation of a condition, every row of a constant table and every constant that
has a name. Columns, separated by tabs: an id that stays as long as the text of
the line, the file, the line, the column, what kind of change, the old text, the
new one. A change that does not build is no mutant; run.py says so.
"""
import collections
import dataclasses
import hashlib
import pathlib
import re
import subprocess
import sys

ROOMS = ("harness/", "bench/", "backend_sim/", "backend_cuda/")

OPERATORS = [
    ("comparison", r" (<=) ", " < "), ("comparison", r" (>=) ", " > "),
    ("comparison", r" (<) ", " <= "), ("comparison", r" (>) ", " >= "),
    ("comparison", r" (==) ", " != "), ("comparison", r" (!=) ", " == "),
    ("condition", r" (&&)(?= |$)", " ||"), ("condition", r" (\|\|)(?= |$)",
                                            " &&"),
    ("negation", r"(?<=\()(!)(?=[a-z(])", ""),
]
ROW = re.compile(r"^\t+\{.*\},\s*$")
DEFINE = re.compile(r"^(#define [A-Z][A-Z0-9_]*\s+)(\d+(?:\.\d+)?)(\b.*)$")
DEF_ROW = re.compile(r"^[A-Z_]+\(.*\)\s*$")


def sources():
    names = subprocess.run(["git", "ls-files"], check=True, text=True,
                           capture_output=True).stdout.split("\n")
    return [n for n in names if n.startswith(ROOMS) and
            n.endswith((".c", ".h", ".def"))]


def outside_text(line):
    """The line with strings and comments blanked, at the same columns."""
    line = re.sub(r'"(?:\\.|[^"\\])*"', lambda m: '"' * len(m[0]), line)
    line = re.sub(r"'(?:\\.|[^'\\])'", lambda m: "'" * len(m[0]), line)
    return re.sub(r"/\*.*?(\*/|$)", lambda m: "~" * len(m[0]), line)


def changes(line, is_def):
    """(kind, column, old, new) of each change of a line."""
    bare = outside_text(line)
    if not is_def:
        for kind, pattern, new in OPERATORS:
            for m in re.finditer(pattern, bare):
                old = line[m.start():m.end()]
                yield kind, m.start(), old, new
    if ROW.match(line) or (is_def and DEF_ROW.match(line)):
        yield "row", 0, line, ""
    m = DEFINE.match(line)
    if m and not is_def:
        value = str(2 * float(m[2]) + 1).removesuffix(".0")
        yield "constant", 0, line, m[1] + value + m[3]


@dataclasses.dataclass(frozen=True)
class Candidate:
    """One change of one line."""
    id: str
    file: str
    number: int  # of the line, from 1
    column: int
    kind: str
    old: str
    new: str
    text: str  # the line

    def change(self):
        """What to show: the old text and the new one."""
        return self.old.strip() or "-", self.new.strip() or "-"

    def apply(self, root):
        """Changes the file below root."""
        path = pathlib.Path(root, self.file)
        lines = path.read_text(encoding="utf-8").split("\n")
        line = lines[self.number - 1]
        assert line == self.text, f"{path}:{self.number}: another line"
        lines[self.number - 1] = (line[:self.column] + self.new +
                                  line[self.column + len(self.old):])
        path.write_text("\n".join(lines), encoding="utf-8")


def of_file(name):
    """All candidates of a file. An id outlives lines that move: it is made of
    the line's text, and of how many equal ones stand before it."""
    text = pathlib.Path(name).read_text(encoding="utf-8")
    in_comment = False
    seen = collections.Counter()
    for number, line in enumerate(text.split("\n"), 1):
        if in_comment:
            in_comment = "*/" not in line
            continue
        if line.lstrip().startswith("/*") and "*/" not in line:
            in_comment = True
            continue
        for kind, column, old, new in changes(line, name.endswith(".def")):
            what = f"{name}\t{line}\t{column}\t{kind}"
            seen[what] += 1
            digest = hashlib.sha1(f"{what}\t{seen[what]}".encode())
            yield Candidate(digest.hexdigest()[:12], name, number, column,
                            kind, old, new, line)


def everywhere():
    """Candidates of the whole product."""
    return [c for name in sources() for c in of_file(name)]


def main():
    for name in sys.argv[1:] or sources():
        for c in of_file(name):
            print(c.id, c.file, c.number, c.column, c.kind, *c.change(),
                  sep="\t")


if __name__ == "__main__":
    main()
