// C = A B of floats by tf32: 64 x 64 a block, 32 x 32 a warp, elements from
// shared memory one by one.
#include "tensor.cuh"

#define TILE  64
#define DEPTH 16
#define PAD   8

extern "C" __global__ void gemm_tf32(
	const float *__restrict__ a, const float *__restrict__ b, float *c,
	int n, int depth)
{
	__shared__ __attribute__((aligned(16))) float left[TILE][DEPTH + 4],
		right[DEPTH][TILE + PAD];
	const int t = threadIdx.x, lane = t % 32, warp = t / 32;
	const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
	const int mine_row = warp / 2 * 32, mine_column = warp % 2 * 32;
	float sum[2][4][4] = {};

	for (int k = 0; k < depth; k += DEPTH) {
		for (int i = 0; i < 2; i++) {
			copy_16(shared_at(&left[t / 4 + 32 * i][t % 4 * 4]),
				a + (size_t)(row0 + t / 4 + 32 * i) * depth + k +
					t % 4 * 4);
			copy_16(shared_at(&right[t / 16 + 8 * i][t % 16 * 4]),
				b + (size_t)(k + t / 16 + 8 * i) * n + column0 +
					t % 16 * 4);
		}
		copies_end();
		COPIES_WAIT(0);
		__syncthreads();
#pragma unroll
		for (int kk = 0; kk < DEPTH; kk += 8) {
			word x[2][4], y[4][2];

			for (int i = 0; i < 2; i++)
				for (int r = 0; r < 4; r++)
					x[i][r] = bits_of(
						left[mine_row + 16 * i + lane / 4 +
							r % 2 * 8]
						    [kk + lane % 4 + r / 2 * 4]);
			for (int j = 0; j < 4; j++)
				for (int r = 0; r < 2; r++)
					y[j][r] = bits_of(
						right[kk + lane % 4 + r * 4]
						     [mine_column + 8 * j +
							     lane / 4]);
			for (int i = 0; i < 2; i++)
				for (int j = 0; j < 4; j++)
					mma_tf32(sum[i][j], x[i], y[j]);
		}
		__syncthreads();
	}
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 4; j++)
			for (int r = 0; r < 4; r++)
				c[(size_t)(row0 + mine_row + 16 * i + lane / 4 +
					   r / 2 * 8) *
						n +
					column0 + mine_column + 8 * j +
					lane % 4 * 2 + r % 2] = sum[i][j][r];
}
