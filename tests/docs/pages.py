#!/usr/bin/python3
"""Holds the manuals to their form: how long they are, and that they, and topics of
help, are in the present tense. Prints "ok NAME" or "not ok NAME" and lines that say why.

usage: pages.py [FOLDER]   (FOLDER: of the project)
       pages.py --names    (prints which pages these are)

What is generated, between two marks, and what commands print is not counted and
not read. What was measured when, on which GPU, and what a thing once did belongs
into results/log/.
"""
import glob
import os
import re
import subprocess
import sys

# The most lines that a manual may have.
LINES = {
    "README.md": 250,
    ".github/CONTRIBUTING.md": 120,
    "backend_cuda/README.md": 70,
    "backend_sim/README.md": 250,
    "backend_sim/kernels.md": 290,
    "backend_sim/mechanisms.md": 40,
    "harness/command/README.md": 350,
    "harness/command/formats.md": 220,
    "results/README.md": 200,
    "tests/README.md": 120,
    "tests/support/bundle/README.md": 30,
}
LINES_MOST = 1900
TOPICS = "harness/command/topics/*.txt"
# What has no limit here: the notebook, and what is made.
SPARED = re.compile(r"results/(log|tables|published)/|results/accuracy\.md")
# Of one line, and so of a cell of a table.
CHARACTERS_MOST = 500

BEGIN = re.compile(r"<!-- (\w+), made by `make \w+`: do not edit -->")
DIARY = re.compile(r"""
    \b(today|yesterday|now|nowadays|formerly|previously|recently|lately|so\ far
      |no\ longer|not\ any\ more|anymore|used\ to\ be|for\ the\ time\ being
      |to\ be\ done|todo|yet)\b
    | \b(was|were)\ (not\ )?(tried|looked|seen|mended|fixed)\b
    | \bearlier\ (build|version|release|model|page)s?\b
    | \ban?\ old(er)?\ (build|version|release|page)\b
    | \b20\d\d-\d\d-\d\d\b
    | \b(January|February|March|April|May|June|July|August|September|October
      |November|December)\ (\d+,\ )?20\d\d\b
    | \bGPU-[0-9a-f]{4,}
    | ^(<<<<<<<|>>>>>>>)\ """, re.X | re.I)


def pages(folder):
    git = subprocess.run(["git", "-C", folder, "ls-files", "-z", "*.md"],
                         capture_output=True, text=True, check=False)
    names = git.stdout.split("\0") if git.returncode == 0 else [
        os.path.relpath(os.path.join(place, name), folder)
        for place, _, files in os.walk(folder)
        for name in files if name.endswith(".md") and "/build/" not in place]
    return sorted(name for name in names if name and not SPARED.match(name)
                  and os.path.exists(os.path.join(folder, name)))


def by_hand(path):
    """(number, line) of what is not between marks."""
    with open(path, encoding="utf-8") as file:
        name = None
        for number, line in enumerate(file, 1):
            begin = BEGIN.match(line)
            if name and line.strip() == f"<!-- end of {name} -->":
                name = None
            elif begin and not name:
                name = begin[1]
            elif not name:
                yield number, line.rstrip("\n")


def length(page, lines):
    most = LINES.get(page)
    if most is None:
        return ["it has no limit of lines in tests/docs/pages.py"]
    return [f"{len(lines)} lines, {most} at most"] if len(lines) > most else []


def words(lines):
    """What is wrong with these (number, line)."""
    wrong, is_output = [], False
    for number, line in lines:
        is_output = line.startswith("    ") and (
            is_output or line.startswith("    $ ")) or \
            (is_output and not line)
        if is_output:
            continue
        if len(line) > CHARACTERS_MOST:
            wrong.append(f"line {number} has {len(line)} characters,"
                         f" {CHARACTERS_MOST} at most")
        for word in DIARY.finditer(line):
            wrong.append(f"line {number} is of a diary: '{word[0].strip()}'")
    return wrong


def say(page, wrong):
    print(f"{'not ok' if wrong else 'ok'} docs: form of {page}")
    for sentence in wrong[:20]:
        print(f"  {sentence}")
    return bool(wrong)


def main():
    if sys.argv[1:] == ["--names"]:
        print("\n".join(pages(".")))
        return False
    folder = sys.argv[1] if len(sys.argv) > 1 else "."
    total, failed = 0, False
    for page in pages(folder):
        lines = list(by_hand(os.path.join(folder, page)))
        total += len(lines)
        failed |= say(page, length(page, lines) + words(lines))
    topics = sorted(glob.glob(os.path.join(folder, TOPICS)))
    for topic in topics:
        failed |= say(os.path.relpath(topic, folder),
                      words(list(by_hand(topic))))
    print(f"{'ok' if total <= LINES_MOST else 'not ok'} docs: manuals have at"
          f" most {LINES_MOST} lines")
    print(f"  # {total} lines") if total > LINES_MOST else None
    return failed or total > LINES_MOST


if __name__ == "__main__":
    sys.exit(main())
