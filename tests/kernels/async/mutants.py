#!/usr/bin/env python3
"""Takes one thing away from the kernels of this folder at a time, and holds what
the model says of each such mutant to mutants.tsv.

    mutants.py NEARFAR [--update] [KERNEL...]

A mutant lacks one instruction of the PTX: a fence, an arrival, a commit, a wait
for bulk groups; or its expect_tx alone, or a wait for a phase, whose answer is
then always that the phase is over. Each is reported, or has a reason in the
table why nothing goes wrong without it. The kernels as they are are not accused.

A row of the table is KERNEL, LINE of the PTX, WHAT is taken away, and the
sentence, or `harmless` and a reason. --update writes the sentences; what is
harmless without a reason in the table gets `?`, which no test accepts.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, 'mutants.tsv')
SECONDS = 60

TRY = re.compile(r'(\s*)mbarrier\.(?:try|test)_wait\S*\s+(\S+?),.*;')
GONE = re.compile(r'\s*(?:fence\.\S+?|bar\.sync|barrier\.sync|membar\.\w+'
                  r'|mbarrier\.arrive\S*|cp\.async\.bulk\.commit_group'
                  r'|cp\.async\.bulk\.wait_group\S*)(?:\s.*)?;')
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


def run(nearfar, folder, job):
    try:
        done = subprocess.run(
            [nearfar, 'run', '--kernel', job, '-o', '/dev/null', '--dump',
             'to=/dev/null'] if False else
            [nearfar, 'run', '--kernel', job, '-o', '/dev/null'],
            cwd=folder, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return 'does not end'
    if not done.returncode:
        return 'harmless'
    text = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else '?'
    return re.sub(r'^.*?(?=\w+\.ptx:\d+: )', '', text)


def read_table():
    rows = {}
    if os.path.exists(TABLE):
        with open(TABLE) as f:
            for line in f:
                if not line.startswith('#'):
                    name, at, what, said = line.rstrip('\n').split('\t')
                    rows[name, int(at), what] = said
    return rows


def judge(nearfar, name, scratch):
    """The rows of a kernel, its own first."""
    with open(os.path.join(HERE, name + '.ptx')) as f:
        lines = f.read().split('\n')
    with open(os.path.join(HERE, name + '-small.job')) as f:
        text = f.read()
    job = os.path.join(scratch, 'mutant.job')
    with open(job, 'w') as f:
        f.write(text)

    def say(changed):
        with open(os.path.join(scratch, name + '.ptx'), 'w') as f:
            f.write('\n'.join(changed))
        return run(nearfar, scratch, job)

    yield (name, 0, 'nothing'), say(lines)
    for i, line in enumerate(lines):
        for what, without in mutants_of(line):
            yield (name, i + 1, what), say(
                lines[:i] + [without] + lines[i + 1:])


def main():
    words = [w for w in sys.argv[1:] if w != '--update']
    update = '--update' in sys.argv
    nearfar = os.path.abspath(words[0])
    kernels = words[1:] or sorted(
        f[:-4] for f in os.listdir(HERE) if f.endswith('.ptx'))
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
