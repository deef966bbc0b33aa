#!/usr/bin/python3
"""Holds a file to a JSON Schema; exit 77 where there is no jsonschema.

usage: validate.py SCHEMA FILE   (.jsonl: a document a line; .csv: a row)
"""
import csv
import gzip
import json
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit(77)


def number(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def documents(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        if path.endswith(".jsonl"):
            yield from (json.loads(line) for line in file)
        elif path.endswith(".csv"):
            for row in csv.DictReader(file):
                words = ("bench", "backend", "machine", "axis", "skipped")
                yield {k: v if k in words else number(v)
                       for k, v in row.items()}
        else:
            yield json.load(file)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    count = 0
    for document in documents(sys.argv[2]):
        count += 1
        for error in validator.iter_errors(document):
            sys.exit(f"{sys.argv[2]}: {error.json_path}: {error.message:.300}")
    if not count:
        sys.exit(f"{sys.argv[2]}: nothing to validate")


main()
