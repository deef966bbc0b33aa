#!/usr/bin/env python3
"""Makes one change that candidates.py listed.

usage: apply.py FILE LINE COLUMN KIND OLD NEW   ("-": nothing)
"""
import sys

name, number, column, _, old, new = sys.argv[1:]
number, column = int(number) - 1, int(column)
with open(name, encoding="utf-8") as file:
    lines = file.read().split("\n")
line = lines[number]
old = "" if old == "-" else old
new = "" if new == "-" else new
at = line.index(old, column)
lines[number] = line[:at] + new + line[at + len(old):]
if lines[number] == line:
    sys.exit(f"{name}:{number + 1}: nothing changes")
with open(name, "w", encoding="utf-8") as file:
    file.write("\n".join(lines))
