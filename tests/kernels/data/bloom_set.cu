// Three bits of a filter for each key.
extern "C" __global__ void bloom_set(
	const unsigned *__restrict__ keys, unsigned *bits, int count, int mask)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= count)
		return;
	unsigned h = keys[i] * 2654435761u;
	for (int k = 0; k < 3; k++) {
		unsigned at = (h >> 7) & mask;
		atomicAdd(&bits[at], 1u << (h & 15));
		h = h * 1664525u + 1013904223u;
	}
}
