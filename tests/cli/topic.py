#!/usr/bin/python3
"""Runs the commands of a topic of help and compares what they print with what
the topic says they print.

usage: topic.py [--update] FILE   (--update writes what they print into FILE)
environment: NEARFAR

A line that begins with "    $ " is a command; the indented lines behind it, up
to a line that is not, are its output. Blank lines around outputs do not count.
The commands run one after the other in a folder with the kernels' files.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

INDENT = "    "


def blocks(lines):
    """(command or None, lines): prose, and commands with what follows."""
    command, kept = None, []
    for line in lines:
        if line.startswith(INDENT + "$ "):
            yield command, kept
            command, kept = line[len(INDENT) + 2:], []
        elif command is not None and line and not line.startswith(INDENT):
            yield command, kept
            command, kept = None, [line]
        else:
            kept.append(line)
    yield command, kept


def stripped(lines):
    lines = [line[len(INDENT):] for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def run(command, folder):
    path = f"{folder}/bin:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, text=True, capture_output=True,
        env={**os.environ, "PATH": path, "LC_ALL": "C"}, check=False)
    if done.returncode:
        sys.exit(f"'{command}' ends with {done.returncode}: {done.stderr}")
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    return lines[:-1] if lines and not lines[-1] else lines


def prepare(folder):
    os.mkdir(f"{folder}/bin")
    os.symlink(os.path.realpath(os.environ["NEARFAR"]),
               f"{folder}/bin/nearfar")
    for path in glob.glob("tests/kernels/*/*"):
        name = os.path.basename(path).replace("-small.job", ".job")
        if not name.endswith("-large.job"):
            shutil.copy(path, f"{folder}/{name}")


def main():
    update = sys.argv[1] == "--update"
    path = sys.argv[-1]
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    out, commands = [], 0
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        for command, said in blocks(lines):
            if command is None:
                out += said
                continue
            commands += 1
            says = run(command, folder)
            if not update and says != stripped(said):
                sys.exit("\n".join([f"'{command}' says", *says, "and not",
                                    *stripped(said)]))
            out.append(f"{INDENT}$ {command}")
            out += [(INDENT + line).rstrip() for line in says]
            if said and not said[-1]:
                out.append("")
    if not commands:
        sys.exit(f"{path} has no command")
    if update:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(out).rstrip("\n") + "\n")


main()
