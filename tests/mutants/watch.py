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

TICK_SECONDS = 0.5
IDLE_SECONDS = 60
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def stat(path):
    """Of a process or thread behind its name, which may have spaces and brackets:
    state, parent, group, session, ...; None where it is gone."""
    try:
        return path.read_text("latin-1").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def family(root):
    """{number: its stat} of a process, what it started and what these did, also
    in sessions of their own, as the workers of unit tests are; and of what
    stayed in its session when its parent ended."""
    stats = {int(name): stat(pathlib.Path("/proc", name, "stat"))
             for name in os.listdir("/proc") if name.isdigit()}
    found = {}
    for number in stats:
        above, line = number, []
        while stats.get(above) and above not in found and above != root and \
                int(stats[above][3]) != root:
            line.append(above)
            above = int(stats[above][1])
        if stats.get(above) and (above in found or above == root or
                                 int(stats[above][3]) == root):
            found.update((n, stats[n]) for n in line + [above])
    return found


def look(root):
    """(processor seconds, does one want a processor) of a family, and of children
    of theirs that ended."""
    ticks, wants = 0, False
    for number, words in family(root).items():
        ticks += sum(map(int, words[11:15]))
        # A process sleeps where its first thread does: the others are asked, too.
        tasks = pathlib.Path("/proc", str(number), "task")
        try:
            threads = [stat(task / "stat") for task in tasks.iterdir()]
        except (FileNotFoundError, ProcessLookupError):
            continue
        wants |= any(thread and thread[0] in "RD" for thread in threads)
    return ticks / TICKS_PER_SECOND, wants


def end(root):
    """All of a family is gone afterwards."""
    for number in family(root):
        try:
            os.kill(number, signal.SIGKILL)
        except ProcessLookupError:
            pass
    try:
        os.killpg(root, signal.SIGKILL)
    except ProcessLookupError:
        pass


def wait(child, cpu_seconds, idle_seconds=IDLE_SECONDS):
    """(status or None where it does not end, processor seconds) of a child that
    leads a session of its own; all of its family is gone afterwards."""
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
    end(child.pid)
    child.wait()
    return code, taken


def ask():
    """Whether each of four commands is judged as it should be."""
    def judge(script, cpu, idle, busy=0):
        # On one processor, and each in a session of its own: systems that share
        # a processor out among sessions keep the command waiting, too.
        others = [subprocess.Popen(["sh", "-c", spin], start_new_session=True)
                  for _ in range(busy)]
        child = subprocess.Popen(["sh", "-c", script], start_new_session=True)
        for process in [*others, child] if busy else []:
            os.sched_setaffinity(process.pid, one)
        start = time.monotonic()
        code, _ = wait(child, cpu, idle)
        for other in others:
            other.kill()
            other.wait()
        return code, time.monotonic() - start

    spin, one = "while :; do :; done", {min(os.sched_getaffinity(0))}
    work = "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done"
    start = os.times()
    alone = judge(work, 60, 60)[0] == 0
    end = os.times()
    taken = (end.children_user + end.children_system -
             start.children_user - start.children_system)
    code, wall = judge(work, 4 * taken + 0.5, 0.1 + taken, 6)
    said = {
        "a command that computes without end does not end":
            judge(spin, 0.5, 60)[0] is None,
        "nor does one that lets a child compute, in a session of its own":
            judge(f"setsid sh -c '{spin}' & wait", 0.5, 60)[0] is None,
        "what a child in a session of its own computes is no idleness":
            judge(f"setsid sh -c '{work}' & wait", 60, 0.01)[0] == 0,
        "a command that waits for nothing does not end":
            judge("sleep 60", 60, 0.6)[0] is None,
        "a command that sleeps and goes on ends":
            judge("sleep 1.2; exit 3", 60, 3)[0] == 3,
        "a command that others keep waiting ends":
            alone and code == 0 and wall > 1.5 * taken,
    }
    for name, right in said.items():
        print("ok" if right else "not ok", f"mutants: {name}")
    return all(said.values())


if __name__ == "__main__":
    sys.exit(not ask())
