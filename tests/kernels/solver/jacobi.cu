// A step of Jacobi's method for a banded matrix, and the sum of the changes.
extern "C" __global__ void jacobi(const float *__restrict__ x,
	const float *__restrict__ b, float *next, float *change, int n)
{
	__shared__ float sums[8];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float part = 0;

	if (i >= 64 && i < n - 64) {
		float v = b[i] + x[i - 64] + x[i - 1] + x[i + 1] + x[i + 64];
		v *= 0.2f;
		next[i] = v;
		part = fabsf(v - x[i]);
	}
	for (int d = 16; d; d /= 2)
		part += __shfl_down_sync(0xffffffffu, part, d);
	if (threadIdx.x % 32 == 0)
		sums[threadIdx.x / 32] = part;
	__syncthreads();
	if (threadIdx.x == 0) {
		for (int w = 1; w < 8; w++)
			part += sums[w];
		change[blockIdx.x] = part;
	}
}
