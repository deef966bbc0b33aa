// y += A x, an atomic an element. Whole numbers, so that order does not count.
extern "C" __global__ void coo(const int *__restrict__ rows,
	const int *__restrict__ columns, const int *__restrict__ values,
	const int *__restrict__ x, int *y, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		atomicAdd(&y[rows[i]], values[i] * x[columns[i]]);
}
