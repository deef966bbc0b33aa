#!/usr/bin/env python3
"""Draws access programs at random: what a user might write, of eight kinds.

usage: draw_programs.py SEED COUNT FOLDER

Writes COUNT programs of each kind, fit to be run by the model in a second or
so. results/programs holds those of one seed, which were drawn after the model
was finished and measured once.
"""
import random
import sys

from program_words import KIB, MIB, launch, repeat, rounded, write

LINES = 300_000  # that a program touches, about
WORDS = {'b32': 4, 'b64': 8, 'v2.b32': 8, 'v4.b32': 16, 'v2.b64': 16}

draw = random.Random(int(sys.argv[1]))


def pick_sms():
    count = draw.choice([1, 2, 3, 5, 8, 14, 24, 36, 50, 66, 84, 100, 120, 132])
    stride = draw.choice([1, 1, 2]) if 2 * count <= 132 else 1
    return count, f'sms=0:{count}' + (f':{stride}' if stride > 1 else '')


def dense(kind):
    sms, where = pick_sms()
    warps = draw.choice([1, 2, 3, 4, 6, 8, 12, 16, 24, 32])
    word = draw.choice(list(WORDS))
    unroll = draw.choice([1, 2, 4, 8, 16])
    block = 32 * WORDS[word] * warps
    step = block * sms
    wanted = draw.choice([256 * KIB, MIB, 4 * MIB, 12 * MIB, 24 * MIB,
                          48 * MIB, 200 * MIB, 800 * MIB])
    rounds = max(1, wanted // step)
    at = (f'lane*{WORDS[word]} + warp*{32 * WORDS[word]} + block*{block} '
          f'+ loop0*{step}')
    op = draw.choice(['cg', 'cg', 'ca'])
    body = []
    if kind != 'write':
        body.append(f'ld.global.{op}.{word} [data + {at}]')
    if kind != 'read':
        body.append(f'st.global.{word} '
                    f'[{"other" if kind == "copy" else "data"} + {at}]')
    buffers = [f'data bytes={rounds * step} fill=random seed=1']
    if kind == 'copy':
        buffers.append(f'other bytes={rounds * step}')
    warm = rounded(rounds if wanted < 60 * MIB else 1, unroll)
    role = f'{where} threads={32 * warps}\n'
    count = rounded(min(LINES * 128 // step, 4000), unroll, 32)
    return buffers, [
        launch('warm', 'warm ' + role + repeat(warm, body, unroll)),
        launch('measure', 'go ' + role + repeat(count, body, unroll, True))]


def gather():
    sms, where = pick_sms()
    warps = draw.choice([1, 2, 4, 8, 16, 32])
    slot = draw.choice([32, 32, 128])
    per = draw.choice(['', '', ' per=warp'])
    size = draw.choice([1, 8, 20, 44, 400, 4096]) * MIB
    unroll = draw.choice([1, 4, 8])
    lines = warps * sms * (1 if per else 32)
    lane = ' + lane*4' if per and slot == 128 else ''
    body = [f'ld.global.{draw.choice(["cg", "ca"])}.b32 '
            f'[data random slot={slot}{per}{lane}]']
    launches = []
    if size < 60 * MIB:
        step = 132 * 16 * KIB
        launches.append(launch('warm', 'warm sms=all threads=1024\n' + repeat(
            rounded(size // step + 8, 8),
            ['ld.global.cg.v4.b32 [data + lane*16 + warp*512 + block*16KiB '
             f'+ loop0*{step}]'], 8)))
    launches.append(launch(
        'measure', f'go {where} threads={32 * warps}\n' + repeat(
            rounded(min(400_000 // lines, 2000), unroll), body, unroll, True)))
    return [f'data bytes={size}'], launches


def atomic():
    sms, where = pick_sms()
    warps = draw.choice([1, 2, 8, 16, 32])
    form = draw.choice(['red', 'atom'])
    pattern = draw.choice(
        ['word', 'words', 'own', 'lines', 'random', 'warp line', 'lane 0'])
    guard, at, size, lines = '', '', 4 * KIB, warps * sms
    if pattern == 'words':
        at = f' + lane*4 wrap {4 * draw.choice([2, 4, 8, 16, 32])}'
    elif pattern == 'own':
        at = f' + lane*4 + warp*128 + block*{128 * warps}'
        size = lines * 128
    elif pattern == 'lines':
        count = draw.choice([2, 4, 16, 64])
        at = (f' + lane*4 + warp*128 + block*{128 * warps} '
              f'wrap {128 * count}')
        size = 128 * count
    elif pattern == 'random':
        size = draw.choice([64 * KIB, 8 * MIB, 40 * MIB])
        at = ' random slot=32'
        lines *= 32
    elif pattern == 'warp line':
        at = f' + warp*128 + block*{128 * warps}'
        size = lines * 128
    elif pattern == 'lane 0':
        guard = '@lane0 '
        size = 128 * draw.choice([1, 8, 64])
        at = f' + warp*128 wrap {size}'
    word = draw.choice(['u32', 'u32', 'u64']) if pattern == 'random' else 'u32'
    body = [f'{guard}{form}.global.add.{word} [data{at}]']
    count = max(4, min(200_000 // lines, 512))
    return [f'data bytes={max(size, 4 * KIB)}'], [launch(
        'measure', f'go {where} threads={32 * warps}\n' + repeat(4, body) +
        repeat(count, body, 1, True))]


def chase():
    sms, where = pick_sms()
    warps = draw.choice([1, 1, 2, 4, 8])
    lanes = draw.choice([1, 1, 2, 8, 32])
    op = draw.choice(['ld.global.ca.b64', 'ld.global.cg.b64',
                      'atom.global.add.u64'])
    wanted = draw.choice([32 * KIB, MIB, 6 * MIB, 20 * MIB, 36 * MIB,
                          70 * MIB, 500 * MIB])
    slot = draw.choice([128, 128, 512, 4224])
    rings = sms * warps * lanes
    slots = max(2, wanted // rings // slot)
    body = [f'{op} [ring chase]']
    warm = min(slots, 2_000_000 // rings + 1)
    count = max(64, min(200_000 // rings, 2000))
    return [f'ring bytes={slots * rings * slot} fill=ring slot={slot} '
            f'order=shuffle seed=1 rings={rings}'], [launch(
                'measure', f'go {where} threads={32 * warps} lanes={lanes}\n' +
                repeat(warm, body) + repeat(count, body, 1, True))]


def mixed():
    sms = draw.choice([4, 12, 30, 64, 100, 130])
    warps = draw.choice([2, 8, 16, 32])
    kind = draw.choice(['read', 'write', 'red', 'gather', 'delay'])
    size = draw.choice([24, 512]) * MIB
    ring = draw.choice([2, 256]) * MIB
    step = 512 * warps * sms
    at = (f'data + lane*16 + warp*512 + block*{512 * warps} + loop0*{step}')
    load = {
        'read': [f'ld.global.cg.v4.b32 [{at}]'],
        'write': [f'st.global.v4.b32 [{at}]'],
        'red': ['red.global.add.u32 '
                f'[data + lane*4 + warp*128 + block*{128 * warps}]'],
        'gather': ['ld.global.cg.b32 [data random slot=32]'],
        'delay': [f'ld.global.cg.v4.b32 [{at}]', 'delay 400'],
    }[kind]
    op = draw.choice(['ld.global.cg.b64', 'ld.global.cg.b64',
                      'atom.global.add.u64'])
    chased = [f'{op} [ring chase]']
    rounds = max(16, min(size // step, 512)) // 4 * 4
    return [f'ring bytes={ring} fill=ring slot=128 order=shuffle seed=1',
            f'data bytes={size // step * step}'], [
        launch('warm', 'warm sms=0:1 threads=32 lanes=1\n' + repeat(
            16384 if ring < 4 * MIB else 64, ['ld.global.cg.b64 [ring chase]'])),
        launch('measure', 'go sms=0:1 threads=32 lanes=1\n' +
               repeat(64, chased) + repeat(512, chased, 1, True),
               f'load sms=1:{sms} threads={32 * warps} background\n' +
               repeat(rounds, load, draw.choice([1, 4])))]


def strided():
    sms, where = pick_sms()
    warps = draw.choice([1, 4, 16, 32])
    stride = draw.choice([8, 12, 16, 32, 48, 64, 128, 256, 1024])
    wanted = draw.choice([8, 24, 400]) * MIB
    unroll = draw.choice([1, 4, 8])
    block = 32 * stride * warps
    step = block * sms
    rounds = max(1, wanted // step)
    lines = max(1, stride // 4 if stride < 128 else 32) * warps * sms
    word = draw.choice(['ld.global.cg.b32', 'ld.global.ca.b32',
                        'st.global.b32'])
    body = [f'{word} [data + lane*{stride} + warp*{32 * stride} '
            f'+ block*{block} + loop0*{step}]']
    role = f'{where} threads={32 * warps}\n'
    launches = []
    if wanted < 60 * MIB:
        launches.append(launch('warm', 'warm ' + role + repeat(
            rounded(rounds + unroll - 1, unroll), body, unroll)))
    launches.append(launch('measure', 'go ' + role + repeat(
        rounded(min(400_000 // lines, 2000), unroll), body, unroll, True)))
    return [f'data bytes={rounds * step} fill=random seed=1'], launches


KINDS = {'read': lambda: dense('read'), 'write': lambda: dense('write'),
         'copy': lambda: dense('copy'), 'gather': gather, 'atomic': atomic,
         'chase': chase, 'mixed': mixed, 'stride': strided}

for kind, build in KINDS.items():
    for number in range(1, int(sys.argv[2]) + 1):
        write(sys.argv[3], f'{kind}-{number:02}', *build())
