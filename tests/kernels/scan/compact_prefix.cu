// Elements below a bound, in order within a block, whose place is an atomic.
#define THREADS 256

extern "C" __global__ void compact_prefix(const unsigned *__restrict__ from,
	unsigned *to, unsigned *kept, unsigned bound)
{
	__shared__ unsigned sums[THREADS];
	__shared__ unsigned base;
	int t = threadIdx.x;
	unsigned x = from[(size_t)blockIdx.x * THREADS + t];
	unsigned keep = x < bound;

	sums[t] = keep;
	__syncthreads();
	for (int step = 1; step < THREADS; step *= 2) {
		unsigned left = t >= step ? sums[t - step] : 0;

		__syncthreads();
		sums[t] += left;
		__syncthreads();
	}
	if (t == THREADS - 1)
		base = atomicAdd(kept, sums[t]);
	__syncthreads();
	if (keep)
		to[base + sums[t] - 1] = x;
}
