// Each place is written once: the indices are a permutation.
extern "C" __global__ void scatter(const unsigned *__restrict__ from,
	const unsigned *__restrict__ indices, unsigned *to, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		to[indices[i]] = from[i];
}
