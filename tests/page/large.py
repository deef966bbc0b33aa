#!/usr/bin/env python3
"""Writes 50 series of 10,000 points, as two machines would give them.

usage: large.py FILE
"""
import json
import random
import sys

POINTS = 10000
OPERATORS = 25
random.seed(1)


def point(i, level, ghz):
    y = level * (1 + (i > 4000) + 2 * (i > 8000)) + random.gauss(0, level / 50)
    latency = dict(median=y, mean=y, p5=y - 3, p95=y + 3, mad=0.5,
                   low=y - random.random(), high=y + random.random(),
                   count=32, outliers=0)
    rate = dict(latency, median=1 / y, mean=1 / y, low=1 / y, high=1 / y)
    return {"x": 4096 + 65536 * i, "clock_hz": ghz * 1e9,
            "metrics": {"latency_cycles": latency, "loads_per_cycle": rate}}


def series(backend, operator):
    moves = backend == "cuda"
    return {
        "bench": "pointer-chase", "axis": {"name": "footprint_bytes"},
        "options": {"op": f"operator-{operator}", "slot": "128"},
        "metrics": ["latency_cycles", "loads_per_cycle"],
        "provenance": {"backend": backend,
                       "machine" if backend == "sim" else "device.name":
                       "made up"},
        "points": [point(i, 100 + 8 * operator,
                         1.98 - moves * random.random() / 100)
                   for i in range(POINTS)]}


json.dump({"schema": "nearfar-series/1",
           "series": [series(backend, operator)
                      for operator in range(OPERATORS)
                      for backend in ("cuda", "sim")]},
          open(sys.argv[1], "w"))
