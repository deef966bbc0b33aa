"""Random kernels whose result memory orders determine: flags, locks, barriers of
a grid, between threads, warps and blocks."""
import random

HEADER = '''#include "both_sides.cuh"

#define PLACES                                                                 \\
	const u32 tid = threadIdx.x, bid = blockIdx.x, nt = blockDim.x;        \\
	const u32 nb = gridDim.x, id = bid * nt + tid, lane = tid & 31;        \\
	u64 *const to = out + id * 4;                                          \\
	u32 *const data = (u32 *)(out + (u64)nb * nt * 4);                     \\
	u32 *const flags = data + nb * nt * 8;
'''

# name, text with %0 the result, [a] the address, v the value
READS = {
    'acquire_gpu': 'ld.acquire.gpu.global.u32 %0, [%1];',
    'acquire_sys': 'ld.acquire.sys.global.u32 %0, [%1];',
    'relaxed_fence': 'ld.relaxed.gpu.global.u32 %0, [%1]; fence.acq_rel.gpu;',
    'relaxed_sc': 'ld.relaxed.gpu.global.u32 %0, [%1]; fence.sc.gpu;',
    'volatile_fence': 'ld.volatile.global.u32 %0, [%1]; membar.gl;',
    'atom_acquire': 'atom.acquire.gpu.global.add.u32 %0, [%1], 0;',
    'atom_fence': 'atom.global.or.b32 %0, [%1], 0; fence.acq_rel.gpu;',
    'cas_acquire': 'atom.acquire.gpu.global.cas.b32 %0, [%1], 99, 99;',
}
SHARED_READS = {
    'acquire_cta': 'ld.acquire.cta.shared.u32 %0, [%1];',
    'volatile_cta': 'ld.volatile.shared.u32 %0, [%1]; fence.acq_rel.cta;',
    'atom_cta': 'atom.acquire.cta.shared.add.u32 %0, [%1], 0;',
}
WRITES = {   # of a sum: what the flag was, and what is added
    'red_release': 'red.release.gpu.global.add.u32 [%0], %1;',
    'red_release_sys': 'red.release.sys.global.add.u32 [%0], %1;',
    'fence_red': 'fence.acq_rel.gpu; red.relaxed.gpu.global.add.u32 [%0], %1;',
    'membar_red': 'membar.gl; red.global.add.u32 [%0], %1;',
    'sc_red': 'fence.sc.gpu; red.relaxed.gpu.global.add.u32 [%0], %1;',
    'atom_release': '{.reg .u32 t; atom.release.gpu.global.add.u32 t, [%0], %1;}',
    'atom_acq_rel': '{.reg .u32 t; atom.acq_rel.gpu.global.add.u32 t, [%0], %1;}',
}
STORES = {
    'release_gpu': 'st.release.gpu.global.u32 [%0], %1;',
    'release_sys': 'st.release.sys.global.u32 [%0], %1;',
    'fence_store': 'fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%0], %1;',
    'membar_volatile': 'membar.gl; st.volatile.global.u32 [%0], %1;',
    'exch_release': '{.reg .b32 t; atom.release.gpu.global.exch.b32 t, [%0], %1;}',
}
SHARED_WRITES = {
    'shared_release': 'st.release.cta.shared.u32 [%0], %1;',
    'shared_red': 'red.release.cta.shared.add.u32 [%0], %1;',
    'shared_fence': 'fence.acq_rel.cta; st.relaxed.cta.shared.u32 [%0], %1;',
    'shared_membar': 'membar.cta; st.volatile.shared.u32 [%0], %1;',
}


def header():
    text = [HEADER]
    for name, asm in READS.items():
        text.append('DEVICE u32 %s(const u32 *p) { u32 x; asm volatile("%s" : "=r"(x) '
                    ': "l"(__cvta_generic_to_global(p)) : "memory"); return x; }'
                    % (name, asm))
    for name, asm in SHARED_READS.items():
        text.append('DEVICE u32 %s(const u32 *p) { u32 x; asm volatile("%s" : "=r"(x) '
                    ': "r"((u32)__cvta_generic_to_shared(p)) : "memory"); return x; }'
                    % (name, asm))
    for name, asm in list(WRITES.items()) + list(STORES.items()):
        text.append('DEVICE void %s(u32 *p, u32 v) { asm volatile("%s" :: '
                    '"l"(__cvta_generic_to_global(p)), "r"(v) : "memory"); }'
                    % (name, asm))
    for name, asm in SHARED_WRITES.items():
        text.append('DEVICE void %s(u32 *p, u32 v) { asm volatile("%s" :: '
                    '"r"((u32)__cvta_generic_to_shared(p)), "r"(v) : "memory"); }'
                    % (name, asm))
    return '\n'.join(text) + '\n'


class Orders:
    """A module of such kernels, drawn by a seed."""

    def __init__(self, seed, count):
        self.r = random.Random(seed)
        self.kernels, self.text = [], [header()]
        forms = [self.relay, self.last_block, self.warps, self.barrier, self.lock,
                 self.crowd, self.ring]
        for k in range(count):
            name, form = 'k%d' % k, forms[k % len(forms)]
            grid, threads, body = form()
            self.text += ['KERNEL(%s, u32 n)' % name, '{', 'PLACES', body,
                          '}', '']
            self.kernels.append({'name': name, 'grid': grid, 'block': (threads, 1),
                                 'bytes': grid * threads * 64 + 64,
                                 'arguments': [('u32', self.r.randrange(1, 9))]})

    def source(self, count=None):
        """All of it, or the first `count` kernels."""
        return '\n'.join(self.text[:1 + 6 * (count or len(self.kernels))])

    def pick(self, table):
        return self.r.choice(list(table))

    def mixed(self, x):
        return self.r.choice(['%s * 3 + n', '(%s ^ (n << 4))', '(%s + 7) * 5',
                              '%s + n * 11']) % x

    def relay(self):
        """A block waits for the one before, and goes on with its words."""
        grid, threads = self.r.choice([2, 4, 7]), self.r.choice([32, 64, 96])
        wait = self.r.choice([
            'if (tid == 0) while (%s(&flags[bid - 1]) == 0); __syncthreads();',
            'while (%s(&flags[bid - 1]) == 0);',
            'if (lane == 0) while (%s(&flags[bid - 1]) == 0) __nanosleep(20); '
            '__syncwarp(); __syncthreads();']) % self.pick(READS)
        read = self.r.choice(['data[(bid - 1) * nt + tid]',
                              '((volatile u32 *)data)[(bid - 1) * nt + (tid ^ 1)]',
                              '__ldcg(&data[(bid - 1) * nt + nt - 1 - tid])'])
        return grid, threads, '''u32 x = %s;
if (bid > 0) { %s x += %s * 3; }
data[id] = x; __syncthreads();
if (tid == %d) %s(&flags[bid], n);
to[0] = x;''' % (self.mixed('tid'), wait, read, self.r.randrange(threads),
                 self.pick(STORES))

    def last_block(self):
        """Whoever comes last adds up what all have left."""
        grid, threads = self.r.choice([3, 5, 8]), self.r.choice([32, 64, 128])
        count = self.r.choice([
            '__threadfence(); old = atomicAdd(flags, 1);',
            'asm volatile("atom.acq_rel.gpu.global.add.u32 %%0, [%%1], 1;" : "=r"(old)'
            ' : "l"(__cvta_generic_to_global(flags)) : "memory");',
            '__threadfence(); old = atomicInc(flags, 1000); __threadfence();'])
        count = count.replace('%%', '%')
        return grid, threads, '''__shared__ u32 last;
data[id] = %s; to[1] = id; __syncthreads();
if (tid == 0) { u32 old; %s last = old == nb - 1; }
__syncthreads();
if (last) { __threadfence(); u32 x = 0;
for (u32 i = tid; i < nb * nt; i += nt) x += __ldcg(&data[i]) * (i + 1);
data[nb * nt + tid] = x; }''' % (self.mixed('id'), count)

    def warps(self):
        """A warp waits for another of its block; the flag lies in shared memory,
        the data there or in global memory."""
        threads = self.r.choice([64, 96, 128])
        give = self.pick(SHARED_WRITES)
        place = self.r.choice(['s[tid]', 'data[id]'])
        take = place.replace('tid', 'tid - 32').replace('id]', 'id - 32]') \
            if place == 'data[id]' else 's[tid - 32]'
        return self.r.choice([1, 3]), threads, '''__shared__ u32 s[128], f[4];
const u32 w = tid / 32;
if (tid < 4) f[tid] = 0;
__syncthreads();
u32 x = %s;
if (w > 0) { while (%s(&f[w - 1]) == 0); __syncwarp(); x += %s * 5; }
%s = x;
__syncwarp();
%s
to[0] = x;''' % (self.mixed('lane'), self.pick(SHARED_READS), take, place,
                 'if (lane == %d) %s(&f[w], 1);' % (self.r.randrange(32), give))

    def barrier(self):
        """Barriers of the whole grid, round after round."""
        grid, threads = self.r.choice([2, 3, 6]), self.r.choice([32, 64])
        rounds = self.r.choice([2, 3, 5])
        return grid, threads, '''u32 x = %s;
for (u32 k = 1; k <= %d; k++) {
data[(k & 1) * nb * nt + id] = x; __syncthreads();
if (tid == 0) { %s(flags, 1); while (%s(flags) < k * nb); }
__syncthreads();
x = x * 3 + __ldcg(&data[(k & 1) * nb * nt + (id + nt + k) %% (nb * nt)]); }
to[0] = x;''' % (self.mixed('id'), rounds, self.pick(WRITES), self.pick(READS))

    def lock(self):
        """A lock of blocks or warps around words that are changed one by one."""
        grid, threads = self.r.choice([1, 2, 4]), self.r.choice([32, 64])
        who = self.r.choice(['tid == 0', 'lane == 3', 'lane == 0 || lane == 17'])
        free = self.r.choice(['__threadfence(); atomicExch(&flags[0], 0);',
                              'release_gpu(&flags[0], 0);',
                              'exch_release(&flags[0], 0);'])
        return grid, threads, '''for (u32 k = 0; k < %d; k++)
if (%s) { bool done = false;
while (!done) if (atomicCAS(&flags[0], 0, 1) == 0) { __threadfence();
((volatile u32 *)flags)[1] += %s; ((volatile u32 *)flags)[2] ^= id * 77;
((volatile u32 *)flags)[3]++; %s done = true; } }
to[0] = id;''' % (self.r.choice([1, 2, 3]), who, self.mixed('id'), free)

    def crowd(self):
        """All lanes want one lock."""
        return 1, self.r.choice([32, 40, 64]), '''bool done = false;
do { if (atomicCAS(&flags[0], 0, tid + 1) == 0) {
%s const u32 x = ((volatile u32 *)data)[0];
((volatile u32 *)data)[0] = x + %s; ((volatile u32 *)data)[1]++;
__threadfence(); atomicExch(&flags[0], 0); done = true; } } while (!done);
to[0] = tid;''' % (self.r.choice(['__threadfence();', '__threadfence_block();']),
                   self.mixed('tid'))

    def ring(self):
        """Two or more blocks in turn, several times around."""
        grid, rounds = self.r.choice([2, 3, 5]), self.r.choice([2, 4])
        return grid, 32, '''u32 x = %s;
for (u32 k = 0; k < %d; k++) {
const u32 now = k * nb + bid;
while (%s(&flags[4]) != now); __syncwarp();
x = x * 5 + __ldcg(&data[(31 - lane) + 64]); __syncwarp();
data[lane + 64] = x ^ now;
__syncwarp(); %s
if (lane == 0) %s(&flags[4], %s); __syncwarp(); }
to[0] = x;''' % ((self.mixed('id'), rounds, self.pick(READS),
                  self.r.choice(['', '__threadfence();'])) + (
                      (self.pick(STORES), 'now + 1') if self.r.random() < 0.5
                      else (self.pick(WRITES), '1')))
