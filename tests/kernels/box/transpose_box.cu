/* The transpose of a matrix, tile by tile: a box in, a box out, and shared
   memory between them. */
#include "box.cuh"

#define TILE 32

extern "C" __global__ void transpose_box(
	const __grid_constant__ tensor_map from,
	const __grid_constant__ tensor_map to)
{
	__shared__ alignas(128) float in[TILE][TILE], out[TILE][TILE];
	__shared__ unsigned long long barrier;
	int x = blockIdx.x * TILE, y = blockIdx.y * TILE;

	if (threadIdx.y == 0 && threadIdx.x == 0) {
		barrier_make(&barrier);
		barrier_expect(&barrier, sizeof(in));
		load_box(in, &from, x, y, &barrier);
	}
	__syncthreads();
	barrier_wait(&barrier, 0);
	for (int i = threadIdx.y; i < TILE; i += blockDim.y)
		out[threadIdx.x][i] = in[i][threadIdx.x];
	show_copies();
	if (threadIdx.y == 0 && threadIdx.x == 0) {
		store_box(&to, y, x, out);
		wait_stores();
	}
}
