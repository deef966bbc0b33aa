// Which keys a filter may hold: three words each, as long as bits are set.
extern "C" __global__ void bloom_probe(const unsigned *__restrict__ keys,
	const unsigned *__restrict__ bits, unsigned char *found, int count,
	int mask)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= count)
		return;
	unsigned h = keys[i] * 2654435761u;
	int held = 1;
	for (int k = 0; k < 3 && held; k++) {
		held = bits[(h >> 7) & mask] >> (h & 31) & 1;
		h = h * 1664525u + 1013904223u;
	}
	found[i] = (unsigned char)held;
}
