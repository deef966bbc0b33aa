#!/usr/bin/env python3
"""Takes one rule away at a time and asks which part of the tests dies.

run.py draw COUNT SEED [ROOM...]
                          so many mutants, drawn by SEED from what candidates.py
                          lists, or of these rooms alone; those of the table are
                          not tried again
run.py retry [PART...]    survivors without an excuse again, by these parts or all
run.py share COUNT SEED   so many dead ones of the table, drawn by SEED, by the
                          part that they died of, then by all; and a quarter as
                          many new ones. Fails where one that was dead lives
run.py count              the sums of the table; fails where a survivor has no
                          reason in excused.tsv
environment: JOBS (mutants at a time, 2); PART_SECONDS: what draw leaves to retry,
             parts that took longer when reach.py ran them; CONFIG=asan: with
             retry, the unit tests and transcripts of `make asan`

Results stand in table.tsv beside this file, from one call to the next. Where
reach.py has been run, parts that do not run the changed line are left out.
"""
import collections
import concurrent.futures
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
import candidates
import parts as tests
from table import EXCUSED, TABLE, drawn, read, row_of, write

WORK = pathlib.Path("build/mutants")
NO_BUILD = "does not build"
CONFIG = os.environ.get("CONFIG", "mutants")
lock = threading.Lock()


# ---- which parts, in which order ----

class Plan:
    """Orders the parts for a mutant: those that have its file's name, those of
    its folder, then the cheap ones, together; then one by one, by cost."""

    CHEAP_SECONDS = 0.5
    UNKNOWN_SECONDS = 60
    GROUP_SECONDS = 300  # longer than all suites take

    def __init__(self):
        file = WORK / "reach.json"
        reach = json.loads(file.read_text()) if file.exists() else {}
        self.known = reach.get("known", {})
        self.reach = reach.get("parts", {})
        self.parts = [p for p in tests.every() if CONFIG == "mutants" or
                      p.name.startswith(("unit", "golden"))]
        self.users = self.includers()

    @staticmethod
    def includers():
        """{header: the .c files that see it}, of the build that counts."""
        users = collections.defaultdict(set)
        for path in pathlib.Path("build/coverage").rglob("*.d"):
            words = path.read_text().split(":")[1].replace("\\\n", "").split()
            for header in words[1:]:
                users[header].add(words[0])
        return users

    def seconds(self, part):
        there = self.reach.get(part.name)
        return there["seconds"] if there else self.UNKNOWN_SECONDS

    def taken(self, part):
        """As seconds, of the processors."""
        return self.reach.get(part.name, {}).get("processor_seconds",
                                                 self.seconds(part))

    def runs(self, part, candidate):
        """May the part notice? Data may be read by any line of the file and by
        tests of its folder, and what a header has by any line of the files that
        see it."""
        there = self.reach.get(part.name)
        file = candidate.file
        if not there:
            return True
        if candidate.number in self.known.get(file, []):
            return candidate.number in there["lines"].get(file, [])
        if tests.is_unit(part) and self.near(part, file) < 2:
            return True
        return any(there["lines"].get(user) for user in
                   {file} | self.users.get(file, set()))

    @staticmethod
    def near(part, file):
        """0: the tests of this file; 1: of its folder; 2: others."""
        rank = 2
        for source in part.sources:
            source = pathlib.Path(source).relative_to("tests/unit")
            file = pathlib.Path(file)
            if source.parent == file.parent:
                rank = min(rank, int(source.stem != file.stem))
        return rank

    def groups(self, candidate):
        parts = [p for p in self.parts if self.runs(p, candidate)]
        units = [p for p in parts if tests.is_unit(p)]
        near = [p for p in units if self.near(p, candidate.file) < 2]
        cheap = [p for p in units if p not in near and
                 self.seconds(p) < self.CHEAP_SECONDS]
        rest = sorted((p for p in parts if p not in near + cheap),
                      key=self.seconds)
        if not self.reach:
            units = [p for p in units if p not in near]
            return [g for g in (near, units) if g] + [
                [p] for p in parts if not tests.is_unit(p)]
        return [g for g in (near, cheap) if g] + [[p] for p in rest]

    def limit(self, group):
        """Of processor time: others on the machine kill no mutant."""
        slow = 1 if CONFIG == "mutants" else 4
        seconds = 15 + 2 * sum(min(self.taken(p), 60) for p in group)
        return slow * min(seconds, self.GROUP_SECONDS)


# ---- trees, in which a mutant never meets what is worked on ----

def build(tree, targets):
    names = [f"build/{CONFIG}/{target}" for target in targets]
    made = subprocess.run(["make", f"CONFIG={CONFIG}", "-j2", *names], cwd=tree,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return made.returncode == 0, made.stdout.decode(errors="replace")


def plant(number, needs):
    """A copy of the sources, with what is needed built: the first tree builds,
    the others are copies of it."""
    tree = WORK / f"tree-{number}"
    if number and not tree.exists():
        new = tree.with_suffix(".new")
        shutil.rmtree(new, ignore_errors=True)
        subprocess.run(["cp", "-a", WORK / "tree-0", new], check=True)
        new.rename(tree)
    tree.mkdir(parents=True, exist_ok=True)
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"],
                           check=True, capture_output=True, text=True)
    for name in files.stdout.split("\n"):
        if name and os.path.exists(name):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(name, tree / name, follow_symlinks=False)
    if pathlib.Path("build/npm").exists():
        shutil.copytree("build/npm", tree / "build/npm", dirs_exist_ok=True)
    kept = tree / "build" / f"kept-{CONFIG}"
    if kept.exists():  # a mutant that was never taken back
        shutil.rmtree(tree / "build" / CONFIG)
        kept.rename(tree / "build" / CONFIG)
    done, said = build(tree, sorted(needs))
    if not done:
        sys.exit(said)
    return tree


class Mutated:
    """One change in a tree, taken back at the end, with all that was built."""

    def __init__(self, tree, candidate):
        self.source = tree / candidate.file
        self.kept = tree / "build" / f"kept-{CONFIG}"
        self.built = tree / "build" / CONFIG
        self.tree, self.candidate = tree, candidate

    def __enter__(self):
        new = self.kept.with_suffix(".new")
        shutil.rmtree(new, ignore_errors=True)
        subprocess.run(["cp", "-a", self.built, new], check=True)
        new.rename(self.kept)
        self.original = self.source.read_bytes()
        self.times = self.source.stat()
        self.candidate.apply(self.tree)

    def __exit__(self, *_):
        self.source.write_bytes(self.original)
        os.utime(self.source, ns=(self.times.st_atime_ns,
                                  self.times.st_mtime_ns))
        shutil.rmtree(self.built)
        self.kept.rename(self.built)
        shutil.rmtree(self.tree / "build" / "scratch", ignore_errors=True)


def judge(tree, plan, candidate, groups):
    """The verdict: "dead PART: TEST", or what else was found."""
    with Mutated(tree, candidate):
        for group in groups:
            if not build(tree, group[0].needs)[0]:
                return NO_BUILD
            again = 2 if group[0].timed else 1
            for _ in range(again):
                failed, _ = tests.run(group, tree, CONFIG, plan.limit(group))
                if not failed:
                    break
            if failed:
                name = ("unit" if tests.is_unit(group[0]) else
                        group[0].name)
                if CONFIG != "mutants":
                    name = f"{CONFIG} {name}"
                return f"dead {name}: {failed}"
    return "survives" if groups else "survives: no test runs it"


def judge_all(plan, work, then):
    """work: (candidate, groups); then(candidate, verdict), one at a time.
    then returns whether more are wanted."""
    if not work:
        return
    count = min(int(os.environ.get("JOBS", "2")), max(len(work), 1))
    WORK.mkdir(parents=True, exist_ok=True)
    alone = open(WORK / "lock", "w", encoding="utf-8")
    try:
        fcntl.flock(alone, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"mutants: somebody else works in {WORK}")
    needs = {n for _, groups in work for group in groups for part in group
             for n in part.needs}
    trees = [plant(n, needs) for n in range(count)]
    queue = collections.deque(work)

    def worker(tree):
        while True:
            with lock:
                if not queue:
                    return
                candidate, groups = queue.popleft()
            verdict = judge(tree, plan, candidate, groups)
            with lock:
                print(f"{candidate.file}:{candidate.number}: "
                      f"{candidate.kind} {candidate.change()[0]}: {verdict}",
                      flush=True)
                if not then(candidate, verdict):
                    queue.clear()

    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        for done in [pool.submit(worker, tree) for tree in trees]:
            done.result()


# ---- what is asked for ----

def draw(count, seed, rooms):
    """A change that does not build is no mutant, and does not count."""
    plan, rows = Plan(), read(TABLE)
    chosen, wanted = [], count
    there = [c for c in candidates.everywhere() if not rooms or
             any(c.file.startswith(room + "/") for room in rooms)]
    for candidate in drawn(there, seed, lambda c: c.id):
        verdict = rows.get(candidate.id, {}).get("verdict")
        if verdict == NO_BUILD:
            continue
        if wanted <= 0:
            break
        wanted -= 1
        if verdict is None:
            chosen.append((candidate, plan.groups(candidate)))
    late = {p.name for p in plan.parts if plan.seconds(p) >
            float(os.environ.get("PART_SECONDS", "inf"))}
    chosen = [(c, [g for g in groups if g[0].name not in late])
              for c, groups in chosen]

    def then(candidate, verdict):
        rows[candidate.id] = row_of(candidate, verdict)
        write(rows)
        return True

    judge_all(plan, chosen, then)
    left = sum(rows[c.id]["verdict"] == NO_BUILD for c, _ in chosen)
    if left:
        return draw(count, seed, rooms)
    return summary(rows)


def retry(names):
    plan, rows = Plan(), read(TABLE)
    there = {c.id: c for c in candidates.everywhere()}
    excused = read(EXCUSED)
    chosen = []
    for row in rows.values():
        if (row["verdict"].startswith("survives") and row["id"] in there and
                row["id"] not in excused):
            candidate = there[row["id"]]
            groups = [g for g in plan.groups(candidate) if not names or
                      any(p.name in names for p in g)]
            chosen.append((candidate, groups))

    def then(candidate, verdict):
        if not verdict.startswith("survives"):
            rows[candidate.id] = row_of(candidate, verdict)
            write(rows)
        return True

    judge_all(plan, chosen, then)
    return summary(rows)


def killer(plan, verdict):
    """The parts that are named by a verdict: first the one test's suite."""
    name, _, test = verdict.removeprefix("dead ").partition(": ")
    if name == "unit":
        name = f"unit {test.partition('::')[0]}"
    return [[p] for p in plan.parts if p.name == name]


def share(count, seed):
    plan, rows = Plan(), read(TABLE)
    everywhere = drawn(candidates.everywhere(), seed, lambda c: c.id)
    dead = [c for c in everywhere if
            rows.get(c.id, {}).get("verdict", "").startswith("dead") and
            not rows[c.id]["verdict"].startswith("dead asan")]
    new = [c for c in everywhere if c.id not in rows]
    work = [(c, killer(plan, rows[c.id]["verdict"]) or plan.groups(c))
            for c in dead[:count]]
    # Of new ones the parts that take seconds.
    work += [(c, [g for g in plan.groups(c) if tests.is_unit(g[0]) or
                  g[0].name.startswith("golden")])
             for c in new[:count // 4]]
    alive = []

    def then(candidate, verdict):
        if verdict.startswith("survives"):
            if candidate.id in rows:
                alive.append(candidate)
            else:
                print("  new: not in the table, which is no failure")
        return True

    judge_all(plan, work, then)
    if alive:  # tests move: what another part finds is dead
        again = [(c, plan.groups(c)) for c in alive]
        alive.clear()
        judge_all(plan, again, then)
    for candidate in alive:
        print(f"not ok mutants: {candidate.file}:{candidate.number} was dead "
              f"({rows[candidate.id]['verdict']}), and lives")
    if not alive:
        print(f"ok mutants: {min(count, len(dead))} that were dead are dead")
    return bool(alive)


def summary(rows=None):
    rows = read(TABLE) if rows is None else rows
    excused = read(EXCUSED)
    sums = collections.Counter()
    unexcused = []
    for row in rows.values():
        word = row["verdict"].split(":")[0]
        if word == "survives":
            word = "excused" if row["id"] in excused else "survives"
            if word == "survives":
                unexcused.append(row)
        sums[word] += 1
    for row in unexcused:
        print("survives:", row["id"], row["file"], row["kind"], row["old"],
              row["new"], "|", row["line"])
    for word, number in sorted(sums.items(), key=lambda item: -item[1]):
        print(f"{number:6d} {word}")
    mutants = sum(sums.values()) - sums[NO_BUILD]
    print(f"{mutants:6d} mutants, {len(unexcused)} of them without an excuse")
    return bool(unexcused)


def main(words):
    match words:
        case ["draw", count, seed, *rooms]:
            return draw(int(count), seed, rooms)
        case ["retry", *names]:
            return retry(names)
        case ["share", count, seed]:
            return share(int(count), seed)
        case ["count"]:
            return summary()
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
