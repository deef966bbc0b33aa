// Mean and variance of each channel over all planes of a batch, a block a
// channel.
extern "C" __global__ void batch_stats(const float *__restrict__ from,
	float2 *to, int images, int channels, int plane)
{
	__shared__ float2 parts[32];
	int t = threadIdx.x, lane = t % 32, warp = t / 32;
	float sum = 0, squares = 0;

	for (int n = 0; n < images; n++) {
		const float *p = from +
			((size_t)n * channels + blockIdx.x) * plane;

		for (int i = t; i < plane; i += blockDim.x) {
			sum += p[i];
			squares = fmaf(p[i], p[i], squares);
		}
	}
	for (int step = 16; step; step /= 2) {
		sum += __shfl_down_sync(~0u, sum, step);
		squares += __shfl_down_sync(~0u, squares, step);
	}
	if (!lane)
		parts[warp] = make_float2(sum, squares);
	__syncthreads();
	if (warp)
		return;
	bool is_part = lane < blockDim.x / 32;
	sum = is_part ? parts[lane].x : 0;
	squares = is_part ? parts[lane].y : 0;
	for (int step = 16; step; step /= 2) {
		sum += __shfl_down_sync(~0u, sum, step);
		squares += __shfl_down_sync(~0u, squares, step);
	}
	if (!lane) {
		float count = (float)(images * plane), mean = sum / count;

		to[blockIdx.x] = make_float2(
			mean, fmaf(-mean, mean, squares / count));
	}
}
