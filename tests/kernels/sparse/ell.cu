// y = A x with as many elements in every row, column by column.
extern "C" __global__ void ell(const int *__restrict__ columns,
	const double *__restrict__ values, const double *__restrict__ x,
	double *y, int rows, int width)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	double sum = 0;

	if (row >= rows)
		return;
	for (int k = 0; k < width; k++)
		sum = fma(values[(size_t)k * rows + row],
			x[columns[(size_t)k * rows + row]], sum);
	y[row] = sum;
}
