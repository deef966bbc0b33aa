// A stencil of five points: a block goes down its columns, rows come by bulk
// copies three ahead and go by bulk stores.
#include "async.cuh"

#define WIDTH 256
#define ROWS  8

extern "C" __global__ void sweep(const float *from, float *to, int width, int height)
{
	__shared__ alignas(128) float row[ROWS][WIDTH + 8];
	__shared__ alignas(128) float out[2][WIDTH];
	__shared__ unsigned long long full[ROWS];
	const float *column = from + (size_t)blockIdx.x * WIDTH;
	const int k = threadIdx.x + 4;

	if (threadIdx.x == 0) {
		for (int i = 0; i < ROWS; i++)
			barrier_init(&full[i], 1);
		barrier_init_fence();
		for (int i = 0; i < 4; i++) {
			barrier_expect(&full[i], sizeof(row[0]));
			bulk_load(row[i], column + (size_t)i * width,
				sizeof(row[0]), &full[i]);
		}
	}
	__syncthreads();
	barrier_wait(&full[0], 0);
	barrier_wait(&full[1], 0);
	for (int y = 1; y < height - 1; y++) {
		const int above = (y - 1) % ROWS, here = y % ROWS;
		const int below = (y + 1) % ROWS, next = (y + 3) % ROWS;
		float sum;

		if (threadIdx.x == 0 && y + 3 < height) {
			barrier_expect(&full[next], sizeof(row[0]));
			bulk_load(row[next], column + (size_t)(y + 3) * width,
				sizeof(row[0]), &full[next]);
		}
		barrier_wait(&full[below], ((y + 1) / ROWS) & 1);
		sum = row[here][k - 1] + row[here][k + 1] + row[above][k] +
		      row[below][k] - 4 * row[here][k];
		if (threadIdx.x == 0)
			bulk_wait_read<1>();
		__syncthreads();
		out[y % 2][threadIdx.x] = sum;
		proxy_fence();
		__syncthreads();
		if (threadIdx.x == 0) {
			bulk_store(to + (size_t)y * gridDim.x * WIDTH +
					blockIdx.x * WIDTH,
				out[y % 2], sizeof(out[0]));
			bulk_commit();
		}
	}
	if (threadIdx.x == 0)
		bulk_wait<0>();
}
