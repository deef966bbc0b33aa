// A prefix sum of each 32 elements, by shuffles.
extern "C" __global__ void scan_warps(const int *__restrict__ from, int *to,
	int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int lane = threadIdx.x % 32;

	if (i >= count)
		return;
	int sum = from[i];
	for (int step = 1; step < 32; step *= 2) {
		int left = __shfl_up_sync(~0u, sum, step);

		if (lane >= step)
			sum += left;
	}
	to[i] = sum;
}
