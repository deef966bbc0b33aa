#!/usr/bin/env python3
"""What a change of a kernel gains, on the model and on silicon: pairs/NAME_before.job
and NAME_after.job, or NAME_before.job with another grid and block, and what a GPU took
for them (results/kernels/pairs.tsv). A gain is the share of the cycles that the change
saves, in percent. Where `nearfar explain` of NAME_before.job tries what the change does
(what_if, the begin of its change), its gain is held to the same. Prints "ok NAME" where
the two are within 10 points, or where pairs.tsv says why they are not.

usage: gains.py [--table]; environment: NEARFAR
"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
POINTS = 10


def rows_of(path):
    with open(path) as f:
        lines = [line.rstrip('\n').split('\t') for line in f if line[0] != '#']
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def cycles(nearfar, job, launch=''):
    """Of the model; with another grid and block, if they are given."""
    with open('%s/pairs/%s.job' % (HERE, job)) as f:
        text = f.read().replace('module ', 'module %s/pairs/' % HERE)
    if launch:
        text = re.sub(r'grid=\S+ block=\S+', launch, text)
    with tempfile.NamedTemporaryFile('w', suffix='.job') as changed:
        changed.write(text)
        changed.flush()
        p = subprocess.run([nearfar, 'run', '--kernel', changed.name, '-f', 'csv'],
                           capture_output=True, text=True, timeout=120)
    if p.returncode:
        raise SystemExit('not ok gains: %s' % (p.stderr.strip() or p.returncode))
    rows = csv.DictReader(line for line in p.stdout.splitlines()
                          if line and line[0] != '#')
    return sum(float(row['elapsed_cycles_median']) for row in rows)


def tried(nearfar, job, begin):
    """What explain says that a change gains, in percent; None: it does not try it."""
    p = subprocess.run([nearfar, 'explain', '%s/pairs/%s.job' % (HERE, job), '-f', 'json'],
                       capture_output=True, text=True, timeout=300)
    if p.returncode:
        raise SystemExit('not ok gains: %s' % (p.stderr.strip() or p.returncode))
    return next((100 * w['gain'] for w in json.loads(p.stdout)['what_ifs']
                 if w['change'].startswith(begin) and 'gain' in w), None)


def judge(what, name, predicted, row, table):
    """Prints a line; whether it is not as it should be."""
    real = gain(float(row['before']), float(row['after']))
    if table:
        print(name, what, 'not tried' if predicted is None else '%.1f' % predicted,
              '%.1f' % real, sep='\t')
        return False
    near = predicted is not None and abs(predicted - real) <= POINTS
    fine = near != bool(row['why'])
    print('%s gain as %s: %s' % ('ok' if fine else 'not ok', what, name))
    if not fine:
        print('  %s, real %.1f %%%s' % (
            'not tried' if predicted is None else 'predicted %.1f %%' % predicted, real,
            '; pairs.tsv says why they differ' if near else ''))
    return not fine


def gain(before, after):
    return 100 * (1 - after / before)


def main():
    table = sys.argv[1:] == ['--table']
    if sys.argv[1:] and not table:
        raise SystemExit(__doc__)
    nearfar, failed = os.environ['NEARFAR'], 0
    if table:
        print('pair', 'by', 'predicted', 'real', sep='\t')
    for row in rows_of(ROOT + '/results/kernels/pairs.tsv'):
        name, launch = row['pair'], row['change']
        if launch.startswith('grid='):
            after = cycles(nearfar, name + '_before', launch)
        else:
            after, launch = cycles(nearfar, name + '_after'), ''
        predicted = gain(cycles(nearfar, name + '_before'), after)
        failed += judge('predicted', (name + ' ' + launch).strip(), predicted, row, table)
        if row['what_if']:
            failed += judge('explain says', name,
                            tried(nearfar, name + '_before', row['what_if']), row, table)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
