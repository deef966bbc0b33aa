// Keys go down a tree whose nodes have 16 bounds and 17 children, a half-warp
// a key. Each level looks at the next four bits first.
extern "C" __global__ void btree(const unsigned *__restrict__ keys,
	const unsigned *__restrict__ nodes, unsigned *leaves, int count,
	int levels)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int which = i / 16, lane = i % 16;

	// Both halves of a warp have a key: `count` is even.
	if (which >= count)
		return;
	unsigned key = keys[which], node = 0;
	for (int level = 0; level < levels; level++) {
		unsigned bound = nodes[(size_t)node * 16 + lane];
		unsigned votes = __ballot_sync(~0u, bound <= key);

		votes = votes >> (threadIdx.x & 16) & 0xffff;
		node = 17 * node + 1 + __popc(votes);
		key = key << 4 | key >> 28;
	}
	if (!lane)
		leaves[which] = node;
}
