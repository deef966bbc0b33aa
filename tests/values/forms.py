#!/usr/bin/env python3
"""Words of a GPU for tests/unit/backend_sim/kernel/forms.def.

forms.py write FOLDER [ROWS]  writes a module and a job for each 32 rows of a
                              list, and run.sh, which runs them on a GPU
forms.py read FOLDER [ROWS]   prints the rows with the digests of what run.sh
                              left in FOLDER

ROWS is a list of the rows without digests, forms_wanted.def by default. The
sets of values are those of forms.c.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
UNIT = os.path.join(HERE, "..", "unit", "backend_sim", "kernel")
THREADS = 1024
BYTES = 8 * THREADS
ROWS_MAX = 32
ROW = re.compile(r'^FORM\((\w+), "([^"]*)", "([^"]*)"', re.M)


def read_sets():
    text = open(os.path.join(UNIT, "forms.c")).read()
    found = re.findall(r"\[(\w+)\] = \{([^{}]*)\}", text)
    return {name: re.findall(r"0x[0-9a-f]+", body) for name, body in found}


def read_rows(path):
    return ROW.findall(open(path).read())


def groups(rows):
    """Rows that one kernel has: side by side, of one set."""
    out = []
    for row in rows:
        if not out or out[-1][0][0] != row[0] or len(out[-1]) == ROWS_MAX:
            out.append([])
        out[-1].append(row)
    return out


def take(register, size, source):
    if size == 8:
        return f".reg .b64 {register}; mov.b64 {register}, %{source}; "
    bits = 8 * size
    return (f".reg .b{bits} {register}; "
            f"cvt.u{bits}.u64 {register}, %{source}; ")


def write_plain(sizes, spelling, tail):
    size = sizes[0]
    text = ".reg .pred p, q; "
    if size not in "pP":
        text += f".reg .b{8 * int(size)} r; "
    for i, s in enumerate(sizes[1:]):
        text += take(f"s{i + 1}", int(s), "abcc"[i])
    result = {"p": "p", "P": "p|q"}.get(size, "r")
    text += f"{spelling} {result}"
    for i in range(len(sizes) - 1):
        text += f", s{i + 1}"
    text += f"{tail}; "
    if size == "p":
        return text + "selp.b64 %d, 1, 0, p; "
    if size == "P":
        return (text + "selp.b64 %d, 1, 0, p; selp.b64 %e, 2, 0, q; "
                "or.b64 %d, %d, %e; ")
    if size == "8":
        return text + "mov.b64 %d, r; "
    return text + f"cvt.u64.u{8 * int(size)} %d, r; "


def write_reduction(sizes, spelling, at):
    """The thread's word in memory is changed."""
    where = "shared" if sizes[0] == "S" else "global"
    place = "%z" if sizes[0] == "S" else f"%o+{at}"
    text = f"st.{where}.b64 [{place}], 0; "
    names = []
    for i, s in enumerate(int(s) for s in sizes[1:]):
        text += take(f"m{i}", s, "acba"[i]) + take(f"v{i}", s, "bacc"[i])
        offset = f"{place}+{i * s}"
        text += f"st.{where}.b{8 * s} [{offset}], m{i}; "
        names.append(f"v{i}")
    value = names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"
    text += f"{spelling} [{place}], {value}; "
    return text + f"ld.{where}.b64 %d, [{place}]; "


def write_row(row, number):
    _, sizes, spelling = row
    sizes, comma, tail = sizes.partition(",")
    at = number * BYTES
    body = (write_reduction(sizes, spelling, at) if sizes[0] in "GS"
            else write_plain(sizes, spelling, comma + tail))
    return f"{{ {body}st.global.b64 [%o+{at}], %d; }}\n"


def module(values, rows):
    return (
        ".version 9.0\n.target sm_90\n.address_size 64\n"
        ".const .align 8 .b64 values[32] = {" + ", ".join(values) + "};\n"
        ".visible .entry k(.param .u64 p_a, .param .u64 p_b)\n{\n"
        ".shared .align 8 .b8 word[8192];\n"
        ".reg .b64 %a, %b, %c, %d, %e, %o, %v, %w, %z;\n"
        ".reg .b32 %t, %i, %j;\n"
        "ld.param.u64 %o, [p_b];\nmov.u32 %t, %tid.x;\n"
        "mul.wide.u32 %w, %t, 8;\nadd.u64 %o, %o, %w;\n"
        "mov.u64 %z, word;\nadd.u64 %z, %z, %w;\n"
        "mov.u64 %v, values;\n"
        "and.b32 %i, %t, 31;\nmul.wide.u32 %w, %i, 8;\n"
        "add.u64 %w, %v, %w;\nld.const.b64 %a, [%w];\n"
        "shr.u32 %j, %t, 5;\nmul.wide.u32 %w, %j, 8;\n"
        "add.u64 %w, %v, %w;\nld.const.b64 %b, [%w];\n"
        "mul.lo.u32 %i, %t, 7;\nmad.lo.u32 %i, %j, 3, %i;\n"
        "and.b32 %i, %i, 31;\nmul.wide.u32 %w, %i, 8;\n"
        "add.u64 %w, %v, %w;\nld.const.b64 %c, [%w];\n"
        + "".join(write_row(row, i) for i, row in enumerate(rows))
        + "ret;\n}\n")


def write(folder, rows):
    sets = read_sets()
    os.makedirs(folder, exist_ok=True)
    script = ["#!/bin/sh", "# The words of a GPU; NF is nearfar.", "set -e",
              'cd "$(dirname "$0")"']
    for i, group in enumerate(groups(rows)):
        stem = f"forms{i:02}"
        with open(os.path.join(folder, stem + ".ptx"), "w") as out:
            out.write(module(sets[group[0][0]], group))
        with open(os.path.join(folder, stem + ".job"), "w") as out:
            out.write(f"nearfar-kernel 1\nmodule {stem}.ptx\n"
                      "buffer a bytes=64 type=u32\n"
                      f"buffer b bytes={ROWS_MAX * BYTES} type=u64\n"
                      "launch k grid=1 block=1024 args=a,b\n")
        script.append(f'"$NF" run --kernel {stem}.job -b "${{B:-cuda}}" '
                      f"--dump b={stem}.bin")
    with open(os.path.join(folder, "run.sh"), "w") as out:
        out.write("\n".join(script) + "\n")


def digest(words):
    value = 0x811C9DC5
    for byte in words:
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def read(folder, rows):
    for i, group in enumerate(groups(rows)):
        with open(os.path.join(folder, f"forms{i:02}.bin"), "rb") as words:
            data = words.read()
        for k, (values, sizes, spelling) in enumerate(group):
            part = data[k * BYTES:(k + 1) * BYTES]
            print(f'FORM({values}, "{sizes}", "{spelling}", '
                  f"0x{digest(part):08x})")


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("write", "read"):
        sys.exit(__doc__)
    path = (sys.argv[3] if len(sys.argv) > 3
            else os.path.join(HERE, "forms_wanted.def"))
    {"write": write, "read": read}[sys.argv[1]](sys.argv[2], read_rows(path))


main()
