// Each element is an atomic on one of many bins in global memory.
extern "C" __global__ void histogram_global(const unsigned *__restrict__ from,
	unsigned *bins, int count)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		i += gridDim.x * blockDim.x)
		atomicAdd(&bins[from[i]], 1u);
}
