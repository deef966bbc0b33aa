// A tree in shared memory, one result a block.
#define THREADS 512

extern "C" __global__ void sum_shared(const float *__restrict__ from, float *to)
{
	__shared__ float sums[THREADS];
	int t = threadIdx.x;
	size_t i = (size_t)blockIdx.x * 2 * THREADS + t;

	sums[t] = from[i] + from[i + THREADS];
	__syncthreads();
	for (int half = THREADS / 2; half; half /= 2) {
		if (t < half)
			sums[t] += sums[t + half];
		__syncthreads();
	}
	if (!t)
		to[blockIdx.x] = sums[0];
}
