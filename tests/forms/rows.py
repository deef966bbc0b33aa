#!/usr/bin/env python3
"""The rows that tests/forms/forms.def shall have.

rows.py          prints those that it has not, for wanted.def
rows.py count    how many there are, and how many it has

A pattern is expanded by its choices: {a|b|} is one of them, the last nothing.
"""
import itertools
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

FLOATS = "{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}"
UNSIGNED = "{eq|ne|lt|le|gt|ge|lo|ls|hi|hs}"
SIGNED = "{eq|ne|lt|le|gt|ge}"
BOOL = "{and|or|xor}"
SETS = {"f16": "HALF", "bf16": "BHALF", "f16x2": "HALVES", "bf16x2": "BHALVES",
        "f32": "SINGLE", "f64": "DOUBLE"}
NARROW = ["f16", "bf16", "f16x2", "bf16x2"]
rows = []


def size(type_):
    """A type's size, a character."""
    if type_.endswith("x2"):
        return "4"
    bits = int(re.sub("[a-z]", "", type_))
    return "w" if bits == 128 else str(bits // 8)


def values(type_):
    return SETS.get(type_, "WHOLE")


def expanded(pattern):
    parts = re.split(r"\{([^{}]*\|[^{}]*)\}", pattern)
    choices = [p.split("|") if i % 2 else [p] for i, p in enumerate(parts)]
    return ["".join(c) for c in itertools.product(*choices)]


def add(values_, sizes, pattern):
    rows.extend((values_, sizes, s) for s in expanded(pattern))


def comparisons(type_):
    if type_[0] == "u":
        return UNSIGNED
    return {"s": SIGNED, "b": "{eq|ne}"}.get(
        type_[0] if type_ not in NARROW else "", FLOATS)


COMPARED = ["u16", "u32", "u64", "s16", "s32", "s64", "b16", "b32", "b64",
            "f32", "f64"] + NARROW


def ftz_of(type_):
    return "{|.ftz}" if type_ in ("f16", "f16x2", "f32") else ""


def compare():
    for t in COMPARED:
        s, pairs = size(t), t.endswith("x2")
        add(values(t), f"{'P' if pairs else 'p'}{s}{s}",
            f"setp.{comparisons(t)}{ftz_of(t)}.{t}")
        add(values(t), f"{'p' if t in ('f16', 'bf16') else 'P'}{s}{s}p",
            f"setp.{comparisons(t)}.{BOOL}{ftz_of(t)}.{t}")
        results = ["u32"]
        if t not in NARROW:
            results += ["f32"]
        elif pairs:
            results += [t]
        else:
            results += ["u16", t]
        for d in results:
            add(values(t), f"{size(d)}{s}{s}",
                f"set.{comparisons(t)}{ftz_of(t)}.{d}.{t}")
        for i, b in enumerate(("and", "or", "xor")):
            d = results[i % len(results)]
            add(values(t), f"{size(d)}{s}{s}p",
                f"set.{comparisons(t)}.{b}{ftz_of(t)}.{d}.{t}")


PLAIN = ["b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32",
         "f64"]


def choose():
    for t in PLAIN:
        s = size(t)
        add(values(t), f"{s}{s}{s}p", f"selp.{t}")
        add("WHOLE", f"{s}{s}{s}4", f"slct.{t}.s32")
        add("SINGLE", f"{s}{s}{s}4", f"slct{{|.ftz}}.{t}.f32")


def bits():
    for lut in [1 << i for i in range(8)] + [0xff ^ 1 << i for i in range(8)] + \
            [0x00, 0xff, 0xf0, 0xcc, 0xaa, 0x96, 0xe8, 0xca, 0xd8, 0x78, 0x1e,
             0x69, 0x2d, 0xb4, 0xe2, 0x17]:
        add("WHOLE", f"4444, {lut:#x}", "lop3.b32")
        for op in ("and", "or"):
            add("WHOLE", "=r4,p",
                f"lop3.{op}.b32 r4|p, a4, b4, c4, {lut:#x}, pc;")
    add("WHOLE", "=p", "{and|or|xor}.pred p, pa, pb;")
    add("WHOLE", "=p,q", "not.pred p, pa; mov.pred q, pb;")
    add("WHOLE", "22", "mov.b16")
    add("WHOLE", "44", "mov.{b32|u32|s32|f32}")
    add("WHOLE", "88", "mov.{b64|u64|s64|f64}")
    for text in (
            "mov.b32 r4, {a2, b2};", "mov.b64 r8, {a4, b4};",
            "mov.b64 r8, {a2, b2, c2, a2};"):
        add("WHOLE", "=" + text.split()[1][:2], text)
    for sizes, text in (
            ("=r2,s2", "mov.b32 {r2, s2}, a4;"),
            ("=s2", "mov.b32 {_, s2}, a4;"),
            ("=r4,s4", "mov.b64 {r4, s4}, a8;"),
            ("=s4", "mov.b64 {_, s4}, a8;"),
            ("=r2,s2,t2,u2", "mov.b64 {r2, s2, t2, u2}, a8;"),
            ("=t2", "mov.b64 {_, _, t2, _}, a8;"),
            ("=r16", "mov.b128 r16, {a8, b8};"),
            ("=r8,s8", "mov.b128 {r8, s8}, c16;"),
            ("=r16", "mov.b128 r16, b16;")):
        add("WHOLE", sizes, text)


def carries():
    """Sums of several words; mad and madc, too."""
    for t, s in (("u32", 4), ("s32", 4), ("u64", 8), ("s64", 8)):
        a, b, c, r, u, v = (f"{x}{s}" for x in "abcruv")
        zero = f"addc.{t} {v}, 0, 0;"
        for op in ("add", "sub"):
            add("WHOLE", f"={r},{u},{v}",
                f"{op}.cc.{t} {r}, {a}, {b}; {op}c.cc.{t} {u}, {c}, {b}; "
                + zero)
            add("WHOLE", f"={r},{u}",
                f"{op}.cc.{t} {r}, {c}, {b}; {op}c.{t} {u}, {a}, {c};")
        add("WHOLE", f"={r},{v}", f"sub.cc.{t} {r}, {a}, {b}; " + zero)
        for mode in ("lo", "hi"):
            add("WHOLE", f"={r},{v}",
                f"mad.{mode}.cc.{t} {r}, {a}, {b}, {c}; " + zero)
            add("WHOLE", f"={r},{u},{v}",
                f"add.cc.{t} {r}, {a}, {c}; madc.{mode}.cc.{t} {u}, {a}, {b}, "
                f"{c}; " + zero)
            add("WHOLE", f"={r},{u}",
                f"add.cc.{t} {r}, {b}, {c}; madc.{mode}.{t} {u}, {a}, {c}, "
                f"{b};")


def converted():
    whole = ["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"]
    for d in whole:
        add("SINGLE", "84", f"cvt.rzi.{d}.f32")
        add("DOUBLE", "88", f"cvt.rni.sat.{d}.f64")
        add("HALF", "82", f"cvt.rmi.{d}.f16")
        for f in whole:
            add("WHOLE", "88", f"cvt.{d}.{f}")
            add("WHOLE", max(size(d), "2") + "8", f"cvt.{d}.{f}")
        add("WHOLE", "48", f"cvt.rn.f32.{d}")
        add("WHOLE", "88", f"cvt.rz.f64.{d}")
        add("WHOLE", "28", f"cvt.rp.f16.{d}")
    # .sat where the result may not hold the value
    for d, sources in (("u8", "u16 u32 u64 s8 s16 s32 s64"),
                       ("u16", "u32 u64 s8 s16 s32 s64"),
                       ("u32", "u64 s8 s16 s32 s64"), ("u64", "s8 s16 s32 s64"),
                       ("s8", "u8 u16 u32 u64 s16 s32 s64"),
                       ("s16", "u16 u32 u64 s32 s64"), ("s32", "u32 u64 s64"),
                       ("s64", "u64")):
        for f in sources.split():
            add("WHOLE", "88", f"cvt.sat.{d}.{f}")
    add("BOUNDS", "444", "cvt.{rn|rz}{|.relu}.{f16x2|bf16x2}.f32")
    for t, n in (("f16", "2222"), ("f16x2", "4444")):
        add("BOUNDS", n, f"fma.rn.oob{{|.sat|.relu}}.{t}")
        add("BOUNDS", n, f"fma.rn.oob{{|.relu}}.b{t}")


def changed(op, where, spelling, sets, sizes):
    space = {"G": ".global", "S": ".shared"}.get(where, "")
    add(sets, where + sizes, f"{op}{space}.{spelling}")


ADDED = ["f16", "bf16", "f16x2", "bf16x2"]


def atomics():
    for op in ("red", "atom"):
        for where in "GSgs":
            for t in ("b32", "b64"):
                changed(op, where, f"{{and|or|xor}}.{t}", "WHOLE", size(t))
            for t in ("u32", "s32", "u64", "f32", "f64"):
                changed(op, where, f"add.{t}", values(t), size(t))
            changed(op, where, "{inc|dec}.u32", "WHOLE", "4")
            for t in ("u32", "s32", "u64", "s64"):
                changed(op, where, f"{{min|max}}.{t}", "WHOLE", size(t))
            for t in ADDED:
                changed(op, where, f"add.noftz.{t}", values(t), size(t))
        vectors = [("f32", n, "add") for n in (2, 4)]
        vectors += [(t, n, f"{{add|min|max}}.noftz") for t in ADDED
                    for n in ((2, 4, 8) if size(t) == "2" else (2, 4))]
        for t, n, what in vectors:
            changed(op, "G", f"{what}.v{n}.{t}", values(t), size(t) * n)
    for where in "GSgs":
        for t in ("b32", "b64", "b128"):
            changed("atom", where, f"exch.{t}", "WHOLE", size(t))
        for t in ("b16", "b32", "b64", "b128"):
            changed("atom", where, f"cas.{t}", "WHOLE", size(t))


LOADED = ["b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "f32",
          "b64", "u64", "s64", "f64"]
SPACES = {"G": ".global", "S": ".shared", "L": ".local", "C": ".const",
          "N": ".global.nc", "g": "", "s": "", "l": ""}


def accesses():
    for where, space in SPACES.items():
        for t in LOADED:
            natural = max(size(t), "2")
            wide = [natural] if t[0] == "f" or natural == "8" else \
                ["2", "4", "8"][int(natural) // 4 if natural != "2" else 0:]
            for r in wide:
                add("WHOLE", where + r, f"ld{space}.{t}")
            for n in (2, 4):
                if n * int(size(t)) <= 16:
                    r = wide[-1] if where in "GS" else natural
                    add("WHOLE", where + n * r, f"ld{space}.v{n}.{t}")
        add("WHOLE", where + "w", f"ld{space}.b128")
        if where in "CN":
            continue
        for t in LOADED:
            natural = max(size(t), "2")
            wide = [natural] if t[0] == "f" or natural == "8" else \
                [natural, "8"]
            for r in wide:
                add("WHOLE", where + r, f"st{space}.{t}")
            for n in (2, 4):
                if n * int(size(t)) <= 16:
                    r = wide[-1] if where in "GS" else natural
                    add("WHOLE", where + n * r, f"st{space}.v{n}.{t}")
        add("WHOLE", where + "w", f"st{space}.b128")
    add("WHOLE", "G4", "ld.global{.ca|.cg|.cs|.lu|.cv}.s16")
    add("WHOLE", "G4", "ld.volatile.global.u8")
    add("WHOLE", "G8", "ld{.relaxed|.acquire}{.cta|.gpu|.sys}.global.s32")
    add("WHOLE", "S8", "ld{.volatile|.relaxed.cta|.acquire.gpu}.shared.s8")
    add("WHOLE", "G4", "st.global{.wb|.cg|.cs|.wt}.u16")
    add("WHOLE", "G8", "st{.volatile|.relaxed.gpu|.release.sys}.global.b32")


def lanes():
    for mode in ("up", "down", "bfly", "idx"):
        add("WHOLE", "=r4,p", f"shfl.sync.{mode}.b32 r4|p, a4, b4, c4, -1;")
        add("WHOLE", "=r4,p", f"shfl.sync.{mode}.b32 r4|p, c4, a4, c4, -1;")
        add("WHOLE", "=r4", f"shfl.sync.{mode}.b32 r4, b4, c4, 0x1f, -1;")
        for clamp in ("0", "0x1f", "0x1c00", "0x181f", "0x1007", "0xc03",
                      "0x1415"):
            add("WHOLE", "=r4,p",
                f"shfl.sync.{mode}.b32 r4|p, a4, c4, {clamp}, -1;")
    for op in ("all", "any", "uni"):
        for p in ("pa", "pb", "!pc"):
            add("WHOLE", "=p", f"mov.pred p, pb; @in vote.sync.{op}.pred p, "
                f"{p}, k4;")
    for p in ("pa", "pb", "!pc"):
        add("WHOLE", "=r4", f"mov.b32 r4, 1; @in vote.sync.ballot.b32 r4, {p}, "
            "k4;")
    for t in ("b32", "b64"):
        s = size(t)
        for v in ("a", "b", "c"):
            add("WHOLE", "=r4", f"and.{t} s{s}, {v}{s}, 7; mov.b32 r4, 1; "
                f"@in match.any.sync.{t} r4, s{s}, k4;")
            add("WHOLE", "=r4,p", f"and.{t} s{s}, {v}{s}, 3; mov.b32 r4, 1; "
                f"mov.pred p, pa; @in match.all.sync.{t} r4|p, s{s}, k4;")
    for t, ops in (("u32", "{add|min|max}"), ("s32", "{add|min|max}"),
                   ("b32", "{and|or|xor}")):
        for v in ("a4", "c4"):
            add("WHOLE", "=r4", f"mov.b32 r4, 1; @in redux.sync.{ops}.{t} r4, "
                f"{v}, k4;")
        add("WHOLE", "=r4", f"redux.sync.{ops}.{t} r4, a4, -1;")
    add("WHOLE", "=r4,p", "mov.b32 r4, 1; mov.pred p, pa; @in elect.sync r4|p, "
        "k4;")
    add("WHOLE", "=r4", "mov.b32 r4, 1; @in activemask.b32 r4;")
    add("WHOLE", "=r4", "{bar|barrier}.red.popc.u32 r4, 0, {pa|!pc};")
    add("WHOLE", "=p", "{bar|barrier}.red.{and|or}.pred p, 0, {pa|!pc};")
    for name in ("laneid", "lanemask_eq", "lanemask_le", "lanemask_lt",
                 "lanemask_ge", "lanemask_gt", "tid.x", "tid.y", "ntid.x",
                 "ntid.z", "ctaid.x", "nctaid.y"):
        add("WHOLE", "=r4", f"mov.u32 r4, %{name};")
    for space in ("global", "shared", "local", "const"):
        for address in ("m8", "g8", "h8"):
            add("WHOLE", "=p", f"isspacep.{space} p, {address};")
        name = {"global": "m8", "shared": "z8", "local": "l8", "const": "k8"}
        add("WHOLE", "=r8", f"cvta.{space}.u64 s8, {name[space]}; "
            f"cvta.to.{space}.u64 t8, s8; sub.u64 r8, t8, {name[space]};")


def policies():
    primary = "L2::{evict_last|evict_first|evict_normal|evict_unchanged}"
    for fraction in ("1.0", "0.5", "0.0625"):
        add("WHOLE", "=r8", f"createpolicy.fractional.{primary}.b64 r8, "
            f"{fraction};")
        add("WHOLE", "=r8", f"createpolicy.fractional.{primary}"
            f".L2::{{evict_first|evict_unchanged}}.b64 r8, {fraction};")
    for sizes in ("0x1000, 0x2000", "0x100000, 0x400000", "1, 1",
                  "0x80000000, 0xffffffff", "0, 0x1000"):
        add("WHOLE", "=r8", f"createpolicy.range.global.{primary}.b64 r8, [a8], "
            f"{sizes};")
        add("WHOLE", "=r8", "createpolicy.range.L2::evict_last."
            f"L2::{{evict_first|evict_unchanged}}.b64 r8, [a8], {sizes};")


def pairs():
    add("WHOLE", "444", "add.{u16x2|s16x2}")
    add("WHOLE", "444", "{min|max}.u16x2")
    add("WHOLE", "444", "{min|max}{|.relu}.s16x2")


def known():
    text = open(os.path.join(HERE, "forms.def")).read()
    found = re.findall(r'^FORM\((\w+), "([^"]*)",\s*"([^"]*)"', text, re.M)
    return {(s, re.sub("^P(..)$", r"p\1", z) if p.startswith("setp") else z, p)
            for s, z, p in found}


def main():
    for part in (compare, choose, bits, carries, converted, atomics, accesses,
                 lanes, policies, pairs):
        part()
    have, seen = known(), set()
    wanted = []
    for s, z, p in rows:
        key = (s, re.sub("^P(..)$", r"p\1", z) if p.startswith("setp") else z, p)
        if key not in seen and key not in have:
            wanted.append((s, z, p))
        seen.add(key)
    if sys.argv[1:] == ["count"]:
        print(f"{len(seen)} rows, {len(seen) - len(wanted)} of them there")
        return
    for s, z, p in sorted(wanted, key=lambda r: r[0]):
        print(f'FORM({s}, "{z}", "{p}", 0)')


main()
