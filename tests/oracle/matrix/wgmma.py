"""Prints wgmma.cu: products whose operands lie in shared memory as a descriptor
says, on words of a hash. A block is a warpgroup."""

HEAD = '''#include "elements.cuh"

__device__ inline uint64_t describe(const void *p, uint32_t more, int lead,
	int stride, int base, int swizzle)
{
	const uint32_t at = (uint32_t)__cvta_generic_to_shared(p) + more;

	return (uint64_t)(at >> 4 & 0x3fff) | (uint64_t)(lead >> 4) << 16 |
	       (uint64_t)(stride >> 4) << 32 | (uint64_t)base << 49 |
	       (uint64_t)swizzle << 62;
}

#define WORDS_A 4096
#define WORDS_B 8192
'''
# Bits that are drawn, and bits that are set: exponents near 1.
BITS = {'f16': (0x9fff9fff, 0x20002000), 'bf16': (0x83ff83ff, 0x3c003c00),
        'tf32': (0x83ffffff, 0x3c000000), 'e4m3': (0xbfbfbfbf, 0),
        'e5m2': (0xbfbfbfbf, 0), 's8': (0xffffffff, 0), 'u8': (0xffffffff, 0),
        'f32': (0x83ffffff, 0x3e000000), 's32': (0xffffffff, 0)}
# A and B: (mn-major, leading, stride, swizzle) for each swizzle.
ALONG_K = {0: (128, 256), 1: (16, 1024), 2: (16, 512), 3: (16, 256)}
ALONG_MN = {0: (2048, 128), 1: (2048, 1024), 2: (1024, 512), 3: (512, 256)}


def kernel(name, d, a, b, n, k, swizzle=(0, 0), mn=(0, 0), registers=False,
           scales=(1, 1), keeps=1, start=(0, 0), base=(0, 0), satfinite=''):
    count = n // 4 if d == 'f16' else n // 2
    regs = ', '.join('%%%d' % i for i in range(count))
    at = count
    if registers:
        left = '{%s}' % ', '.join('%%%d' % (at + i) for i in range(4))
        at += 4
    else:
        left = '%%%d' % at
        at += 1
    right = '%%%d' % at
    tail = 'p'
    if d != 's32':
        tail += ', %d, %d' % scales
    if a in ('f16', 'bf16'):
        tail += (', %d' % mn[0] if not registers else '') + ', %d' % mn[1]
    place = [(ALONG_MN if mn[i] else ALONG_K)[swizzle[i]] for i in (0, 1)]
    body = ['extern "C" __global__ void wg_%s(uint32_t *out, uint32_t seed)' % name, '{',
            '\t__shared__ __align__(1024) uint32_t a[WORDS_A], b[WORDS_B];',
            '\tconst int t = threadIdx.x;',
            '\tconst uint32_t s = mix(seed, blockIdx.x);',
            '\tuint32_t d[%d], w[4];' % count, '',
            '\tfor (int i = t; i < WORDS_A; i += 128)',
            '\t\ta[i] = (mix(s, i) & 0x%xu) | 0x%xu;' % BITS[a],
            '\tfor (int i = t; i < WORDS_B; i += 128)',
            '\t\tb[i] = (mix(s, WORDS_A + i) & 0x%xu) | 0x%xu;' % BITS[b],
            '#pragma unroll', '\tfor (int i = 0; i < %d; i++)' % count,
            '\t\td[i] = (mix(s, 100000 + t * 128 + i) & 0x%xu) | 0x%xu;' % BITS[d],
            '\tfor (int i = 0; i < 4; i++)',
            '\t\tw[i] = (mix(s, 200000 + t * 4 + i) & 0x%xu) | 0x%xu;' % BITS[a],
            '\tconst uint64_t x = describe(a, %d, %d, %d, %d, %d);' % (
                (start[0],) + place[0] + (base[0], swizzle[0])),
            '\tconst uint64_t y = describe(b, %d, %d, %d, %d, %d);' % (
                (start[1],) + place[1] + (base[1], swizzle[1])),
            '\tasm volatile("fence.proxy.async;" : : : "memory");',
            '\t__syncthreads();',
            '\tasm volatile("{.reg .pred p; setp.ne.b32 p, %%%d, 0;"' % (at + 1),
            '\t\t"wgmma.fence.sync.aligned;"',
            '\t\t"wgmma.mma_async.sync.aligned%s.m64n%dk%d.%s.%s.%s "' % (
                satfinite, n, k, d, a, b),
            '\t\t"{%s}, %s, %s, %s;"' % (regs, left, right, tail),
            '\t\t"wgmma.commit_group.sync.aligned;"',
            '\t\t"wgmma.wait_group.sync.aligned 0;}"',
            '\t\t: ' + ', '.join('"+r"(d[%d])' % i for i in range(count)),
            '\t\t: ' + (', '.join('"r"(w[%d])' % i for i in range(4)) if registers
                        else '"l"(x)') + ', "l"(y), "r"(%d) : "memory");' % keeps,
            '#pragma unroll', '\tfor (int i = 0; i < %d; i++)' % count,
            '\t\tout[(blockIdx.x * 128 + t) * %d + i] = d[i];' % count, '}', '']
    return '\n'.join(body)


def kernels():
    rows = []
    for s in range(4):
        for mn in ((0, 0), (0, 1), (1, 0), (1, 1)):
            rows.append(('bf16_s%d_%d%d' % (s, *mn), 'f32', 'bf16', 'bf16', 64, 16,
                         dict(swizzle=(s, s), mn=mn)))
        rows.append(('tf32_s%d' % s, 'f32', 'tf32', 'tf32', 32, 8,
                     dict(swizzle=(s, 3 - s))))
        rows.append(('s8_s%d' % s, 's32', 's8', 'u8', 32, 32, dict(swizzle=(s, 3 - s))))
        rows.append(('e4m3_s%d' % s, 'f32', 'e4m3', 'e5m2', 32, 32,
                     dict(swizzle=(s, 3 - s))))
        rows.append(('f16_registers_s%d' % s, 'f32', 'f16', 'f16', 24, 16,
                     dict(swizzle=(0, s), mn=(0, s & 1), registers=True)))
    for n in (8, 48, 128, 192, 256):
        rows.append(('f16_n%d' % n, 'f32', 'f16', 'f16', n, 16,
                     dict(swizzle=(1, 1), mn=(0, n & 16 > 0))))
    for n in (8, 72, 256):
        rows.append(('f16_f16_n%d' % n, 'f16', 'f16', 'f16', n, 16, {}))
        rows.append(('e5m2_f16_n%d' % n, 'f16', 'e5m2', 'e4m3', n, 32, {}))
    rows.append(('s8_sat', 's32', 'u8', 's8', 96, 32,
                 dict(registers=True, satfinite='.satfinite')))
    rows.append(('tf32_registers', 'f32', 'tf32', 'tf32', 16, 8, dict(registers=True)))
    rows.append(('e4m3_registers', 'f32', 'e4m3', 'e4m3', 16, 32, dict(registers=True)))
    for i, scales in enumerate(((-1, 1), (1, -1), (-1, -1))):
        rows.append(('scaled_%d' % i, 'f32', 'bf16', 'bf16', 16, 16,
                     dict(scales=scales, keeps=i & 1)))
        rows.append(('scaled_e4m3_%d' % i, 'f32', 'e4m3', 'e5m2', 16, 32,
                     dict(scales=scales, keeps=0)))
    for i in (32, 64, 96, 384, 416):
        rows.append(('start_%d' % i, 'f32', 'bf16', 'bf16', 16, 16,
                     dict(swizzle=(1, 1), start=(i, 1024 + i))))
        rows.append(('start_mn_%d' % i, 'f32', 'bf16', 'bf16', 64, 16,
                     dict(swizzle=(1, 2), mn=(1, 1), start=(i, i))))
    for i in (1, 3, 7):
        rows.append(('base_%d' % i, 'f32', 'bf16', 'bf16', 16, 16,
                     dict(swizzle=(1, 1), start=(128 * i, 128 * i), base=(i, i))))
        rows.append(('base_only_%d' % i, 'f32', 'bf16', 'bf16', 16, 16,
                     dict(swizzle=(1, 2), base=(i, i))))
    return rows


if __name__ == '__main__':
    print(HEAD)
    for name, d, a, b, n, k, more in kernels():
        print(kernel(name, d, a, b, n, k, **more))
