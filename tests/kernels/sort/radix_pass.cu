// One pass of a radix sort by eight bits: digits are counted by block, the
// counts become places, and keys go there.
#define THREADS 256

extern "C" __global__ void radix_count(const unsigned *__restrict__ keys,
	unsigned *counts, int shift, int per_block)
{
	__shared__ unsigned local[256];
	int t = threadIdx.x;
	size_t first = (size_t)blockIdx.x * per_block;

	local[t] = 0;
	__syncthreads();
	for (int i = t; i < per_block; i += THREADS)
		atomicAdd(&local[keys[first + i] >> shift & 255], 1u);
	__syncthreads();
	counts[t * gridDim.x + blockIdx.x] = local[t];
}

// One block: an exclusive prefix sum over all counts.
extern "C" __global__ void radix_places(unsigned *counts, int count)
{
	__shared__ unsigned sums[1024];
	int t = threadIdx.x, part = (count + 1023) / 1024, first = t * part;
	unsigned sum = 0;

	for (int i = first; i < first + part && i < count; i++)
		sum += counts[i];
	sums[t] = sum;
	__syncthreads();
	for (int step = 1; step < 1024; step *= 2) {
		unsigned left = t >= step ? sums[t - step] : 0;

		__syncthreads();
		sums[t] += left;
		__syncthreads();
	}
	unsigned before = t ? sums[t - 1] : 0;
	for (int i = first; i < first + part && i < count; i++) {
		unsigned mine = counts[i];

		counts[i] = before;
		before += mine;
	}
}

// Keys of one digit keep no order within a block.
extern "C" __global__ void radix_scatter(const unsigned *__restrict__ keys,
	const unsigned *__restrict__ places, unsigned *to, int shift,
	int per_block)
{
	__shared__ unsigned next[256];
	int t = threadIdx.x;
	size_t first = (size_t)blockIdx.x * per_block;

	next[t] = places[t * gridDim.x + blockIdx.x];
	__syncthreads();
	for (int i = t; i < per_block; i += THREADS) {
		unsigned key = keys[first + i];

		to[atomicAdd(&next[key >> shift & 255], 1u)] = key;
	}
}
