// A histogram in shared memory, which a bulk reduction adds to the one of all
// blocks; and the least and the greatest number.
#include "async.cuh"

#define BINS    1024
#define THREADS 256
#define EACH    16

ASYNC void add(void *to, const void *from, unsigned bytes)
{
	asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add."
		     "u32 [%0], [%1], %2;" ::"l"(to),
		"r"(shared_of(from)), "r"(bytes)
		: "memory");
}

ASYNC void least(void *to, const void *from, unsigned bytes)
{
	asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.min."
		     "u32 [%0], [%1], %2;" ::"l"(to),
		"r"(shared_of(from)), "r"(bytes)
		: "memory");
}

extern "C" __global__ void bins(
	const unsigned *from, unsigned *counts, unsigned *ends)
{
	__shared__ alignas(128) unsigned mine[BINS];
	__shared__ alignas(16) unsigned low[4];
	const unsigned *at = from + (size_t)blockIdx.x * THREADS * EACH;
	unsigned lowest = ~0u, highest = 0;

	for (int i = threadIdx.x; i < BINS; i += THREADS)
		mine[i] = 0;
	if (threadIdx.x < 4)
		low[threadIdx.x] = ~0u;
	__syncthreads();
	for (int i = 0; i < EACH; i++) {
		const unsigned value = at[i * THREADS + threadIdx.x];

		atomicAdd(&mine[value % BINS], 1);
		lowest = min(lowest, value);
		highest = max(highest, value);
	}
	atomicMin(&low[0], lowest);
	atomicMin(&low[1], ~highest);
	proxy_fence();
	__syncthreads();
	if (threadIdx.x == 0) {
		add(counts, mine, sizeof(mine));
		least(ends, low, sizeof(low));
		bulk_commit();
		bulk_wait<0>();
	}
}
