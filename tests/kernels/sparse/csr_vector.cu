// y = A x, a warp a row.
extern "C" __global__ void csr_vector(const int *__restrict__ starts,
	const int *__restrict__ columns, const float *__restrict__ values,
	const float *__restrict__ x, float *y, int rows)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	int lane = threadIdx.x % 32;
	float sum = 0;

	if (row >= rows)
		return;
	int end = starts[row + 1];
	for (int i = starts[row] + lane; i < end; i += 32)
		sum = fmaf(values[i], x[columns[i]], sum);
	for (int step = 16; step; step /= 2)
		sum += __shfl_xor_sync(~0u, sum, step);
	if (!lane)
		y[row] = sum;
}
