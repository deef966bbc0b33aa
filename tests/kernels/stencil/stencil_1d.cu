// Seven neighbours, with the block's part and its halo in shared memory.
#define THREADS 256
#define RADIUS  3

extern "C" __global__ void stencil_1d(const float *__restrict__ from, float *to,
	int count)
{
	__shared__ float part[THREADS + 2 * RADIUS];
	int i = blockIdx.x * THREADS + threadIdx.x;
	int t = threadIdx.x + RADIUS;
	float sum = 0;

	part[t] = i < count ? from[i] : 0;
	if (threadIdx.x < RADIUS) {
		int left = i - RADIUS, right = i + THREADS;

		part[t - RADIUS] = left >= 0 ? from[left] : 0;
		part[t + THREADS] = right < count ? from[right] : 0;
	}
	__syncthreads();
	for (int k = -RADIUS; k <= RADIUS; k++)
		sum += part[t + k];
	if (i < count)
		to[i] = sum;
}
