#!/usr/bin/env python3
"""Makes the share of drawn kernels that `make check` runs: share.tar.xz has modules
with their jobs and, a line a kernel, digests of what memory holds in the end; and in
words.tsv those of all kernels that a GPU has judged, for lanes.py.

    share.py NEARFAR [--words FILE]

Of kernels for the host the digests are of the host's words; of lanes and orders of
memory they are the GPU's, of FILE, which gpu_folder.py's run.sh wrote.
"""
import argparse
import io
import os
import re
import tarfile
import tempfile

import gpu_folder
import modules
from kernels import Module

HOST = [('nvcc-0', 4), ('nvcc-1', 5), ('nvcc-3', 7), ('nvcc-g', 2), ('clang-0', 3),
        ('clang-1', 5), ('clang-3', 7)]
GPU = [('lanes_00', 'nvcc-3', 8), ('lanes_01', 'nvcc-1', 6), ('lanes_03', 'nvcc-0', 3),
       ('across_08', 'nvcc-3', 6), ('orders_09', 'nvcc-3', 28)]


def stripped(path):
    """PTX without what it says of its making."""
    with open(path) as f:
        text = f.read()
    text = re.sub(r'^\s*\.section[^{]*\{[^}]*\}', '', text, flags=re.M)
    text = re.sub(r'^\s*(\.loc\b|\.file\b|//).*$', '', text, flags=re.M)
    text = re.sub(r'[ \t]*//.*$', '', text, flags=re.M)
    names = sorted(set(re.findall(r'_ZN?\d*_?INTERNAL_\w+|_Z\w+', text)),
                   key=len, reverse=True)
    short = {n: '_Z%d' % i for i, n in enumerate(names)}
    text = re.sub(r'_Z\w+', lambda m: short.get(m.group(0), m.group(0)), text)
    return re.sub(r'\n\s*\n+', '\n', text)


class Cut:
    """The first kernels of a module."""

    def __init__(self, module, count):
        self.module, self.count = module, count
        self.kernels = module.kernels[:count]

    def source(self):
        return self.module.source(self.count)


def built(folder, name, level, cut):
    source = modules.write_source(cut, folder, name)
    message = modules.compile_ptx(source, level, '%s/%s.ptx' % (folder, name))
    if message:
        raise SystemExit('%s: %s' % (name, message))
    text = stripped('%s/%s.ptx' % (folder, name))
    with open('%s/%s.ptx' % (folder, name), 'w') as f:
        f.write(text)
    with open('%s/%s.job' % (folder, name), 'w') as f:
        f.write(modules.job_text(cut.kernels, name + '.ptx', alone=True))


def main():
    p = argparse.ArgumentParser()
    p.add_argument('nearfar')
    p.add_argument('--words')
    a = p.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        modules.write_in(folder)
        for n, (level, count) in enumerate(HOST):
            name = 'host_%s' % level
            cut = Cut(Module('share/%d' % n, 12, False), count)
            built(folder, name, level, cut)
            words = modules.host_words(cut, folder, name)
            rows += gpu_folder.digests_of(a.nearfar, folder, name, cut,
                                          words).splitlines()
        words = []
        if a.words:
            with open(a.words) as f:
                words = [w for w in f.read().splitlines()
                         if w.split('\t')[1] != 'in' and not w.startswith('host')]
        for name, level, count in GPU if words else []:
            kind, i = name.split('_')
            cut = Cut(gpu_folder.draw(kind, 1, int(i)), count)
            built(folder, name, level, cut)
            mine = {k['name'] for k in cut.kernels}
            rows += [w for w in words if w.split('\t')[0] == name
                     and w.split('\t')[1] in mine]
        here = os.path.dirname(os.path.abspath(__file__))
        with tarfile.open(here + '/share.tar.xz', 'w:xz', preset=9) as tar:
            def put(name, data):
                info = tarfile.TarInfo(name)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))

            put('words.tsv', ('\n'.join(words) + '\n').encode())
            put('digests.tsv', ('\n'.join(sorted(rows)) + '\n').encode())
            for name in sorted(os.listdir(folder)):
                if name == 'in.bin' or name.endswith(('.ptx', '.job')) and \
                        not name.startswith('hold'):
                    with open('%s/%s' % (folder, name), 'rb') as f:
                        put(name, f.read())


if __name__ == '__main__':
    main()
