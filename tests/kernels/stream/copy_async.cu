// Tiles go to shared memory by cp.async, two in flight, and out again.
#define TILE 256

static __device__ void fetch(float4 *to, const float4 *from)
{
	unsigned at = (unsigned)__cvta_generic_to_shared(to);

	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at),
		"l"(from)
		: "memory");
	asm volatile("cp.async.commit_group;" ::: "memory");
}

extern "C" __global__ void copy_async(const float4 *from, float4 *to, int tiles)
{
	__shared__ float4 buffer[2][TILE];
	int t = threadIdx.x, slot = 0;
	int tile = blockIdx.x;

	if (tile < tiles)
		fetch(&buffer[0][t], &from[(size_t)tile * TILE + t]);
	for (; tile < tiles; tile += gridDim.x) {
		int next = tile + gridDim.x;

		if (next < tiles) {
			fetch(&buffer[slot ^ 1][t],
				&from[(size_t)next * TILE + t]);
			asm volatile("cp.async.wait_group 1;" ::: "memory");
		} else {
			asm volatile("cp.async.wait_group 0;" ::: "memory");
		}
		__syncthreads();
		// The neighbour's element, so that the barrier is needed.
		float4 v = buffer[slot][t ^ 1];
		to[(size_t)tile * TILE + (t ^ 1)] = v;
		__syncthreads();
		slot ^= 1;
	}
}
