#!/usr/bin/env python3
"""kernels.py without a GPU: what it makes of ncu's words, and a whole run on a
driver and a profiler that only pretend. Prints a line a test.

environment: NEARFAR
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
import kernels  # noqa: E402

RAW = '''==PROF== Connected to process 7
"nearfar: a line with a quote"
"ID","Process ID","Kernel Name","Grid Size","sm__cycles_elapsed.max","launch__registers_per_thread"
"","","","","cycle","register/thread"
"0","7","scan_blocks(const unsigned *, unsigned *)","(8, 1, 1)","12,345","16"
"1","7","scan_totals","(1, 1, 1)","99.5","n/a"
==PROF== Disconnected
'''

FAKE_NCU = '''#!/usr/bin/env python3
import subprocess, sys
words = sys.argv[1:]
log = words[words.index("--log-file") + 1]
metrics = words[words.index("--metrics") + 1].split(",")
if "smsp__inst_executed_pipe_adu.sum" in metrics:
    open(log, "w").write("==ERROR== Failed to find metric "
                         "smsp__inst_executed_pipe_adu.sum\\n")
    sys.exit(1)
if sys.argv[0].endswith("strict") and len(metrics) > 10:
    sys.exit(9)
broken = False
command = words[words.index("run") - 1:]
said = subprocess.run(command + ["--dry-run"], stdout=subprocess.PIPE,
                      universal_newlines=True).stdout
code = subprocess.run(command).returncode
with open(log, "w") as out:
    out.write('"ID","Kernel Name",' +
              ",".join(f'"{m}"' for m in metrics) + "\\n")
    out.write('"","",' + ",".join('"unit"' for m in metrics) + "\\n")
    number = 0
    for line in said.splitlines():
        if "FAIL" in line:
            break
        entry = line.split("launch=")[1].split()[0]
        runs = sum(int(n) for n in
                   (line.split("warmups=")[1].split()[0],
                    line.split("repeats=")[1]))
        broken |= sys.argv[0].endswith("broken") and entry == "two"
        for run in range(runs):
            out.write(f'"{number}","{entry}",' + ",".join(
                '"nan"' if broken else f'"{1000 * number + i:,}"'
                for i in range(len(metrics))) + "\\n")
            number += 1
sys.exit(9 if broken else code)
'''

PTX = '''.version 8.0
.target sm_90
.address_size 64
.visible .entry one(.param .u64 p) { ret; }
.visible .entry two(.param .u64 p) { ret; }
'''
JOB = '''nearfar-kernel 1
module m.ptx
buffer a bytes=4KiB fill=iota
'''


class Words(unittest.TestCase):
    def test_raw_csv(self):
        rows = kernels.parse_ncu(RAW)
        self.assertEqual([name for name, _ in rows],
                         ["scan_blocks", "scan_totals"])
        self.assertEqual(rows[0][1], {"sm__cycles_elapsed.max": 12345,
                                      "launch__registers_per_thread": 16})
        self.assertIsNone(rows[1][1]["launch__registers_per_thread"])

    def test_no_csv(self):
        self.assertEqual(kernels.parse_ncu("==ERROR== nothing\n"), [])

    def test_launches(self):
        text = ("a launch=k blocks=3 threads=32 warmups=1 repeats=2\n"
                "a launch=l blocks=3 threads=32 warmups=0 repeats=1\n"
                "b launch=k blocks=3 threads=32 warmups=0 repeats=1\n")
        self.assertEqual(kernels.parse_launches(text),
                         [("a", 0, "k", 3, 2), ("a", 1, "l", 1, 1),
                          ("b", 0, "k", 1, 1)])

    def test_assign(self):
        launches = [("a", 0, "k", 3, 2), ("b", 0, "m", 1, 1),
                    ("c", 0, "l", 1, 1)]
        runs = [(k, {"sm__cycles_elapsed.max": n})
                for n, k in enumerate("kkkl")]
        found, missing = kernels.assign(launches, runs)
        self.assertEqual(found, [("a", 0, "k", 0, runs[1][1]),
                                 ("a", 0, "k", 1, runs[2][1]),
                                 ("c", 0, "l", 0, runs[3][1])])
        self.assertEqual(missing, ["b"])

    def test_unknown_metrics(self):
        self.assertEqual(kernels.unknown_metrics(
            "==ERROR== Failed to find metric dram__sectors_read.sum\n"),
            ["dram__sectors_read.sum"])
        self.assertEqual(kernels.unknown_metrics("dram__sectors_read.sum"), [])

    def test_culprit(self):
        jobs = ["x/a.job", "x/ab.job"]
        self.assertEqual(kernels.culprit("in program 'ab'", jobs), "x/ab.job")
        self.assertEqual(kernels.culprit("x/a.job:3:4: wrong", jobs),
                         "x/a.job")
        self.assertIsNone(kernels.culprit("in program 'c'", jobs))


class Run(unittest.TestCase):
    """The whole script, on tests/support/fake_cuda.c."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = self.folder.name
        library = os.path.join(self.path, "libcuda.so.1")
        built = subprocess.run(
            ["cc", "-std=c11", "-D_GNU_SOURCE", "-shared", "-fPIC",
             "-I" + ROOT, os.path.join(ROOT, "tests/support/fake_cuda.c"),
             "-o", library])
        self.assertEqual(built.returncode, 0)
        os.environ["NEARFAR_LIBCUDA"] = library
        os.environ["NEARFAR_LIBNVML"] = "/nonexistent/libnvidia-ml.so.1"
        self.write("m.ptx", PTX)
        self.write("ncu", FAKE_NCU)
        os.chmod(os.path.join(self.path, "ncu"), 0o755)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        with open(os.path.join(self.path, name), "w") as out:
            out.write(text)

    def read(self, name):
        with open(os.path.join(self.path, "out", name)) as source:
            return source.read()

    def run_script(self, ncu="ncu"):
        return kernels.main([os.environ["NEARFAR"],
                             os.path.join(self.path, "out"), self.path,
                             "--ncu", os.path.join(self.path, ncu)])

    def test_every_launch_has_a_line_for_each_state(self):
        self.write("a.job", JOB + "launch one grid=4 block=32 args=a\n"
                   "launch two grid=4 block=32 args=a repeats=2\n")
        self.write("b.job", JOB + "launch one grid=4 block=32 args=a\n")
        self.assertEqual(self.run_script(), 0)
        lines = [line.split("\t")
                 for line in self.read("kernels.tsv").splitlines()]
        head, rows = lines[0], lines[1:]
        self.assertEqual([row[:5] for row in rows], [
            [job, launch, entry, repeat, state]
            for state in ("cold", "warm")
            for job, launch, entry, repeat in (
                ("a", "0", "one", "0"), ("a", "1", "two", "0"),
                ("a", "1", "two", "1"), ("b", "0", "one", "0"))])
        cycles = head.index("sm__cycles_elapsed.max")
        # Executions 0 to 3; warm: 1 of 0..1, 3 and 4 of 2..4, 6 of 5..6.
        self.assertEqual([row[cycles] for row in rows],
                         ["0", "1000", "2000", "3000", "1000", "3000", "4000",
                          "6000"])
        self.assertEqual(rows[0][head.index(
            "smsp__inst_executed_pipe_adu.sum")], "")
        self.assertEqual(rows[0][head.index("gpu")],
                         "GPU-f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff")
        self.assertEqual(len(self.read("digests.tsv").splitlines()), 2)
        self.assertTrue(re.match(r"a\ta\texact:[0-9a-f]{16}$",
                                 self.read("digests.tsv").splitlines()[0]))

    def test_a_profiler_that_refuses_gets_fewer_metrics(self):
        self.write("a.job", JOB + "launch one grid=4 block=32 args=a\n")
        self.write("strict", FAKE_NCU)
        os.chmod(os.path.join(self.path, "strict"), 0o755)
        self.assertEqual(self.run_script("strict"), 0)
        head, cold, warm = [line.split("\t") for line in
                            self.read("kernels.tsv").splitlines()]
        self.assertTrue(cold[head.index("dram__sectors_read.sum")])
        self.assertFalse(cold[head.index("launch__waves_per_multiprocessor")])
        self.assertEqual(warm[4], "warm")

    def test_a_job_that_breaks_the_profiler_is_left_out(self):
        self.write("a.job", JOB + "launch one grid=4 block=32 args=a\n")
        self.write("b.job", JOB + "launch two grid=4 block=32 args=a\n")
        self.write("c.job", JOB + "launch one grid=4 block=32 args=a\n")
        self.write("broken", FAKE_NCU)
        os.chmod(os.path.join(self.path, "broken"), 0o755)
        self.assertEqual(self.run_script("broken"), 1)
        head, *rows = [line.split("\t") for line in
                       self.read("kernels.tsv").splitlines()]
        self.assertEqual([(r[0], r[4]) for r in rows],
                         [("a", "cold"), ("c", "cold"), ("a", "warm"),
                          ("c", "warm")])
        self.assertTrue(rows[1][head.index("launch__waves_per_multiprocessor")])
        self.assertEqual(self.read("failures.txt").splitlines(),
                         ["b\tncu ended with 9 at it"] * 2)

    def test_a_job_that_fails_is_left_out(self):
        self.write("a.job", JOB + "launch one grid=4 block=32 args=a\n")
        self.write("b.job", JOB + "launch one grid=4 block=32\n")
        self.write("c.job", JOB + "launch two grid=4 block=32 args=a\n")
        self.write("d.job", JOB + "launch three grid=4 block=32 args=a\n")
        self.assertEqual(self.run_script(), 1)
        jobs = [line.split("\t")[0] for line in
                self.read("failures.txt").splitlines()]
        self.assertEqual(sorted(jobs), ["b", "d"])
        rows = [line.split("\t") for line in
                self.read("kernels.tsv").splitlines()[1:]]
        self.assertEqual([(r[0], r[4]) for r in rows],
                         [("a", "cold"), ("c", "cold"), ("a", "warm"),
                          ("c", "warm")])


class Lines(unittest.TextTestResult):
    def line(self, test, verdict, why=""):
        name = test.id().split(".", 1)[1]
        print(f"{verdict} hardware/kernels.py {name}")
        for text in why.splitlines():
            print("  " + text)

    def addSuccess(self, test):
        self.line(test, "ok")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.line(test, "not ok", self._exc_info_to_string(err, test))

    def addError(self, test, err):
        super().addError(test, err)
        self.line(test, "not ok", self._exc_info_to_string(err, test))


if __name__ == "__main__":
    kernels.say = lambda words: None
    with open(os.devnull, "w") as nowhere:
        unittest.main(verbosity=0, testRunner=unittest.TextTestRunner(
            stream=nowhere, resultclass=Lines))
