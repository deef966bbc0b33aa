// A step of Gauss's elimination: all rows below the pivot's.
extern "C" __global__ void eliminate(
	float *a, const float *__restrict__ factors, int n, int pivot)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x + pivot;
	int y = blockIdx.y * blockDim.y + threadIdx.y + pivot + 1;

	if (x >= n || y >= n)
		return;
	a[(size_t)y * n + x] =
		fmaf(-factors[y], a[(size_t)pivot * n + x], a[(size_t)y * n + x]);
}
