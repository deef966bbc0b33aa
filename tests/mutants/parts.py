"""The parts of the tests that a mutant can die of, and how one is run.

A part is a suite of the unit tests, a file of transcripts, a script of
command-line tests, or a comparison of values. It fails where it prints
"not ok", ends with another status than 0, or does not end.
"""
import collections
import dataclasses
import os
import pathlib
import re
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import watch

MEMORY_BYTES = 8 << 30
SUITE = re.compile(r"^(?:Parameterized)?Test\((\w+),", re.M)


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    needs: tuple      # what must be built, below build/CONFIG
    command: tuple    # TESTS stands for build/CONFIG/tests
    sources: tuple = ()  # the files of its tests
    timed: bool = False  # waits for others: what fails is tried again


def suites():
    """{suite: files of tests/unit that have its tests}"""
    found = collections.defaultdict(set)
    for path in sorted(pathlib.Path("tests/unit").rglob("*.c")):
        for name in SUITE.findall(path.read_text(encoding="utf-8")):
            found[name].add(str(path))
    return {name: tuple(sorted(files)) for name, files in found.items()}


def every():
    """All parts."""
    values = ("tests/values/differ", "sim", "1", "200")
    fakes = tuple(f"tests/support/{name}.so"
                  for name in ("fault", "fake_cuda", "fake_nvml"))
    parts = [Part(f"unit {name}", ("tests/unit/all",), (name,), files)
             for name, files in suites().items()]
    parts.append(Part("values", values[:1],
                      ("TESTS" + values[0][5:],) + values[1:]))
    for path in sorted(pathlib.Path("tests/golden").glob("*.txt")):
        parts.append(Part(f"golden {path.stem}", ("nearfar",),
                          ("tests/golden/check.sh", str(path))))
    for name in ("check", "series", "kernels", "split", "fleet"):
        parts.append(Part(f"cli {name}", ("nearfar", "tests/fleet/draw"),
                          (f"tests/cli/{name}.sh",), timed=True))
    parts.append(Part("files", ("nearfar",) + fakes,
                      ("tests/files/check.sh",), timed=True))
    parts.append(Part("docs", ("nearfar",), ("tests/docs/check.sh",),
                      timed=True))
    parts.append(Part("fit", ("nearfar",), ("tests/fit/small.sh",), timed=True))
    return parts


def others():
    """What counts lines, and judges no mutant: it takes long, or fails where a
    build is slow."""
    fakes = tuple(f"tests/support/{name}.so"
                  for name in ("fault", "fake_cuda", "fake_nvml"))
    return [Part("faults", ("nearfar", "tests/faults/faults") + fakes,
                 ("tests/faults/check.sh",)),
            Part("hardware", ("nearfar",) + fakes,
                 ("tests/hardware/fake.sh",))]


def is_unit(part):
    return part.name.startswith("unit ")


def argv(parts, config, tap):
    """The command of a part, or of several suites in one process."""
    tests = f"build/{config}/tests"
    if is_unit(parts[0]):
        names = "|".join(p.command[0] for p in parts)
        return [f"{tests}/unit/all", "--jobs", "1", "--fail-fast", "--filter",
                f"@({names})/*", f"--tap={tap}"]
    return [word.replace("TESTS", tests) for word in parts[0].command]


def limit(config):
    """In the child: no mutant takes the machine's memory, or its disk; a
    sanitizer takes addresses for itself."""
    if config == "mutants":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(parts, tree, config, seconds, extra=None):
    """(what failed or None, processor seconds): the name of a test, or how the
    command ended; seconds are the processor's, too."""
    scratch = pathlib.Path(tree, "build", "scratch")
    scratch.mkdir(parents=True, exist_ok=True)
    tap = (scratch / "tap").resolve()
    tap.unlink(missing_ok=True)
    env = dict(os.environ, NEARFAR=f"build/{config}/nearfar",
               TESTS=f"build/{config}/tests", LC_ALL="C",
               TMPDIR=str(scratch.resolve()),
               ASAN_OPTIONS="abort_on_error=1", LSAN_OPTIONS="suppressions="
               "tests/support/leaks.txt:print_suppressions=0", **(extra or {}))
    with open(scratch / "said", "wb") as said:
        child = subprocess.Popen(argv(parts, config, tap), cwd=tree, env=env,
                                 stdin=subprocess.DEVNULL, stdout=said,
                                 stderr=subprocess.DEVNULL,
                                 start_new_session=True,
                                 preexec_fn=lambda: limit(config))
        code, taken = watch.wait(child, seconds)
    if code is None:
        return "does not end", taken
    log = tap if tap.exists() else scratch / "said"
    text = log.read_text(encoding="utf-8", errors="replace")
    failed = re.search(r"^not ok *-? *(.*)", text, re.M)
    if failed:
        name = re.sub(r" \([0-9.]+s\)$", "", failed[1]).strip()[:100]
        return name or "-", taken
    return None if code == 0 else f"ends with {code}", taken
