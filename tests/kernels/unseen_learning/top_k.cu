// The four greatest of each row of 1024 and where they stand, a block a row.
#define THREADS 128
#define EACH    8
#define MOST    4

extern "C" __global__ void top_k(const unsigned *__restrict__ from, uint2 *to)
{
	__shared__ unsigned long long parts[THREADS / 32];
	const unsigned *row = from + (size_t)blockIdx.x * THREADS * EACH;
	int t = threadIdx.x;
	unsigned long long mine[EACH];

#pragma unroll
	for (int k = 0; k < EACH; k++) {
		int i = k * THREADS + t;

		mine[k] = (unsigned long long)row[i] << 32 | (unsigned)i;
	}
	for (int n = 0; n < MOST; n++) {
		unsigned long long best = 0;

#pragma unroll
		for (int k = 0; k < EACH; k++)
			best = mine[k] > best ? mine[k] : best;
		for (int step = 16; step; step /= 2) {
			unsigned long long other =
				__shfl_xor_sync(~0u, best, step);

			best = other > best ? other : best;
		}
		if (t % 32 == 0)
			parts[t / 32] = best;
		__syncthreads();
		for (int k = 0; k < THREADS / 32; k++)
			best = parts[k] > best ? parts[k] : best;
#pragma unroll
		for (int k = 0; k < EACH; k++)
			if (mine[k] == best)
				mine[k] = 0;
		if (!t)
			to[blockIdx.x * MOST + n] = make_uint2(
				(unsigned)(best >> 32), (unsigned)best);
		__syncthreads();
	}
}
