#!/usr/bin/env python3
"""Holds the table of rules (tests/nets/rules.tsv) to the tree: its files, its
parameters and their values, and the rules that a build can do without; and the
numbers of a chip that the code has to the table of constants.

usage: rules.py TREE NEARFAR
"""
import json
import pathlib
import re
import subprocess
import sys

HEADER = "backend_sim/rules/rules.h"
CONSTANTS = "backend_sim/rules/constants.def"
# Steps of the simulation, of which no chip knows.
STEPS = {"FIRST_SPAN_CYCLES", "LOOKS_CYCLES", "RETRY_CYCLES", "TICKS_A_CYCLE"}
TABLE = "tests/nets/rules.tsv"
# The last one of rules that a build takes away.
COLUMNS = ["name", "what", "file", "how", "kind", "evidence"]
KINDS = {"programs", "kernels", "both"}
WORDS_MOST = 18
SIZES = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def read_table(path):
    """(line number, {column: text}) of each row, None where columns differ."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        cells = line.split("\t")
        if line.startswith("#"):
            continue
        by_a_build = len(cells) > 3 and cells[3].startswith("WITHOUT=")
        if len(cells) != len(COLUMNS) - (not by_a_build) or not all(cells):
            yield number, None
        else:
            yield number, dict(zip(COLUMNS, cells))


def named_rules(tree):
    """Those of the header."""
    return set(re.findall(r"\bX\((\w+)\)", (tree / HEADER).read_text()))


def asked_rules(tree):
    """{rule: a file that asks for it}, and the headers that do."""
    asked, headers = {}, []
    for path in sorted((tree / "backend_sim").rglob("*.[ch]")):
        text = path.read_text()
        if path == tree / HEADER:
            continue
        asked.update({rule: path for rule in re.findall(r"\bRULE\((\w+)\)",
                                                        text)})
        if path.suffix == ".h" and f'#include "{HEADER}"' in text:
            headers.append(path.relative_to(tree))
    return asked, headers


def wrong_constants(tree):
    """[sentence] on constants that nothing reads, and on those beside the table."""
    named = re.findall(r"^CONSTANT\((\w+),", (tree / CONSTANTS).read_text(),
                       re.MULTILINE)
    read, wrong = set(), []
    for path in sorted((tree / "backend_sim").rglob("*.[ch]")):
        text = path.read_text()
        read.update(re.findall(r"\b[A-Z][A-Z_]+\b", text))
        wrong += [f"{path.relative_to(tree)}: '{name}' belongs to {CONSTANTS}"
                  for name in re.findall(
                      r"^#define (\w*(?:CYCLE|TICK)\w*) +\(?\d", text,
                      re.MULTILINE) if name not in STEPS]
    return wrong + [f"{CONSTANTS}: nothing reads '{name}'"
                    for name in named if name not in read]


def number(text):
    size = re.fullmatch(r"(\d+)([KMG]iB)", text)
    return int(size[1]) * SIZES[size[2]] if size else float(text)


def wrong_setting(words, parameters):
    """What is wrong with the words of `nearfar run`, or None."""
    if not words or len(words) % 2 or set(words[::2]) != {"--set"}:
        return "expected '--set PARAMETER=VALUE ...' or 'WITHOUT=RULE'"
    for word in words[1::2]:
        name, _, value = word.partition("=")
        if name not in parameters:
            return f"there is no parameter '{name}'"
        try:
            least, most = parameters[name]
            if not least <= number(value) <= most:
                return f"'{word}' is out of bounds"
        except ValueError:
            return f"'{word}' has no number"
    return None


def wrong_row(tree, row, rules, parameters):
    """[sentence]"""
    wrong, words = [], row["how"].split()
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", row["name"]):
        wrong.append(f"'{row['name']}' is no name")
    if not 0 < len(row["what"].split()) <= WORDS_MOST:
        wrong.append(f"'{row['name']}' is said in more than {WORDS_MOST} words")
    if not row["file"].startswith("backend_sim/") or \
            not (tree / row["file"]).is_file():
        wrong.append(f"there is no file '{row['file']}'")
    if row["kind"] not in KINDS:
        wrong.append(f"'{row['kind']}' is no kind")
    if row["how"].startswith("WITHOUT="):
        if row["how"][len("WITHOUT="):] not in rules:
            wrong.append(f"{HEADER} has not the rule of '{row['how']}'")
    elif wrong_setting(words, parameters):
        wrong.append(wrong_setting(words, parameters))
    return wrong


def wrong_rules(rules, asked, headers, taken):
    """[sentence] on the header and on who asks for its rules."""
    wrong = [f"{HEADER}: '{rule}' is not in {TABLE}"
             for rule in sorted(rules - taken)]
    wrong += [f"{HEADER}: nothing asks for '{rule}'"
              for rule in sorted(rules - set(asked))]
    return wrong + [f"{path}: only .c files include {HEADER}"
                    for path in headers]


def main():
    tree, nearfar = pathlib.Path(sys.argv[1]), sys.argv[2]
    listed = json.loads(subprocess.run(
        [nearfar, "list", "parameters", "-f", "json"], check=True,
        capture_output=True).stdout)
    parameters = {p["name"]: (p["minimum"], p["maximum"])
                  for p in listed}
    rules, names, taken, wrong, count = named_rules(tree), set(), set(), [], 0
    for line, row in read_table(tree / TABLE):
        if not row:
            wrong.append(f"{TABLE}:{line}: expected"
                         f" {len(COLUMNS) - 1} columns, and the evidence of a"
                         " rule without parameters")
            continue
        count += 1
        sentences = wrong_row(tree, row, rules, parameters)
        if row["name"] in names:
            sentences.append(f"'{row['name']}' is there twice")
        names.add(row["name"])
        taken.add(row["how"][len("WITHOUT="):])
        wrong += [f"{TABLE}:{line}: {sentence}" for sentence in sentences]
    wrong += wrong_rules(rules, *asked_rules(tree), taken)
    wrong += wrong_constants(tree)
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    print(f"rules: {count} rows, {len(rules)} of them by a build")
    sys.exit(bool(wrong))


main()
