#!/usr/bin/env python3
"""The model's waiting by line against Nsight's samples of stalled warps
(results/kernels/stalls.tsv): the line of the source at which the model has warps stalled
the most is to be among the first two by samples. missed.tsv has the launches where it is
not, with the reason; any other is a failure, and so is one that is not missed any more.
Prints "ok NAME", or "not ok NAME" with both.

usage: stalls.py [--quick] [--table [--awaited]]; environment: NEARFAR, REFERENCE
  --quick   jobs of QUICK alone
  --table   a row for each launch: the first two by samples, the model's first two
  --awaited the line that is waited for has the wait, not the one that waits
  REFERENCE is the folder that holds triton/ with the jobs that are not in tests/;
  without it they are left out.
"""
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, ROOT + '/tests/hardware')
import stalls  # noqa: E402

# Cheap ones, of each kind.
QUICK = {'gemv-small', 'list_walk-small', 'ring-small', 'stencil_3d-small',
         'sum_cluster-small', 'transpose_box-small', 'triad-small'}
AMONG = 2


def rows_of(path):
    with open(path) as f:
        lines = [line.rstrip('\n').split('\t') for line in f if line[0] != '#']
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def samples():
    """{(job, launch): {line: share}}, in the file's order."""
    found = collections.OrderedDict()
    for row in rows_of(ROOT + '/results/kernels/stalls.tsv'):
        found.setdefault((row['job'], int(row['launch'])), {})[row['line']] = float(
            row['share'])
    return found


def path_of(job):
    for folder in (ROOT + '/tests/kernels/*', HERE + '/one', HERE + '/pairs',
                   os.environ.get('REFERENCE', '') + '/triton'):
        found = glob.glob('%s/%s.job' % (folder, job))
        if found:
            return found[0]
    return None


def shares(launch, module, key):
    """{line: share} of what the profile has under `key`, by line of the source."""
    with open(module) as f:
        places = stalls.sources(f.read())
    found = collections.Counter()
    for line in launch['lines']:
        found[places[line['line']]] += sum(line[key].values())
    every = sum(found.values())
    return {place: n / every for place, n in found.items()} if every else {}


def profile(nearfar, path, key):
    """[{lines of a launch}], or the sentence of a run that failed."""
    with tempfile.TemporaryDirectory() as folder:
        to = folder + '/profile.json'
        p = subprocess.run([nearfar, 'run', '--kernel', path, '--profile=' + to, '-f',
                            'csv', '-o', os.devnull],
                           capture_output=True, text=True, timeout=300)
        if p.returncode:
            return None, p.stderr.strip() or 'status %d' % p.returncode
        with open(to) as f:
            launches = json.load(f)['launches']
    module = os.path.dirname(path) + '/' + launches[0]['module']
    return [shares(l, module, key) for l in launches], ''


def most(shares_of, count):
    return sorted(shares_of, key=lambda line: -shares_of[line])[:count]


def words(shares_of):
    return ', '.join('%s %.0f %%' % (line, 100 * shares_of[line])
                     for line in most(shares_of, AMONG))


def main():
    options = set(sys.argv[1:])
    if options - {'--quick', '--table', '--awaited'}:
        raise SystemExit(__doc__)
    key = 'wait_cycles' if '--awaited' in options else 'stalled_cycles'
    nearfar, failed, found = os.environ['NEARFAR'], 0, collections.Counter()
    missed = {(r['job'], int(r['launch'])): r['why']
              for r in rows_of(HERE + '/missed.tsv')}
    ran = {}
    for (job, launch), silicon in samples().items():
        path = path_of(job)
        if not path or ('--quick' in options and job not in QUICK):
            continue
        if job not in ran:
            ran[job] = profile(nearfar, path, key)
        model, why = ran[job]
        agrees = not why and most(model[launch], 1)[0] in most(silicon, AMONG)
        found[agrees] += 1
        if not why and agrees == ((job, launch) in missed):
            why = 'most samples: %s; the model: %s%s' % (
                words(silicon), words(model[launch]),
                '; it is in missed.tsv' if agrees else '')
        failed += bool(why)
        if '--table' in options:
            print(job, launch, words(silicon), words(model[launch]),
                  'yes' if agrees else 'no', sep='\t')
            continue
        print('%s lines that stall: %s, launch %d' % ('not ok' if why else 'ok', job,
                                                      launch))
        if why:
            print('  ' + why)
    if '--table' in options:
        print('# %d of %d' % (found[True], sum(found.values())))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
