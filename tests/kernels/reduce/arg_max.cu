// The greatest element and its index, packed into 64 bits.
extern "C" __global__ void arg_max(const unsigned *__restrict__ from,
	unsigned long long *best, int count)
{
	unsigned long long mine = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		i += gridDim.x * blockDim.x) {
		unsigned long long packed =
			(unsigned long long)from[i] << 32 | (unsigned)i;

		if (packed > mine)
			mine = packed;
	}
	for (int step = 16; step; step /= 2) {
		unsigned long long other = __shfl_xor_sync(~0u, mine, step);

		if (other > mine)
			mine = other;
	}
	if (threadIdx.x % 32 == 0)
		atomicMax(best, mine);
}
