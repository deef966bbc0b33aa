#!/usr/bin/env python3
"""Writes a series of ten million samples of two modes, with their values.

usage: samples.py FILE [POINTS]   (samples are shared out among the points)
"""
import random
import sys

SAMPLES = 10_000_000
PIECE = 100_000
random.seed(1)


def numbers(out, count, number):
    out.write("[")
    for first in range(0, count, PIECE):
        out.write("," if first else "")
        out.write(",".join(number(i) for i in
                           range(first, min(first + PIECE, count))))
    out.write("]")


cycles = [str(random.choice((290, 490)) + random.randrange(16))
          for _ in range(65521)]
points = int(sys.argv[2]) if len(sys.argv) > 2 else 1
count = SAMPLES // points
summary = ('{"median": 300, "mean": 400, "p5": 290, "p95": 505, "mad": 8, '
           f'"low": 299, "high": 301, "count": {count}, "outliers": 0}}')
with open(sys.argv[1], "w") as out:
    out.write('{"schema": "nearfar-series/1", "series": [{"bench": '
              '"pointer-chase", "options": {"samples": "yes"}, "axis": '
              '{"name": "footprint_bytes"}, "metrics": ["latency_cycles"], '
              '"provenance": {"backend": "cuda", "device.name": "made up"}, '
              '"points": [')
    for k in range(points):
        out.write("," if k else "")
        out.write(f'\n{{"x": {4096 << k}, "regions": ["measure"], "clock_hz": '
                  f'1.98e9, "metrics": {{"latency_cycles": {summary}}},\n'
                  '"values": {"latency_cycles": ')
        numbers(out, count, lambda i: cycles[i % len(cycles)])
        out.write(f'}},\n"samples": {{"count": {count}, "repeat": 0, '
                  '"region": 0, "sm": 0, "warp": 0, "iteration": ')
        numbers(out, count, str)
        out.write(', "cycles": ')
        numbers(out, count, lambda i: cycles[i % len(cycles)])
        out.write("}}")
    out.write("]}]}\n")
