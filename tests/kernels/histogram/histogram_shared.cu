// 256 bins of each block in shared memory, added up at the end.
extern "C" __global__ void histogram_shared(const uchar4 *__restrict__ from,
	unsigned *bins, int count)
{
	__shared__ unsigned local[256];
	int t = threadIdx.x;

	local[t] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + t; i < count;
		i += gridDim.x * blockDim.x) {
		uchar4 x = from[i];

		atomicAdd(&local[x.x], 1u);
		atomicAdd(&local[x.y], 1u);
		atomicAdd(&local[x.z], 1u);
		atomicAdd(&local[x.w], 1u);
	}
	__syncthreads();
	atomicAdd(&bins[t], local[t]);
}
