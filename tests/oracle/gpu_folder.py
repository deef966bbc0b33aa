#!/usr/bin/env python3
"""Makes a folder to carry to a GPU: modules of random kernels, their jobs, and
run.sh, which leaves a digest of each kernel's memory.

    gpu_folder.py FOLDER [--seed N] [--count N] [--part K/N]

COUNT kernels (2,000) are judged by the GPU: lanes that talk in divided warps (in
every tenth module across the sides of a branch), and orders of memory. A fifth of
as many more are those of oracle.py, with the host's digests, as a check of the
host. Modules change from level to level.
"""
import argparse
import os
import sys
import tarfile

import modules
from kernels import Module
from orders import Orders

A_MODULE = 50
RUN = '''#!/bin/sh
# Runs every job here and leaves digests of what memory holds: OUT/digests.txt, by
# the assembler as it is, and on a GPU OUT/digests-0.txt, by one that does not
# optimise. OUT/log.txt has what failed.
# usage: run.sh NEARFAR OUT [BACKEND]
set -u
nearfar=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
out=$2
backend=${3:-cuda}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gzip -dc modules.tar.gz | tar -x -C "$work"
jobs=${JOBS:-8}
one='timeout 40 "$1" run --kernel "$2" -b "$3" -f csv -o /dev/null --digests \\
	"$2.digest$4" 2>"$2.err" || { echo "$2 $4: $(head -c 400 "$2.err")"; }'
pass() {
	for j in "$work"/*.job; do echo "$j"; done |
		xargs -P "$jobs" -I{} sh -c "$one" sh "$nearfar" {} "$backend" "$1"
}
{
	pass ''
	if [ "$backend" = cuda ]; then
		NEARFAR_JIT_LEVEL=0 pass -0
		cat "$work"/*.job.digest-0 >"$out/digests-0.txt"
	fi
} >"$out/log.txt"
cat "$work"/*.job.digest >"$out/digests.txt"
wc -l "$out"/*.txt
'''


def plan(count):
    """The modules: name, level, what is drawn."""
    n = (count + A_MODULE - 1) // A_MODULE
    rows = []
    for i in range(n):
        kind = 'orders' if i % 10 == 9 else 'across' if i % 10 == 8 else 'lanes'
        level = ['nvcc-3', 'nvcc-1', 'nvcc-3', 'nvcc-0', 'nvcc-3'][i % 5]
        rows.append(('%s_%02d' % (kind, i), level, kind))
    for i in range(n // 5):
        rows.append(('host_%02d' % i, ['nvcc-3', 'nvcc-1', 'nvcc-0'][i % 3], 'host'))
    return rows


def draw(kind, seed, i):
    if kind == 'orders':
        return Orders('%s/%d' % (seed, i), A_MODULE)
    if kind == 'host':
        return Module('%d/%d' % (seed, i), A_MODULE, False)
    return Module('lanes/%d/%d' % (seed, i), A_MODULE, True, kind == 'across')


def digests_of(nearfar, folder, name, module, words):
    """The host's words, as the program itself digests them."""
    lines = []
    for k in module.kernels:
        with open('%s/%s.%s.words' % (folder, name, k['name']), 'wb') as f:
            f.write(words[k['name']])
        lines.append('buffer %s bytes=%d type=u64 fill=file file=%s.%s.words' % (
            k['name'], k['bytes'], name, k['name']))
    return modules.digests_held(nearfar, folder, name, lines)


def main():
    p = argparse.ArgumentParser()
    p.add_argument('folder')
    p.add_argument('--nearfar', default='build/dev/nearfar')
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--count', type=int, default=2000)
    p.add_argument('--part', default='0/1', help='K/N: every Nth module, from K on; '
                   'the last call packs them')
    a = p.parse_args()
    nearfar = os.path.abspath(a.nearfar)
    work = a.folder + '/work'
    os.makedirs(work, exist_ok=True)
    modules.write_in(work)
    part, parts = map(int, a.part.split('/'))
    for i, (name, level, kind) in enumerate(plan(a.count)):
        if i % parts != part or os.path.exists('%s/%s.job' % (work, name)):
            continue
        module = draw(kind, a.seed, int(name.split('_')[1]))
        source = modules.write_source(module, work, name)
        message = modules.compile_ptx(source, level, '%s/%s.ptx' % (work, name))
        if message:
            print('%s: %s' % (name, message), file=sys.stderr)
            return 1
        if kind == 'host':
            words = modules.host_words(module, work, name)
            with open('%s/%s.host' % (work, name), 'w') as f:
                f.write(digests_of(nearfar, work, name, module, words))
        with open('%s/%s.job' % (work, name), 'w') as f:
            f.write(modules.job_text(module.kernels, name + '.ptx', alone=True))
    with open(a.folder + '/host.txt', 'w') as to:
        for name in sorted(os.listdir(work)):
            if name.endswith('.host'):
                to.write(open('%s/%s' % (work, name)).read())
    with tarfile.open(a.folder + '/modules.tar.gz', 'w:gz') as tar:
        for name in sorted(os.listdir(work)):
            if name == 'in.bin' or name.endswith('.ptx') and name != 'hold.ptx' \
                    or name.endswith('.job') and name != 'hold.job':
                tar.add('%s/%s' % (work, name), name)
    with open(a.folder + '/run.sh', 'w') as f:
        f.write(RUN)
    return 0


if __name__ == '__main__':
    sys.exit(main())
