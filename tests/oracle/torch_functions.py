"""Functions that a graph compiler makes kernels of: the other half of what
triton_functions.py records. A row of the list: name, kind, function, inputs."""
import torch
import torch.nn.functional as F

from triton_kernels import (BF16, E4M3, E5M2, F16, F64, I16, I32, I64,
                            floats, whole)


def masked(x, keep):
    return torch.where(keep, torch.tanh(x), -x)


def edges(x):
    """A mask of places: a band of a square."""
    r = torch.arange(x.shape[0], device=x.device)[:, None]
    c = torch.arange(x.shape[1], device=x.device)[None, :]
    return torch.where((r - c).abs() < 20, x * 2, torch.zeros_like(x))


def to_e4m3(x, s):
    return (x.float() * s).clamp(-448, 448).to(E4M3)


def from_e5m2(x, y):
    return (x.to(BF16) * 3 + y).to(BF16)


def both_e4m3(x, y):
    return (x.float() * torch.sigmoid(y.float())).to(E4M3)


def integers(x, y):
    return torch.where(y != 0, x // torch.where(y == 0, 1, y), x ^ 21) % 1000


def shorts(x):
    return ((x.to(I32) * 77 + 5) >> 2).to(I16)


def padded(x):
    return F.pad(x, (3, 5), value=1.5) * 2


def rotate_half(x, c, s):
    a, b = x.chunk(2, -1)
    return (x.float() * c + torch.cat((-b, a), -1).float() * s).to(x.dtype)


def masked_mean(x, m):
    return (x * m).sum(1) / m.sum(1).clamp(min=1)


def one_hot(x):
    return (x[:, None] == torch.arange(40, device=x.device)).to(I32).sum(0)


def put(x, i, v):
    out = x.clone()
    out[i] = v
    return out


def put_add(i, v):
    return torch.zeros(60, dtype=I32, device=v.device).index_add(0, i, v)


def scatter_columns(x, i):
    return torch.zeros_like(x).scatter(1, i, x * 2)


def causal(x):
    keep = torch.ones_like(x, dtype=torch.bool).tril()
    return torch.softmax(x.float().masked_fill(~keep, float('-inf')), -1).to(x.dtype)


def rms_norm(x, w):
    f = x.float()
    return (f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype) * w


def quantised(x):
    f = x.float()
    s = f.abs().amax(-1, keepdim=True).clamp(min=1e-6) / 448
    return (f / s).to(E4M3), s


def smooth(x, t):
    return F.cross_entropy(x.float(), t, label_smoothing=0.1)


def permutation(count):
    return torch.randperm(count, device='cuda')


def rows_permuted(m, n):
    return torch.stack([permutation(n) for _ in range(m)])


TORCH = [
    ('relu_add', 'elementwise', lambda x, y: F.relu(x + y),
     lambda: (floats(5003), floats(5003))),
    ('tanh_mask', 'elementwise', masked,
     lambda: (floats(4096, dtype=BF16), whole(0, 2, 4096).bool())),
    ('gelu_bf16', 'elementwise', lambda x: F.gelu(x),
     lambda: (floats(3001, dtype=BF16),)),
    ('band', 'elementwise', edges, lambda: (floats(60, 90),)),
    ('to_e4m3', 'elementwise', to_e4m3,
     lambda: (floats(4096, dtype=BF16), floats(1))),
    ('from_e5m2', 'elementwise', from_e5m2,
     lambda: (floats(3333, dtype=E5M2), floats(3333, dtype=BF16))),
    ('both_e4m3', 'elementwise', both_e4m3,
     lambda: (floats(4096, dtype=E4M3), floats(4096, dtype=E4M3))),
    ('integers', 'elementwise', integers,
     lambda: (whole(-99999, 99999, 3000), whole(-9, 9, 3000))),
    ('shorts', 'elementwise', shorts, lambda: (whole(-30000, 30000, 4001, dtype=I16),)),
    ('pad', 'elementwise', padded, lambda: (floats(30, 50, dtype=BF16),)),
    ('rotate_bf16', 'elementwise', rotate_half,
     lambda: (floats(32, 64, dtype=BF16), floats(32, 64), floats(32, 64))),
    ('sine_f64', 'elementwise', lambda x: torch.sqrt(x.abs() + 1) * 3 - x,
     lambda: (floats(2000, dtype=F64),)),
    ('silu_f16', 'elementwise', lambda x, y: F.silu(x) * y,
     lambda: (floats(4100, dtype=F16), floats(4100, dtype=F16))),
    ('sum_rows', 'reduction', lambda x: x.sum(1), lambda: (floats(20, 300),)),
    ('mean_bf16', 'reduction', lambda x: x.mean(1),
     lambda: (floats(16, 1024, dtype=BF16),)),
    ('amax_e4m3', 'reduction', lambda x: x.float().abs().amax(1),
     lambda: (floats(10, 700, dtype=E4M3),)),
    ('argmin_bf16', 'reduction', lambda x: x.argmin(1),
     lambda: (floats(10, 900, dtype=BF16),)),
    ('variance', 'reduction', lambda x: x.var(1), lambda: (floats(10, 1100),)),
    ('masked_mean', 'reduction', masked_mean,
     lambda: (floats(12, 256), whole(0, 2, 12, 256).float())),
    ('all_sum', 'reduction', lambda x: x.sum(),
     lambda: (whole(-9, 9, 20000, dtype=I64),)),
    ('cumsum', 'scan', lambda x: x.cumsum(1),
     lambda: (whole(-99, 99, 8, 500, dtype=I64),)),
    ('cumsum_bf16', 'scan', lambda x: x.cumsum(1),
     lambda: (floats(8, 256, dtype=BF16),)),
    ('cumprod', 'scan', lambda x: x.cumprod(1),
     lambda: (1 + 0.1 * floats(8, 300),)),
    ('cummax', 'scan', lambda x: torch.cummax(x, 1),
     lambda: (floats(6, 256),)),
    ('logcumsumexp', 'scan', lambda x: torch.logcumsumexp(x, 1),
     lambda: (floats(6, 200),)),
    ('sort_bf16', 'sort', lambda x: torch.sort(x, dim=1, stable=True),
     lambda: (floats(6, 128, dtype=BF16),)),
    ('sort_s32', 'sort', lambda x: torch.sort(x, dim=1, stable=True),
     lambda: (whole(-999, 999, 6, 100),)),
    ('embedding', 'gather', lambda w, i: F.embedding(i, w),
     lambda: (floats(80, 96, dtype=BF16), whole(0, 80, 30, dtype=I64))),
    ('gather', 'gather', lambda x, i: x.gather(1, i) + 1,
     lambda: (floats(20, 100), whole(0, 100, 20, 37, dtype=I64))),
    ('index', 'gather', lambda x, i, j: x[i, j] * 2,
     lambda: (floats(40, 50), whole(0, 40, 1001, dtype=I64),
              whole(0, 50, 1001, dtype=I64))),
    ('index_add', 'scatter', put_add,
     lambda: (whole(0, 60, 2000, dtype=I64), whole(-99, 99, 2000))),
    ('index_put', 'scatter', put,
     lambda: (floats(3000, dtype=BF16), permutation(3000)[:500],
              floats(500, dtype=BF16))),
    ('scatter', 'scatter', scatter_columns,
     lambda: (floats(10, 128), rows_permuted(10, 128))),
    ('one_hot', 'scatter', one_hot, lambda: (whole(0, 40, 700, dtype=I64),)),
    ('transpose', 'scatter', lambda x: (x.t() * 2).contiguous(),
     lambda: (floats(65, 70, dtype=BF16),)),
    ('layer_norm', 'norm', lambda x, w, b: F.layer_norm(x, (700,), w, b),
     lambda: (floats(8, 700), floats(700), floats(700))),
    ('rms_norm_bf16', 'norm', rms_norm,
     lambda: (floats(8, 1024, dtype=BF16), floats(1024, dtype=BF16))),
    ('causal_bf16', 'norm', causal, lambda: (floats(90, 90, dtype=BF16),)),
    ('quantise_e4m3', 'norm', quantised, lambda: (floats(8, 500, dtype=BF16),)),
    ('cross_entropy', 'loss', smooth,
     lambda: (floats(8, 1000, dtype=BF16), whole(0, 1000, 8, dtype=I64))),
    ('huber', 'loss', lambda x, y: F.huber_loss(x, y),
     lambda: (floats(6001), floats(6001))),
    ('batch_norm', 'norm', lambda x: F.batch_norm(x, None, None, training=True),
     lambda: (floats(40, 10, 30),)),
]
