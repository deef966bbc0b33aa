#!/usr/bin/env python3
"""Lists what can be taken away from the product, one change a line.

usage: candidates.py [FILE...]   (default: all sources of the product)

Found in the text, not chosen by hand: every comparison, every && and ||, every
negation of a condition, every row of a constant table and every constant that
has a name. Columns, separated by tabs: an id that stays as long as the change's
line, the file, the line, what kind of change, the old text, the new one. A
change that does not build is no mutant; the runner says so.
"""
import hashlib
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


def main():
    for name in sys.argv[1:] or sources():
        in_comment = False
        with open(name, encoding="utf-8") as file:
            lines = file.read().split("\n")
        for number, line in enumerate(lines, 1):
            if in_comment:
                in_comment = "*/" not in line
                continue
            if line.lstrip().startswith("/*") and "*/" not in line:
                in_comment = True
                continue
            for kind, column, old, new in changes(line, name.endswith(".def")):
                digest = hashlib.sha1(
                    f"{name}\t{line}\t{column}\t{kind}".encode()).hexdigest()
                print(digest[:12], name, number, column, kind,
                      old.strip() or "-", new.strip() or "-", sep="\t")


if __name__ == "__main__":
    main()
