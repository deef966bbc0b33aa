#!/usr/bin/python3
"""Runs the commands of pages, topics of help and manuals, and compares what they
print with what the page says they print.

usage: commands.py [--update] PAGE...   (--update writes what they print into PAGE)
environment: NEARFAR

A line that begins with "    $ " is a command, which may go on behind a backslash;
the indented lines behind it, up to a line that is not, are its output. Blank lines
around outputs do not count. A line "..." stands for any lines, and is kept by
--update where the rest agrees. `cat FILE` of a file that is not there makes it:
it says what a reader writes. Of `make`, in sentences as well, the targets and
variables must be there. What has `-b cuda` must find no driver, after it has read
its words.

The commands of a page run one after the other in a folder with the kernels'
files, and what a clone has: results/, tests/ and the program in build/.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

INDENT = "    "
ANY = "..."
NO_DRIVER = 77
BEGIN = re.compile(r"<!-- (\w+), made by")
# A command that stands without "$ " would not be run.
UNMARKED = re.compile(INDENT + r"(\./|build/(bundle/)?)?(nearfar|make) ")


class Wrong(Exception):
    """What a page says, and its commands do not."""


def blocks(lines):
    """(command or None, lines): prose, and commands with what follows. What is
    generated, between two marks, is prose."""
    command, kept, mark = None, [], None
    for line in lines:
        if mark or BEGIN.match(line):
            mark = mark or BEGIN.match(line)[1]
            if command is not None:
                yield command, kept
                command, kept = None, []
            if line == f"<!-- end of {mark} -->":
                mark = None
            kept.append(line)
        elif command and command.endswith("\\"):
            command += "\n" + line
        elif line.startswith(INDENT + "$ "):
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


def align(said, says, key=str):
    """What the page has, by the lines that the command says: "..." stays, any other
    line becomes the one at its place; None where they differ by `key`."""
    out, at = [], 0
    for number, line in enumerate(said):
        if line == ANY:
            out.append(ANY)
            behind = said[number + 1:]
            part = behind[:behind.index(ANY)] if ANY in behind else behind
            places = range(at, len(says) - len(part) + 1) if ANY in behind \
                else [len(says) - len(part)]
            wanted = [key(one) for one in part]
            at = next((place for place in places if place >= at and wanted == [
                key(one) for one in says[place:place + len(part)]]), None)
            if at is None:
                return None
        elif at == len(says) or key(says[at]) != key(line):
            return None
        else:
            out.append(says[at])
            at += 1
    return out if at == len(says) or said[-1:] == [ANY] else None


def without_figures(line):
    """For --update: lines that differ in figures alone are the same line."""
    line = re.sub(r"\S*(#|\.\.)\S*", "#", line) # bars
    return " ".join(re.sub(r"[-+]?[\d.]+", "0", line).split())


def run(command, folder):
    path = f"{folder}/bin:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, text=True, capture_output=True,
        env={**os.environ, "PATH": path, "LC_ALL": "C", "NO_COLOR": "1",
             "NEARFAR_LIBCUDA": "/none"}, check=False)
    if done.returncode != (NO_DRIVER if "-b cuda" in command else 0):
        raise Wrong(f"'{command}' ends with {done.returncode}: {done.stderr}")
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    return lines[:-1] if lines and not lines[-1] else lines


def written(command, said, folder):
    """Whether it is a file that the reader writes, which is made."""
    words = command.split("#")[0].split()
    if words[0] != "cat" or len(words) != 2:
        return False
    path = os.path.join(folder, words[1])
    if os.path.exists(path):
        return False
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(stripped(said)) + "\n")
    return True


def look_at_make(command):
    """Without running it, its targets and variables."""
    with open("Makefile", encoding="utf-8") as file:
        text = file.read()
    for word in re.sub("#.*|\"[^\"]*\"|'[^']*'", "", command).split():
        if word in ("make", "&&"):
            continue
        name = word.split("=")[0]
        kind = r"^%s *\??=" if "=" in word else r"^%s:"
        if not word.startswith("-") and \
                not re.search(kind % re.escape(name), text, re.M) and \
                f"$({name})" not in text:
            raise Wrong(f"'{command}': the Makefile has no '{name}'")


def look_at_prose(lines):
    """What stands between sentences: targets of make are there."""
    text = " ".join(lines)
    for command in re.findall(r"`(make [^`]+)`", text):
        look_at_make(command)


def prepare(folder, text):
    for name in ("bin", "build", "build/bundle", "."):
        os.makedirs(f"{folder}/{name}", exist_ok=True)
        os.symlink(os.path.realpath(os.environ["NEARFAR"]),
                   f"{folder}/{name}/nearfar")
    for name in ("results", "tests"):
        os.symlink(os.path.realpath(name), f"{folder}/{name}")
    for path in glob.glob("tests/kernels/*/*"):
        name = os.path.basename(path).replace("-small.job", ".job")
        if name.split(".")[0] in text and not name.endswith("-large.job"):
            shutil.copy(path, f"{folder}/{name}")


def look_at(lines, update):
    """(how many commands, the page as it should be)"""
    out, commands = [], 0
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder, "\n".join(lines))
        for command, said in blocks(lines):
            stray = next(filter(UNMARKED.match, said), None)
            if command is None and stray:
                raise Wrong(f"'{stray.strip()}' is no command: no '$ '")
            if command is None:
                look_at_prose(said)
                out += said
                continue
            commands += 1
            if command.startswith("make "):
                look_at_make(command)
                says = stripped(said)
            elif written(command, said, folder):
                says = stripped(said)
            else:
                says = run(command, folder)
            shown_lines = align(stripped(said), says)
            if shown_lines is None and update:
                shown_lines = align(stripped(said), says, without_figures) \
                    or says
            if shown_lines is None:
                raise Wrong("\n".join([f"'{command}' says", *says, "and not",
                                       *stripped(said)]))
            out += [INDENT + "$ " + command]
            out += [(INDENT + line).rstrip() for line in shown_lines]
            if said and not said[-1]:
                out.append("")
    return commands, out


def main():
    update = sys.argv[1] == "--update"
    wrong = False
    for path in sys.argv[2 if update else 1:]:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        try:
            commands, out = look_at(lines, update)
            if not commands and path.endswith(".txt"):
                raise Wrong(f"{path} has no command")
        except Wrong as why:
            print(f"not ok docs: commands of {path}")
            print("  " + str(why).replace("\n", "\n  "))
            wrong = True
            continue
        if update:
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(out).rstrip("\n") + "\n")
        print(f"ok docs: {commands} commands of {path}")
    return wrong


sys.exit(main())
