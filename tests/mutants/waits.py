#!/usr/bin/env python3
"""Takes one thing away from kernels that wait for copies, clusters and products,
and holds what the model says of each such mutant to waits.tsv.

    waits.py NEARFAR [--update] [KERNEL...]

Kernels are those of FOLDERS in tests/kernels. A mutant lacks one instruction of
the PTX: a fence, an arrival, a commit, a wait for groups or for the launch before;
or a barrier of its cluster, arrival and wait; or its expect_tx alone, or a wait for
a phase, whose answer is then always that the phase is over. Each is reported, or has
a reason in the table why nothing goes wrong without it. The kernels as they are are
not accused.

A row of the table is KERNEL, LINE of the PTX, WHAT is taken away, and the
sentence, or `harmless` and a reason. --update writes the sentences; what goes
unsaid without a reason in the table gets `?`, which no test accepts.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, '..', 'kernels')
FOLDERS = ('async', 'box', 'cluster', 'launch', 'tensor')
TABLE = os.path.join(HERE, 'waits.tsv')
SECONDS = 60

TRY = re.compile(r'(\s*)mbarrier\.(?:try|test)_wait\S*\s+(\S+?),.*;')
GONE = re.compile(r'\s*(?:fence\.\S+?|bar\.sync|barrier\.sync|membar\.\w+'
                  r'|mbarrier\.arrive\S*|cp\.async\.(?:bulk\.)?commit_group'
                  r'|cp\.async\.(?:bulk\.)?wait_(?:group|all)\S*'
                  r'|wgmma\.(?:fence|commit_group|wait_group)\S*'
                  r'|griddepcontrol\.wait)(?:\s.*)?;')
CLUSTER = re.compile(r'\s*barrier\.cluster\.arrive')
CLUSTER_WAIT = re.compile(r'\s*barrier\.cluster\.wait')
STATE = re.compile(r'\s*mbarrier\.arrive\S*\s+(%\w+|\w+),')


def mutants_of(line):
    """What can be taken from a line: (what, the line without it)."""
    found = TRY.match(line)
    if found:
        yield 'wait', f'{found[1]}setp.eq.u32 {found[2]}, 0, 0;'
        return
    if not GONE.match(line):
        return
    state = STATE.match(line)
    gone = f'mov.u64 {state[1]}, 0;' if state and state[1] != '_' else ''
    if 'expect_tx' in line:
        plain = re.sub(r'\.expect_tx', '', line)
        yield 'expect_tx', re.sub(r'(\]\s*),[^;]*;', r'\1;', plain)
        yield 'arrive', gone
        return
    what = line.split()[0].rstrip(';')
    yield what, gone


def plain(text):
    """A sentence without what time changes: which thread comes first, and where
    the others stand."""
    found = re.search(r'\w+\.ptx:\d+: ', text)
    text = text[found.start():] if found else text
    text = re.sub(r'block \d+, thread \d+', 'block B, thread T', text)
    text = re.sub(r'of block \d+, rank \d+', 'of block B, rank R', text)
    text = re.sub(r'(of|that) block \d+', r'\1 block B', text)
    text = re.sub(r"(shared memory at|of '\w+' at) offset \d+",
                  r'\1 offset N', text)
    return re.sub(r'(does not end: .*?); .*', r'\1', text)


def run(nearfar, folder, job):
    try:
        done = subprocess.run(
            [nearfar, 'run', '--kernel', job, '--races', '-f', 'csv'],
            cwd=folder, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return 'does not end'
    if not done.returncode:
        note = re.search('^# note: (.*)$', done.stdout, re.M)
        return plain(note.group(1)) if note else 'harmless'
    text = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else '?'
    return plain(text)


def read_table():
    rows = {}
    if os.path.exists(TABLE):
        with open(TABLE) as f:
            for line in f:
                if not line.startswith('#'):
                    name, at, what, said = line.rstrip('\n').split('\t')
                    rows[name, int(at), what] = said
    return rows


def folder_of(name):
    """Where the kernel is."""
    return next(os.path.join(KERNELS, folder) for folder in FOLDERS
                if os.path.exists(os.path.join(KERNELS, folder, name + '.ptx')))


def changed(lines):
    """Each mutant: its line, what it lacks, and all of its lines."""
    for i, line in enumerate(lines):
        if CLUSTER.match(line):
            wait = next(k for k in range(i, len(lines))
                        if CLUSTER_WAIT.match(lines[k]))
            yield i + 1, 'barrier.cluster', [
                '' if k in (i, wait) else line for k, line in enumerate(lines)]
        for what, without in mutants_of(line):
            yield i + 1, what, lines[:i] + [without] + lines[i + 1:]


def judge(nearfar, name, scratch):
    """The rows of a kernel, its own first."""
    folder = folder_of(name)
    with open(os.path.join(folder, name + '.ptx')) as f:
        lines = f.read().split('\n')
    job = os.path.join(scratch, 'mutant.job')
    shutil.copy(os.path.join(folder, name + '-small.job'), job)

    def say(lines):
        with open(os.path.join(scratch, name + '.ptx'), 'w') as f:
            f.write('\n'.join(lines))
        return run(nearfar, scratch, job)

    yield (name, 0, 'nothing'), say(lines)
    for at, what, mutant in changed(lines):
        yield (name, at, what), say(mutant)


def main():
    words = [w for w in sys.argv[1:] if w != '--update']
    update = '--update' in sys.argv
    nearfar = os.path.abspath(words[0])
    kernels = words[1:] or sorted(
        f[:-4] for folder in FOLDERS
        for f in os.listdir(os.path.join(KERNELS, folder))
        if f.endswith('.ptx'))
    table, made, failed = read_table(), {}, 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in kernels:
            for key, said in judge(nearfar, name, scratch):
                wanted = table.get(key, '?')
                if said == 'harmless':
                    fine = key[2] == 'nothing' or (
                        wanted.startswith('harmless: '))
                    made[key] = wanted if fine else 'harmless: ?'
                    if key[2] == 'nothing':
                        made[key] = 'not accused'
                    fine = fine and not wanted.endswith('?')
                else:
                    fine = said == wanted and key[2] != 'nothing'
                    made[key] = said
                if not fine:
                    failed += 1
                    print(f'{key[0]}.ptx:{key[1]}: without {key[2]}: {said}'
                          f'\n    in the table: {wanted}')
    if update:
        rows = {**{k: v for k, v in table.items() if k[0] not in kernels},
                **made}
        with open(TABLE, 'w') as f:
            f.write('# kernel\tline\twithout\twhat the model says\n')
            for key in sorted(rows):
                f.write('\t'.join(map(str, (*key, rows[key]))) + '\n')
        return 0
    print(f'{len(made)} mutants, {failed} not as in the table')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
