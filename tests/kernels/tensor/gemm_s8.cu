// C = A B^T of bytes with whole sums: 64 x 64 a block, 32 x 32 a warp.
#include "tensor.cuh"

#define TILE  64
#define DEPTH 64
#define PAD   16

extern "C" __global__ void gemm_s8(
	const signed char *__restrict__ a, const signed char *__restrict__ b,
	int *c, int n, int depth)
{
	__shared__ __attribute__((aligned(16))) signed char left[TILE][DEPTH + PAD],
		right[TILE][DEPTH + PAD];
	const int t = threadIdx.x, lane = t % 32, warp = t / 32;
	const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
	const int mine_row = warp / 2 * 32, mine_column = warp % 2 * 32;
	int sum[2][4][4] = {};

	for (int k = 0; k < depth; k += DEPTH) {
		for (int i = 0; i < 2; i++) {
			const int row = t / 4 + 32 * i, at = t % 4 * 16;

			copy_16(shared_at(&left[row][at]),
				a + (size_t)(row0 + row) * depth + k + at);
			copy_16(shared_at(&right[row][at]),
				b + (size_t)(column0 + row) * depth + k + at);
		}
		copies_end();
		COPIES_WAIT(0);
		__syncthreads();
#pragma unroll
		for (int kk = 0; kk < DEPTH; kk += 32) {
			word x[2][4], y[2][4];

			for (int i = 0; i < 2; i++) {
				load_4(x[i],
					shared_at(&left[mine_row + 16 * i +
							lane % 16]
						       [kk + lane / 16 * 16]));
				load_4(y[i],
					shared_at(&right[mine_column + 16 * i +
							 lane / 16 * 8 + lane % 8]
							[kk + lane / 8 % 2 * 16]));
			}
			for (int i = 0; i < 2; i++)
				for (int j = 0; j < 4; j++)
					mma_s8(sum[i][j], x[i],
						&y[j / 2][j % 2 * 2]);
		}
		__syncthreads();
	}
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 4; j++)
			for (int r = 0; r < 4; r++) {
				const int row = row0 + mine_row + 16 * i +
						lane / 4 + r / 2 * 8;
				const int column = column0 + mine_column +
						   8 * j + lane % 4 * 2 + r % 2;

				c[(size_t)row * n + column] = sum[i][j][r];
			}
}
