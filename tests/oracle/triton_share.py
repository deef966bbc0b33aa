#!/usr/bin/env python3
"""Makes triton.tar.xz, which `make check` runs: functions of Triton and of a graph
compiler, with rules for their buffers, and digests of what the driver left in them.

    triton_share.py NEARFAR FILLS WORDS

FILLS is what `triton_jobs.py --fills` made, WORDS what its run.sh left on a GPU. A
buffer is compared bit by bit, but for those that REASONS has: they are compared by
twice the steps that they are apart, which is printed. Jobs that the model refuses are
left out, with the reason.
"""
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile

import modules
import triton_jobs

# Why words differ.
FUSED = ('the assembler makes a quotient by a constant a product with its reciprocal, '
         'and rounds that and the sum behind it once')
REASONS = {
    'torch_layer_norm_0': FUSED + '; a result near 0 is what is left of two that cancel',
    'torch_batch_norm_0': FUSED,
    'torch_logcumsumexp_0': 'lg2.approx is within a step of what the unit leaves',
}
FLOATS = {'f16': 16, 'bf16': 16, 'f32': 32, 'f64': 64}


def dumps(names, folder, job):
    return [x for n in names for x in ('--dump', '%s=%s/%s.%s' % (n, folder, job, n))]


def held(nearfar, folder, job, lines, words):
    """Digests of the driver's words, as the program itself makes them."""
    text = []
    for line in lines:
        name = line.split()[1]
        line = ' '.join(w for w in line.split() if not re.match(
            'fill=|seed=|below=|first=|step=|file=', w))
        text.append('%s fill=file file=%s' % (line, os.path.relpath(
            '%s/%s.%s' % (os.path.abspath(words), job, name), folder)))
    return modules.digests_held(nearfar, folder, job, text)


def compared(lines, job, folder, words):
    """The buffers' lines, each with how it is compared."""
    result = []
    for line in lines:
        name, kind = line.split()[1], re.search(r'type=(\w+)', line).group(1)
        pair = []
        for place in (words, folder):
            with open('%s/%s.%s' % (place, job, name), 'rb') as f:
                pair.append(f.read())
        count, steps = triton_jobs.compare(*pair, kind, FLOATS.get(kind, 0))
        if count and steps and job in REASONS:
            print('%s %s: %d differ, by up to %d steps: %s' % (
                job, name, count, steps, REASONS[job]))
            line += ' compare=ulp:%d' % (2 * steps)
        elif count:
            print('%s %s: %d DIFFER' % (job, name, count))
        result.append(line)
    return result


def main():
    nearfar, fills, words = sys.argv[1:4]
    here = os.path.dirname(os.path.abspath(__file__))
    digests, files, count = '', {}, 0
    with open(fills + '/buffers.txt') as f:
        jobs = [line.split() for line in f]
    for job, *names in jobs:
        with tempfile.TemporaryDirectory() as folder:
            p = subprocess.run(
                [nearfar, 'run', '--kernel', '%s/%s.job' % (fills, job), '-f', 'csv',
                 '-o', '/dev/null', *dumps(names, folder, job)],
                capture_output=True, text=True)
            if p.returncode:
                print('%s left out: %s' % (job, p.stderr.strip().split('\n')[0]))
                continue
            with open('%s/%s.job' % (fills, job)) as f:
                text = f.read().splitlines()
            with open('%s/%s.ptx' % (fills, job)) as f:
                ptx = f.read()
            lines = compared([t for t in text if t.startswith('buffer')], job,
                             folder, words)
            digests += held(nearfar, folder, job, lines, words)
        new = iter(lines)
        files[job + '.job'] = '\n'.join(
            next(new) if t.startswith('buffer') else t for t in text) + '\n'
        files[job + '.ptx'] = ptx
        for name in re.findall(r'file=(\S+)', files[job + '.job']):
            with open('%s/%s' % (fills, name), 'rb') as f:
                files[name] = f.read()
        count += 1
    files['digests.tsv'] = digests
    with tarfile.open(here + '/triton.tar.xz', 'w:xz', preset=9) as tar:
        for name in sorted(files):
            data = files[name]
            data = data.encode() if isinstance(data, str) else data
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    print('%d jobs' % count)


if __name__ == '__main__':
    main()
