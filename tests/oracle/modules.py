"""A drawn module on disk: its source, PTX by a compiler and a level, a job, and
the host's words."""
import os
import random
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
JOB_TYPE = {'i8': 's8', 'i16': 's16', 'i32': 's32', 'i64': 's64'}
IN_BYTES = 1024

NVCC = ['-arch=sm_90', '-w', '-fmad=false', '-ptx']
CLANG = ['-x', 'cuda', '--cuda-device-only', '-S', '-nocudainc', '-nocudalib', '-w',
         '-Wno-unknown-cuda-version', '--cuda-gpu-arch=sm_90', '-Xclang',
         '-target-feature', '-Xclang', '+ptx78', '-ffp-contract=off', '-fms-extensions',
         '-include', 'for_clang.cuh']
LEVELS = {'nvcc-0': ['-Xcicc', '-O0'], 'nvcc-1': ['-Xcicc', '-O1'],
          'nvcc-3': ['-O3'], 'nvcc-g': ['-G'],
          'clang-0': ['-O0'], 'clang-1': ['-O1'], 'clang-3': ['-O3']}
HOST = ['g++', '-O1', '-w', '-fwrapv', '-fno-strict-aliasing', '-ffp-contract=off']


def nvcc():
    return shutil.which('nvcc') or shutil.which('/usr/local/cuda/bin/nvcc')


def clang():
    return shutil.which('clang-16')


def levels():
    """Those that a compiler is there for."""
    return [k for k in LEVELS if (nvcc() if k.startswith('nvcc') else clang())]


def compile_ptx(source, level, to):
    """The message of the compiler, or none."""
    if level.startswith('nvcc'):
        command = [nvcc()] + NVCC
    else:
        command = [clang()] + CLANG
    p = subprocess.run(command + LEVELS[level] + ['-I', HERE, source, '-o', to],
                       capture_output=True, text=True, cwd=HERE)
    return p.stderr if p.returncode else None


def job_text(kernels, ptx, alone=False):
    """A launch a kernel; `alone`: a buffer each, else one of all."""
    lines = ['nearfar-kernel 1', 'module ' + ptx,
             'buffer in bytes=%d fill=file file=in.bin' % IN_BYTES]
    if alone:
        lines += ['buffer %s bytes=%d type=u64' % (k['name'], k['bytes'])
                  for k in kernels]
    else:
        lines += ['buffer out bytes=%d type=u64' % sum(k['bytes'] for k in kernels)]
    at = 0
    for k in kernels:
        place = k['name'] if alone else 'out+%d' % at
        at += k['bytes']
        arguments = ['in', place] + ['%s:%d' % (JOB_TYPE.get(t, t), v)
                                     for t, v in k['arguments']]
        lines.append('launch %s grid=%d block=%d,%d args=%s' % (
            k['name'], k['grid'], *k['block'], ','.join(arguments)))
    return '\n'.join(lines) + '\n'


def host_main(kernels, source):
    lines = ['#define ON_HOST', '#include "%s"' % source, '#include <stdio.h>',
             '#include <stdlib.h>', 'int main(int, char **a)', '{',
             'static u32 in[256];', 'FILE *f = fopen(a[1], "rb");',
             'if (!f || fread(in, 4, 256, f) != 256)', 'return 1;',
             'fclose(f);', 'u64 *o;']
    for k in kernels:
        lines += ['o = (u64 *)calloc(1, %d);' % k['bytes'],
                  '%s(in, o, %d, %d, %s);' % (
                      k['name'], k['grid'], k['block'][0] * k['block'][1],
                      ', '.join('(%s)%d' % a for a in k['arguments'])),
                  'fwrite(o, 1, %d, stdout);' % k['bytes'], 'free(o);']
    return '\n'.join(lines + ['return 0;', '}', ''])


def write_in(folder):
    with open(folder + '/in.bin', 'wb') as f:
        f.write(random.Random(5).randbytes(IN_BYTES))


def write_source(module, folder, name):
    source = '%s/%s.cu' % (folder, name)
    with open(source, 'w') as f:
        f.write(module.source())
    return source


def by_kernel(kernels, words):
    found, at = {}, 0
    for k in kernels:
        found[k['name']] = words[at:at + k['bytes']]
        at += k['bytes']
    return found


def host_words(module, folder, name):
    """By kernel, what memory holds in the end, as the host has it."""
    with open('%s/%s.cc' % (folder, name), 'w') as f:
        f.write(host_main(module.kernels, name + '.cu'))
    program = '%s/%s.host' % (folder, name)
    subprocess.run(HOST + ['-I', HERE, '-I', folder, '%s/%s.cc' % (folder, name),
                           '-o', program], check=True)
    words = subprocess.run([program, folder + '/in.bin'], check=True, timeout=60,
                           stdout=subprocess.PIPE).stdout
    os.remove(program)
    return by_kernel(module.kernels, words)


def model_words(nearfar, folder, job, kernels, options=(), seconds=120):
    """By kernel, what the model leaves; or the sentence with which it refuses."""
    command = [nearfar, 'run', '--kernel', '%s/%s' % (folder, job), '-f', 'csv',
               '--max-cycles', '20000000', '-o', '/dev/null', '--dump',
               'out=%s/out.bin' % folder, *options]
    try:
        p = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return 'takes more than %d s' % seconds
    if p.returncode:
        return p.stderr.strip().split('\n')[0] or 'status %d' % p.returncode
    with open(folder + '/out.bin', 'rb') as f:
        return by_kernel(kernels, f.read())


def digests_held(nearfar, folder, name, buffers):
    """Digests of buffers that a kernel leaves as they are, by nearfar itself;
    `buffers` are their lines of a job."""
    with open(folder + '/hold.ptx', 'w') as f:
        f.write('.version 7.8\n.target sm_90\n.address_size 64\n'
                '.visible .entry hold()\n{\n\tret;\n}\n')
    lines = ['nearfar-kernel 1', 'name ' + name, 'module hold.ptx', *buffers,
             'launch hold grid=1 block=1']
    with open(folder + '/hold.job', 'w') as f:
        f.write('\n'.join(lines) + '\n')
    subprocess.run([nearfar, 'run', '--kernel', folder + '/hold.job', '-f', 'csv',
                    '-o', '/dev/null', '--digests', folder + '/hold.digest'],
                   check=True)
    with open(folder + '/hold.digest') as f:
        return f.read()
