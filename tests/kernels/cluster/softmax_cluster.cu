// A row for a cluster, whose blocks tell each other their maxima and sums.
#include "cluster.cuh"

#define THREADS 256
#define EACH    8 // of a thread

static __device__ float over_block(float value, bool sums, float *parts)
{
	for (int step = 16; step; step /= 2) {
		float other = __shfl_xor_sync(~0u, value, step);

		value = sums ? value + other : fmaxf(value, other);
	}
	if (threadIdx.x % 32 == 0)
		parts[threadIdx.x / 32] = value;
	__syncthreads();
	value = parts[0];
	for (int i = 1; i < THREADS / 32; i++)
		value = sums ? value + parts[i] : fmaxf(value, parts[i]);
	__syncthreads();
	return value;
}

static __device__ float over_cluster(float value, bool sums, float *mine)
{
	float all;

	if (!threadIdx.x)
		*mine = value;
	cluster_arrive();
	cluster_wait();
	all = cluster_load(cluster_map(mine, 0));
	for (unsigned rank = 1; rank < cluster_blocks(); rank++) {
		float other = cluster_load(cluster_map(mine, rank));

		all = sums ? all + other : fmaxf(all, other);
	}
	return all;
}

extern "C" __global__ void softmax_cluster(
	const float *__restrict__ from, float *__restrict__ to)
{
	__shared__ float parts[THREADS / 32], greatest, total;
	size_t first = (size_t)blockIdx.x * THREADS * EACH + threadIdx.x;
	float x[EACH], most = -1e30f, sum = 0;

	for (int i = 0; i < EACH; i++) {
		x[i] = from[first + i * THREADS];
		most = fmaxf(most, x[i]);
	}
	most = over_cluster(over_block(most, false, parts), false, &greatest);
	for (int i = 0; i < EACH; i++) {
		x[i] = __expf(x[i] - most);
		sum += x[i];
	}
	sum = over_cluster(over_block(sum, true, parts), true, &total);
	for (int i = 0; i < EACH; i++)
		to[first + i * THREADS] = x[i] / sum;
	// Nobody's memory is read any more.
	cluster_arrive();
	cluster_wait();
}
