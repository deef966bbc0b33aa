// y = A^T x, a thread a column; the rows are shared out among blocks in y.
extern "C" __global__ void gemv_transposed(const int *__restrict__ a,
	const int *__restrict__ x, int *y, int rows, int columns)
{
	int column = blockIdx.x * blockDim.x + threadIdx.x;
	int part = rows / gridDim.y, first = blockIdx.y * part, sum = 0;

	if (column >= columns)
		return;
	for (int row = first; row < first + part; row++)
		sum += a[(size_t)row * columns + column] * x[row];
	atomicAdd(&y[column], sum);
}
