// Tiles go by bulk copies through two buffers: in, changed, out.
#include "async.cuh"

#define THREADS 128
#define TILE    2048

extern "C" __global__ void scale(
	const float *from, float *to, float factor, int tiles)
{
	__shared__ alignas(128) float tile[2][TILE];
	__shared__ unsigned long long full[2];
	const size_t first = (size_t)blockIdx.x * tiles;

	if (threadIdx.x == 0) {
		barrier_init(&full[0], 1);
		barrier_init(&full[1], 1);
		barrier_init_fence();
		barrier_expect(&full[0], TILE * 4);
		bulk_load(tile[0], from + first * TILE, TILE * 4, &full[0]);
	}
	__syncthreads();
	for (int i = 0; i < tiles; i++) {
		const int s = i % 2;

		if (threadIdx.x == 0 && i + 1 < tiles) {
			bulk_wait_read<0>();
			barrier_expect(&full[s ^ 1], TILE * 4);
			bulk_load(tile[s ^ 1], from + (first + i + 1) * TILE,
				TILE * 4, &full[s ^ 1]);
		}
		barrier_wait(&full[s], (i / 2) & 1);
		for (int k = threadIdx.x; k < TILE; k += THREADS)
			tile[s][k] = tile[s][k] * factor + 1.0f;
		proxy_fence();
		__syncthreads();
		if (threadIdx.x == 0) {
			bulk_store(to + (first + i) * TILE, tile[s], TILE * 4);
			bulk_commit();
		}
	}
	if (threadIdx.x == 0)
		bulk_wait_read<0>();
}
