// Bins that are spread over the blocks of a cluster.
#include "cluster.cuh"

#define BINS 2048 // of a block

extern "C" __global__ void histogram_cluster(
	const unsigned *__restrict__ from, unsigned *to, int count)
{
	__shared__ unsigned bins[BINS];
	unsigned all = BINS * cluster_blocks();

	for (int i = threadIdx.x; i < BINS; i += blockDim.x)
		bins[i] = 0;
	cluster_arrive();
	cluster_wait();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		i += gridDim.x * blockDim.x) {
		unsigned bin = from[i] % all;

		cluster_add(cluster_map(&bins[bin % BINS], bin / BINS), 1);
	}
	cluster_arrive();
	cluster_wait();
	for (int i = threadIdx.x; i < BINS; i += blockDim.x)
		atomicAdd(&to[cluster_rank() * BINS + i], bins[i]);
}
