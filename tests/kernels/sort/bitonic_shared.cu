// Each block sorts 1024 keys in shared memory.
#define KEYS 1024

extern "C" __global__ void bitonic_shared(unsigned *keys)
{
	__shared__ unsigned part[KEYS];
	unsigned t = threadIdx.x;
	unsigned *mine = keys + (size_t)blockIdx.x * KEYS;

	part[t] = mine[t];
	part[t + KEYS / 2] = mine[t + KEYS / 2];
	for (unsigned size = 2; size <= KEYS; size *= 2)
		for (unsigned distance = size / 2; distance; distance /= 2) {
			unsigned i = 2 * t - (t & (distance - 1));

			__syncthreads();
			unsigned a = part[i], b = part[i + distance];
			if ((a > b) == !(i & size)) {
				part[i] = b;
				part[i + distance] = a;
			}
		}
	__syncthreads();
	mine[t] = part[t];
	mine[t + KEYS / 2] = part[t + KEYS / 2];
}
