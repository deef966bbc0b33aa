#!/usr/bin/env python3
"""Kernels that would take long to prepare if the time of a pass grew with the
square of the text: kinds.py FOLDER BYTES writes NAME.ptx and NAME.job of each,
of at most so many bytes.
"""
import sys

HEAD = '.version 8.0\n.target sm_90\n.address_size 64\n'
REGISTERS = '.reg .pred %%p<9>;\n.reg .b32 %%r<%d>;\n.reg .b64 %%d<9>;\n'
SHARED = '.shared .align 16 .b8 t[49152];\n'
DIVIDED = 'mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra E;\n'


def entry(body, before='', registers=9, more=''):
    return (HEAD + before + '.visible .entry k(.param .u64 a)\n{\n' +
            REGISTERS % registers + more + 'ld.param.u64 %d0, [a];\n' + body + 'ret;\n}\n')


def lines(size, form):
    """As many as fill the size: text and number."""
    made, bytes, count = [], 0, 0
    while bytes < size:
        made.append(form(count) + '\n')
        bytes += len(made[-1])
        count += 1
    return ''.join(made), count


def plain(form, after='', **more):
    """Instructions one after the other."""
    def make(size):
        text, count = lines(size, form)
        return entry(text + after, registers=count + 9, **more)
    return make


def twice(first, second):
    """First all of one kind, then as many of the other."""
    def make(size):
        text, count = lines(size // 2, first)
        return entry(text + ''.join(second(i, count) + '\n' for i in range(count)),
                     registers=count + 9, more=SHARED)
    return make


def inside(before, form, after):
    def make(size):
        text, count = lines(size, form)
        return entry(before + text + after, registers=count + 9)
    return make


def chain(size):
    """Branches over a chain of blocks."""
    text, _ = lines(size // 2, lambda i: '@%p1 bra C;')
    blocks, _ = lines(size // 2, lambda i: '@%%p2 bra D%d; D%d:' % (i, i))
    return entry(text + 'bra F;\nC:\n' + blocks + 'F:\n')


def nest(size):
    text, count = lines(size // 2, lambda i: 'L%d: add.u32 %%r1, %%r1, 1;' % i)
    return entry(text + ''.join('@%%p1 bra L%d;\n' % i for i in reversed(range(count))))


def tangle(size):
    """Branches to anywhere, round registers that live in all of it."""
    _, count = lines(size, lambda i: 'L%d: @%%p1 bra L%d; @%%p2 add.u32 %%r%d, %%r%d, 1;' % (
        i, i, i, i))
    return entry(''.join('L%d: @%%p1 bra L%d; @%%p2 add.u32 %%r%d, %%r%d, 1;\n' % (
        i, i * 7919 % count, i, i) for i in range(count)), registers=count + 9)


def alive(size):
    """Registers that live while others are made, in blocks of their own."""
    text, count = lines(size // 2, lambda i: '@%%p1 bra L%d; L%d: mov.u32 %%r%d, %d;' % (
        i, i, i, i))
    return entry(text + ''.join('st.global.u32 [%%d0], %%r%d;\n' % i for i in range(count)),
                 registers=count + 9)


def calls(body, count):
    def make(size):
        text, _ = lines(size, lambda i: body)
        return entry('call f;\n' * count, '.func f\n{\n.reg .b32 %x<9>;\n' + text + 'ret;\n}\n')
    return make


def many_calls(size):
    text, _ = lines(size, lambda i: 'call f;')
    return entry(text, '.func f\n{\n.shared .b32 s;\n.reg .b32 %x;\n'
                 'mov.u32 %x, 1;\nst.shared.u32 [s], %x;\nret;\n}\n')


def table(size):
    text, count = lines(size, lambda i: 'L%d: mov.u32 %%r2, %d; bra E;' % (i, i))
    return entry('T: .branchtargets ' + ', '.join('L%d' % i for i in range(count)) +
                 ';\nbrx.idx %r1, T;\n' + text + 'E:\n')


KINDS = {
    'loads-alive': twice(lambda i: 'ld.global.u32 %%r%d, [%%d0+%d];' % (i, 4 * i),
                         lambda i, n: 'st.global.u32 [%%d0+%d], %%r%d;' % (4 * i, i)),
    'sums-of-loads': twice(lambda i: 'ld.global.u32 %%r%d, [%%d0];' % i,
                           lambda i, n: 'add.u32 %%r%d, %%r%d, %%r%d;' % (
                               i, i * 7919 % n, i * 31 % n)),
    'moves-one-after-the-other': plain(lambda i: 'add.u32 %%r%d, %%r%d, 1;' % (i + 1, i)),
    'moves-apart': plain(lambda i: 'mov.u32 %%r%d, %%r0;' % (i + 1)),
    'moves-round-a-loop': inside(
        'L:\n', lambda i: 'mov.u32 %%r%d, %%r%d;' % (i, i + 1),
        'mov.u32 %r8, %tid.x;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra L;\n'),
    'a-long-loop': inside('L: add.u32 %r1, %r1, 1;\n',
                          lambda i: 'mov.u32 %%r%d, %%r%d;' % (2 + i, 3 + i),
                          'setp.lt.u32 %p1, %r1, 9;\n@%p1 bra L;\n'),
    'stores': plain(lambda i: 'st.global.u32 [%%d0+%d], %%r1;' % (4 * i % 4096)),
    'atomics': plain(lambda i: 'atom.shared.add.u32 %%r%d, [t], %%r1;' % (i + 2), more=SHARED),
    'loads-and-stores': plain(
        lambda i: 'st.global.v4.u32 [%d0], {%r1, %r2, %r3, %r4};' if i % 64 else
        'ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d0];'),
    'votes': plain(lambda i: 'vote.sync.any.pred %p2, %p1, -1;'),
    'divisions-of-some-lanes': inside(DIVIDED, lambda i: 'div.u64 %d1, %d2, 3;',
                                      'vote.sync.ballot.b32 %r2, %p1, -1;\nE:\n'),
    'numbers': plain(lambda i: 'add.u32 %%r1, %%r2, %d;' % (3 * i)),
    'shared-loads': plain(lambda i: 'ld.shared.u32 %%r%d, [t+%d];' % (i, i % 3000 * 16),
                          more=SHARED),
    'shared-loads-far': twice(lambda i: 'ld.shared.u32 %%r%d, [t+%d];' % (i, i % 3000 * 16),
                              lambda i, n: 'ld.shared.u32 %%r%d, [t+%d];' % (
                                  i, (n - i) % 3000 * 16 + 4)),
    'shared-loads-into-one': twice(lambda i: 'ld.shared.u32 %r1, [t];',
                                   lambda i, n: 'ld.shared.u32 %r1, [t+4];'),
    'blocks': plain(lambda i: '@%%p1 bra L%d; L%d:' % (i, i)),
    'blocks-over-a-chain': chain,
    'nested-loops': nest,
    'tangled-blocks': tangle,
    'registers-of-blocks': alive,
    'registers-until-the-end': twice(
        lambda i: 'mov.u32 %%r%d, %d; @%%p1 bra L;' % (i, i),
        lambda i, n: ('' if i else 'L: ') + 'st.global.u32 [%%d0], %%r%d;' % i),
    'ways-back': inside('L:\n', lambda i: 'mov.u32 %%r%d, %%r%d; @%%p1 bra L;' % (i, i + 1),
                        'mov.u32 %r8, %tid.x;\n'),
    'small-loops': plain(lambda i: 'L%d: add.u32 %%r%d, %%r%d, 1;\nsetp.lt.u32 %%p1, %%r%d, 9;\n'
                         '@%%p1 bra L%d;' % (i, i, i, i, i)),
    'loads-under-branches': inside(
        'S:\n', lambda i: '@%%p1 bra L%d; ld.global.u32 %%r1, [%%d0]; L%d:' % (i, i),
        '@%p2 bra S;\n'),
    'exits': lambda size: entry(lines(size, lambda i: '@%p1 exit;')[0]),
    'a-table': table,
    'calls': many_calls,
    'a-long-function': calls('mov.u32 %x1, %x2;', 9),
}


def write(folder, name, most):
    """The job; its module has at most so many bytes."""
    size = most
    text = KINDS[name](size)
    while len(text) > most:
        size = size * most // len(text) - 64
        text = KINDS[name](size)
    with open('%s/%s.ptx' % (folder, name), 'w') as f:
        f.write(text)
    job = '%s/%s.job' % (folder, name)
    with open(job, 'w') as f:
        f.write('nearfar-kernel 1\nmodule %s.ptx\nbuffer a bytes=64KiB\n'
                'launch k grid=1 block=32 args=a\n' % name)
    return job


def main():
    folder, size = sys.argv[1], int(sys.argv[2])
    for name in KINDS:
        write(folder, name, size)


if __name__ == '__main__':
    main()
