#!/usr/bin/env python3
"""Random PTX, run with the passes that stand for an assembler and as written:
memory must be the same.

    passes.py NEARFAR FOLDER [--seed N] [--count N]

COUNT kernels are drawn, 100 a module. FOLDER/done.tsv has what is done, and the
next run goes on behind it; what differs is left in FOLDER/found.
"""
import argparse
import os
import subprocess
import sys

import ptx_draw

A_MODULE = 100
OWN = ptx_draw.THREADS * ptx_draw.BYTES
SUMS = 32


def job_of(names, ptx):
    lines = ['nearfar-kernel 1', 'module ' + ptx,
             'buffer in bytes=%d fill=random seed=7' % (64 * ptx_draw.THREADS),
             'buffer out bytes=%d' % (len(names) * (OWN + SUMS))]
    sums = len(names) * OWN
    for i, name in enumerate(names):
        lines.append('launch %s grid=1 block=%d args=in,out+%d,out+%d,u32:%d' % (
            name, ptx_draw.THREADS, i * OWN, sums + i * SUMS, i))
    return '\n'.join(lines) + '\n'


def run(nearfar, folder, job, count, *options):
    """What memory holds, by kernel; or the message."""
    p = subprocess.run([nearfar, 'run', '--kernel', '%s/%s' % (folder, job), '-f',
                        'csv', '-o', '/dev/null', '--max-cycles', '20000000',
                        '--dump', 'out=%s/out.bin' % folder, *options],
                       capture_output=True, text=True)
    if p.returncode:
        return p.stderr.strip() or 'status %d' % p.returncode
    with open(folder + '/out.bin', 'rb') as f:
        words = f.read()
    sums = words[count * OWN:]
    return [words[i * OWN:(i + 1) * OWN] + sums[i * SUMS:(i + 1) * SUMS]
            for i in range(count)]


def one_by_one(nearfar, folder, draws):
    """Kernels that are refused or differ, each with why."""
    wrong = []
    for name, text in draws:
        with open(folder + '/one.ptx', 'w') as f:
            f.write(ptx_draw.HEAD + text)
        with open(folder + '/one.job', 'w') as f:
            f.write(job_of([name], 'one.ptx'))
        a = run(nearfar, folder, 'one.job', 1)
        b = run(nearfar, folder, 'one.job', 1, '--as-written')
        if a != b or isinstance(a, str):
            why = a if isinstance(a, str) else b if isinstance(b, str) else \
                'words differ'
            wrong.append((name, text, why))
    return wrong


def module(nearfar, folder, seed, n):
    draws = [('k%d' % k, ptx_draw.Draw('%d/%d/%d' % (seed, n, k)).entry('k%d' % k))
             for k in range(A_MODULE)]
    with open(folder + '/all.ptx', 'w') as f:
        f.write(ptx_draw.HEAD + ''.join(text for _, text in draws))
    with open(folder + '/all.job', 'w') as f:
        f.write(job_of([name for name, _ in draws], 'all.ptx'))
    a = run(nearfar, folder, 'all.job', A_MODULE)
    b = run(nearfar, folder, 'all.job', A_MODULE, '--as-written')
    if a == b and not isinstance(a, str):
        return []
    if isinstance(a, str) or isinstance(b, str):
        return one_by_one(nearfar, folder, draws)
    return one_by_one(nearfar, folder, [d for d, x, y in zip(draws, a, b) if x != y])


def main():
    p = argparse.ArgumentParser()
    p.add_argument('nearfar')
    p.add_argument('folder')
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--count', type=int, default=2000)
    a = p.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    log = a.folder + '/done.tsv'
    done = {}
    if os.path.exists(log):
        with open(log) as f:
            done = dict(line.rstrip('\n').split('\t') for line in f)
    for n in range((a.count + A_MODULE - 1) // A_MODULE):
        key = '%d/%d' % (a.seed, n)
        if key in done:
            continue
        wrong = module(a.nearfar, a.folder, a.seed, n)
        for name, text, why in wrong:
            place = '%s/found/%d-%d-%s' % (a.folder, a.seed, n, name)
            os.makedirs(place, exist_ok=True)
            with open(place + '/one.ptx', 'w') as f:
                f.write(ptx_draw.HEAD + text)
            with open(place + '/one.job', 'w') as f:
                f.write(job_of([name], 'one.ptx'))
            print('%s: %s' % (place, why.split('\n')[0]), flush=True)
        done[key] = str(len(wrong))
        with open(log, 'a') as f:
            f.write('%s\t%d\n' % (key, len(wrong)))
    bad = sum(int(v) for v in done.values())
    print('%d kernels, %d of them differ or are refused' % (
        len(done) * A_MODULE, bad))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
