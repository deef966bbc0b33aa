// Blocks add their sums to a word of their cluster's first block.
#include "cluster.cuh"

extern "C" __global__ void sum_cluster(
	const unsigned *__restrict__ from, unsigned *to, int count)
{
	__shared__ unsigned total;
	unsigned sum = 0;

	if (!threadIdx.x)
		total = 0;
	cluster_arrive();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		i += gridDim.x * blockDim.x)
		sum += from[i];
	for (int step = 16; step; step /= 2)
		sum += __shfl_xor_sync(~0u, sum, step);
	cluster_wait();
	if (threadIdx.x % 32 == 0)
		cluster_add(cluster_map(&total, 0), sum);
	cluster_arrive();
	cluster_wait();
	if (!cluster_rank() && !threadIdx.x)
		to[blockIdx.x / cluster_blocks()] = total;
}
