#!/usr/bin/env python3
"""Kernels with one busy server each (one/, kernels.tsv): what `nearfar explain`
names first, against what is busy by construction. Prints "ok NAME", or "not ok NAME"
with what was named instead.

usage: first.py [--table] [KERNEL...]; environment: NEARFAR
  --table   a line for each kernel: the first three, with their shares
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def rows():
    with open(HERE + '/kernels.tsv') as f:
        lines = [line.rstrip('\n').split('\t') for line in f if line[0] != '#']
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def marks():
    """{kernel: {(file, line)}}, by the comments of the sources."""
    found = {}
    for name in sorted(os.listdir(HERE + '/one')):
        if not name.endswith('.cu'):
            continue
        with open(HERE + '/one/' + name) as f:
            for number, line in enumerate(f, 1):
                # The head of a file says what the comment is.
                if '// binds ' in line and not line.startswith('//'):
                    kernel = line.split('// binds ')[1].strip()
                    found.setdefault(kernel, set()).add((name, number))
    return found


def binds(nearfar, kernel, launch):
    """What explain names, the most important first; or the sentence of its end."""
    p = subprocess.run([nearfar, 'explain', '%s/one/%s.job' % (HERE, kernel), '--launch',
                        launch, '--no-what-if', '-f', 'json'],
                       capture_output=True, text=True, timeout=120)
    if p.returncode:
        return None, p.stderr.strip() or 'status %d' % p.returncode
    return json.loads(p.stdout)['binds'], ''


def wrong(row, lines, found):
    """Why the first that is named is not the one that binds; '' if it is."""
    if not found:
        return 'nothing is named'
    first = found[0]
    place = (first['file'] and os.path.basename(first['file']), first['line'])
    if first['server'] != row['server']:
        return 'first is %s, at %s:%s, %.1f %%; expected %s' % (
            first['server'], *place, 100 * first['share'], row['server'])
    if lines and place not in lines:
        return '%s is at %s:%s; expected %s' % (
            first['server'], *place, ' or '.join('%s:%d' % p for p in sorted(lines)))
    return ''


def main():
    words = sys.argv[1:]
    table = '--table' in words
    names = [w for w in words if w != '--table']
    nearfar, failed, lines = os.environ['NEARFAR'], 0, marks()
    for row in rows():
        kernel = row['kernel']
        if names and kernel not in names:
            continue
        found, why = binds(nearfar, kernel, row['launch'])
        why = why or wrong(row, lines.get(kernel, set()), found)
        failed += bool(why)
        if table:
            print(kernel, row['server'], *('%s %s:%s %.1f %%' % (
                b['server'], b['file'], b['line'], 100 * b['share'])
                for b in (found or [])[:3]), sep='\t')
            continue
        print('%s explain names what binds: %s' % ('not ok' if why else 'ok', kernel))
        if why:
            print('  ' + why)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
