#!/usr/bin/env python3
"""Holds results/manifest.tsv to the files that it is about: each committed file
of results/ stands in one row, each row has a file, and where a file says on
which GPU, by which driver and on which day it was made, its row says so, too.
usage: manifest.py [RESULTS]
"""
import fnmatch
import gzip
import os
import re
import subprocess
import sys
import zlib

COLUMNS = ["file", "command", "gpu", "driver", "date"]
UUID = r"GPU-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
DAY = r"20\d\d-\d\d-\d\d"
# Every clone has all of it, and every version of it.
BYTES_MOST = 8_000_000
# What has no row: the manifest, the log, what describes formats, manuals.
SPARED = re.compile(r"(manifest\.tsv|log/.*|schema/.*|(.*/)?README\.md)$")


errors = []


def say(sentence):
    errors.append(sentence)


def read_rows(path):
    rows = []
    with open(path, encoding="utf-8", errors="replace") as text:
        for number, line in enumerate(text, 1):
            fields = line.rstrip("\n").split("\t")
            if number == 1:
                if fields != ["# " + COLUMNS[0]] + COLUMNS[1:]:
                    say(f"the header is not {' '.join(COLUMNS)}")
                continue
            if len(fields) != len(COLUMNS) or not all(fields):
                say(f"line {number} has not {len(COLUMNS)} columns")
                continue
            rows.append(dict(zip(COLUMNS, fields)))
    return rows


def committed(results):
    """Names below results/, as git has them; all there are without git."""
    git = subprocess.run(["git", "-C", results, "ls-files", "-z"],
                         capture_output=True, text=True, check=False)
    if git.returncode == 0 and git.stdout:
        names = git.stdout.split("\0")
    else:
        names = [os.path.relpath(os.path.join(folder, name), results)
                 for folder, _, files in os.walk(results) for name in files]
    return sorted(name for name in names if name
                  and os.path.exists(os.path.join(results, name)))


def matches(name, pattern):
    """A star stands for a part of a name, not for a folder."""
    return os.path.dirname(name) == os.path.dirname(pattern) and \
        fnmatch.fnmatchcase(os.path.basename(name), os.path.basename(pattern))


def read(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rb") as file:
        return file.read().decode("utf-8", "replace")


def said_by_series(text):
    """GPUs, peers, drivers and days of a series or a fingerprint."""
    # In JSON, and in the comments of CSV.
    def values(key, form):
        return set(re.findall(rf'{key}"?: "?({form})', text))
    return (values(r"device\.uuid", UUID), values(r"peer\.uuid", UUID),
            values(r"driver\.version", r"[\d.]+"), values("date", DAY))


def said_by_table(text):
    """The same of other files: what their comments and rows name."""
    comments = "".join(line for line in text.splitlines(True)
                       if line.startswith("#"))
    return (set(re.findall(UUID, text)), set(),
            set(re.findall(r"driver ([\d.]*\d)", comments)),
            set(re.findall(DAY, comments)))


def is_series(text):
    return '"nearfar-series/1"' in text[:200] or \
        "nearfar-fingerprint/1" in text[:200] or \
        text.startswith("# schema: nearfar-series/1")


def judge(name, row, path):
    """Says where a file and its row disagree."""
    try:
        text = read(path)
    except (OSError, EOFError, zlib.error) as error:
        say(f"{name}: it cannot be read: {error}")
        return
    if not text.strip():
        say(f"{name}: it is empty")
        return
    series = is_series(text)
    gpus, peers, drivers, days = (said_by_series if series else
                                  said_by_table)(text)
    row_gpus = set(re.findall(UUID, row["gpu"]))
    row_days = set(row["date"].split("/")) - {"-"}

    def differ(what, told, said):
        say(f"{name}: the row says {what} {told}, the file "
                    + (" ".join(sorted(said)) or "none"))
    if row["gpu"] in ("model", "-"):
        if gpus:
            differ("gpu", row["gpu"], gpus)
        return
    if series:
        if not gpus <= row_gpus or not row_gpus <= gpus | peers:
            differ("gpu", row["gpu"], gpus)
        if {min(days), max(days)} != row_days:
            differ("date", row["date"], days)
        if drivers != {row["driver"]}:
            differ("driver", row["driver"], drivers)
        return
    # A table may also name chips and days that its rows are not of.
    if gpus and not row_gpus <= gpus:
        differ("gpu", row["gpu"], gpus)
    if days and not row_days <= days:
        differ("date", row["date"], days)
    if drivers and row["driver"] not in drivers:
        differ("driver", row["driver"], drivers)


def main():
    results = sys.argv[1] if len(sys.argv) > 1 else "results"
    rows = read_rows(os.path.join(results, "manifest.tsv"))
    names = [name for name in committed(results) if not SPARED.match(name)]
    used = set()
    for row in rows:
        if not re.fullmatch(rf"-|model|{UUID}( {UUID})*", row["gpu"]):
            say(f"{row['file']}: '{row['gpu']}' is no GPU")
        if not re.fullmatch(rf"-|{DAY}(/{DAY})?", row["date"]):
            say(f"{row['file']}: '{row['date']}' is no date")
    for name in names:
        found = [row for row in rows if matches(name, row["file"])]
        used.update(row["file"] for row in found)
        if len(found) != 1:
            say(f"{name}: {len(found)} rows")
        elif name.endswith((".gz", ".tsv", ".csv", ".txt")):
            judge(name, found[0], os.path.join(results, name))
    for row in rows:
        if row["file"] not in used:
            say(f"{row['file']}: the row has no file")
    what = f"files: the manifest has each of {len(names)} results once, " \
        "by what they say"
    print(f"{'not ok' if errors else 'ok'} {what}")
    for sentence in errors[:20]:
        print(f"  {sentence}")
    size = sum(os.path.getsize(os.path.join(results, name))
               for name in committed(results))
    print(f"{'not ok' if size > BYTES_MOST else 'ok'} files: results/ has at "
          f"most {BYTES_MOST} bytes")
    if size > BYTES_MOST:
        print(f"  it has {size}")


main()
