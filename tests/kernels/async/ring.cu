// A ring of stages: a warp copies tiles into shared memory, the others add
// them up as they come.
#include "async.cuh"

#define STAGES    4
#define TILE      1024
#define CONSUMERS 4

extern "C" __global__ void ring(const float *from, float *to, int tiles)
{
	__shared__ alignas(128) float stage[STAGES][TILE];
	__shared__ unsigned long long full[STAGES], empty[STAGES];
	const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	const float *mine = from + (size_t)blockIdx.x * tiles * TILE;
	float sum = 0;

	if (threadIdx.x == 0) {
		for (int i = 0; i < STAGES; i++) {
			barrier_init(&full[i], 1);
			barrier_init(&empty[i], CONSUMERS);
		}
		barrier_init_fence();
	}
	__syncthreads();
	if (warp == CONSUMERS) {
		if (lane == 0)
			for (int i = 0; i < tiles; i++) {
				const int s = i % STAGES;

				barrier_wait(&empty[s],
					((i / STAGES) & 1) ^ 1);
				barrier_expect(&full[s], TILE * 4);
				bulk_load(stage[s], mine + (size_t)i * TILE,
					TILE * 4, &full[s]);
			}
		return;
	}
	for (int i = 0; i < tiles; i++) {
		const int s = i % STAGES;

		barrier_wait(&full[s], (i / STAGES) & 1);
		for (int k = threadIdx.x; k < TILE; k += CONSUMERS * 32)
			sum += stage[s][k];
		__syncwarp();
		if (lane == 0)
			barrier_arrive(&empty[s]);
	}
	to[blockIdx.x * CONSUMERS * 32 + threadIdx.x] = sum;
}
