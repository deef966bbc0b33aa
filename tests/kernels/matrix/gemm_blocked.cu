// C = A B of square matrices, 64 x 64 a block, 4 x 4 a thread.
#define TILE  64
#define DEPTH 16

extern "C" __global__ void gemm_blocked(const float *__restrict__ a,
	const float *__restrict__ b, float *c, int n)
{
	__shared__ float left[DEPTH][TILE + 4], right[DEPTH][TILE];
	int t = threadIdx.x, tx = t % 16, ty = t / 16;
	int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
	float sum[4][4] = {};

	for (int k = 0; k < n; k += DEPTH) {
		for (int i = 0; i < 4; i++) {
			left[t % DEPTH][t / DEPTH + 16 * i] =
				a[(row0 + t / DEPTH + 16 * i) * n + k +
					t % DEPTH];
			right[t / TILE + 4 * i][t % TILE] =
				b[(k + t / TILE + 4 * i) * n + column0 +
					t % TILE];
		}
		__syncthreads();
#pragma unroll
		for (int d = 0; d < DEPTH; d++) {
			float x[4], y[4];

			for (int i = 0; i < 4; i++) {
				x[i] = left[d][ty * 4 + i];
				y[i] = right[d][tx * 4 + i];
			}
			for (int i = 0; i < 4; i++)
				for (int j = 0; j < 4; j++)
					sum[i][j] = fmaf(
						x[i], y[j], sum[i][j]);
		}
		__syncthreads();
	}
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			c[(row0 + ty * 4 + i) * n + column0 + tx * 4 + j] =
				sum[i][j];
}
