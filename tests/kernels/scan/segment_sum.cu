// The sum of each segment of a list, a warp a segment.
extern "C" __global__ void segment_sum(const int *__restrict__ starts,
	const int *__restrict__ values, int *to, int segments)
{
	int segment = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	int lane = threadIdx.x % 32, sum = 0;

	if (segment >= segments)
		return;
	for (int i = starts[segment] + lane; i < starts[segment + 1]; i += 32)
		sum += values[i];
	for (int step = 16; step; step /= 2)
		sum += __shfl_xor_sync(~0u, sum, step);
	if (!lane)
		to[segment] = sum;
}
