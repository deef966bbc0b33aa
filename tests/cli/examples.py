#!/usr/bin/python3
"""Runs the examples of `nearfar help BENCH`, of every bench: each measures. The
benches in the examples of run and explain have the options and points there.

environment: NEARFAR
"""
import os
import subprocess
import sys
import tempfile

NEARFAR = os.path.realpath(os.environ["NEARFAR"])


def said(*words, folder=None):
    done = subprocess.run([NEARFAR, *words], cwd=folder, text=True,
                          capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def benches():
    return [line.split()[0] for line in said("list")[1].splitlines()]


def examples(text):
    """The commands below "Examples:"."""
    lines = text.split("\nExamples:\n")[1].splitlines()
    return [line.split()[1:] for line in lines if line.startswith("  ")]


def check(bench, folder):
    code, text, _ = said("help", bench)
    wanted = ["Usage: nearfar run " + bench, "\nAxis (-x", "\nMetrics (headline: ",
              "\nOptions:\n", "nearfar help run"]
    wrong = [f"help {bench} lacks '{w.strip()}'" for w in wanted
             if code or w not in text]
    commands = examples(text)
    if len(commands) != 2:
        wrong.append(f"{len(commands)} examples, not 2")
    for words in commands:
        code, _, error = said(*words, folder=folder)
        if code:
            wrong.append(f"nearfar {' '.join(words)}: {error.strip()}")
    return wrong


def check_command(command, names):
    """Without running them: no point is wrong or skipped."""
    wrong = []
    tried = 0
    for words in examples(said(command, "--help")[1]):
        if words[1] not in names or "cuda" in words:
            continue
        if "-o" in words:
            at = words.index("-o")
            del words[at:at + 2]
        options = [word for word in words[1:] if word != "--"]
        code, text, error = said("run", *options, "--dry-run")
        tried += 1
        if code or "skipped" in text:
            wrong.append(f"{command} {' '.join(options)}: {error.strip() or text}")
    return wrong if tried else [f"{command} has no example of a bench"]


def main():
    wrong = check_command("run", benches()) + check_command("explain", benches())
    with tempfile.TemporaryDirectory() as folder:
        for bench in benches():
            wrong += check(bench, folder)
    print("\n".join(wrong))
    sys.exit(bool(wrong))


main()
