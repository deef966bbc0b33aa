extern "C" __global__ void triad(const float *a, const float *b, float *c,
	float scale, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		c[i] = a[i] + scale * b[i];
}
