#!/usr/bin/env python3
"""The rules of the model as tables in Markdown: what each is, where, which
parameters it has, what shows it on silicon, and what it gains.

usage: mechanisms.py [--most N | --constants] FOLDER
  --most N     one table, of the N rules that gain most, without their evidence
  --constants  the numbers of a chip that no machine file changes

Links are those of a page in FOLDER. From tests/nets/rules.tsv (what, file, how),
the origins in the machine files, and results/ablation.tsv (points gained), of
which programs and kernels have the mean of their judges of cycles on both chips.
"""
import argparse
import os
import re
import statistics

RULES = "tests/nets/rules.tsv"
GAINS = "results/ablation.tsv"
CONSTANTS = "backend_sim/rules/constants.def"
MACHINES = ("h200-sxm", "h200-sxm-x2")
EVIDENCE_MOST = 130  # characters of a cell

PLACES = [
    ("machine/", "Distances on the chip"),
    ("sm/", "Warps, issue, and the begin of blocks"),
    ("memory/(l1|translation)", "L1 and translation"),
    ("memory/(network|crossbar|store_turns|merge)", "Ports, crossbar, bridge"),
    ("memory/(l2_atomic)", "Atomic units"),
    ("memory/(l2|cache)", "Slices of L2"),
    ("memory/dram", "DRAM"),
    ("memory/far", "Memory of a peer and of the host"),
    ("passes/|flow/|code/", "What the assembler makes of a kernel"),
    ("", "Kernels"),
]


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file
                if line.strip() and not line.startswith("#")]


def origins():
    """{parameter: origin}"""
    found = {}
    for machine in MACHINES:
        path = f"backend_sim/machines/{machine}.yaml"
        with open(path, encoding="utf-8") as file:
            for line in file:
                row = re.match(r'\s+(\w+): \{.*origin: "(.*)"\}', line)
                if row:
                    found.setdefault(row[1], row[2])
    return found


def gains():
    """{rule: (programs, kernels)}, None where no judge is its."""
    with open(GAINS, encoding="utf-8") as file:
        heads = file.readline().lstrip("# ").rstrip("\n").split("\t")[3:]
    found = {}
    for name, _, _, *cells in rows_of(GAINS):
        points = {False: [], True: []}
        for head, cell in zip(heads, cells):
            if cell != "-" and "sectors" not in head:
                points["kernels" in head].append(float(cell))
        found[name] = tuple(statistics.fmean(points[key]) if points[key]
                            else None for key in (False, True))
    return found


def cut(text):
    if len(text) <= EVIDENCE_MOST:
        return text
    at = max(text.rfind(mark, 0, EVIDENCE_MOST) for mark in ",;:")
    return text[:at if at > 0 else EVIDENCE_MOST] + " ..."


def evidence(row, parameters, known):
    if len(row) > 5:
        return row[5]
    said = []
    for parameter in parameters:
        origin = known.get(parameter, "")
        origin = re.sub(r"^measured: ", "", origin)
        if origin and origin not in said and \
                not re.search(r": the same$", origin):
            said.append(origin)
    return cut("; ".join(said)) or "-"


def points(number):
    return "-" if number is None else f"{number:+.2f}".replace("-0.00", "+0.00")


def line(row, folder, known, gained):
    """A row of the table; without `known` no evidence."""
    name, what, path, how = row[:4]
    parameters = re.findall(r"--set (\w+)=", how)
    link = os.path.relpath(path, folder)
    first = [name, f"[{os.path.basename(path)}]({link})",
             *(f"`{word}`" for word in parameters or [how])]
    cells = ["<br>".join(first), what]
    if known:
        cells.append(evidence(row, parameters, known))
    cells += [points(number) for number in gained.get(name, (None, None))]
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def head(has_evidence):
    columns = ["mechanism", "what the hardware does",
               *["evidence"] * has_evidence, "programs", "kernels"]
    return f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|"


def print_constants():
    with open(CONSTANTS, encoding="utf-8") as file:
        text = file.read()
    print("| constant | value | what it stands for | evidence |\n|---|---|---|---|")
    text_of = r'"((?:[^"\\\\]|\\\\.)*)"'
    for row in re.finditer(
            rf"SECTION\({text_of}\)|CONSTANT\((\w+), (\d+), {text_of},"
            rf"\s+{text_of},\s+{text_of}\)", text):
        title, name, value, unit, what, origin = row.groups()
        print(f"| **{title}** | | | |" if title else
              f"| `{name}` | {int(value):,} {unit} | {what} | {origin} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=int)
    parser.add_argument("--constants", action="store_true")
    parser.add_argument("folder")
    asked = parser.parse_args()
    if asked.constants:
        print_constants()
        return
    rules, known, gained = rows_of(RULES), origins(), gains()
    if asked.most:
        def best(row):
            return -max([g for g in gained.get(row[0], ()) if g is not None]
                        or [0])
        print(head(False))
        for row in sorted(rules, key=lambda row: (best(row), row[0]))[
                :asked.most]:
            print(line(row, asked.folder, None, gained))
        return
    left = rules
    for number, (pattern, title) in enumerate(PLACES):
        here = [row for row in left
                if re.match("backend_sim/(" + pattern + ")", row[2])]
        left = [row for row in left if row not in here]
        if here:
            print(("\n" if number else "") + f"### {title}\n\n{head(True)}")
            print("\n".join(line(row, asked.folder, known, gained)
                            for row in here))


main()
