// Differences of a byte become sums, 1024 to a block.
extern "C" __global__ void delta_decode(const unsigned char *__restrict__ from,
	const int *__restrict__ bases, int *to)
{
	__shared__ int sums[32];
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int v = from[i];

	for (int d = 1; d < 32; d *= 2) {
		int other = __shfl_up_sync(0xffffffffu, v, d);
		if (lane >= d)
			v += other;
	}
	if (lane == 31)
		sums[warp] = v;
	__syncthreads();
	if (warp == 0) {
		int s = sums[lane];
		for (int d = 1; d < 32; d *= 2) {
			int other = __shfl_up_sync(0xffffffffu, s, d);
			if (lane >= d)
				s += other;
		}
		sums[lane] = s;
	}
	__syncthreads();
	to[i] = v + bases[blockIdx.x] + (warp ? sums[warp - 1] : 0);
}
