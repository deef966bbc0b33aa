// The length of each row, a warp a row.
extern "C" __global__ void row_norm(const float *__restrict__ rows, float *to,
	int row_count, int columns)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	int lane = threadIdx.x % 32;
	float sum = 0;

	if (row >= row_count)
		return;
	for (int i = lane; i < columns; i += 32) {
		float x = rows[(size_t)row * columns + i];

		sum = fmaf(x, x, sum);
	}
	for (int step = 16; step; step /= 2)
		sum += __shfl_xor_sync(~0u, sum, step);
	if (!lane)
		to[row] = sqrtf(sum);
}
