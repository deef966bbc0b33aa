"""The kernels of mma.cu, wmma.cu and wgmma.cu, and jobs of them: a buffer and a
launch each."""
import re

import wgmma

SEED = 11
MODULES = {'mma': 'sm_90', 'wmma': 'sm_90', 'wgmma': 'sm_90a'}
GROUPS = {'wg_' + row[0]: 512 * row[4] // (4 if row[1] == 'f16' else 2)
          for row in wgmma.kernels()}


def bytes_of(name):
    """What a block leaves."""
    if name in GROUPS:
        return GROUPS[name]
    if name.startswith('wmma_f64'):
        return 64 * 8
    if name.startswith('wmma_'):
        return 256 * (2 if re.search(r'_f(16|32)_f16_\d+$', name) else 4)
    if name.startswith('moves_'):
        words = 12
    elif name.startswith('quads_'):
        words = 4 if name.endswith('_f16') else 8
    elif name.startswith('f64_'):
        words = 4 if name == 'f64_m8' else 8
    elif name.startswith('f16_f16_') or '_f16_k' in name or name.endswith('_m8'):
        words = 2
    else:
        words = 4
    return 32 * 4 * words


def blocks_of(name):
    return 2 if name in GROUPS else 32


def threads_of(name):
    return 128 if name in GROUPS else 32


def buffer(name, more=''):
    return 'buffer %s bytes=%d type=u32%s' % (
        name, blocks_of(name) * bytes_of(name), more)


def entries(ptx):
    return re.findall(r'\.entry (\w+)', ptx)


def job_text(module, names):
    lines = ['nearfar-kernel 1', 'module ' + module]
    lines += [buffer(n) for n in names]
    lines += ['launch %s grid=%d block=%d args=%s,u32:%d' % (
        n, blocks_of(n), threads_of(n), n, SEED) for n in names]
    return '\n'.join(lines) + '\n'
