"""Kernels as their users write them in Triton: half of the functions that
triton_functions.py records. A row of each list below: name, kind, function."""
import torch
import triton
import triton.language as tl

F32, F16, BF16, F64 = torch.float32, torch.float16, torch.bfloat16, torch.float64
I32, I64, I16, U8 = torch.int32, torch.int64, torch.int16, torch.uint8
E4M3, E5M2 = torch.float8_e4m3fn, torch.float8_e5m2


# ---- elementwise, with masks ----

@triton.jit
def add(x, y, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    tl.store(o + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)


@triton.jit
def silu(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    v = tl.load(x + i, mask=m).to(tl.float32)
    tl.store(o + i, (v * tl.sigmoid(v)).to(o.dtype.element_ty), mask=m)


@triton.jit
def gelu(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    v = tl.load(x + i, mask=m, other=0.0)
    tl.store(o + i, v * 0.5 * (1.0 + tl.erf(v * 0.7071067811865476)), mask=m)


@triton.jit
def clamp_integers(x, o, low, high, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    v = tl.load(x + i, mask=m, other=0)
    v = tl.minimum(tl.maximum(v, low), high)
    tl.store(o + i, v // 3 + v % 5, mask=m)


@triton.jit
def choose(x, y, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    a = tl.load(x + i, mask=m).to(tl.float32)
    b = tl.load(y + i, mask=m).to(tl.float32)
    tl.store(o + i, tl.where(a > b, a, b * 0.5).to(o.dtype.element_ty), mask=m)


@triton.jit
def scale(x, s, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    v = tl.load(x + i, mask=m).to(tl.float32) * tl.load(s)
    tl.store(o + i, v.to(o.dtype.element_ty), mask=m)


@triton.jit
def polynomial(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    v = tl.load(x + i, mask=m, other=0.0)
    r = v * 0.25 + 0.5
    for k in range(6):
        r = r * v + 1.0 / (k + 1)
    tl.store(o + i, r, mask=m)


@triton.jit
def bits(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    v = tl.load(x + i, mask=m, other=0).to(tl.int32) & 255
    v = (v ^ (v >> 3)) * 37 + (v << 2 | 1)
    tl.store(o + i, v.to(o.dtype.element_ty), mask=m)


@triton.jit
def axpy(x, y, o, a, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    v = a * tl.load(x + i, mask=m).to(tl.float32)
    v += tl.load(y + i, mask=m).to(tl.float32)
    tl.store(o + i, v.to(o.dtype.element_ty), mask=m)


@triton.jit
def bias_2d(x, b, o, M, N, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    c = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    m = (r < M) & (c < N)
    v = tl.load(x + r * N + c, mask=m, other=0.0).to(tl.float32)
    v += tl.load(b + c, mask=c < N, other=0.0).to(tl.float32)
    tl.store(o + r * N + c, tl.maximum(v, 0.0).to(o.dtype.element_ty), mask=m)


@triton.jit
def dropout(x, o, p, seed, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    keep = tl.rand(seed, i) > p
    v = tl.load(x + i, mask=m, other=0.0)
    tl.store(o + i, tl.where(keep, v / (1 - p), 0.0), mask=m)


@triton.jit
def swiglu(a, b, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    x = tl.load(a + i, mask=m).to(tl.float32)
    y = tl.load(b + i, mask=m).to(tl.float32)
    tl.store(o + i, (x / (1 + tl.exp(-x)) * y).to(o.dtype.element_ty), mask=m)


# ---- reductions ----

@triton.jit
def row_sum(x, o, n, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * n + c, mask=c < n, other=0.0).to(tl.float32)
    tl.store(o + r, tl.sum(v, 0))


@triton.jit
def row_max(x, o, n, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * n + c, mask=c < n).to(tl.float32)
    v = tl.where(c < n, v, -float('inf'))
    tl.store(o + r, tl.max(v, 0).to(o.dtype.element_ty))


@triton.jit
def row_argmax(x, o, n, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * n + c, mask=c < n).to(tl.float32)
    v = tl.where(c < n, v, -float('inf'))
    tl.store(o + r, tl.argmax(v, 0))


@triton.jit
def row_variance(x, o, n, B: tl.constexpr):
    r = tl.program_id(0)
    s = tl.zeros([B], tl.float32)
    q = tl.zeros([B], tl.float32)
    for k in range(0, n, B):
        c = k + tl.arange(0, B)
        v = tl.load(x + r * n + c, mask=c < n, other=0.0).to(tl.float32)
        s += v
        q += v * v
    mean = tl.sum(s, 0) / n
    tl.store(o + r, tl.sum(q, 0) / n - mean * mean)


@triton.jit
def column_sum(x, o, M, N, BM: tl.constexpr, BN: tl.constexpr):
    c = tl.program_id(0) * BN + tl.arange(0, BN)
    s = tl.zeros([BN], tl.int32)
    for k in range(0, M, BM):
        r = k + tl.arange(0, BM)
        m = (r < M)[:, None] & (c < N)[None, :]
        s += tl.sum(tl.load(x + r[:, None] * N + c[None, :], mask=m, other=0), 0)
    tl.store(o + c, s, mask=c < N)


@triton.jit
def total(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.atomic_add(o, tl.sum(v, 0))
    tl.atomic_max(o + 1, tl.max(v, 0))
    tl.atomic_xor(o + 2, tl.xor_sum(v, 0))


# ---- scans and sorts ----

@triton.jit
def prefix_sum(x, o, n, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * n + c, mask=c < n, other=0)
    tl.store(o + r * n + c, tl.cumsum(v, 0), mask=c < n)


@triton.jit
def prefix_product(x, o, n, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * n + c, mask=c < n, other=1.0).to(tl.float32)
    p = tl.cumprod(v, 0)
    tl.store(o + r * n + c, p.to(o.dtype.element_ty), mask=c < n)


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def prefix_max(x, o, n, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * n + c, mask=c < n).to(tl.float32)
    v = tl.where(c < n, v, -float('inf'))
    s = tl.associative_scan(v, 0, larger)
    tl.store(o + r * n + c, s.to(o.dtype.element_ty), mask=c < n)


@triton.jit
def follow(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def recurrence(x, g, o, n, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    a = tl.load(g + r * n + c, mask=m, other=1.0).to(tl.float32)
    b = tl.load(x + r * n + c, mask=m, other=0.0).to(tl.float32)
    _, h = tl.associative_scan((a, b), 0, follow)
    tl.store(o + r * n + c, h.to(o.dtype.element_ty), mask=m)


@triton.jit
def sort_rows(x, o, n, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * n + c, mask=c < n, other=2147483647)
    tl.store(o + r * n + c, tl.sort(v, 0), mask=c < n)


@triton.jit
def sort_floats(x, o, n, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * n + c, mask=c < n, other=float('inf')).to(tl.float32)
    s = tl.sort(v, 0)
    tl.store(o + r * n + c, s.to(o.dtype.element_ty), mask=c < n)


# ---- gathers and scatters ----

@triton.jit
def embed(w, ix, o, D, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < D
    row = tl.load(ix + r).to(tl.int64)
    tl.store(o + r * D + c, tl.load(w + row * D + c, mask=m), mask=m)


@triton.jit
def take(x, ix, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    j = tl.load(ix + i, mask=m, other=0)
    tl.store(o + i, tl.load(x + j, mask=m & (j >= 0), other=-1.0), mask=m)


@triton.jit
def scatter_add(x, ix, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    j = tl.load(ix + i, mask=m, other=0)
    tl.atomic_add(o + j, tl.load(x + i, mask=m, other=0), mask=m)


@triton.jit
def scatter(x, ix, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    tl.store(o + tl.load(ix + i, mask=m), tl.load(x + i, mask=m), mask=m)


@triton.jit
def transpose(x, o, M, N, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    v = tl.load(x + r[:, None] * N + c[None, :],
                mask=(r < M)[:, None] & (c < N)[None, :])
    tl.store(o + c[:, None] * M + r[None, :], tl.trans(v),
             mask=(c < N)[:, None] & (r < M)[None, :])


@triton.jit
def histogram(x, o, n, B: tl.constexpr, K: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    h = tl.histogram(tl.load(x + i), K)
    tl.atomic_add(o + tl.arange(0, K), h)


# ---- norms and losses ----

@triton.jit
def rms_norm(x, w, o, n, eps, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + r * n + c, mask=m, other=0.0).to(tl.float32)
    s = 1 / tl.sqrt(tl.sum(v * v, 0) / n + eps)
    v = v * s * tl.load(w + c, mask=m, other=0.0).to(tl.float32)
    tl.store(o + r * n + c, v.to(o.dtype.element_ty), mask=m)


@triton.jit
def layer_norm(x, w, b, o, n, eps, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + r * n + c, mask=m, other=0.0).to(tl.float32)
    mean = tl.sum(v, 0) / n
    d = tl.where(m, v - mean, 0.0)
    s = tl.rsqrt(tl.sum(d * d, 0) / n + eps)
    v = d * s * tl.load(w + c, mask=m, other=0.0).to(tl.float32)
    v += tl.load(b + c, mask=m, other=0.0).to(tl.float32)
    tl.store(o + r * n + c, v.to(o.dtype.element_ty), mask=m)


@triton.jit
def softmax(x, o, n, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + r * n + c, mask=m).to(tl.float32)
    v = tl.where(m, v, -float('inf'))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(o + r * n + c, (e / tl.sum(e, 0)).to(o.dtype.element_ty), mask=m)


@triton.jit
def cross_entropy(x, t, o, n, B: tl.constexpr):
    r = tl.program_id(0)
    mx = -float('inf')
    s = 0.0
    for k in range(0, n, B):
        c = k + tl.arange(0, B)
        v = tl.load(x + r * n + c, mask=c < n, other=-float('inf'))
        v = v.to(tl.float32)
        new = tl.maximum(mx, tl.max(v, 0))
        s = s * tl.exp(mx - new) + tl.sum(tl.exp(v - new), 0)
        mx = new
    hit = tl.load(x + r * n + tl.load(t + r)).to(tl.float32)
    tl.store(o + r, tl.log(s) + mx - hit)


@triton.jit
def huber(x, y, o, n, delta, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    d = tl.load(x + i, mask=m, other=0.0).to(tl.float32)
    d = tl.abs(d - tl.load(y + i, mask=m, other=0.0).to(tl.float32))
    v = tl.where(d < delta, 0.5 * d * d, delta * (d - 0.5 * delta))
    tl.store(o + tl.program_id(0), tl.sum(v, 0))


@triton.jit
def quantise(x, o, s, n, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * n + c, mask=c < n).to(tl.float32)
    v = tl.where(c < n, v, 0.0)
    a = tl.maximum(tl.max(tl.abs(v), 0) / 448.0, 1e-12)
    tl.store(s + r, a)
    tl.store(o + r * n + c, (v / a).to(o.dtype.element_ty), mask=c < n)


# ---- what is recorded ----

def floats(*shape, dtype=F32):
    return torch.randn(*shape, device='cuda').to(dtype)


def whole(low, high, *shape, dtype=I32):
    return torch.randint(low, high, shape, device='cuda', dtype=I64).to(dtype)


def empty(*shape, dtype=F32):
    return torch.zeros(*shape, device='cuda', dtype=dtype)


def plain(kernel, n, block, inputs, out, scalars=(), **options):
    """A launch of blocks of `block` elements of n: inputs, out, scalars, n."""
    return (kernel, (triton.cdiv(n, block),),
            (*inputs, out, *scalars, n), dict(B=block, **options))


def rows(kernel, count, n, block, before, after=(), **options):
    """A block a row of n elements; `before` stands before n, `after` behind."""
    return kernel, (count,), (*before, n, *after), dict(B=block, **options)


def tiles(kernel, m, n, bm, bn, arguments, **options):
    grid = (triton.cdiv(m, bm), triton.cdiv(n, bn))
    return kernel, grid, (*arguments, m, n), dict(BM=bm, BN=bn, **options)


TRITON = [
    ('add_f32', 'elementwise', lambda: plain(
        add, 5001, 1024, (floats(5001), floats(5001)), empty(5001))),
    ('add_bf16', 'elementwise', lambda: plain(
        add, 8192, 1024, (floats(8192, dtype=BF16), floats(8192, dtype=BF16)),
        empty(8192, dtype=BF16))),
    ('silu_bf16', 'elementwise', lambda: plain(
        silu, 4099, 512, (floats(4099, dtype=BF16),), empty(4099, dtype=BF16))),
    ('gelu_f32', 'elementwise', lambda: plain(
        gelu, 4096, 512, (floats(4096),), empty(4096))),
    ('clamp_s32', 'elementwise', lambda: plain(
        clamp_integers, 3333, 256, (whole(-9999, 9999, 3333),),
        empty(3333, dtype=I32), (-5000, 6000))),
    ('choose_e4m3', 'elementwise', lambda: plain(
        choose, 6000, 1024, (floats(6000, dtype=E4M3), floats(6000, dtype=E4M3)),
        empty(6000, dtype=E4M3), num_warps=8)),
    ('scale_e5m2', 'elementwise', lambda: plain(
        scale, 4096, 1024, (floats(4096, dtype=E5M2), floats(1)),
        empty(4096, dtype=E5M2))),
    ('polynomial_f64', 'elementwise', lambda: plain(
        polynomial, 2047, 256, (floats(2047, dtype=F64),), empty(2047, dtype=F64))),
    ('bits_u8', 'elementwise', lambda: plain(
        bits, 5000, 1024, (whole(0, 256, 5000, dtype=U8),), empty(5000, dtype=I16))),
    ('axpy_f16_bf16', 'elementwise', lambda: plain(
        axpy, 7777, 1024, (floats(7777, dtype=F16), floats(7777, dtype=BF16)),
        empty(7777, dtype=BF16), (1.7,))),
    ('bias_2d_bf16', 'elementwise', lambda: tiles(
        bias_2d, 61, 77, 16, 32, (floats(61, 77, dtype=BF16),
        floats(77, dtype=BF16), empty(61, 77, dtype=BF16)))),
    ('dropout_f32', 'elementwise', lambda: plain(
        dropout, 4096, 512, (floats(4096),), empty(4096), (0.3, 1234))),
    ('swiglu_e4m3', 'elementwise', lambda: plain(
        swiglu, 4000, 512, (floats(4000, dtype=BF16), floats(4000, dtype=E4M3)),
        empty(4000, dtype=BF16))),
    ('row_sum_f32', 'reduction', lambda: rows(
        row_sum, 12, 500, 512, (floats(12, 500), empty(12)))),
    ('row_max_bf16', 'reduction', lambda: rows(
        row_max, 9, 1024, 1024, (floats(9, 1024, dtype=BF16),
        empty(9, dtype=BF16)))),
    ('row_argmax_e5m2', 'reduction', lambda: rows(
        row_argmax, 9, 700, 1024, (floats(9, 700, dtype=E5M2),
        empty(9, dtype=I32)))),
    ('row_variance_bf16', 'reduction', lambda: rows(
        row_variance, 8, 1500, 512, (floats(8, 1500, dtype=BF16), empty(8)))),
    ('column_sum_s32', 'reduction', lambda: (
        column_sum, (triton.cdiv(100, 32),), (whole(-999, 999, 90, 100),
        empty(100, dtype=I32), 90, 100), dict(BM=16, BN=32))),
    ('total_s32', 'reduction', lambda: plain(
        total, 8192, 1024, (whole(-9999, 9999, 8192),), empty(4, dtype=I32))),
    ('prefix_sum_s32', 'scan', lambda: rows(
        prefix_sum, 6, 1000, 1024, (whole(-99, 99, 6, 1000),
        empty(6, 1000, dtype=I32)))),
    ('prefix_product_bf16', 'scan', lambda: rows(
        prefix_product, 8, 256, 256, ((1 + 0.1 * floats(8, 256)).to(BF16),
        empty(8, 256, dtype=BF16)))),
    ('prefix_max_e4m3', 'scan', lambda: rows(
        prefix_max, 6, 509, 512, (floats(6, 509, dtype=E4M3),
        empty(6, 509, dtype=BF16)))),
    ('recurrence_f32', 'scan', lambda: rows(
        recurrence, 6, 400, 512, (floats(6, 400), torch.rand(6, 400,
        device='cuda'), empty(6, 400)))),
    ('sort_s32', 'sort', lambda: rows(
        sort_rows, 6, 256, 256, (whole(-9999, 9999, 6, 256),
        empty(6, 256, dtype=I32)))),
    ('sort_bf16', 'sort', lambda: rows(
        sort_floats, 5, 200, 256, (floats(5, 200, dtype=BF16),
        empty(5, 200, dtype=BF16)))),
    ('embed_bf16', 'gather', lambda: (
        embed, (24,), (floats(100, 200, dtype=BF16), whole(0, 100, 24, dtype=I64),
        empty(24, 200, dtype=BF16), 200), dict(B=256))),
    ('take_f32', 'gather', lambda: plain(
        take, 3001, 512, (floats(2000), whole(-200, 2000, 3001)), empty(3001))),
    ('scatter_add_s32', 'scatter', lambda: plain(
        scatter_add, 4096, 512, (whole(-99, 99, 4096), whole(0, 50, 4096)),
        empty(50, dtype=I32))),
    ('scatter_e4m3', 'scatter', lambda: plain(
        scatter, 2500, 512, (floats(2500, dtype=E4M3),
        torch.randperm(2500, device='cuda')), empty(2500, dtype=E4M3))),
    ('transpose_bf16', 'scatter', lambda: tiles(
        transpose, 70, 90, 32, 32, (floats(70, 90, dtype=BF16),
        empty(90, 70, dtype=BF16)))),
    ('histogram_s32', 'scatter', lambda: plain(
        histogram, 4096, 512, (whole(0, 64, 4096),), empty(64, dtype=I32), K=64)),
    ('rms_norm_bf16', 'norm', lambda: rows(
        rms_norm, 8, 700, 1024, (floats(8, 700, dtype=BF16),
        floats(700, dtype=BF16), empty(8, 700, dtype=BF16)), (1e-5,))),
    ('layer_norm_f32', 'norm', lambda: rows(
        layer_norm, 8, 1024, 1024, (floats(8, 1024), floats(1024), floats(1024),
        empty(8, 1024)), (1e-5,))),
    ('softmax_e4m3', 'norm', lambda: rows(
        softmax, 8, 500, 512, (floats(8, 500, dtype=E4M3),
        empty(8, 500, dtype=BF16)))),
    ('cross_entropy_bf16', 'loss', lambda: rows(
        cross_entropy, 8, 1100, 512, (floats(8, 1100, dtype=BF16),
        whole(0, 1100, 8, dtype=I64), empty(8)))),
    ('huber_f32', 'loss', lambda: (
        huber, (8,), (floats(4096), floats(4096), empty(8), 4096, 0.8),
        dict(B=512))),
    ('quantise_e4m3', 'norm', lambda: rows(
        quantise, 8, 600, 1024, (floats(8, 600, dtype=BF16),
        empty(8, 600, dtype=E4M3), empty(8)))),
]
