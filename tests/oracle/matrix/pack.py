#!/usr/bin/env python3
"""Makes share.tar.xz: products of matrices in every form, as modules and jobs, and
the digests of the words that a GPU left.

    pack.py NEARFAR WORDS        (WORDS: a folder of NAME.bin, of kernels)
    pack.py --modules FOLDER    (the modules and their kernels' names, for run.cu)
"""
import glob
import io
import os
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import jobs
import modules
import wgmma
from share import stripped


def make(folder):
    """NAME.ptx of each module."""
    with open(folder + '/wgmma.cu', 'w') as f:
        f.write(wgmma.HEAD + '\n'.join(
            wgmma.kernel(*row[:6], **row[6]) for row in wgmma.kernels()))
    for name, arch in jobs.MODULES.items():
        source = HERE + '/%s.cu' % name
        if not os.path.exists(source):
            source = '%s/%s.cu' % (folder, name)
        subprocess.run([modules.nvcc(), '-arch=' + arch, '-ptx', '-w', '-I', HERE, source,
                        '-o', '%s/%s.ptx' % (folder, name)], check=True)
        text = stripped('%s/%s.ptx' % (folder, name))
        with open('%s/%s.ptx' % (folder, name), 'w') as f:
            f.write(text)
        with open('%s/%s.names' % (folder, name), 'w') as f:
            f.write('\n'.join(jobs.entries(text)) + '\n')


def held(nearfar, folder, name, names, words):
    lines = []
    for n in names:
        size = jobs.blocks_of(n) * jobs.bytes_of(n)
        with open(words + '/%s.bin' % n, 'rb') as f:
            data = f.read(size)
        if len(data) < size:
            raise SystemExit('%s.bin: fewer than %d bytes' % (n, size))
        with open('%s/%s.words' % (folder, n), 'wb') as f:
            f.write(data)
        lines.append(jobs.buffer(n, ' fill=file file=%s.words' % n))
    return modules.digests_held(nearfar, folder, name, lines)


def main():
    if sys.argv[1] == '--modules':
        os.makedirs(sys.argv[2], exist_ok=True)
        make(sys.argv[2])
        return
    nearfar, words = map(os.path.abspath, sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        make(folder)
        digests = ''
        with tarfile.open(HERE + '/share.tar.xz', 'w:xz', preset=9) as tar:
            def put(name, text):
                info = tarfile.TarInfo(name)
                info.size = len(text.encode())
                tar.addfile(info, io.BytesIO(text.encode()))

            for name in jobs.MODULES:
                with open('%s/%s.ptx' % (folder, name)) as f:
                    text = f.read()
                names = [n for n in jobs.entries(text)
                         if os.path.exists('%s/%s.bin' % (words, n))]
                put(name + '.ptx', text)
                put(name + '.job', jobs.job_text(name + '.ptx', names))
                digests += held(nearfar, folder, name, names, words)
            put('digests.tsv', digests)


if __name__ == '__main__':
    main()
