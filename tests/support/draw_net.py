#!/usr/bin/env python3
"""Draws the wide net: what kernels do, from a few microseconds up.

usage: draw_net.py SEED COUNT FOLDER

Writes COUNT programs of each of ten kinds. Each draws its blocks, threads,
work, footprint and placement by itself, so that short and long, one wave and
many, plain grids and placed roles, narrow and wide, L1 to DRAM, near
saturation and at half of it all come up. results/net holds those of one seed.
"""
import random
import sys

from program_words import KIB, MIB, launch, repeat, rounded, write

WORDS = [('b8', 1), ('b16', 2), ('b32', 4), ('b32', 4), ('b64', 8),
         ('v2.b32', 8), ('v4.b32', 16), ('v4.b32', 16), ('v2.b64', 16)]
LINES_MOST = 500_000   # that a timed region touches: a second of the model
WARPS_MOST = 67_584

draw = random.Random(int(sys.argv[1]))


def log_uniform(low, high):
    return int(round(low * (high / low) ** draw.random()))


class Shape:
    """Blocks, of a plain grid or one role placed on SMs, and their warps."""

    def __init__(self, grid=None):
        self.warps = draw.choice([1, 1, 2, 3, 4, 6, 8, 8, 12, 16, 24, 32, 32])
        self.grid = draw.random() < 0.6 if grid is None else grid
        if self.grid:
            most = min(8448, WARPS_MOST // self.warps)
            self.blocks = draw.choice([
                log_uniform(1, 132), draw.choice([8, 16, 33, 66, 132, 264]),
                log_uniform(132, most), log_uniform(132, most)])
            self.where = f'blocks={self.blocks}'
        else:
            sms = draw.choice([1, 2, 4, 7, 12, 22, 33, 48, 66, 90, 110, 132])
            per_sm = draw.choice([1, 1, 1, 2, 4])
            per_sm = min(per_sm, 64 // self.warps)
            stride = draw.choice([1, 2]) if 2 * sms <= 132 else 1
            self.blocks = sms * per_sm
            self.where = f'sms=0:{sms}' + (f':{stride}' if stride > 1 else '')
            self.where += f' per_sm={per_sm}' if per_sm > 1 else ''
        self.role = f'{self.where} threads={32 * self.warps}\n'
        self.all_warps = self.blocks * self.warps

    def loads(self, lines_each, unroll):
        """Accesses of a thread: few or many, as the work allows."""
        most = max(1, LINES_MOST // max(1, int(self.all_warps * lines_each)))
        return rounded(log_uniform(1, min(most, 2048)), unroll)


def footprint():
    return draw.choice([256 * KIB, 2 * MIB, 8 * MIB, 16 * MIB, 24 * MIB,
                        36 * MIB, 48 * MIB, 100 * MIB, 400 * MIB, 1000 * MIB])


def warmed(size):
    """A launch that reads what fits L2, from every SM."""
    if size > 60 * MIB:
        return []
    step = 132 * 16 * KIB
    return [launch('warm', 'warm sms=all threads=1024\n' + repeat(
        rounded(size // step + 8, 8),
        ['ld.global.cg.v4.b32 [data + lane*16 + warp*512 + block*16KiB '
         f'+ loop0*{step} wrap {size // (16 * KIB) * 16 * KIB}]'], 8))]


def dense(kind):
    shape = Shape()
    word, bytes_ = draw.choice(WORDS)
    unroll = draw.choice([1, 1, 2, 4, 8])
    block = 32 * bytes_ * shape.warps
    step = block * shape.blocks
    size = footprint()
    size = max(step, size // step * step)
    count = shape.loads(max(1, bytes_ / 4), unroll)
    size = min(size, count * step)
    at = (f'lane*{bytes_} + warp*{32 * bytes_} + block*{block} '
          f'+ loop0*{step} wrap {size}')
    body = []
    if kind != 'write':
        op = draw.choice(['cg', 'cg', 'ca', 'nc.ca'])
        body.append(f'ld.global.{op}.{word} [data + {at}]')
    if kind == 'copy' and draw.random() < 0.4:
        body.append(f'ld.global.cg.{word} [more + {at}]')
    if kind != 'read':
        to = 'other' if kind == 'copy' else 'data'
        body.append(f'st.global.{word} [{to} + {at}]')
    slack = (size + 16 * KIB - 1) // (16 * KIB) * 16 * KIB
    buffers = [f'data bytes={slack} fill=random seed=1']
    if kind == 'copy':
        buffers += [f'more bytes={slack} fill=random seed=2',
                    f'other bytes={slack}']
    warm = warmed(slack) if kind != 'copy' or draw.random() < 0.5 else []
    return buffers, warm + [launch('measure', 'go ' + shape.role + repeat(
        count, body, unroll, True))]


def gather():
    shape = Shape()
    slot = draw.choice([32, 32, 64, 128])
    per = draw.choice(['', '', ' per=warp'])
    size = draw.choice([1, 8, 20, 30, 44, 300, 2048]) * MIB
    unroll = draw.choice([1, 2, 4, 8])
    lane = ' + lane*4' if per and slot == 128 else ''
    op = draw.choice(['ld.global.cg', 'ld.global.ca', 'st.global'])
    return [f'data bytes={size}'], warmed(size) + [launch(
        'measure', 'go ' + shape.role + repeat(
            shape.loads(1 if per else 32, unroll),
            [f'{op}.b32 [data random slot={slot}{per}{lane}]'],
            unroll, True))]


def atomic():
    shape = Shape()
    form = draw.choice(['red', 'atom'])
    pattern = draw.choice(['word', 'words', 'own line', 'own word', 'lines',
                           'random', 'lane 0', 'stream'])
    guard, at, size, lines, word = '', '', 4 * KIB, 1, 'u32'
    own = 128 * shape.warps
    if pattern == 'words':
        at = f' + lane*4 wrap {4 * draw.choice([2, 4, 8, 16, 32])}'
    elif pattern == 'own line':
        at, size = f' + lane*4 + warp*128 + block*{own}', own * shape.blocks
    elif pattern == 'own word':
        at, size = f' + warp*128 + block*{own}', own * shape.blocks
    elif pattern == 'lines':
        count = draw.choice([2, 4, 16, 64, 256])
        at = f' + lane*4 + warp*128 + block*{own} wrap {128 * count}'
        size = 128 * count
    elif pattern == 'random':
        size, at, lines = draw.choice([64 * KIB, 8 * MIB, 40 * MIB]), \
            ' random slot=32', 32
        word = draw.choice(['u32', 'u64'])
    elif pattern == 'lane 0':
        guard, size = '@lane0 ', 128 * draw.choice([1, 8, 64])
        at = f' + warp*128 wrap {size}'
    elif pattern == 'stream':
        size = own * shape.blocks * draw.choice([2, 8])
        at = (f' + lane*4 + warp*128 + block*{own} '
              f'+ loop0*{own * shape.blocks} wrap {size}')
    count = min(shape.loads(lines, 1), 512)
    return [f'data bytes={max(size, 4 * KIB)}'], [launch(
        'measure', 'go ' + shape.role + repeat(
            count, [f'{guard}{form}.global.add.{word} [data{at}]'], 1, True))]


def strided():
    shape = Shape()
    stride = draw.choice([4, 8, 12, 16, 32, 48, 64, 128, 256, 1024, 4096])
    block = 32 * stride * shape.warps
    step = block * shape.blocks
    unroll = draw.choice([1, 2, 4])
    count = shape.loads(max(1, stride // 4 if stride < 128 else 32), unroll)
    size = min(max(step, footprint() // step * step), count * step)
    slack = (size + 16 * KIB - 1) // (16 * KIB) * 16 * KIB
    op = draw.choice(['ld.global.cg.b32', 'ld.global.ca.b32', 'st.global.b32'])
    return [f'data bytes={slack} fill=random seed=1'], warmed(slack) + [launch(
        'measure', 'go ' + shape.role + repeat(count, [
            f'{op} [data + lane*{stride} + warp*{32 * stride} + block*{block} '
            f'+ loop0*{step} wrap {size}]'], unroll, True))]


def own_l1():
    """Each block reads again and again what fits its SM's L1, or nearly."""
    shape = Shape()
    bytes_ = draw.choice([4, 4, 8, 16])
    word = {4: 'b32', 8: 'b64', 16: 'v4.b32'}[bytes_]
    step = 32 * bytes_ * shape.warps
    rounds = max(1, draw.choice([4, 16, 32, 64, 128]) * KIB // step)
    unroll = draw.choice([1, 2, 4, 8])
    count = shape.loads(rounds * max(1, bytes_ / 4), 1)
    block = draw.choice([step * rounds, step * rounds, 0])
    op = f'ld.global.ca.{word}'

    def load(depth):
        return [f'{op} [data + lane*{bytes_} + warp*{32 * bytes_} '
                f'+ block*{block} + loop{depth}*{step}]']

    inner = repeat(rounded(rounds, unroll), load(1), unroll)
    inner = [line[4:] for line in inner.splitlines()]
    size = rounded(rounds, unroll) * step + block * (shape.blocks - 1)
    return [f'data bytes={size} fill=random seed=1'], [launch(
        'measure', 'go ' + shape.role +
        repeat(rounded(rounds, 1), load(0)) +
        repeat(count, inner, 1, True))]


def placed_mix():
    """Two roles side by side: one is timed, the other is its load."""
    sms = draw.choice([2, 4, 10, 30, 60, 66, 100])
    rest = draw.choice([4, 16, 30, 64])
    rest = min(rest, 132 - sms)
    warps = draw.choice([1, 4, 8, 16, 32])
    size = draw.choice([8, 24, 300]) * MIB
    texts = {
        'read': 'ld.global.cg.v4.b32 [data + lane*16 + warp*512',
        'write': 'st.global.v4.b32 [other + lane*16 + warp*512',
        'red': 'red.global.add.u32 [other + lane*4 + warp*128'}

    def body(kind, blocks):
        if kind == 'gather':
            return ['ld.global.cg.b32 [data random slot=32]']
        step = 512 * warps * blocks
        return [f'{texts[kind]} + block*{512 * warps} + loop0*{step} '
                f'wrap {size // step * step}]']

    kinds = [*texts, 'gather']
    timed, load = draw.choice(kinds), draw.choice(kinds)
    timed_body, load_body = body(timed, sms), body(load, rest)
    if draw.random() < 0.5:
        load_body.append(f'delay {draw.choice([100, 400, 1500])}')
    lines = {'read': 4, 'write': 4, 'gather': 32, 'red': 1}[timed]
    most = LINES_MOST // 3 // (sms * warps * lines)
    count = rounded(log_uniform(8, max(16, min(most, 1024))), 1)
    return [f'data bytes={size} fill=random seed=1', f'other bytes={size}'], \
        warmed(size) + [launch(
            'measure', f'go sms=0:{sms} threads={32 * warps}\n' +
            repeat(count, timed_body, 1, True),
            f'load sms={sms}:{rest} threads={32 * warps} background\n' +
            repeat(8, load_body))]


def chased():
    """Chases, alone or beside a load at its full rate or at half of it."""
    lanes, warps = draw.choice([1, 1, 4, 32]), draw.choice([1, 1, 2, 8])
    sms = draw.choice([1, 1, 8, 66])
    rings = sms * warps * lanes
    slot = draw.choice([128, 128, 512, 4224])
    slots = max(2, draw.choice([64 * KIB, 4 * MIB, 20 * MIB, 40 * MIB,
                                600 * MIB]) // rings // slot)
    op = draw.choice(['ld.global.ca.b64', 'ld.global.cg.b64',
                      'atom.global.add.u64'])
    body = [f'{op} [ring chase]']
    role = f'go sms=0:{sms} threads={32 * warps} lanes={lanes}\n'
    warm = launch('warm', role + repeat(
        min(slots, 1_000_000 // rings + 1), body))
    role += repeat(max(32, min(60_000 // rings, 1000)), body, 1, True)
    buffers = [f'ring bytes={slots * rings * slot} fill=ring slot={slot} '
               f'order=shuffle seed=1 rings={rings}']
    if draw.random() < 0.5:
        return buffers, [warm, launch('measure', role)]
    load, threads = draw.choice([8, 40, 66]), 32 * draw.choice([4, 16, 32])
    step = 16 * threads * load
    size = draw.choice([16, 300]) * MIB // step * step
    buffers.append(f'data bytes={size} fill=random seed=1')
    other = [f'ld.global.cg.v4.b32 [data + lane*16 + warp*512 + '
             f'block*{16 * threads} + loop0*{step} wrap {size}]']
    if draw.random() < 0.5:
        other.append(f'delay {draw.choice([200, 600, 1200])}')
    return buffers, [warm, launch(
        'measure', role,
        f'load sms={sms}:{load} threads={threads} background\n' +
        repeat(8, other))]


def waves():
    """Many short blocks, more than fit, some with a barrier or with shared
    memory that lets few of them in."""
    shape = Shape(grid=True)
    while shape.blocks < 200:
        shape = Shape(grid=True)
    shared = draw.choice([0, 0, 8, 24, 48]) * KIB
    unroll = draw.choice([1, 2, 4])
    size = draw.choice([4, 16, 100]) * MIB
    block = 512 * shape.warps
    step = block * shape.blocks
    most = max(1, LINES_MOST // (4 * shape.all_warps))
    count = rounded(log_uniform(1, min(most, 16)), unroll)
    size = (size + block - 1) // block * block
    at = (f'data + lane*16 + warp*512 + block*{block} + loop0*{step} '
          f'wrap {size}')
    body = [draw.choice([f'ld.global.cg.v4.b32 [{at}]',
                         f'ld.global.ca.v4.b32 [{at}]',
                         f'st.global.v4.b32 [{at}]'])]
    if draw.random() < 0.3:
        body.append('barrier')
    slack = (size + 16 * KIB - 1) // (16 * KIB) * 16 * KIB
    role = shape.role.strip() + (f' shared={shared}' if shared else '') + '\n'
    return [f'data bytes={slack} fill=random seed=1'], warmed(slack) + [launch(
        'measure', 'go ' + role + repeat(count, body, unroll, True))]


KINDS = {'read': lambda: dense('read'), 'write': lambda: dense('write'),
         'copy': lambda: dense('copy'), 'gather': gather, 'atomic': atomic,
         'stride': strided, 'l1': own_l1, 'mix': placed_mix, 'chase': chased,
         'waves': waves}

for kind, build in KINDS.items():
    for number in range(1, int(sys.argv[2]) + 1):
        write(sys.argv[3], f'net-{kind}-{number:02}', *build())
