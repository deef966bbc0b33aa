#!/usr/bin/env python3
"""Traces of small jobs of tests/kernels, as Accel-Sim's tracer would write
them: from the SASS that Nsight Compute showed of them on an H200
(results/kernels/sass.tsv.gz) and the addresses that each line accesses.

usage: sass_traces.py SASS.tsv OUT KERNEL...
KERNEL: triad daxpy transpose_naive transpose_tiled dequantize gemm_tiled
"""
import csv
import os
import re
import sys

LANES = 32
FIRST, SECOND, THIRD = (0x7f0000000000 + n * (64 << 20) for n in range(3))
MEMORY = ("LDG", "STG", "LDS", "STS")
NO_RESULT = ("STG", "STS", "EXIT", "BAR", "BRA")


def read_sass(path):
    """{kernel: {pc: its SASS}}"""
    code = {}
    with open(path) as source:
        for row in csv.DictReader(source, delimiter="\t"):
            code.setdefault(row["kernel"], {})[int(row["pc"], 16)] = row["sass"]
    return code


def registers(text):
    return [int(r) for r in re.findall(r"(?<![A-Z_])R(\d+)", text)]


def line_of(pc, sass, mask, addresses):
    opcode, _, rest = re.sub(r"^@!?\w+\s+", "", sass).partition(" ")
    operands = [o.strip() for o in rest.split(",")] if rest else []
    written, read = [], []
    for i, operand in enumerate(operands):
        result = i == 0 and opcode.split(".")[0] not in NO_RESULT and \
            re.match(r"R\d+$", operand)
        (written if result else read).extend(registers(operand))
    memory = "0"
    if addresses:
        width = 16 if ".128" in opcode else 8 if ".64" in opcode else 4
        step = addresses[1] - addresses[0]
        if all(b - a == step for a, b in zip(addresses, addresses[1:])):
            memory = f"{width} 1 0x{addresses[0]:x} {step}"
        else:
            memory = f"{width} 0 " + " ".join(f"0x{a:x}" for a in addresses)
    words = [f"{pc:04x}", mask, str(len(written))] + \
        [f"R{r}" for r in written] + [opcode, str(len(read))] + \
        [f"R{r}" for r in read] + [memory, "0"]
    return " ".join(words)


def write(out, code, name, grid, block, shared, nregs, order, address,
          not_taken=()):
    """`order`: the PCs of a warp; `address` of (pc, how often it was executed
    before, block x, y, thread x, y)."""
    folder = os.path.join(out, name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "kernelslist.g"), "w") as names:
        names.write("kernel-1.traceg\n")
    with open(os.path.join(folder, "kernel-1.traceg"), "w") as trace:
        trace.write(f"-kernel name = {name}\n"
                    f"-grid dim = ({grid[0]},{grid[1]},1)\n"
                    f"-block dim = ({block[0]},{block[1]},1)\n"
                    f"-shmem = {shared}\n-nregs = {nregs}\n"
                    "-accelsim tracer version = 5\n")
        for y in range(grid[1]):
            for x in range(grid[0]):
                trace.write(f"\nthread block = {x},{y},0\n")
                for warp in range(block[0] * block[1] // LANES):
                    lines, seen = [], {}
                    for pc in order:
                        nth = seen.get(pc, 0)
                        seen[pc] = nth + 1
                        sass = code[name][pc]
                        off = sass.startswith("@") and (
                            "EXIT" in sass or pc in not_taken or
                            (pc, nth) in not_taken)
                        addresses = [
                            address(pc, nth, x, y, t % block[0], t // block[0])
                            for t in range(warp * LANES, (warp + 1) * LANES)
                        ] if any(m in sass for m in MEMORY) else None
                        lines.append(line_of(
                            pc, sass, "00000000" if off else "ffffffff",
                            addresses))
                    trace.write(f"warp = {warp}\ninsts = {len(lines)}\n" +
                                "\n".join(lines) + "\n")


def span(first, last):
    return list(range(first, last + 16, 16))


# ---- the kernels ----

def triad(out, code):
    of = {224: FIRST, 256: SECOND, 304: THIRD}
    write(out, code, "triad", (4096, 1), (256, 1), 0, 16, span(0, 320),
          lambda pc, n, bx, by, x, y: of[pc] + 4 * (bx * 256 + x))


def daxpy(out, code):
    of = {208: FIRST, 240: SECOND, 272: SECOND}
    write(out, code, "daxpy", (4096, 1), (256, 1), 0, 16, span(0, 288),
          lambda pc, n, bx, by, x, y: of[pc] + 8 * (bx * 256 + x))


def transpose_naive(out, code):
    write(out, code, "transpose_naive", (32, 128), (32, 8), 0, 16,
          span(0, 416), lambda pc, n, bx, by, x, y:
          FIRST + 4 * ((by * 8 + y) * 1024 + bx * 32 + x) if pc == 336 else
          SECOND + 4 * ((bx * 32 + x) * 1024 + by * 8 + y))


def dequantize(out, code):
    def address(pc, n, bx, by, x, y):
        i = bx * 256 + x
        return {240: FIRST + 4 * i, 288: SECOND + 4 * (i // 4),
                912: THIRD + 32 * i, 928: THIRD + 32 * i + 16}[pc]
    write(out, code, "dequantize", (2048, 1), (256, 1), 0, 22, span(0, 944),
          address)


def transpose_tiled(out, code):
    rows, columns, tile = 2048, 1024, 32

    def address(pc, n, bx, by, x, y):
        part = [pcs.index(pc) for pcs in (
            [288, 320, 352, 368], [592, 608, 624, 640], [672, 688, 704, 720],
            [768, 784, 800, 816]) if pc in pcs][0]
        if pc <= 368:
            return FIRST + 4 * ((by * tile + y + 8 * part) * columns +
                                bx * tile + x)
        if pc <= 640:
            return 0x84 * y + 4 * x + 0x420 * part
        if pc <= 720:
            return 0x84 * x + 4 * y + 0x20 * part
        return SECOND + 4 * ((bx * tile + y + 8 * part) * rows + by * tile + x)
    write(out, code, "transpose_tiled", (columns // tile, rows // tile),
          (32, 8), 4224, 26, span(0, 832), address)


def gemm_tiled(out, code):
    size = 256
    column_part = {592: 0, 640: 1, 1136: 2, 1744: 3}

    def address(pc, n, bx, by, x, y):
        row, column = by * 16 + y, bx * 16 + x
        base, offset = re.search(r"\[R(\d+)(?:\.64)?(?:\+0x([0-9a-f]+))?\]",
                                 code["gemm_tiled"][pc]).groups()
        offset = int(offset or "0", 16)
        if "STG" in code["gemm_tiled"][pc]:
            return THIRD + 4 * (row * size + column)
        if pc in column_part:
            k = n * 64 + column_part[pc] * 16 + y
            return SECOND + 4 * (k * size + column)
        return {14: FIRST + 4 * (row * size + n * 64 + x) + offset,
                20: 64 * y + 4 * x, 19: 1024 + 64 * y + 4 * x,
                18: 64 * y + offset, 16: 1024 + 4 * x + offset}[int(base)]
    write(out, code, "gemm_tiled", (16, 16), (16, 16), 2048, 32,
          span(0, 560) + 4 * span(576, 3392) + span(3408, 3440) +
          [4896, 4912] + span(5600, 5680), address,
          not_taken={160, 528, (3392, 3)})


KERNELS = {f.__name__: f for f in (triad, daxpy, transpose_naive,
                                   transpose_tiled, dequantize, gemm_tiled)}


def main(words):
    if len(words) < 3 or not set(words[2:]) <= set(KERNELS):
        raise SystemExit(__doc__)
    code = read_sass(words[0])
    for name in words[2:]:
        KERNELS[name](words[1], code)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
