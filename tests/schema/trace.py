#!/usr/bin/python3
"""Holds a trace (nearfar-trace/1) to what a viewer needs, and prints the number
of its events.

usage: trace.py FILE
"""
import collections
import gzip
import json
import sys

TICKS = 10000  # of a microsecond: what times are cut to


def ticks(us):
    return round(us * TICKS)


def load(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def names(events):
    """Processes and threads that have a name, each once."""
    processes, threads = set(), set()
    for e in events:
        if e["ph"] == "M" and e["name"] == "process_name":
            assert e["pid"] not in processes, e
            processes.add(e["pid"])
        elif e["ph"] == "M" and e["name"] == "thread_name":
            assert (e["pid"], e["tid"]) not in threads, e
            threads.add((e["pid"], e["tid"]))
    return processes, threads


def within(about, e):
    clock = about["clock_hz"] / 1e6
    begin = about["from_cycle"] / clock
    assert ticks(e["ts"]) >= ticks(begin) - 1, e
    if about["until_cycle"] is not None:
        end = e["ts"] + e.get("dur", 0)
        assert ticks(end) <= ticks(about["until_cycle"] / clock), e


def has_length(about, e):
    """What ends where the window begins is not in it."""
    assert e["args"]["cycles"] > 0 or e["args"]["begin_cycle"] > about["from_cycle"], e


def tells_cycles(about, e):
    begin = e["args"]["begin_cycle"] / about["clock_hz"] * 1e6
    assert -1e-6 < begin - e["ts"] < 1.01 / TICKS, e


def nested(spans):
    """Spans of a thread, by begin, each within those that it begins in; the
    parts of a request, in cycles."""
    stack, parts, last, request = [], collections.Counter(), 0, None
    for e in spans:
        begin = ticks(e["ts"])
        end = begin + ticks(e["dur"])
        assert begin >= last and end >= begin, e
        last = begin
        while stack and stack[-1][0] <= begin:
            stack.pop()
        assert not stack or end <= stack[-1][0], (stack[-1][1], e)
        if e["cat"] == "request":
            request = e
        elif e["cat"] in ("way", "queue", "service"):
            assert not stack or stack[0][1] is request, e
            parts[id(request)] += e["args"]["cycles"]
        stack.append((end, e))
    return parts


def check_spans(trace, threads):
    by_thread = collections.defaultdict(list)
    for e in trace["traceEvents"]:
        if e["ph"] != "X":
            continue
        assert (e["pid"], e["tid"]) in threads, e
        within(trace["otherData"], e)
        has_length(trace["otherData"], e)
        tells_cycles(trace["otherData"], e)
        by_thread[e["pid"], e["tid"]].append(e)
    return [(spans, nested(spans)) for spans in by_thread.values()]


def check_parts(checked):
    """Way, queue and service add up to each request."""
    for spans, parts in checked:
        for e in spans:
            if e["cat"] == "request" and id(e) in parts:
                off = parts[id(e)] - e["args"]["cycles"]
                assert abs(off) < 1e-6, (e, off)


def check_counters(trace, processes):
    last = {}
    for e in trace["traceEvents"]:
        if e["ph"] != "C":
            continue
        assert e["pid"] in processes, e
        within(trace["otherData"], e)
        assert min(e["args"].values()) >= 0, e
        assert ticks(e["ts"]) > last.get(e["pid"], -1), e
        last[e["pid"]] = ticks(e["ts"])


def main():
    trace = load(sys.argv[1])
    about = trace["otherData"]
    assert about["schema"] == "nearfar-trace/1"
    processes, threads = names(trace["traceEvents"])
    assert {pid for pid, _ in threads} <= processes
    checked = check_spans(trace, threads)
    if not about["left_out"]:
        check_parts(checked)
    check_counters(trace, processes)
    events = sum(e["ph"] != "M" for e in trace["traceEvents"])
    assert events <= about["limit"]
    print(events)


main()
