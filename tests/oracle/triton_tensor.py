"""Products and attention as users of Triton write them: by descriptors of tensors, by
clusters, by specialised warps. triton_functions.py records them with --templates. A row
of the list: name, what makes a launch."""
import torch
import triton
import triton.language as tl

from triton_kernels import BF16, E4M3, E5M2, F16, F32, I32, empty, floats, whole

I8 = torch.int8


def scratch(size, alignment, stream):
    return torch.zeros(size, dtype=I8, device='cuda')


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           ACC: tl.constexpr = tl.float32, TF32: tl.constexpr = 'tf32',
           IMPRECISE: tl.constexpr = None):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    s = tl.zeros([BM, BN], ACC)
    for at in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (at + k)[None, :],
                    mask=(m < M)[:, None] & (at + k < K)[None, :], other=0.0)
        y = tl.load(b + (at + k)[:, None] * N + n[None, :],
                    mask=(at + k < K)[:, None] & (n < N)[None, :], other=0.0)
        s = tl.dot(x, y, s, input_precision=TF32, max_num_imprecise_acc=IMPRECISE,
                   out_dtype=ACC)
    tl.store(c + m[:, None] * N + n[None, :], s.to(c.dtype.element_ty),
             mask=(m < M)[:, None] & (n < N)[None, :])


@triton.jit
def boxes(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
          WS: tl.constexpr = False, T: tl.constexpr = False):
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    if T:
        db = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK])
    else:
        db = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    m = tl.program_id(0) * BM
    n = tl.program_id(1) * BN
    s = tl.zeros([BM, BN], tl.float32)
    for at in tl.range(0, K, BK, warp_specialize=WS):
        x = da.load([m, at])
        if T:
            s = tl.dot(x, db.load([n, at]).T, s)
        else:
            s = tl.dot(x, db.load([at, n]), s)
    dc.store([m, n], s.to(c.dtype.element_ty))


@triton.jit
def tiles(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
          WS: tl.constexpr = False, FLAT: tl.constexpr = False):
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    wide = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * wide, tl.num_programs(0),
                         flatten=FLAT, warp_specialize=WS):
        m = tile // wide * BM
        n = tile % wide * BN
        s = tl.zeros([BM, BN], tl.float32)
        for at in range(0, K, BK):
            s = tl.dot(da.load([m, at]), db.load([at, n]), s)
        dc.store([m, n], s.to(c.dtype.element_ty))


@triton.jit
def split(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    m = tl.program_id(0) * BM
    n = tl.program_id(1) * BN
    s = tl.zeros([BM, BN], tl.float32)
    for at in range(tl.program_id(2) * BK, K, BK * tl.num_programs(2)):
        s = tl.dot(da.load([m, at]), db.load([at, n]), s)
    dc.atomic_add([m, n], s.to(c.dtype.element_ty))


@triton.jit
def attend(q, k, v, o, L, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
           CAUSAL: tl.constexpr, BOXES: tl.constexpr = False,
           WS: tl.constexpr = False):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    base = tl.program_id(1) * L * D
    d = tl.arange(0, D)
    if BOXES:
        dk = tl.make_tensor_descriptor(k + base, [L, D], [D, 1], [BN, D])
        dv = tl.make_tensor_descriptor(v + base, [L, D], [D, 1], [BN, D])
    x = tl.load(q + base + m[:, None] * D + d[None, :])
    top = tl.full([BM], -float('inf'), tl.float32)
    total = tl.zeros([BM], tl.float32)
    s = tl.zeros([BM, D], tl.float32)
    last = (tl.program_id(0) + 1) * BM if CAUSAL else L
    for at in tl.range(0, last, BN, warp_specialize=WS):
        n = at + tl.arange(0, BN)
        if BOXES:
            y = dk.load([at, 0])
            z = dv.load([at, 0])
        else:
            y = tl.load(k + base + n[:, None] * D + d[None, :])
            z = tl.load(v + base + n[:, None] * D + d[None, :])
        w = tl.dot(x, y.T) * scale
        if CAUSAL:
            w = tl.where(m[:, None] >= n[None, :], w, -float('inf'))
        new = tl.maximum(top, tl.max(w, 1))
        p = tl.exp2(w - new[:, None])
        less = tl.exp2(top - new)
        total = total * less + tl.sum(p, 1)
        s = tl.dot(p.to(z.dtype), z, s * less[:, None])
        top = new
    tl.store(o + base + m[:, None] * D + d[None, :],
             (s / total[:, None]).to(o.dtype.element_ty))


@triton.jit
def batches(a, b, c, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
            K: tl.constexpr):
    i = tl.arange(0, B)[:, None, None]
    m = tl.arange(0, M)[None, :, None]
    n = tl.arange(0, N)[None, None, :]
    x = tl.load(a + (i * M + m) * K + tl.arange(0, K)[None, None, :])
    y = tl.load(b + (i * K + tl.arange(0, K)[None, :, None]) * N + n)
    tl.store(c + (i * M + m) * N + n, tl.dot(x, y))


@triton.jit
def scaled(a, sa, b, sb, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    g = tl.arange(0, K // 32)
    x = tl.load(a + m[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * N + n[None, :])
    u = tl.load(sa + m[:, None] * (K // 32) + g[None, :])
    w = tl.load(sb + n[:, None] * (K // 32) + g[None, :])
    tl.store(c + m[:, None] * N + n[None, :],
             tl.dot_scaled(x, u, 'e4m3', y, w, 'e4m3'))


def product(kernel, m, n, k, bm, bn, bk, dtype=BF16, out=F32, grid=None, flip=False,
            z=1, **options):
    a = floats(m, k).mul(0.5).to(dtype)
    b = (floats(n, k) if flip else floats(k, n)).mul(0.5).to(dtype)
    if dtype == I8:
        a, b = whole(-99, 99, m, k, dtype=I8), whole(-99, 99, k, n, dtype=I8)
    grid = grid or (triton.cdiv(m, bm), triton.cdiv(n, bn), z)
    return kernel, grid, (a, b, empty(m, n, dtype=out), m, n, k), dict(
        BM=bm, BN=bn, BK=bk, **options)


def whole_product(m, n, k, bm, bn, bk, z, **options):
    """Whole numbers, whose sums do not depend on their order."""
    a, b = whole(-4, 5, m, k).to(BF16), whole(-4, 5, k, n).to(BF16)
    return split, (triton.cdiv(m, bm), triton.cdiv(n, bn), z), (
        a, b, empty(m, n), m, n, k), dict(BM=bm, BN=bn, BK=bk, **options)


def attention(h, l, d, bm, bn, causal, dtype=BF16, **options):
    x = [floats(h, l, d).mul(0.5).to(dtype) for _ in range(3)]
    return attend, (l // bm, h), (*x, empty(h, l, d, dtype=dtype), l, 0.18), dict(
        D=d, BM=bm, BN=bn, CAUSAL=causal, **options)


def scales(m, k):
    return whole(120, 132, m, k // 32, dtype=torch.uint8)


TENSOR = [
    ('matmul_pair', lambda: product(matmul, 256, 256, 192, 128, 128, 64, num_ctas=2)),
    ('matmul_four', lambda: product(matmul, 256, 256, 128, 128, 256, 64, num_ctas=4,
                                    num_warps=8)),
    ('matmul_odd_pair', lambda: product(matmul, 200, 150, 100, 128, 64, 32, num_ctas=2)),
    ('matmul_f16_sums', lambda: product(matmul, 128, 128, 256, 64, 128, 64, dtype=F16,
                                        out=F16, ACC=tl.float16)),
    ('matmul_e4m3', lambda: product(matmul, 128, 128, 256, 64, 64, 128, dtype=E4M3,
                                    IMPRECISE=1 << 30)),
    ('matmul_e4m3_precise', lambda: product(matmul, 128, 128, 256, 64, 64, 128,
                                            dtype=E4M3, IMPRECISE=32)),
    ('matmul_e5m2', lambda: product(matmul, 128, 128, 128, 64, 128, 64, dtype=E5M2,
                                    num_warps=8)),
    ('matmul_s8', lambda: product(matmul, 128, 128, 128, 64, 64, 64, dtype=I8, out=I32,
                                  ACC=tl.int32)),
    ('matmul_tf32', lambda: product(matmul, 128, 128, 128, 64, 64, 32, dtype=F32)),
    ('matmul_tf32x3', lambda: product(matmul, 128, 64, 64, 64, 64, 32, dtype=F32,
                                      TF32='tf32x3')),
    ('matmul_small_tiles', lambda: product(matmul, 96, 80, 112, 16, 16, 16)),
    ('boxes', lambda: product(boxes, 256, 256, 256, 128, 128, 64)),
    ('boxes_8_warps', lambda: product(boxes, 256, 256, 192, 128, 256, 64, num_warps=8,
                                      num_stages=2)),
    ('boxes_turned', lambda: product(boxes, 128, 256, 256, 64, 128, 64, flip=True,
                                     T=True)),
    ('boxes_odd', lambda: product(boxes, 200, 136, 104, 64, 64, 32, out=BF16)),
    ('boxes_e4m3', lambda: product(boxes, 128, 128, 256, 64, 128, 128, dtype=E4M3,
                                   flip=True, T=True)),
    ('boxes_pair', lambda: product(boxes, 256, 256, 128, 128, 128, 64, num_ctas=2)),
    ('boxes_warps', lambda: product(boxes, 256, 256, 256, 128, 128, 64, WS=True)),
    ('boxes_8_and_warps', lambda: product(boxes, 256, 256, 256, 128, 128, 64, WS=True,
                                          num_warps=8)),
    ('tiles', lambda: product(tiles, 384, 256, 128, 128, 64, 64, grid=(5,))),
    ('tiles_flat', lambda: product(tiles, 384, 256, 128, 128, 64, 64, grid=(5,),
                                   FLAT=True)),
    ('tiles_warps', lambda: product(tiles, 384, 256, 128, 128, 128, 64, grid=(4,),
                                    WS=True)),
    ('split', lambda: whole_product(128, 128, 512, 64, 64, 64, 4)),
    ('split_8_warps', lambda: whole_product(128, 256, 256, 128, 128, 32, 2,
                                            num_warps=8)),
    ('attention', lambda: attention(2, 256, 64, 64, 64, False)),
    ('attention_causal', lambda: attention(2, 256, 64, 128, 64, True, num_warps=8)),
    ('attention_f16_128', lambda: attention(1, 256, 128, 64, 64, True, dtype=F16)),
    ('attention_boxes', lambda: attention(2, 256, 64, 128, 64, False, BOXES=True)),
    ('attention_boxes_causal', lambda: attention(2, 256, 64, 64, 32, True, BOXES=True)),
    ('attention_warps', lambda: attention(2, 256, 64, 128, 64, False, BOXES=True,
                                          WS=True, num_warps=8)),
    ('big_pair', lambda: product(matmul, 512, 512, 512, 128, 256, 64, num_ctas=2,
                                 num_warps=8)),
    ('big_boxes_pair', lambda: product(boxes, 512, 512, 512, 128, 256, 64, num_ctas=2,
                                       num_warps=8)),
    ('big_tiles_warps', lambda: product(tiles, 640, 512, 512, 128, 128, 64,
                                        grid=(7,), WS=True, num_warps=8)),
    ('big_tiles_pair', lambda: product(tiles, 512, 512, 256, 128, 128, 64, grid=(12,),
                                       num_ctas=2)),
    ('big_split', lambda: whole_product(512, 512, 1024, 128, 128, 64, 4, num_ctas=2)),
    ('big_attention', lambda: attention(2, 1024, 128, 128, 64, True, BOXES=True,
                                        num_warps=8)),
    ('big_attention_pair', lambda: attention(2, 1024, 64, 128, 64, False,
                                             num_ctas=2)),
    ('batches', lambda: (batches, (1,), (floats(4, 16, 32).to(F16),
                                         floats(4, 32, 16).to(F16), empty(4, 16, 16)),
                         dict(B=4, M=16, N=16, K=32))),
    ('scaled', lambda: (scaled, (1,), (floats(64, 64).to(E4M3), scales(64, 64),
                                       floats(64, 64).to(E4M3), scales(64, 64),
                                       empty(64, 64)), dict(M=64, N=64, K=64))),
]
