// A hash table with linear probing: one launch builds it, the next looks keys
// up. Keys are 1 and more; 0 is an empty slot.
static __device__ unsigned slot_of(unsigned key, unsigned mask)
{
	key ^= key >> 16;
	key *= 0x7feb352du;
	key ^= key >> 15;
	return key & mask;
}

extern "C" __global__ void hash_build(const unsigned *__restrict__ keys,
	unsigned *table, unsigned mask, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= count)
		return;
	unsigned key = keys[i] + 1, slot = slot_of(key, mask);
	for (;;) {
		unsigned found = atomicCAS(&table[2 * slot], 0u, key);

		if (!found || found == key)
			break;
		slot = (slot + 1) & mask;
	}
	table[2 * slot + 1] = key * 3;
}

extern "C" __global__ void hash_probe(const unsigned *__restrict__ keys,
	const uint2 *__restrict__ table, unsigned *to, unsigned mask, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= count)
		return;
	unsigned key = keys[i] + 1, slot = slot_of(key, mask), value = 0;
	for (;;) {
		uint2 entry = table[slot];

		if (entry.x == key)
			value = entry.y;
		if (!entry.x || entry.x == key)
			break;
		slot = (slot + 1) & mask;
	}
	to[i] = value;
}
