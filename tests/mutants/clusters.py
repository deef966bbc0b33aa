#!/usr/bin/env python3
"""Takes one barrier or fence at a time away from kernels that have clusters.

usage: clusters.py NEARFAR [TABLE]   (default: clusters.tsv beside this file)

Each mutant is a kernel of tests/kernels/cluster/ without one barrier of its
cluster (an arrival and the wait behind it) or one fence; its small job must fail,
at the line and with the words that the table has, or the table says why it is
harmless. Columns, separated by tabs: the kernel, the line that goes, what stands
there, the line of the report or `harmless`, and what the report says or why.
`--write` as TABLE prints what the mutants say now.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = HERE.parent / 'kernels' / 'cluster'
ARRIVE = re.compile(r'^\s*barrier\.cluster\.arrive')
WAIT = re.compile(r'^\s*barrier\.cluster\.wait')
FENCE = re.compile(r'^\s*fence\.')


def mutants(text):
    """Line numbers that go together, and what stands in the first one."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if ARRIVE.match(line):
            wait = next(k for k in range(i, len(lines)) if WAIT.match(lines[k]))
            yield (i, wait), 'barrier.cluster'
        elif FENCE.match(line):
            yield (i,), line.strip().split()[0].rstrip(';')


def without(text, gone):
    lines = text.splitlines()
    for i in gone:
        lines[i] = '//'
    return '\n'.join(lines) + '\n'


def said(nearfar, job):
    """The line of the report and its words; of a run that ends well nothing."""
    run = subprocess.run([nearfar, 'run', '--kernel', str(job), '--max-cycles',
                          '10000000', '-o', '/dev/null'],
                         capture_output=True, text=True, timeout=600)
    if not run.returncode:
        return 'nothing', ''
    found = re.search(r'\.ptx:(\d+)(?:: )?(.*)', run.stderr.strip())
    words = found.group(2) if found else run.stderr.strip()
    kinds = ('which may have ended', 'which may not have begun',
             'which has ended', 'no barrier.cluster stands between',
             'cannot come')
    return (found.group(1) if found else '?',
            next((k for k in kinds if k in words), words))


def outcomes(nearfar):
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for path in sorted(KERNELS.glob('*.ptx')):
            text = path.read_text()
            job = scratch / (path.stem + '-small.job')
            shutil.copy(KERNELS / job.name, job)
            for gone, what in mutants(text):
                (scratch / path.name).write_text(without(text, gone))
                yield (path.stem, str(gone[0] + 1), what) + said(nearfar, job)


def main():
    nearfar = sys.argv[1]
    if sys.argv[2:] == ['--write']:
        for row in outcomes(nearfar):
            print('\t'.join(row))
        return 0
    table = pathlib.Path(sys.argv[2]) if sys.argv[2:] else HERE / 'clusters.tsv'
    rows = [line.split('\t') for line in table.read_text().splitlines()[1:]]
    expected = {tuple(r[:3]): (r[3], r[4]) for r in rows}
    wrong = 0
    for kernel, line, what, at, words in outcomes(nearfar):
        wants = expected.pop((kernel, line, what), None)
        good = wants and (wants == (at, words) or
                          (wants[0] == 'harmless' and at == 'nothing'))
        if not good:
            wrong += 1
            print('%s:%s without %s: %s %s, not %s' %
                  (kernel, line, what, at, words, wants))
    for row in expected:
        wrong += 1
        print('%s:%s is no mutant' % row[:2])
    print('%d mutants, %d not as the table says' % (len(rows), wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
