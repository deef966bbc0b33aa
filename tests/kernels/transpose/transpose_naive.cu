// Rows are read whole, columns written with a stride.
extern "C" __global__ void transpose_naive(const float *__restrict__ from,
	float *to, int rows, int columns)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < columns && y < rows)
		to[(size_t)x * rows + y] = from[(size_t)y * columns + x];
}
