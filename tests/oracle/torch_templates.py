"""Functions that a graph compiler makes of its own templates of matrices: products,
attention, convolutions. triton_functions.py records them with --templates. A row of
the list: name, function, inputs, options. Of the template's configurations `picks` are
recorded, each by its number; `config` is the compiler's, `grad` runs backwards too.
"""
import torch
import torch.nn.functional as F

from triton_kernels import BF16, E4M3, F16, F32, I32, floats, whole

I8 = torch.int8
PERSISTENT = {'triton.enable_persistent_tma_matmul': True}


def small(*shape, dtype=BF16):
    return floats(*shape).mul(0.5).to(dtype)


def scaled(a, b, sa, sb):
    return torch._scaled_mm(a, b.t(), sa, sb, out_dtype=BF16, use_fast_accum=True)


def scaled_slow(a, b, sa, sb):
    return torch._scaled_mm(a, b.t(), sa, sb, out_dtype=BF16)


def by_tensor(m, n, k):
    one = torch.ones((), device='cuda', dtype=F32)
    return lambda: (small(m, k, dtype=E4M3), small(n, k, dtype=E4M3), one * 0.5,
                    one * 0.25)


def by_row(m, n, k):
    return lambda: (small(m, k, dtype=E4M3), small(n, k, dtype=E4M3),
                    torch.rand(m, 1, device='cuda') + 0.5,
                    torch.rand(1, n, device='cuda') + 0.5)


def grouped(a, b, ends):
    return torch._grouped_mm(a, b, ends)


def groups():
    ends = torch.tensor([40, 64, 128, 192], device='cuda', dtype=I32)
    return small(192, 64), small(4, 64, 128), ends


def attention(q, k, v):
    from torch.nn.attention.flex_attention import flex_attention
    return flex_attention(q, k, v)


def options(**kernel):
    def run(q, k, v):
        from torch.nn.attention.flex_attention import flex_attention
        return flex_attention(q, k, v, kernel_options=kernel)
    return run


def biased(q, k, v):
    from torch.nn.attention.flex_attention import flex_attention

    def score(s, b, h, i, j):
        return torch.where(i >= j, s + (j - i) * 0.125, -float('inf'))
    return flex_attention(q, k, v, score_mod=score)


def grouped_heads(q, k, v):
    from torch.nn.attention.flex_attention import flex_attention
    return flex_attention(q, k, v, enable_gqa=True)


def masked(q, k, v, block_mask):
    from torch.nn.attention.flex_attention import flex_attention
    return flex_attention(q, k, v, block_mask=block_mask)


def heads(h, l, d, other=None, dtype=BF16, kv_heads=None):
    o, g = other or l, kv_heads or h
    return lambda: (small(1, h, l, d, dtype=dtype), small(1, g, o, d, dtype=dtype),
                    small(1, g, o, d, dtype=dtype))


def causal(h, l, d):
    def make():
        from torch.nn.attention.flex_attention import create_block_mask
        mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, l, l,
                                 device='cuda')
        return (*heads(h, l, d)(), mask)
    return make


TEMPLATES = [
    ('mm_bf16', lambda a, b: a @ b, lambda: (small(192, 256), small(256, 320)),
     dict(picks=(0, 3, 7, 11, 15))),
    ('mm_f16', lambda a, b: a @ b,
     lambda: (small(128, 192, dtype=F16), small(192, 128, dtype=F16)),
     dict(picks=(1, 9))),
    ('mm_odd', lambda a, b: a @ b, lambda: (small(70, 90), small(90, 110)),
     dict(picks=(2, 6))),
    ('mm_transposed', lambda a, b: a @ b.t(),
     lambda: (small(128, 128), small(192, 128)), dict(picks=(4, 13))),
    ('mm_f32', lambda a, b: a @ b, lambda: (small(96, 128, dtype=F32),
                                            small(128, 64, dtype=F32)),
     dict(picks=(0, 5))),
    ('mm_tf32', lambda a, b: a @ b, lambda: (small(128, 128, dtype=F32),
                                             small(128, 128, dtype=F32)),
     dict(picks=(1, 8), tf32=True)),
    ('mm_relu', lambda a, b: F.relu(a @ b) * 2,
     lambda: (small(128, 256), small(256, 128)), dict(picks=(3, 10))),
    ('mm_persistent', lambda a, b: a @ b, lambda: (small(256, 256), small(256, 384)),
     dict(picks=(0, -1, -2, -4), config=PERSISTENT)),
    ('int_mm', lambda a, b: torch._int_mm(a, b),
     lambda: (whole(-99, 99, 128, 128, dtype=I8), whole(-99, 99, 128, 128, dtype=I8)),
     dict(picks=(0, 6))),
    ('addmm', lambda c, a, b: torch.addmm(c, a, b),
     lambda: (small(160), small(192, 128), small(128, 160)), dict(picks=(2, 12))),
    ('addmm_scaled', lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2.0),
     lambda: (small(64, 96, dtype=F16), small(64, 64, dtype=F16),
              small(64, 96, dtype=F16)), dict(picks=(5,))),
    ('addmm_persistent', lambda c, a, b: torch.addmm(c, a, b),
     lambda: (small(256), small(256, 128), small(128, 256)),
     dict(picks=(-1, -3), config=PERSISTENT)),
    ('bmm', torch.bmm, lambda: (small(4, 96, 64), small(4, 64, 128)),
     dict(picks=(0, 7, 14))),
    ('bmm_odd', torch.bmm, lambda: (small(3, 33, 50, dtype=F16),
                                    small(3, 50, 77, dtype=F16)), dict(picks=(3,))),
    ('baddbmm', lambda c, a, b: torch.baddbmm(c, a, b),
     lambda: (small(2, 64, 96), small(2, 64, 128), small(2, 128, 96)),
     dict(picks=(1,))),
    ('mm_plus_mm', lambda a, b, c, d: a @ b + c @ d,
     lambda: (small(128, 96), small(96, 128), small(128, 96), small(96, 128)),
     dict(picks=(0, 3))),
    ('scaled_mm', scaled, by_tensor(128, 128, 256), dict(picks=(0, 5, 9))),
    ('scaled_mm_slow', scaled_slow, by_tensor(64, 192, 128), dict(picks=(1, 4))),
    ('scaled_mm_rows', scaled, by_row(128, 192, 128), dict(picks=(2, 7))),
    ('scaled_mm_persistent', scaled, by_row(256, 256, 256),
     dict(picks=(-1, -3), config=PERSISTENT)),
    ('grouped_mm', grouped, groups, dict(picks=(0, -1))),
    ('conv_3x3', lambda x, w: F.conv2d(x, w, padding=1),
     lambda: (small(1, 32, 20, 20, dtype=F16), small(48, 32, 3, 3, dtype=F16)),
     dict(picks=(0, 2))),
    ('conv_stride', lambda x, w: F.conv2d(x, w, stride=2),
     lambda: (small(2, 16, 21, 21), small(32, 16, 5, 5)), dict(picks=(1,))),
    ('conv_1x1', lambda x, w: F.conv2d(x, w),
     lambda: (small(1, 64, 16, 16), small(64, 64, 1, 1)), dict(picks=(0,))),
    ('flex', attention, heads(2, 256, 64), dict(picks=(0, 1, 3))),
    ('flex_f16_128', attention, heads(1, 256, 128, dtype=F16), dict(picks=(0, 2))),
    ('flex_f32', attention, heads(1, 128, 32, dtype=F32), dict(picks=(0,))),
    ('flex_bias', biased, heads(2, 200, 64), dict(picks=(0, 1))),
    ('flex_causal', masked, causal(2, 256, 64), dict(picks=(0, 2))),
    ('flex_tma', options(USE_TMA=True), heads(2, 256, 64), dict(picks=(0, 1))),
    ('flex_heads', grouped_heads, heads(4, 256, 64, kv_heads=2), dict(picks=(1,))),
    ('flex_decoding', attention, heads(1, 16, 32, other=512), dict(picks=(0, 1))),
    ('flex_decoding_heads', grouped_heads, heads(8, 1, 64, other=384, kv_heads=2),
     dict(picks=(0,))),
    ('mm_large', lambda a, b: a @ b, lambda: (small(512, 1024), small(1024, 512)),
     dict(picks=(9, 14))),
    ('mm_persistent_large', lambda a, b: a @ b,
     lambda: (small(768, 512), small(512, 512)), dict(picks=(-1, -3),
                                                       config=PERSISTENT)),
    ('addmm_large', lambda c, a, b: torch.addmm(c, a, b),
     lambda: (small(512, dtype=F16), small(512, 768, dtype=F16),
              small(768, 512, dtype=F16)),
     dict(picks=(7,))),
    ('bmm_large', torch.bmm, lambda: (small(6, 256, 192), small(6, 192, 256)),
     dict(picks=(12,))),
    ('scaled_mm_large', scaled, by_row(512, 512, 1024), dict(picks=(20,))),
    ('int_mm_large', lambda a, b: torch._int_mm(a, b),
     lambda: (whole(-99, 99, 512, 512, dtype=I8), whole(-99, 99, 512, 512, dtype=I8)),
     dict(picks=(8,))),
    ('conv_large', lambda x, w: F.conv2d(x, w, padding=1),
     lambda: (small(2, 64, 28, 28, dtype=F16), small(64, 64, 3, 3, dtype=F16)),
     dict(picks=(4,))),
    ('flex_large', attention, heads(3, 1024, 64), dict(picks=(0,))),
    ('flex_causal_large', masked, causal(2, 1024, 128), dict(picks=(1,))),
    ('flex_backward_large', attention, heads(1, 512, 128),
     dict(picks=(0,), grad=True)),
    ('flex_backward', attention, heads(1, 256, 64), dict(picks=(0, 1), grad=True)),
    ('flex_bias_backward', biased, heads(1, 128, 64), dict(picks=(0,), grad=True)),
]
