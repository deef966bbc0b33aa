// One element a thread.
extern "C" __global__ void copy(const float *__restrict__ from, float *to,
	int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		to[i] = from[i];
}
