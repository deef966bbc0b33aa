// A prefix sum in three launches: blocks, their totals, and the addition.
#define THREADS 256

static __device__ unsigned scan_block(unsigned *sums, unsigned mine)
{
	int t = threadIdx.x;

	sums[t] = mine;
	__syncthreads();
	for (int step = 1; step < THREADS; step *= 2) {
		unsigned left = t >= step ? sums[t - step] : 0;

		__syncthreads();
		sums[t] += left;
		__syncthreads();
	}
	return sums[t];
}

extern "C" __global__ void scan_blocks(const unsigned *__restrict__ from,
	unsigned *to, unsigned *totals)
{
	__shared__ unsigned sums[THREADS];
	size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;

	to[i] = scan_block(sums, from[i]);
	if (threadIdx.x == THREADS - 1)
		totals[blockIdx.x] = to[i];
}

extern "C" __global__ void scan_totals(unsigned *totals, int count)
{
	__shared__ unsigned sums[THREADS];
	unsigned before = 0;

	for (int first = 0; first < count; first += THREADS) {
		int i = first + threadIdx.x;
		unsigned sum = scan_block(sums, i < count ? totals[i] : 0);

		if (i < count)
			totals[i] = before + sum;
		before += sums[THREADS - 1];
		__syncthreads();
	}
}

extern "C" __global__ void scan_add(unsigned *to,
	const unsigned *__restrict__ totals)
{
	size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;

	if (blockIdx.x)
		to[i] += totals[blockIdx.x - 1];
}
