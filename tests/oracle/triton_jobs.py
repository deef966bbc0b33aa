#!/usr/bin/env python3
"""Makes jobs of what triton_functions.py recorded, runs them on the model, and
compares each buffer with the driver's.

    triton_jobs.py FOLDER [--run NEARFAR] [--only NAME]
    triton_jobs.py FOLDER --fills TO

A job is NAME.job beside its module. Where a function is refused, the reason is
printed; where words differ, how many, and by how many steps between floats.

With --fills the jobs in TO need no files: a buffer is filled by a rule, with numbers
of the recorded ones' kind and range, and TO/run.sh leaves what a backend makes of
them. PTX there has no debug information.
"""
import argparse
import array
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

# torch's type: the job's, bits of a float, or 0
TYPES = {'float32': ('f32', 32), 'float64': ('f64', 64), 'float16': ('f16', 16),
         'bfloat16': ('bf16', 16), 'float8_e4m3fn': ('u8', 8),
         'float8_e5m2': ('u8', 8), 'int8': ('s8', 0), 'int16': ('s16', 0),
         'int32': ('s32', 0), 'int64': ('s64', 0), 'uint8': ('u8', 0),
         'uint16': ('u16', 0), 'uint32': ('u32', 0), 'uint64': ('u64', 0),
         'bool': ('u8', 0)}
SCALARS = {'i1': 'u8', 'u1': 'u8', 'i8': 's8', 'u8': 'u8', 'i16': 's16',
           'u16': 'u16', 'i32': 's32', 'u32': 'u32', 'i64': 's64', 'u64': 'u64',
           'fp32': 'f32', 'f32': 'f32', 'fp64': 'f64'}
BYTES = {'s8': 1, 'u8': 1, 's16': 2, 'u16': 2, 's32': 4, 'u32': 4, 's64': 8,
         'u64': 8, 'f16': 2, 'bf16': 2, 'f32': 4, 'f64': 8}
CODES = {1: 'B', 2: 'H', 4: 'I', 8: 'Q'}


def type_of(dtype):
    return TYPES[dtype.replace('torch.', '')]


def parameters(ptx):
    """The entry, and the bytes of each of its parameters."""
    entry = re.search(r'\.entry\s+([\w$]+)\s*\((.*?)\)', ptx, re.S)
    widths = re.findall(r'\.param\s+\.[a-z]+(\d+)', entry.group(2))
    return entry.group(1), [int(w) // 8 for w in widths]


def argument(value, kind):
    if isinstance(value, dict):
        offset = '+%d' % value['offset'] if value['offset'] else ''
        return 'b%d%s' % (value['buffer'], offset)
    if kind.startswith('*'):
        return 'u64:%s' % (0 if value == 'None' else value)
    if kind.startswith('f'):
        return '%s:%r' % (SCALARS[kind], float(value))
    return '%s:%d' % (SCALARS[kind], value)


def random_fill(b, content, seed, stays):
    """A rule that fills a buffer as the recorded content was: none, if a file
    has to, as of places that are scattered to, each once."""
    kind, width = type_of(b['type'])
    if not any(content):
        return ''
    if width:
        finite = {'torch.float8_e4m3fn': ' below=127',
                  'torch.float8_e5m2': ' below=124'}.get(b['type'], '')
        return ' fill=random seed=%d%s' % (seed, finite)
    code = CODES[BYTES[kind]]
    values = array.array(code.lower() if kind[0] == 's' else code, content)
    low, high = min(values), max(values)
    if len(values) > 1 and sorted(values) == list(range(len(values))):
        return ' fill=permutation seed=%d' % seed
    if stays:
        return None
    if low == 0:
        return ' fill=random seed=%d below=%d' % (seed, high + 1)
    return ' fill=iota seed=%d first=%d step=0 below=%d' % (seed, low, high - low + 1)


def job_of(row, ptx, fills=None):
    entry, widths = parameters(ptx)
    arguments = [argument(v, k) for v, k in zip(row['arguments'], row['types'])]
    scratch = widths[len(arguments):]
    if row['scratch'] and not scratch:
        raise ValueError('needs %d bytes of scratch' % row['scratch'])
    if any(w != 8 for w in scratch) or len(arguments) > len(widths):
        raise ValueError('%d arguments for %d parameters' % (
            len(arguments), len(widths)))
    arguments += ['u64:0'] * len(scratch)
    lines = ['nearfar-kernel 1', 'module %s.ptx' % row['name']]
    if row['scratch']:   # of each block; the other parameter is a profiler's
        arguments[-len(scratch)] = 'scratch'
        lines.append('buffer scratch bytes=%d' % (
            row['scratch'] * math.prod(row['grid']) * row['clusters']))
    for n, b in enumerate(row['buffers']):
        if not b['bytes']:   # nothing is read there
            arguments = ['u64:0' if a == 'b%d' % n else a for a in arguments]
            continue
        rule = fills(n, b) if fills else None
        if rule is None:
            rule = ' fill=file file=' + b['in']
        lines.append('buffer b%d bytes=%d type=%s%s' % (
            n, b['bytes'], type_of(b['type'])[0], rule))
    grid = [row['grid'][0] * row['clusters'], *row['grid'][1:]]
    registers = ' registers=%d' % row['registers'] if row['registers'] else ''
    shared = ' shared=%d' % row['shared'] if row['shared'] else ''
    lines.append('launch %s grid=%s block=%d%s%s args=%s' % (
        entry, ','.join(map(str, grid)), row['block'], shared, registers,
        ','.join(arguments)))
    return '\n'.join(lines) + '\n'


def place(bits, width):
    """Where a float stands in the order of their values."""
    sign = 1 << (width - 1)
    return sign - bits if bits & sign else bits


def compare(expected, found, kind, width):
    """Elements that differ, and the most steps between two of them."""
    code = CODES[BYTES[kind]]
    a, b = array.array(code, expected), array.array(code, found)
    differ = [(x, y) for x, y in zip(a, b) if x != y]
    if not width or not differ:
        return len(differ), None
    return len(differ), max(abs(place(x, width) - place(y, width))
                            for x, y in differ)


def run(row, folder, nearfar):
    job = os.path.join(folder, row['name'] + '.job')
    with tempfile.TemporaryDirectory() as scratch:
        dumps = []
        for n, b in enumerate(row['buffers']):
            if b['bytes']:
                dumps += ['--dump', 'b%d=%s/b%d' % (n, scratch, n)]
        p = subprocess.run([nearfar, 'run', '--kernel', job, *dumps],
                           capture_output=True, text=True, timeout=300)
        if p.returncode != 0:
            return 'refused', p.stderr.strip().split('\n')[0]
        notes = []
        for n, b in enumerate(row['buffers']):
            kind, width = type_of(b['type'])
            if not b['bytes']:
                continue
            with open(os.path.join(folder, b['out'] or b['in']), 'rb') as f:
                expected = f.read()
            with open('%s/b%d' % (scratch, n), 'rb') as f:
                count, steps = compare(expected, f.read(), kind, width)
            if count:
                notes.append('b%d %s: %d of %d differ%s' % (
                    n, b['type'], count, b['bytes'] // BYTES[kind],
                    '' if steps is None else ', by up to %d' % steps))
    return ('differs', '; '.join(notes)) if notes else ('equal', '')


def stripped(ptx):
    """Without debug information and comments."""
    ptx = re.sub(r'^\s*\.section[^{]*\{[^}]*\}', '', ptx, flags=re.M)
    ptx = re.sub(r'^\s*(\.loc\b|\.file\b|//|\$L__tmp|\$L__func).*$', '', ptx, flags=re.M)
    return re.sub(r'\n{2,}', '\n', re.sub(r'[ \t]*//.*$', '', ptx, flags=re.M))


RUN = '''#!/bin/sh
# Runs every job here and leaves each buffer's last content in OUT/NAME.bN.
# usage: run.sh NEARFAR OUT [BACKEND]
nearfar=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
out=$(cd "$2" && pwd)
backend=${3:-cuda}
cd "$(dirname "$0")" || exit 1
while read -r name buffers; do
	dumps=
	for b in $buffers; do dumps="$dumps --dump $b=$out/$name.$b"; done
	timeout 60 "$nearfar" run --kernel "$name.job" -b "$backend" -f csv \\
		-o /dev/null $dumps || echo "$name failed"
done <buffers.txt 2>&1 | tee "$out/log.txt"
'''


def write_fills(rows, folder, to):
    os.makedirs(to, exist_ok=True)
    jobs = []
    for at, row in enumerate(rows):
        with open('%s/%s.ptx' % (folder, row['name'])) as f:
            ptx = stripped(f.read())
        once = row['kind'] == 'scatter' and not re.search(r'\b(atom|red)\.', ptx)

        def fills(n, b):
            with open('%s/%s' % (folder, b['in']), 'rb') as f:
                content = f.read()
            rule = random_fill(b, content, 100 * at + n, once)
            if rule is None:
                with open('%s/%s' % (to, b['in']), 'wb') as f:
                    f.write(content)
            return rule

        try:
            text = job_of(row, ptx, fills)
        except ValueError as e:
            print('%s: %s' % (row['name'], e))
            continue
        with open('%s/%s.ptx' % (to, row['name']), 'w') as f:
            f.write(ptx)
        with open('%s/%s.job' % (to, row['name']), 'w') as f:
            f.write(text)
        jobs.append('%s %s' % (row['name'], ' '.join(
            'b%d' % n for n, b in enumerate(row['buffers']) if b['bytes'])))
    with open(to + '/buffers.txt', 'w') as f:
        f.write('\n'.join(jobs) + '\n')
    with open(to + '/run.sh', 'w') as f:
        f.write(RUN)


def main():
    p = argparse.ArgumentParser()
    p.add_argument('folder')
    p.add_argument('--run', metavar='NEARFAR')
    p.add_argument('--only')
    p.add_argument('--fills', metavar='TO')
    a = p.parse_args()
    rows = json.load(open(a.folder + '/index.json'))
    rows = [r for r in rows if not a.only or a.only in r['name']]
    if a.fills:
        write_fills(rows, a.folder, a.fills)
        return 0
    work = []
    for row in rows:
        try:
            with open('%s/%s.ptx' % (a.folder, row['name'])) as f:
                text = job_of(row, f.read())
            with open('%s/%s.job' % (a.folder, row['name']), 'w') as f:
                f.write(text)
            work.append(row)
        except (ValueError, KeyError) as e:
            print('%-34s no job: %s' % (row['name'], e))
    if not a.run:
        return 0
    counts = {}
    with ThreadPoolExecutor(2) as pool:
        for row, (verdict, why) in zip(work, pool.map(
                lambda r: run(r, a.folder, a.run), work)):
            counts[verdict] = counts.get(verdict, 0) + 1
            print('%-34s %-8s %s' % (row['name'], verdict, why), flush=True)
    print(', '.join('%d %s' % (n, k) for k, n in sorted(counts.items())))
    return 0 if counts == {'equal': len(work)} else 1


if __name__ == '__main__':
    sys.exit(main())
