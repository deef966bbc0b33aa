// In place, in double precision.
extern "C" __global__ void daxpy(const double *__restrict__ x, double *y,
	double scale, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		y[i] += scale * x[i];
}
