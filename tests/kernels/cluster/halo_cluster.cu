// Steps of a stencil: neighbours in the cluster get the edges by stores.
#include "cluster.cuh"

#define THREADS 256

extern "C" __global__ void halo_cluster(
	const float *__restrict__ from, float *to, int steps)
{
	__shared__ float tile[2][THREADS + 2];
	unsigned rank = cluster_rank(), last = cluster_blocks() - 1;
	int t = threadIdx.x, i = blockIdx.x * THREADS + t;

	tile[0][t + 1] = from[i];
	if (t < 2)
		tile[0][t * (THREADS + 1)] = tile[1][t * (THREADS + 1)] = 0;
	cluster_arrive();
	cluster_wait();
	for (int step = 0; step < steps; step++) {
		float *now = tile[step & 1], *next = tile[~step & 1];

		if (!t && rank)
			cluster_store(
				cluster_map(&now[THREADS + 1], rank - 1), now[1]);
		if (t == THREADS - 1 && rank < last)
			cluster_store(cluster_map(&now[0], rank + 1), now[THREADS]);
		cluster_arrive();
		cluster_wait();
		next[t + 1] = fmaf(0.5f, now[t + 1],
			0.25f * (now[t] + now[t + 2]));
		__syncthreads();
	}
	to[i] = tile[steps & 1][t + 1];
}
