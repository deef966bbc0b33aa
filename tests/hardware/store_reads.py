#!/usr/bin/env python3
"""Loops of one instruction or a few, as PTX: what a round takes where it writes
registers that stores read, and where it waits for what it has loaded.

    store_reads.py > loops.ptx && ptxas -arch=sm_90 loops.ptx -o loops.cubin
    nvcc -O1 tests/hardware/store_reads.cu -o loops -lcuda
    ./loops loops.cubin $(store_reads.py names) > results/probes/store_reads.tsv
"""
import sys

KERNEL = """.visible .entry %(name)s(.param .u64 data, .param .u64 out,
	.param .u32 step, .param .u64 zero)
{
.reg .b64 %%a<20>; .reg .b32 %%r<20>; .reg .b64 %%d<90>; .reg .pred %%p<4>;
.reg .b64 %%t<4>; .reg .b32 %%v<90>;
.shared .align 16 .b8 sh[32768];
ld.param.u64 %%a0, [data]; ld.param.u64 %%a1, [out]; ld.param.u32 %%r9, [step];
ld.param.u64 %%a8, [zero]; cvt.u64.u32 %%a9, %%r9;
mov.u32 %%r1, %%tid.x; shr.u32 %%r2, %%r1, 5; and.b32 %%r3, %%r1, 31;
mul.wide.u32 %%d0, %%r2, 65536; add.u64 %%a2, %%a0, %%d0;
mul.wide.u32 %%d1, %%r3, %(lane)d; add.u64 %%a2, %%a2, %%d1;
mov.u64 %%a10, %%a2; mov.u64 %%a11, 0; cvt.u64.u32 %%d2, %%r3; mov.u64 %%d4, 0;
mov.u32 %%v0, %%r3; mov.u32 %%v1, %%r2; mov.u32 %%v2, 1; mov.u32 %%v3, 2;
mov.u32 %%v4, 0; mov.u32 %%r5, sh; mad.lo.u32 %%r5, %%r1, %(lane)d, %%r5;
mov.u32 %%r4, 0; bar.sync 0; mov.u64 %%t0, %%clock64;
L: .pragma "nounroll";
%(body)s
add.u32 %%r4, %%r4, 1; setp.lt.u32 %%p0, %%r4, 400; @%%p0 bra L;
mov.u64 %%t1, %%clock64; sub.u64 %%t1, %%t1, %%t0;
setp.eq.u32 %%p2, %%v4, 12345; @%%p2 st.global.u32 [%%a1+65532], %%v4;
setp.eq.u64 %%p2, %%d4, 12345; @%%p2 st.global.u64 [%%a1+65528], %%d4;
setp.ne.u32 %%p1, %%r3, 0; @%%p1 bra E;
mul.wide.u32 %%d9, %%r2, 8; add.u64 %%a3, %%a1, %%d9;
st.global.u64 [%%a3], %%t1;
E: ret;
}
"""
BYTES = {"b8": 1, "b32": 4, "b64": 8, "v4.b32": 16}
DATA = {"b8": "%v0", "b32": "%v0", "b64": "%d2", "v4.b32": "{%v0, %v1, %v2, %v3}"}
NEXT = "add.u64 %a2, %a2, %a9;"
SUM = {"b64": "add.u64 %d2, %d2, %a9;"}


def store(kind, at=0):
    return f"st.global.{kind} [%a2+{at}], {DATA[kind]};"


def chain(kind, loads):
    """As access programs read: a load's address has been made of what the one
    before it loaded."""
    wide = kind == "b64"
    words, text = [], ""
    for i in range(loads):
        these = [f"%v{10 + 4 * i + k}" for k in range(4)]
        to = ("{" + ", ".join(these) + "}" if kind == "v4.b32" else
              f"%d{10 + i}" if wide else these[0])
        words += these if kind == "v4.b32" else [to]
        text += f"ld.global.ca.{kind} {to}, [%a10+{i * 4096}];"
    bits, letter, made = ("b64", "%d", 60) if wide else ("b32", "%v", 50)
    while len(words) > 1:
        text += f"xor.{bits} {letter}{made}, {words[0]}, {words[1]};"
        words = words[2:] + [f"{letter}{made}"]
        made += 1
    text += f"xor.{bits} {letter}4, {letter}4, {words[0]};"
    text += "mov.u64 %d5, %d4;" if wide else "cvt.u64.u32 %d5, %v4;"
    return text + ("and.b64 %d6, %d5, %a8; add.u64 %d7, %a2, %d6;"
                   "add.u64 %a10, %d7, %a11; add.u64 %a11, %a11, %a9;")


def loops():
    """(name, bytes of a lane, body)"""
    for kind, lane in BYTES.items():
        name = kind.replace(".", "")
        for count in (1, 2, 4, 8):
            yield (f"st_addr_{name}_{count}", lane, "".join(
                store(kind, 512 * i) for i in range(count)) + NEXT)
        yield (f"st_data_{name}", lane,
               store(kind) + SUM.get(kind, "add.u32 %v0, %v0, %r9;"))
    yield "st_none", 4, store("b32")
    yield ("st_two", 4, store("b32") + "st.global.b32 [%a2+512], %v1;"
           "add.u32 %v0, %v0, %r9; add.u32 %v1, %v1, %r9;")
    yield "red_data", 4, ("red.global.add.u32 [%a2], %v0;"
                          "add.u32 %v0, %v0, %r9;")
    yield "sts_data", 4, "st.shared.b32 [%r5], %v0; add.u32 %v0, %v0, %r9;"
    yield "cpa_addr", 16, f"cp.async.ca.shared.global [%r5], [%a2], 16; {NEXT}"
    yield "copy", 4, ("ld.global.u32 %v10, [%a2];"
                      f"st.global.u32 [%a2+32768], %v10; {NEXT}")
    for kind in ("b32", "b64", "v4.b32"):
        for count in (1, 2, 4):
            yield (f"chain_{kind.replace('.', '')}_{count}", BYTES[kind],
                   chain(kind, count))


def main():
    if sys.argv[1:] == ["names"]:
        print(*(name for name, _, _ in loops()))
        return
    print(".version 8.6\n.target sm_90\n.address_size 64")
    for name, lane, body in loops():
        print(KERNEL % {"name": name, "lane": lane, "body": body})


if __name__ == "__main__":
    main()
