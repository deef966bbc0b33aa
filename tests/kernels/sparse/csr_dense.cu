// C = A B, A sparse and B with 64 columns: a warp a row, two columns a lane.
extern "C" __global__ void csr_dense(const int *__restrict__ starts,
	const int *__restrict__ columns, const float *__restrict__ values,
	const float2 *__restrict__ b, float2 *c, int rows)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	int lane = threadIdx.x % 32;
	float2 sum = make_float2(0, 0);

	if (row >= rows)
		return;
	for (int i = starts[row]; i < starts[row + 1]; i++) {
		float value = values[i];
		float2 other = b[(size_t)columns[i] * 32 + lane];

		sum.x = fmaf(value, other.x, sum.x);
		sum.y = fmaf(value, other.y, sum.y);
	}
	c[(size_t)row * 32 + lane] = sum;
}
