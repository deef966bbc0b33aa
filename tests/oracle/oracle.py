#!/usr/bin/env python3
"""Random C, compiled for a GPU and for the host: the model's words against the
host's.

    oracle.py NEARFAR FOLDER [--seed N] [--count N] [--levels A,B] [--all] [--keep]

COUNT kernels are drawn, 50 a module; modules are compiled by nvcc and clang-16, where
they are there, at one level after the other (--all: each at every level), and run
as jobs. FOLDER/done.tsv has what is
done, and the next run goes on behind it. Kernels that differ are left in
FOLDER/found, each with its module and a job of its own. Exits 77 where there is no
compiler for a GPU.
"""
import argparse
import os
import shutil
import sys

import modules
from kernels import Module

A_MODULE = 50


def rows(path):
    if not os.path.exists(path):
        return []
    with open(path) as f:
        return [line.rstrip('\n').split('\t') for line in f]


def keep(folder, found, name, level, kernels, expected, why):
    """A folder with what shows the difference."""
    place = '%s/%s-%s' % (found, name, level)
    os.makedirs(place, exist_ok=True)
    for f in (name + '.cu', level + '.ptx', 'in.bin'):
        if os.path.exists(os.path.join(folder, f)):   # none, if no compiler took it
            shutil.copy(os.path.join(folder, f), place)
    for k in kernels:
        with open('%s/%s.job' % (place, k['name']), 'w') as f:
            f.write(modules.job_text([k], level + '.ptx'))
        with open('%s/%s.expected' % (place, k['name']), 'wb') as f:
            f.write(expected[k['name']])
    with open(place + '/why.txt', 'w') as f:
        f.write(why + '\n')


def try_level(nearfar, folder, name, level, module, expected):
    """Counts of kernels that are equal, differ, are refused; what is wrong."""
    message = modules.compile_ptx('%s/%s.cu' % (folder, name), level,
                                  '%s/%s.ptx' % (folder, level))
    if message:
        return 0, [], 0, 'compiler: ' + message.split('\n')[0]
    with open('%s/%s.job' % (folder, level), 'w') as f:
        f.write(modules.job_text(module.kernels, level + '.ptx'))
    words = modules.model_words(nearfar, folder, level + '.job', module.kernels)
    refused, why = 0, ''
    if isinstance(words, str):   # one by one: which of them
        why, words = words, {}
        for k in module.kernels:
            with open(folder + '/one.job', 'w') as f:
                f.write(modules.job_text([k], level + '.ptx'))
            one = modules.model_words(nearfar, folder, 'one.job', [k], seconds=20)
            if isinstance(one, str):
                refused, why = refused + 1, '%s: %s' % (k['name'], one)
            else:
                words.update(one)
    differ = [k for k in module.kernels if k['name'] in words
              and words[k['name']] != expected[k['name']]]
    return len(words) - len(differ), differ, refused, why


def main():
    p = argparse.ArgumentParser()
    p.add_argument('nearfar')
    p.add_argument('folder')
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--count', type=int, default=500)
    p.add_argument('--levels')
    p.add_argument('--all', action='store_true')
    p.add_argument('--keep', action='store_true', help='leave all modules there')
    a = p.parse_args()
    # Compilers run in folders of their own.
    a.nearfar, a.folder = map(os.path.abspath, (a.nearfar, a.folder))
    failed = False
    levels = a.levels.split(',') if a.levels else modules.levels()
    if not levels:
        print('neither nvcc nor clang-16 is here: no PTX can be made', file=sys.stderr)
        return 77
    os.makedirs(a.folder, exist_ok=True)
    log = a.folder + '/done.tsv'
    done = {(r[0], r[1]) for r in rows(log)}
    for n in range((a.count + A_MODULE - 1) // A_MODULE):
        name = 'm%d_%d' % (a.seed, n)
        mine = levels if a.all else [levels[n % len(levels)]]
        todo = [v for v in mine if (name, v) not in done]
        if not todo:
            continue
        folder = '%s/%s' % (a.folder, name)
        os.makedirs(folder, exist_ok=True)
        modules.write_in(folder)
        module = Module('%d/%d' % (a.seed, n), A_MODULE, False)
        modules.write_source(module, folder, name)
        expected = modules.host_words(module, folder, name)
        for level in todo:
            equal, differ, refused, why = try_level(
                a.nearfar, folder, name, level, module, expected)
            if differ or refused or why:
                names = ' '.join(k['name'] for k in differ)
                print('%s %s: %s differ [%s], %d refused: %s' % (
                    name, level, len(differ), names, refused, why), flush=True)
                keep(folder, a.folder + '/found', name, level, differ, expected,
                     '%s differ; %d refused; %s' % (names, refused, why))
            if why and not equal:
                failed = True
                continue
            with open(log, 'a') as f:
                f.write('%s\t%s\t%d\t%d\t%d\n' % (name, level, equal, len(differ),
                                                  refused))
        if not a.keep:
            shutil.rmtree(folder)
    all_rows = rows(log)
    counts = [sum(int(r[i]) for r in all_rows) for i in (2, 3, 4)]
    print('%d runs of kernels equal, %d differ, %d refused (%s)' % (
        *counts, ', '.join(sorted({r[1] for r in all_rows}))))
    return 1 if counts[1] or failed else 0


if __name__ == '__main__':
    sys.exit(main())
