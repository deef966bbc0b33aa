#!/usr/bin/env python3
"""The committed share of drawn kernels: each job's memory against the digests of the
host and of a GPU; and, if they are there, functions of Triton and a graph compiler, and
products of matrices in all forms.

environment: NEARFAR
"""
import os
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def rows_of(text):
    return dict(tuple(line.rsplit('\t', 1)) for line in text.splitlines())


def differing(nearfar, folder, job, expected):
    """Kernels whose digest is another, or the sentence of a run that failed."""
    to = '%s/%s.found' % (folder, job)
    p = subprocess.run([nearfar, 'run', '--kernel', '%s/%s.job' % (folder, job), '-f',
                        'csv', '-o', '/dev/null', '--digests', to],
                       capture_output=True, text=True, timeout=300)
    if p.returncode:
        return p.stderr.strip().split('\n')[0] or 'status %d' % p.returncode
    with open(to) as f:
        found = rows_of(f.read())
    wrong = [k.split('\t')[1] for k in sorted(expected) if found.get(k) != expected[k]]
    return 'other words: ' + ' '.join(wrong) if wrong else ''


def together(nearfar, packed, what):
    """Recorded jobs, all at once: the first buffer that is another, or none."""
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(HERE + '/' + packed) as tar:
            tar.extractall(folder)
        count = sum(f.endswith('.job') for f in os.listdir(folder))
        p = subprocess.run([nearfar, 'run', '--kernel', folder, '-f', 'csv', '-o',
                            '/dev/null', '--check', folder + '/digests.tsv'],
                           capture_output=True, text=True, timeout=300)
    why = p.stderr.strip().split('\n')[0] or 'status %d' % p.returncode
    print('%s %s: %d jobs' % ('not ok' if p.returncode else 'ok', what, count))
    if p.returncode:
        print('  ' + why)
    return p.returncode != 0


def main():
    nearfar, failed = os.environ['NEARFAR'], 0
    for packed, what in (('triton.tar.xz', 'functions of Triton and a graph compiler'),
                         ('matrix/share.tar.xz', 'products of matrices')):
        if os.path.exists(HERE + '/' + packed):
            failed += together(nearfar, packed, what)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(HERE + '/share.tar.xz') as tar:
            tar.extractall(folder)
        with open(folder + '/digests.tsv') as f:
            rows = rows_of(f.read())
        for job in sorted({k.split('\t')[0] for k in rows}):
            mine = {k: v for k, v in rows.items() if k.split('\t')[0] == job}
            why = differing(nearfar, folder, job, mine)
            failed += bool(why)
            print('%s drawn kernels: %s, %d of them' % (
                'not ok' if why else 'ok', job, len(mine)))
            if why:
                print('  ' + why)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
