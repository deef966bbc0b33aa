#!/usr/bin/env python3
"""Forms of instructions, drawn from a grammar, and what ptxas says of each.

usage: forms.py check READER     the reader agrees with the verdicts that are kept
       forms.py show READER      the forms on which it does not
       forms.py make PTXAS       asks ptxas, and keeps its verdicts
       forms.py list             the forms with their verdicts
       forms.py other PTXAS READER SEED
                                 asks both about other forms, and keeps nothing

Half of the forms are drawn from GRAMMAR, a row each way to write an operation;
the others are accepted ones with one token changed: a modifier or an operand
that is left out, repeated, put in or exchanged. Verdicts stand in forms.txt, a
line a row: for each form + or -, where ptxas took it followed by the verdict
on its mutant. READER reads "VERSION FORM" lines and says + or - of each.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
VERDICTS = os.path.join(HERE, "forms.txt")
FORMS_A_ROW = 18
VERSIONS = ["8.0", "8.0", "8.0", "9.0", "9.0", "7.8"]
TARGET = "sm_90"

# What a form stands in; READER has the same.
HEAD = """.version %s
.target sm_90
.address_size 64
.global .align 16 .b32 gv[64];
.const .align 16 .b32 cv[64];
.shared .align 16 .b32 sv[64];
.entry k(.param .b64 pv, .param .b32 pw)
{
.local .align 16 .b32 lv[64];
.reg .pred p<4>;
.reg .b16 bh<4>; .reg .u16 uh<4>; .reg .s16 ih<4>; .reg .f16 fh<4>;
.reg .b32 bw<4>; .reg .u32 uw<4>; .reg .s32 iw<4>; .reg .f32 fw<4>;
.reg .b64 bd<4>; .reg .u64 ud<4>; .reg .s64 id<4>; .reg .f64 fd<4>;
.reg .f16x2 fv<4>;
L1:
"""

# OPERATION{.choice|.of|.modifiers|}.type OPERANDS
#   {a|b|}   one of them, the last may be nothing
#   T        in operands: of the spelling's last type; F: of its first
#   D S      a register that is written, a value (register or number)
#   R        a register that is read; I a number
#   P        a predicate that is read, Q one that is written; L a label
#   Aspace   an address; Vn a vector of n
# What follows a colon is the operand's type.
GRAMMAR = """
{add|sub}{.u16|.u32|.u64|.s16|.s64} D,S,S
{add|sub}{.sat|}.s32 D,S,S
{add|sub}{.cc|}{.u32|.s32|.u64|.s64} D,S,S
{add|sub}{.rn|.rz|.rm|.rp|}{.ftz|}{.sat|}.f32 D,S,S
{add|sub}{.rn|.rz|.rm|.rp|}.f64 D,S,S
{add|sub}{.rn|}{.ftz|}{.sat|}{.f16|.f16x2} D,R,R
{addc|subc}{.cc|}{.u32|.s32|.u64|.s64} D,S,S
mul{.lo|.hi}{.u16|.u32|.u64|.s16|.s32|.s64} D,S,S
mul.wide{.u16|.s16} D:b32,S,S
mul.wide{.u32|.s32} D:b64,S,S
mul{.rn|.rz|.rm|.rp|}{.ftz|}{.sat|}.f32 D,S,S
mul{.rn|.rz|.rm|.rp|}.f64 D,S,S
mul{.rn|}{.ftz|}{.sat|}{.f16|.f16x2} D,R,R
mad{.lo|.hi}{.u16|.u32|.u64|.s16|.s32|.s64} D,S,S,S
mad.hi.sat.s32 D,S,S,S
mad{.lo|.hi}.cc{.u32|.s32|.u64|.s64} D,S,S,S
mad.wide{.u32|.s32} D:b64,S,S,S:b64
mad.wide{.u16|.s16} D:b32,S,S,S:b32
madc{.lo|.hi}{.cc|}{.u32|.s32|.u64|.s64} D,S,S,S
{mad|fma}{.rn|.rz|.rm|.rp}{.ftz|}{.sat|}.f32 D,S,S,S
{mad|fma}{.rn|.rz|.rm|.rp}.f64 D,S,S,S
fma.rn{.ftz|}{.sat|.relu|}{.f16|.f16x2} D,R,R,R
fma.rn{.relu|}{.bf16|.bf16x2} D,R,R,R
mul24{.lo|.hi}{.u32|.s32} D,S,S
mad24{.lo|.hi}{.u32|.s32} D,S,S,S
sad{.u16|.u32|.u64|.s16|.s32|.s64} D,S,S,S
div{.u16|.u32|.u64|.s16|.s32|.s64} D,S,S
div{.rn|.rz|.rm|.rp|.approx|.full}{.ftz|}.f32 D,S,S
div{.rn|.rz|.rm|.rp}.f64 D,S,S
rem{.u16|.u32|.u64|.s16|.s32|.s64} D,S,S
{abs|neg}{.s16|.s32|.s64} D,S
{abs|neg}{.ftz|}.f32 D,S
{abs|neg}.f64 D,S
{abs|neg}{.ftz|}{.f16|.f16x2} D,R
{abs|neg}{.bf16|.bf16x2} D,R
{min|max}{.u16|.u32|.u64|.s16|.s32|.s64} D,S,S
{min|max}{.ftz|}.f32 D,S,S
{min|max}.f64 D,S,S
{min|max}{.ftz|}{.f16|.f16x2} D,R,R
copysign{.f32|.f64} D,S,S
{rcp|sqrt}{.approx|.rn|.rz|.rm|.rp}{.ftz|}.f32 D,S
{rcp|sqrt}{.rn|.rz|.rm|.rp}.f64 D,S
rcp.approx.ftz.f64 D,S
rsqrt.approx{.ftz|}.f32 D,S
rsqrt.approx{.ftz|}.f64 D,S
{sin|cos|lg2|ex2}.approx{.ftz|}.f32 D,S
ex2.approx{.f16|.f16x2} D,R
tanh.approx{.f32|.f16|.f16x2|.bf16|.bf16x2} D,R
{and|or|xor}{.b16|.b32|.b64} D,S,S
{and|or|xor}.pred Q,P,P
not{.b16|.b32|.b64} D,S
not.pred Q,P
cnot{.b16|.b32|.b64} D,S
lop3.b32 D,S,S,S,I
shl{.b16|.b32|.b64} D,S,S:u32
shr{.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64} D,S,S:u32
shf{.l|.r}{.clamp|.wrap}.b32 D,S,S,S:u32
bfe{.u32|.u64|.s32|.s64} D,S,S:u32,S:u32
bfi{.b32|.b64} D,S,S,S:u32,S:u32
bfind{.shiftamt|}{.u32|.u64|.s32|.s64} D:u32,S
bmsk{.clamp|.wrap}.b32 D,S,S
brev{.b32|.b64} D,S
{clz|popc}{.b32|.b64} D:u32,S
prmt.b32 D,S,S,S
dp4a{.u32|.s32}{.u32|.s32} D,R,R,R
set{.eq|.ne|.lt|.le|.gt|.ge}{.u32|.s32|.f32}{.u16|.u32|.u64|.s16|.s32|.s64} D:F,S,S
set{.eq|.ne|.lt|.ltu|.num|.nan|.equ}{.ftz|}{.u32|.s32|.f32}.f32 D:F,S,S
set{.eq|.ltu|.nan}{.u32|.s32|.f32}.f64 D:F,S,S
set{.lo|.ls|.hi|.hs}{.u32|.s32|.f32}{.u16|.u32|.u64} D:F,S,S
set{.eq|.lt}{.and|.or|.xor}{.u32|.s32|.f32}{.u32|.s32|.f32} D:F,S,S,P
set{.eq|.ne}{.u32|.s32|.f32}{.b16|.b32|.b64} D:F,S,S
setp{.eq|.ne|.lt|.le|.gt|.ge}{.u16|.u32|.u64|.s16|.s32|.s64} Q,S,S
setp{.lo|.ls|.hi|.hs}{.u16|.u32|.u64} Q,S,S
setp{.eq|.ne}{.b16|.b32|.b64} Q,S,S
setp{.eq|.ltu|.geu|.num|.nan|.neu}{.ftz|}.f32 Q,S,S
setp{.eq|.ltu|.geu|.num|.nan|.neu}.f64 Q,S,S
setp{.eq|.ltu|.num}{.ftz|}{.f16|.f16x2} Q,R,R
setp{.lt|.ge}{.and|.or|.xor}{.u32|.s64|.f32|.f64} Q,S,S,P
selp{.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64} D,S,S,P
slct{.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64}.s32 D:F,S:F,S:F,S:s32
slct{.ftz|}{.b32|.u64|.f32|.f64}.f32 D:F,S:F,S:F,S:f32
mov{.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64} D,S
mov.pred Q,P
mov.b32 D,V2:b16
mov.b64 D,{V2:b32|V4:b16}
mov.b32 V2:b16,R
mov.b64 {V2:b32|V4:b16},R
mov{.u32|.s32|.b32} D,{%tid.x|%laneid|%clock|%smid|%warpid|%ctaid.y|%lanemask_lt}
mov{.u64|.b64} D,{%clock64|%globaltimer|%gridid|gv|sv|lv|cv}
cvt{.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64}{.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64} D:F,R
cvt.sat{.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64}{.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64} D:F,R
cvt{.rni|.rzi|.rmi|.rpi}{.ftz|}{.sat|}{.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64}.f32 D:F,R
cvt{.rni|.rzi|.rmi|.rpi}{.sat|}{.u16|.u32|.u64|.s16|.s32|.s64}{.f64|.f16} D:F,R
cvt{.rn|.rz|.rm|.rp}{.sat|}{.f16|.f32|.f64}{.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64} D:F,R
cvt{.rn|.rz|.rm|.rp}{.ftz|}{.sat|}.f32.f64 D:F,R
cvt{.rn|.rz|.rm|.rp}{.ftz|}{.sat|}.f16.f32 D:F,R
cvt{.rn|.rz|.rm|.rp}{.sat|}.f16.f64 D:F,R
cvt{.ftz|}{.sat|}.f64.f32 D:F,R
cvt{.ftz|}{.sat|}.f32.f16 D:F,R
cvt{.sat|}.f64.f16 D:F,R
cvt{.rni|.rzi|.rmi|.rpi|}{.sat|}{.f16.f16|.f32.f32|.f64.f64} D:F,R
cvt{.rn|.rz}{.relu|}{.f16x2|.bf16x2}.f32 D:F,S,S
cvt{.rn|.rz}{.relu|}{.satfinite|}{.f16|.bf16}.f32 D:F,R
cvt.f32.bf16 D:F,R
cvta{.to|}{.global|.shared|.local|.const}.u64 D,R
isspacep{.global|.shared|.local|.const} Q,R:u64
shfl.sync{.up|.down|.bfly|.idx}.b32 D,S,S:u32,S:u32,S:u32
vote.sync{.all|.any|.uni}.pred Q,P,S:u32
vote.sync.ballot.b32 D,P,S:u32
activemask.b32 D
match.any.sync{.b32|.b64} D:u32,S,S:u32
match.all.sync{.b32|.b64} D:u32,S,S:u32
redux.sync{.add|.min|.max}{.u32|.s32} D,R,S:u32
redux.sync{.and|.or|.xor}.b32 D,R,S:u32
elect.sync D:b32|Q,S:u32
bra{.uni|} L
ret{.uni|} -
{exit|trap} -
nanosleep.u32 S
bar.sync S:b16n
bar.sync S:b16n,I:64
barrier.sync{.aligned|} S:b16n
bar.warp.sync S:u32
membar{.cta|.gl|.sys} -
fence{.sc|.acq_rel}{.cta|.gpu|.sys|.cluster} -
ld{.volatile|.weak|}{.global|.shared|.local|}{.b8|.b16|.b32|.b64|.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64|.f32|.f64} D,A
ld{.const|.param}{.b8|.b16|.b32|.b64|.u8|.u32|.s16|.s64|.f32|.f64} D,A
ld{.global|}{.ca|.cg|.cs|.lu|.cv}{.b32|.u64|.f32|.s8} D,A
ld.global{.nc|.ca.nc|.cg.nc}{.b32|.u64|.f32|.u8} D,A
ld{.relaxed|.acquire}{.cta|.gpu|.sys|.cluster}{.global|.shared|}{.b32|.u64|.f32} D,A
ld{.global|.shared|.local|}.v2{.b32|.f32|.u64|.f64|.u16|.s8} V2,A
ld{.global|.shared|.local|}.v4{.b32|.f32|.u16|.s8} V4,A
ld.global{.L1::evict_normal|.L1::evict_first|.L1::evict_last|.L1::no_allocate|.L1::evict_unchanged}{.b32|.u64} D,A
ld{.global|}{.L2::64B|.L2::128B|.L2::256B}{.b32|.f64} D,A
st{.volatile|.weak|}{.global|.shared|.local|}{.b8|.b16|.b32|.b64|.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64|.f32|.f64} A,R
st{.global|}{.wb|.cg|.cs|.wt}{.b32|.u64|.f32|.s8} A,R
st{.relaxed|.release}{.cta|.gpu|.sys}{.global|.shared|}{.b32|.u64|.f32} A,R
st{.global|.shared|.local|}.v2{.b32|.f32|.u64|.f64|.u16|.s8} A,V2
st{.global|.shared|.local|}.v4{.b32|.f32|.u16|.s8} A,V4
atom{.global|.shared|}{.and|.or|.xor|.exch}{.b32|.b64} D,A,S
atom{.global|.shared|}.cas{.b32|.b64} D,A,S,S
atom{.global|.shared|}.add{.u32|.s32|.u64|.f32|.f64} D,A,S
atom{.global|.shared|}{.inc|.dec}.u32 D,A,S
atom{.global|.shared|}{.min|.max}{.u32|.s32|.u64|.s64} D,A,S
atom{.relaxed|.acquire|.release|.acq_rel}{.cta|.gpu|.sys}{.global|}{.add.u32|.exch.b64|.min.s32} D,A,S
red{.global|.shared|}{.and|.or|.xor}{.b32|.b64} A,S
red{.global|.shared|}.add{.u32|.s32|.u64|.f32|.f64} A,S
red{.global|.shared|}{.inc|.dec}.u32 A,S
red{.global|.shared|}{.min|.max}{.u32|.s32|.u64|.s64} A,S
red{.relaxed|.release}{.cta|.gpu|.sys}{.global|}{.add.u32|.or.b64|.max.s32} A,S
prefetch{.global|.local|}{.L1|.L2} A
prefetchu.L1 A
cp.async.ca.shared.global Ashared,Aglobal,{4|8|16}
cp.async.cg.shared.global Ashared,Aglobal,16
cp.async.ca.shared.global{.L2::64B|.L2::128B|.L2::256B} Ashared,Aglobal,{4|8|16}
cp.async.ca.shared.global Ashared,Aglobal,16,S:u32
cp.async.commit_group -
cp.async.wait_group {0|1|3}
cp.async.wait_all -
"""

SIZES = {"8": "h", "16": "h", "32": "w", "64": "d"}
NUMBERS = ["0", "1", "3", "7", "17", "31", "32", "64", "255", "256", "-1",
           "-2", "0x80000000", "0xffffffff", "100000"]
WIDE = ["0x100000000", "0x123456789abcdef", "-5000000000"]
FLOATS = ["0f3F800000", "0f00000000", "1.5", "0d3FF0000000000000", "-2.0"]
OTHERS = ["p1", "!p2", "L1", "%tid.x", "%clock64", "[bd1]", "[gv]", "[sv+4]",
          "{bw1, bw2}", "gv", "_"]


class Draw:
    """Numbers that are the same everywhere."""

    def __init__(self, text):
        self.state = 14695981039346656037
        for byte in text.encode():
            self.state = (self.state ^ byte) * 1099511628211 % 2**64

    def below(self, n):
        self.state = (self.state * 6364136223846793005 +
                      1442695040888963407) % 2**64
        return (self.state >> 33) % n

    def of(self, items):
        return items[self.below(len(items))]


def of_type(d, name):
    """A register's name for a type of instructions."""
    m = re.fullmatch(r"([busf]|bf)(\d+)(x2)?", name)
    if not m:
        return "bw"
    kind, bits, pair = m.groups()
    if pair:
        return d.of(["bw", "bw", "fv"]) if kind == "f" else "bw"
    size = SIZES.get(bits, "w")
    own = {"b": "b", "u": "u", "s": "i", "f": "f", "bf": "b"}[kind]
    draw = d.below(20)
    if draw < 12:
        return own + size
    if draw < 19:
        return "b" + size
    return d.of("buif") + size


def number(d, name):
    if name.startswith(("f", "bf")):
        return d.of(FLOATS)
    if name.endswith("64") and not d.below(3):
        return d.of(WIDE)
    return d.of(NUMBERS[:9] if name == "u32" else NUMBERS)


def address(d, space):
    names = {"global": ["gv"], "shared": ["sv"], "local": ["lv"],
             "const": ["cv"], "param": ["pv"]}.get(space, ["gv", "sv"])
    if space == "param":
        return d.of(["[pv]", "[pw]", "[pv+4]"])
    if space == "shared" and d.below(3):
        return "[%s%d%s]" % (d.of(["uw", "bw", "bd"]), d.below(4),
                             d.of(["", "+8", "+-16"]))
    if d.below(4):
        return "[%s%d%s]" % (d.of(["bd", "ud", "bd"]), d.below(4),
                             d.of(["", "+8", "+-16"]))
    return "[%s%s]" % (d.of(names), d.of(["", "+16"]))


def operand(d, code, spelling):
    types = [w for w in spelling if re.fullmatch(
        r"([busf]|bf)(8|16|32|64)(x2)?|pred", w)]
    if "|" in code and not code.startswith(("V", "%", "{")) and ":" in code:
        return "|".join(operand(d, c, spelling) for c in code.split("|"))
    letter, _, name = code.partition(":")
    of = {"": types[-1] if types else "b32",
          "F": types[0] if types else "b32"}.get(name, name)
    if letter == "A" or re.fullmatch(r"A[a-z]+", letter):
        space = letter[1:] or next((w for w in spelling if w in (
            "global", "shared", "local", "const", "param")), "")
        return address(d, space)
    if of == "b16n":
        return str(d.below(16)) if d.below(2) else "bw%d" % d.below(4)
    if letter == "I":
        return name if name.isdigit() else str(d.below(256))
    if letter in ("P", "Q"):
        return "%sp%d" % ("!" if letter == "P" and not d.below(4) else "",
                          d.below(4))
    if letter == "L":
        return "L1"
    if re.fullmatch(r"V\d", letter):
        reg = of_type(d, of)
        return "{%s}" % ", ".join("%s%d" % (reg, i % 4)
                                  for i in range(int(letter[1])))
    if letter == "S" and not d.below(3):
        return number(d, of)
    if letter in ("D", "S", "R"):
        return "%s%d" % (of_type(d, of), d.below(4))
    return code


def choose(d, text):
    """A choice for each {a|b|}."""
    while True:
        m = re.search(r"\{([^{}]*\|[^{}]*|[^{}]*)\}", text)
        if not m:
            return text
        text = text[:m.start()] + d.of(m.group(1).split("|")) + text[m.end():]


def draw_form(d, row):
    """Spelling words and operands."""
    spelling, _, operands = row.partition(" ")
    words = re.split(r"\.(?!\d)", choose(d, spelling))
    if operands == "-":
        return words, []
    return words, [operand(d, c, words) for c in choose(d, operands).split(",")]


def pool():
    words = set()
    for row in GRAMMAR.split("\n"):
        words.update(re.findall(r"\.([\w:]+)", row.partition(" ")[0]))
    # ptxas takes a type .pred too many; .async makes other operations.
    return sorted(words - {"pred", "async"})


POOL = pool()


def mutant(d, words, operands, row):
    words, operands = list(words), list(operands)
    own = re.findall(r"\.([\w:]+)", row.partition(" ")[0]) or POOL
    what = d.below(10)
    at = 1 + d.below(len(words) - 1) if len(words) > 1 else 0
    new = d.of(own if d.below(2) else POOL)
    # ptxas takes a vector of one that it has as bf16x2.
    others = [o for o in OTHERS if "bf16" not in row or o[0] != "{"]
    any_operand = d.of(
        ["%s%s%d" % (d.of("buif"), d.of("hwd"), d.below(4))] * 3 +
        [d.of(NUMBERS), d.of(FLOATS), d.of(others), d.of(others)])
    if what < 2 and at:
        del words[at]
    elif what < 5 and at:
        words[at] = new
    elif what < 7 or not operands:
        words.insert(1 + d.below(len(words)), new)
    elif what < 9:
        operands[d.below(len(operands))] = any_operand
    elif d.below(2):
        del operands[d.below(len(operands))]
    else:
        operands.insert(d.below(len(operands) + 1), any_operand)
    return words, operands


def text_of(form):
    words, operands = form
    return (".".join(words) + " " + ", ".join(operands)).strip() + ";"


def rows():
    return [r for r in GRAMMAR.split("\n") if r]


def forms_of(row, verdict, seed=""):
    """Of a row: (version, text) of each form; `verdict` says which ones are
    accepted, one after the other: those have a mutant."""
    d = Draw(row + seed)
    for _ in range(FORMS_A_ROW):
        form = draw_form(d, row)
        version = d.of(VERSIONS)
        changed = mutant(d, *form, row)
        while changed == (form[0], form[1]):
            changed = mutant(d, *form, row)
        accepted = verdict(version, text_of(form))
        if accepted:
            verdict(version, text_of(changed))


# ---- ptxas ----

def ask_some(ptxas, version, forms):
    """The forms of one module that are accepted."""
    left = list(range(len(forms)))
    refused = set()
    lines_before = HEAD.count("\n")
    while left:
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as f:
            f.write(HEAD % version)
            f.writelines(forms[i] + "\n" for i in left)
            f.write("ret;\n}\n")
            f.flush()
            run = subprocess.run(
                [ptxas, "-O0", "-arch=" + TARGET, "-o", "/dev/null", f.name],
                capture_output=True, text=True)
        if not run.returncode:
            break
        bad = {int(a or b) - lines_before - 1 for a, b in re.findall(
            r"line (\d+); (?:error|fatal)|address on line '(\d+)'",
            run.stderr + run.stdout)}
        bad = {left[n] for n in bad if 0 <= n < len(left)}
        if not bad:
            if len(left) == 1:
                bad = set(left)
                print("no line:", forms[left[0]], run.stderr[:200],
                      file=sys.stderr)
            else:
                half = len(left) // 2
                for part in (left[:half], left[half:]):
                    some = ask_some(ptxas, version, [forms[i] for i in part])
                    refused.update(i for k, i in enumerate(part)
                                   if k not in some)
                break
        refused |= bad
        left = [i for i in left if i not in bad]
    return {i for i in range(len(forms)) if i not in refused}


def ask(ptxas, wanted):
    """(version, text) -> accepted"""
    said = {}
    for version in sorted({v for v, _ in wanted}):
        forms = sorted({t for v, t in wanted if v == version})
        for first in range(0, len(forms), 40):
            some = forms[first:first + 40]
            good = ask_some(ptxas, version, some)
            for i, text in enumerate(some):
                said[version, text] = i in good
    return said


def make(ptxas):
    said = {}
    for accepted in (False, True):  # all forms; then what is left of mutants
        wanted = set()

        def collect(version, text):
            if (version, text) not in said:
                wanted.add((version, text))
            return said.get((version, text), accepted)
        for row in rows():
            forms_of(row, collect)
        said.update(ask(ptxas, wanted))
    with open(VERDICTS, "w") as f:
        f.write("# What ptxas 13.0 says of the forms of forms.py: made by "
                "`forms.py make PTXAS`\n")
        for row in rows():
            bits = []

            def keep(version, text):
                bits.append(said[version, text])
                return bits[-1]
            forms_of(row, keep)
            f.write("".join("-+"[b] for b in bits) + "\t" + row + "\n")


# ---- the reader ----

def kept():
    """Of all forms: version, text, accepted."""
    verdicts = {}
    for line in open(VERDICTS):
        if not line.startswith("#"):
            bits, _, row = line.rstrip("\n").partition("\t")
            verdicts[row] = bits
    forms = []
    for row in rows():
        bits = iter(verdicts.get(row, ""))

        def keep(version, text):
            bit = next(bits, None)
            if bit is None:
                raise SystemExit("not ok ptx: forms: no verdicts on '%s'" % row)
            forms.append((version, text, bit == "+"))
            return bit == "+"
        forms_of(row, keep)
    return forms


def read(reader, forms):
    lines = "".join("%s %s\n" % (v, t) for v, t, _ in forms)
    run = subprocess.run([reader], input=lines, capture_output=True, text=True,
                         check=True)
    return run.stdout.split("\n")


def others(ptxas, seed):
    """As kept(), of another seed."""
    wanted = []
    for row in rows():
        forms_of(row, lambda v, t: wanted.append((v, t)) or True, seed)
    said = ask(ptxas, set(wanted))
    return [(v, t, said[v, t]) for v, t in wanted]


def differences(reader, forms):
    said = read(reader, forms)
    if len(said) < len(forms):
        raise SystemExit("not ok ptx: forms: the reader has read %d of %d" %
                         (len(said), len(forms)))
    return forms, [(v, t, good, word) for (v, t, good), word in
                   zip(forms, said) if good != word.startswith("+")]


def main():
    if sys.argv[1:2] == ["make"]:
        make(sys.argv[2])
    elif sys.argv[1:2] == ["list"]:
        for version, text, good in kept():
            print("-+"[good], version, text)
    elif sys.argv[1:2] in (["check"], ["show"], ["other"]):
        other = sys.argv[1] == "other"
        forms = others(sys.argv[2], sys.argv[4]) if other else kept()
        forms, differ = differences(sys.argv[3 if other else 2], forms)
        if not differ:
            print("ok ptx: forms: %d, of which ptxas takes %d" %
                  (len(forms), sum(g for _, _, g in forms)))
        else:
            print("not ok ptx: forms: %d of %d differ" %
                  (len(differ), len(forms)))
        most = 10 if sys.argv[1] == "check" else len(differ)
        for version, text, good, word in differ[:most]:
            print("  ptxas %s, PTX %s: %s  (%s)" % (
                "takes" if good else "refuses", version, text, word))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
