"""Waits for a command and all that it starts, by the processor time they take.

A wall clock would call a part that others slow down one that does not end. A
command does not end where its processes together take more processor time than
it has, or where all of them sleep for IDLE_SECONDS on end: time in which one of
them wants a processor and gets none does not count.

usage: watch.py   (asks itself: a command that computes, one that sleeps, one
                  that is kept waiting, and one that ends)
"""
import os
import pathlib
import signal
import subprocess
import sys
import time

TICK_SECONDS = 0.2
IDLE_SECONDS = 60
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def look(session):
    """(processor seconds, does one want a processor) of a session's processes,
    and of children of theirs that ended."""
    ticks, wants = 0, False
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            text = pathlib.Path("/proc", name, "stat").read_text("latin-1")
            # Behind the name, which may have spaces and brackets.
            words = text.rpartition(")")[2].split()
            if int(words[3]) != session:
                continue
            ticks += sum(map(int, words[11:15]))
            wants |= words[0] in "RD"
            # A process sleeps where its first thread does: ask the others, too.
            for thread in os.listdir(f"/proc/{name}/task"):
                stat = pathlib.Path("/proc", name, "task", thread, "stat")
                wants |= stat.read_text("latin-1").rpartition(
                    ")")[2].split()[0] in "RD"
        except (FileNotFoundError, ProcessLookupError):
            continue
    return ticks / TICKS_PER_SECOND, wants


def wait(child, cpu_seconds, idle_seconds=IDLE_SECONDS):
    """(status or None where it does not end, processor seconds) of a child that
    leads a session of its own; all of the session is gone afterwards."""
    code, taken, idle, since = None, 0.0, 0.0, time.monotonic()
    while True:
        try:
            code = child.wait(TICK_SECONDS)
            break
        except subprocess.TimeoutExpired:
            pass
        now = time.monotonic()
        seconds, wants = look(child.pid)
        idle = 0.0 if wants or seconds > taken else idle + now - since
        taken, since = max(taken, seconds), now
        if taken > cpu_seconds or idle > idle_seconds:
            break
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()
    return code, taken


def ask():
    """Whether each of four commands is judged as it should be."""
    def judge(script, cpu, idle, busy=0):
        others = [subprocess.Popen(["sh", "-c", "while :; do :; done"])
                  for _ in range(busy)]
        child = subprocess.Popen(["sh", "-c", script], start_new_session=True)
        start = time.monotonic()
        code, _ = wait(child, cpu, idle)
        for other in others:
            other.kill()
            other.wait()
        return code, time.monotonic() - start

    spin = "while :; do :; done"
    work = "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done"
    busy = 3 * len(os.sched_getaffinity(0))
    start = os.times()
    alone = judge(work, 60, 60)[0] == 0
    end = os.times()
    taken = (end.children_user + end.children_system -
             start.children_user - start.children_system)
    code, wall = judge(work, 4 * taken + 0.5, 0.1 + taken, busy)
    said = {
        "a command that computes without end does not end":
            judge(spin, 0.5, 60)[0] is None,
        "so does a child of it":
            judge(f"({spin}) & wait", 0.5, 60)[0] is None,
        "a command that waits for nothing does not end":
            judge("sleep 60", 60, 0.6)[0] is None,
        "a command that sleeps and goes on ends":
            judge("sleep 0.5; exit 3", 60, 2)[0] == 3,
        "a command that others keep waiting ends":
            alone and code == 0 and wall > 1.5 * taken,
    }
    for name, right in said.items():
        print("ok" if right else "not ok", f"mutants: {name}")
    return all(said.values())


if __name__ == "__main__":
    sys.exit(not ask())
