#!/usr/bin/env python3
"""What a change of a kernel gains, on the model and on silicon: pairs/NAME_before.job
and NAME_after.job, and what a GPU took for them (results/kernels/pairs.tsv). A gain is
the share of the cycles that the change saves, in percent. Prints "ok NAME" where the two
are within 10 points, or where pairs.tsv says why they are not.

usage: gains.py [--table]; environment: NEARFAR
"""
import csv
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
POINTS = 10


def rows_of(path):
    with open(path) as f:
        lines = [line.rstrip('\n').split('\t') for line in f if line[0] != '#']
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def cycles(nearfar, job):
    p = subprocess.run([nearfar, 'run', '--kernel', '%s/pairs/%s.job' % (HERE, job),
                        '-f', 'csv'], capture_output=True, text=True, timeout=120)
    if p.returncode:
        raise SystemExit('not ok gains: %s' % (p.stderr.strip() or p.returncode))
    text = [line for line in p.stdout.splitlines() if line and line[0] != '#']
    return sum(float(row['elapsed_cycles_median']) for row in csv.DictReader(text))


def gain(before, after):
    return 100 * (1 - after / before)


def main():
    table = sys.argv[1:] == ['--table']
    if sys.argv[1:] and not table:
        raise SystemExit(__doc__)
    nearfar, failed = os.environ['NEARFAR'], 0
    if table:
        print('pair', 'model_before', 'model_after', 'predicted', 'real', 'points',
              sep='\t')
    for row in rows_of(ROOT + '/results/kernels/pairs.tsv'):
        model = [cycles(nearfar, row['pair'] + end)
                 for end in ('_before', '_after')]
        predicted = gain(*model)
        real = gain(float(row['before']), float(row['after']))
        near = abs(predicted - real) <= POINTS
        if table:
            print(row['pair'], *('%.0f' % c for c in model), '%.1f' % predicted,
                  '%.1f' % real, '%.1f' % (predicted - real), sep='\t')
            continue
        fine = near != bool(row['why'])
        failed += not fine
        print('%s gain as predicted: %s' % ('ok' if fine else 'not ok', row['pair']))
        if not fine:
            print('  predicted %.1f %%, real %.1f %%%s' % (
                predicted, real, '; pairs.tsv says why they differ' if near else ''))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
