// C = A B of bf16 with sums of f32: 128 x 128 a block, 64 x 32 a warp; two
// stages of shared memory, filled by asynchronous copies.
#include "tensor.cuh"

#define TILE   128
#define DEPTH  32
#define PAD    8
#define STAGES 2

typedef unsigned short half_bits;

extern "C" __global__ void gemm_mma(
	const half_bits *__restrict__ a, const half_bits *__restrict__ b,
	float *c, int n, int depth)
{
	__shared__ __attribute__((aligned(16))) half_bits left[STAGES][TILE][DEPTH + PAD],
		right[STAGES][DEPTH][TILE + PAD];
	const int t = threadIdx.x, lane = t % 32, warp = t / 32;
	const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
	const int mine_row = warp / 4 * 64, mine_column = warp % 4 * 32;
	float sum[4][4][4] = {};

	const half_bits *from_a = a + (size_t)(row0 + t / 4) * depth + t % 4 * 8;
	const half_bits *from_b = b + (size_t)(t / 16) * n + column0 + t % 16 * 8;

#define FILL(stage, k)                                                         \
	for (int i = 0; i < 2; i++) {                                          \
		copy_16(shared_at(&left[stage][t / 4 + 64 * i][t % 4 * 8]),    \
			from_a + (size_t)64 * i * depth + (k));                \
		copy_16(shared_at(&right[stage][t / 16 + 16 * i][t % 16 * 8]), \
			from_b + (size_t)((k) + 16 * i) * n);                  \
	}                                                                      \
	copies_end()

	FILL(0, 0);
	for (int k = 0; k < depth; k += DEPTH) {
		const int stage = k / DEPTH % STAGES;

		if (k + DEPTH < depth) {
			FILL(stage ^ 1, k + DEPTH);
			COPIES_WAIT(1);
		} else {
			COPIES_WAIT(0);
		}
		__syncthreads();
#pragma unroll
		for (int kk = 0; kk < DEPTH; kk += 16) {
			word x[4][4], y[2][4];

			for (int i = 0; i < 4; i++)
				load_4(x[i],
					shared_at(&left[stage][mine_row + 16 * i +
							       lane % 16]
						       [kk + lane / 16 * 8]));
			for (int j = 0; j < 2; j++)
				load_4_trans(y[j],
					shared_at(&right[stage][kk + lane % 16]
							[mine_column + 16 * j +
								lane / 16 * 8]));
			for (int i = 0; i < 4; i++)
				for (int j = 0; j < 4; j++)
					mma_bf16(sum[i][j], x[i],
						&y[j / 2][j % 2 * 2]);
		}
		__syncthreads();
	}
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			for (int h = 0; h < 2; h++) {
				const int row = row0 + mine_row + 16 * i +
						lane / 4 + 8 * h;
				const int column = column0 + mine_column +
						   8 * j + lane % 4 * 2;
				float *to = c + (size_t)row * n + column;

				to[0] = sum[i][j][2 * h];
				to[1] = sum[i][j][2 * h + 1];
			}
}
