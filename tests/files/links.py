#!/usr/bin/env python3
"""Follows the links of all pages of the project that lead to a file of it.
usage: links.py [FOLDER]   (FOLDER: the pages that are installed there)
"""
import os
import re
import subprocess
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")


def pages():
    if len(sys.argv) > 1:
        return [os.path.join(folder, name)
                for folder, _, files in os.walk(sys.argv[1])
                for name in files if name.endswith(".md")]
    git = subprocess.run(["git", "ls-files", "-z", "*.md"],
                         capture_output=True, text=True, check=False)
    names = git.stdout.split("\0") if git.returncode == 0 else [
        os.path.join(folder, name) for folder, _, files in os.walk(".")
        for name in files if name.endswith(".md") and "/build/" not in folder]
    return [name for name in names if name and os.path.exists(name)]


def anchor(heading):
    """What a heading is called in a link."""
    plain = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return plain.replace(" ", "-")


def anchors(page):
    with open(page, encoding="utf-8") as text:
        return {anchor(line.lstrip("#")) for line in text
                if line.startswith("#")}


def is_of_its_day(page, path):
    """An entry of the log is not changed when a file of the source goes."""
    folder = os.path.dirname(os.path.normpath(page))
    return folder.endswith("results/log") and \
        not os.path.normpath(path).startswith(os.path.dirname(folder) + os.sep)


def main():
    dead, count = [], 0
    for page in pages():
        with open(page, encoding="utf-8") as file:
            text = re.sub(r"`[^`\n]*`", "", file.read())
        for link in LINK.findall(text):
            if re.match(r"[a-z]+:", link):
                continue
            count += 1
            name, _, place = link.partition("#")
            path = os.path.join(os.path.dirname(page), name) if name else page
            if not os.path.exists(path):
                if not is_of_its_day(page, path):
                    dead.append(f"{page}: {link}")
            elif place and path.endswith(".md") and \
                    place not in anchors(path):
                dead.append(f"{page}: {link} has no such heading")
    print(f"{'not ok' if dead else 'ok'} files: {count} links of pages lead"
          " somewhere")
    for sentence in dead[:20]:
        print(f"  {sentence}")
    return bool(dead)


sys.exit(main())
