/* Sums of the columns of tiles that lie swizzled in shared memory: a thread
   reads pieces of 16 bytes where the swizzle has put them. Tiles are added to
   another tensor on the way. */
#include "box.cuh"

#define ROWS   64
#define ACROSS 32 /* words of a row: 128 bytes */

extern "C" __global__ void swizzled_box(const __grid_constant__ tensor_map from,
	const __grid_constant__ tensor_map to, unsigned *sums, int steps)
{
	__shared__ alignas(1024) unsigned tile[2][ROWS][ACROSS];
	__shared__ unsigned long long barrier[2];
	unsigned column = threadIdx.x % ACROSS, part = threadIdx.x / ACROSS;
	unsigned sum = 0;
	int x = blockIdx.x * ACROSS;

	if (!threadIdx.x) {
		for (int i = 0; i < 2; i++)
			barrier_make(&barrier[i]);
		for (int i = 0; i < 2 && i < steps; i++) {
			barrier_expect(&barrier[i], sizeof(tile[0]));
			load_box(tile[i], &from, x, i * ROWS, &barrier[i]);
		}
	}
	__syncthreads();
	for (int step = 0; step < steps; step++) {
		unsigned stage = step % 2;

		barrier_wait(&barrier[stage], step / 2 % 2);
		for (unsigned row = part; row < ROWS;
			row += blockDim.x / ACROSS)
			sum += tile[stage][row][column ^ (row % 8 * 4)];
		if (!threadIdx.x) {
			add_box(&to, x, step * ROWS, tile[stage]);
			wait_stores();
		}
		__syncthreads();
		if (!threadIdx.x && step + 2 < steps) {
			barrier_expect(&barrier[stage], sizeof(tile[0]));
			load_box(tile[stage], &from, x, (step + 2) * ROWS,
				&barrier[stage]);
		}
	}
	atomicAdd(&sums[x + column], sum);
}
