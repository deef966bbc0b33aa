#!/usr/bin/env python3
"""Kernels whose lanes talk in divided warps, and orders of memory: the model's words
against a GPU's, which share.tar.xz has.

    lanes.py NEARFAR FOLDER [--count N] [--level LEVEL]

The kernels are drawn again as gpu_folder.py drew them, 50 a module. A GPU's words are
those of the C, whatever compiled it: another level (nvcc-0, nvcc-1, nvcc-3) may be
asked for. FOLDER/done.tsv has what is done, and the next run goes on behind it. Exits
77 where there is no nvcc.
"""
import argparse
import os
import sys
import tarfile

import check
import gpu_folder
import modules


def module(nearfar, folder, name, level, kind, expected):
    """Why the module is wrong, if it is."""
    drawn = gpu_folder.draw(kind, 1, int(name.split('_')[1]))
    message = modules.compile_ptx(modules.write_source(drawn, folder, name), level,
                                  '%s/%s.ptx' % (folder, name))
    if message:
        return message
    judged = [k for k in drawn.kernels if '%s\t%s' % (name, k['name']) in expected]
    with open('%s/%s.job' % (folder, name), 'w') as f:
        f.write(modules.job_text(judged, name + '.ptx', alone=True))
    return check.differing(nearfar, folder, name, expected)


def main():
    p = argparse.ArgumentParser()
    p.add_argument('nearfar')
    p.add_argument('folder')
    p.add_argument('--count', type=int, default=2000)
    p.add_argument('--level')
    a = p.parse_args()
    # Compilers run in folders of their own.
    a.nearfar, a.folder = map(os.path.abspath, (a.nearfar, a.folder))
    if not modules.nvcc():
        print('nvcc is not here: no PTX of lanes can be made', file=sys.stderr)
        return 77
    os.makedirs(a.folder, exist_ok=True)
    modules.write_in(a.folder)
    with tarfile.open(check.HERE + '/share.tar.xz') as tar:
        words = check.rows_of(tar.extractfile('words.tsv').read().decode())
    log = a.folder + '/done.tsv'
    done = {}
    if os.path.exists(log):
        with open(log) as f:
            done = dict(line.rstrip('\n').split('\t')[:2] for line in f)
    for name, level, kind in gpu_folder.plan(2000)[:(a.count + 49) // 50]:
        level = a.level or level
        key = name + '/' + level
        mine = {k: v for k, v in words.items() if k.split('\t')[0] == name}
        if key in done or not mine:
            continue
        why = module(a.nearfar, a.folder, name, level, kind, mine)
        done[key] = '0' if why else str(len(mine))
        if why:
            print('%s %s: %s' % (name, level, why.split('\n')[0]), flush=True)
        with open(log, 'a') as f:
            f.write('%s\t%s\t%s\n' % (key, done[key], why.split('\n')[0]))
    bad = [k for k, v in done.items() if v == '0']
    print('%d kernels as on the GPU; %d modules are not: %s' % (
        sum(map(int, done.values())), len(bad), ' '.join(sorted(bad))))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
