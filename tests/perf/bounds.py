#!/usr/bin/env python3
"""Processor time and memory that it takes to prepare kernels of every shape
(kinds.py), each of nearly 1 MiB of text: at most 10 s and 1 GiB.

    bounds.py [--update] NEARFAR [NAME...]

The run ends at its first cycle, or is refused with a sentence. Each kernel is
prepared as hardware runs it and with `--values none`. --update writes what was
measured to bounds.tsv, beside what the machine is.
"""
import os
import resource
import subprocess
import sys
import tempfile

import kinds

BYTES = (1 << 20) - 1
SECONDS = 10
MEMORY = 1 << 30
TABLE = os.path.join(os.path.dirname(__file__), 'bounds.tsv')


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (2 * SECONDS, 2 * SECONDS))


def measure(nearfar, job, *options):
    """Seconds of processor time, bytes, and what it said."""
    with tempfile.TemporaryFile('w+') as said:
        p = subprocess.Popen(
            [nearfar, 'run', '--kernel', job, '--max-cycles', '1', '-j', '1', '-f', 'csv',
             '-o', '/dev/null', *options], stdout=subprocess.DEVNULL, stderr=said,
            preexec_fn=limit)
        _, status, used = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read().strip()
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, text, p.returncode


def outcome(text, status):
    """Whether it was run, or why not; None: neither."""
    if 'runs for more than 1 cycles' in text:
        return 'run'
    if status == 2 and text.startswith('nearfar: '):
        return text.split(': ', 3)[-1].split('\n')[0]
    return None


def machine():
    with open('/proc/cpuinfo') as f:
        for line in f:
            if line.startswith('model name'):
                return line.split(':', 1)[1].strip()
    return 'unknown'


def main():
    arguments = sys.argv[1:]
    update = arguments[:1] == ['--update']
    nearfar, names = arguments[update], arguments[update + 1:]
    rows, bad = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name in sorted(names or kinds.KINDS):
            job = kinds.write(folder, name, BYTES)
            for values in ('hardware', 'none'):
                seconds, memory, text, status = measure(nearfar, job, '--values', values)
                what = outcome(text, status)
                fits = what and seconds <= SECONDS and memory <= MEMORY
                bad += not fits
                print('%s bounds: %s, values %s: %.1f s, %d MiB%s' % (
                    'ok' if fits else 'not ok', name, values, seconds, memory >> 20,
                    '' if what == 'run' else ': ' + (what or text or 'status %d' % status)),
                    flush=True)
                rows.append((name, values, '%.1f' % seconds, str(memory >> 20), what or '-'))
    if update and not bad:
        with open(TABLE, 'w') as f:
            f.write('# %s, %d bytes of text each\n' % (machine(), BYTES))
            f.write('kind\tvalues\tprocessor_seconds\tmemory_mib\toutcome\n')
            f.writelines('\t'.join(row) + '\n' for row in rows)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
