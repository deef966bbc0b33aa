// Elements below a bound, in any order: a warp votes and takes its places by
// one atomic.
extern "C" __global__ void compact_ballot(const unsigned *__restrict__ from,
	unsigned *to, unsigned *kept, int count, unsigned bound)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int lane = threadIdx.x % 32;
	unsigned x = i < count ? from[i] : ~0u;
	unsigned votes = __ballot_sync(~0u, x < bound);
	unsigned base = 0;

	if (!lane && votes)
		base = atomicAdd(kept, __popc(votes));
	base = __shfl_sync(~0u, base, 0);
	if (x < bound)
		to[base + __popc(votes & ((1u << lane) - 1))] = x;
}
