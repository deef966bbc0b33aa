// Rows of 64 bytes by the read-only path, four lanes a row.
extern "C" __global__ void gather_rows(const uint4 *__restrict__ table,
	const int *__restrict__ indices, uint4 *to, int rows)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int row = i / 4, part = i % 4;

	if (row < rows)
		to[i] = __ldg(&table[(size_t)indices[row] * 4 + part]);
}
