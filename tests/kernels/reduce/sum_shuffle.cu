// Warps add up by shuffles; one atomic a block.
extern "C" __global__ void sum_shuffle(const unsigned *__restrict__ from,
	unsigned *total, int count)
{
	__shared__ unsigned parts[32];
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	unsigned sum = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		i += gridDim.x * blockDim.x)
		sum += from[i];
	for (int step = 16; step; step /= 2)
		sum += __shfl_down_sync(~0u, sum, step);
	if (!lane)
		parts[warp] = sum;
	__syncthreads();
	if (warp)
		return;
	sum = lane < blockDim.x / 32 ? parts[lane] : 0;
	for (int step = 16; step; step /= 2)
		sum += __shfl_down_sync(~0u, sum, step);
	if (!lane)
		atomicAdd(total, sum);
}
