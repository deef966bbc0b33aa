// A transpose of tiles of 32 x 32: rows come and go by bulk copies, a lane
// each.
#include "async.cuh"

#define SIDE 32

extern "C" __global__ void turn(const float *from, float *to, int width, int height)
{
	__shared__ alignas(128) float in[SIDE][SIDE], out[SIDE][SIDE];
	__shared__ unsigned long long full;
	const int x = blockIdx.x * SIDE, y = blockIdx.y * SIDE;
	const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

	if (threadIdx.x == 0) {
		barrier_init(&full, 1);
		barrier_init_fence();
		barrier_expect(&full, sizeof(in));
	}
	__syncthreads();
	if (warp == 0)
		bulk_load(in[lane], from + (size_t)(y + lane) * width + x,
			SIDE * 4, &full);
	barrier_wait(&full, 0);
	for (int row = warp; row < SIDE; row += blockDim.x / 32)
		out[row][lane] = in[lane][row];
	proxy_fence();
	__syncthreads();
	if (warp == 0) {
		bulk_store(to + (size_t)(x + lane) * height + y, out[lane],
			SIDE * 4);
		bulk_commit();
		bulk_wait_read<0>();
	}
}
