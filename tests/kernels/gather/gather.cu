extern "C" __global__ void gather(const unsigned *__restrict__ from,
	const unsigned *__restrict__ indices, unsigned *to, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		to[i] = from[indices[i]];
}
