// A filter of 32 taps over samples of 16 bits; each fourth result is kept.
#define THREADS 128
#define TAPS    32
#define KEEP    4

extern "C" __global__ void decimate(const short *__restrict__ samples,
	const float *__restrict__ taps, float *to)
{
	__shared__ float part[THREADS * KEEP + TAPS];
	__shared__ float weights[TAPS];
	size_t first = (size_t)blockIdx.x * THREADS * KEEP;
	int t = threadIdx.x;
	float sum = 0;

	for (int i = t; i < THREADS * KEEP + TAPS; i += THREADS)
		part[i] = samples[first + i];
	if (t < TAPS)
		weights[t] = taps[t];
	__syncthreads();
#pragma unroll 8
	for (int k = 0; k < TAPS; k++)
		sum = fmaf(weights[k], part[t * KEEP + k], sum);
	to[(size_t)blockIdx.x * THREADS + t] = sum;
}
