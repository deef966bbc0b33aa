// y = A x, a thread a row.
extern "C" __global__ void csr_scalar(const int *__restrict__ starts,
	const int *__restrict__ columns, const float *__restrict__ values,
	const float *__restrict__ x, float *y, int rows)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (row >= rows)
		return;
	for (int i = starts[row]; i < starts[row + 1]; i++)
		sum = fmaf(values[i], x[columns[i]], sum);
	y[row] = sum;
}
