// Attention of heads of 64 halves: 64 queries a block, 16 a warp, keys and values
// 64 at a time, with the largest and the sum of each row kept on the way.
#include "tensor.cuh"

#define ROWS  64
#define WIDTH 64
#define PAD   8

typedef unsigned short half_bits;

IN_KERNEL float of_quad(float value, bool sums)
{
	for (int i = 1; i < 4; i *= 2) {
		float other = __shfl_xor_sync(0xffffffff, value, i);

		value = sums ? value + other : fmaxf(value, other);
	}
	return value;
}

extern "C" __global__ void attention_mma(
	const half_bits *__restrict__ queries, const half_bits *__restrict__ keys,
	const half_bits *__restrict__ values, float *out, int length, float scale)
{
	__shared__ __attribute__((aligned(16))) half_bits q[ROWS][WIDTH + PAD],
		k[ROWS][WIDTH + PAD], v[ROWS][WIDTH + PAD];
	const int t = threadIdx.x, lane = t % 32, warp = t / 32;
	const size_t head = (size_t)blockIdx.y * length * WIDTH;
	const int first = blockIdx.x * ROWS;
	word x[4][4];
	float o[8][4] = {}, most[2] = {-1e30f, -1e30f}, sum[2] = {0, 0};

#define FILL(to, from, row)                                                    \
	for (int i = t; i < ROWS * WIDTH / 8; i += 128)                        \
		copy_16(shared_at(&to[i / 8][i % 8 * 8]),                      \
			(from) + head + (size_t)((row) + i / 8) * WIDTH +      \
				i % 8 * 8)

	FILL(q, queries, first);
	for (int j = 0; j < length; j += ROWS) {
		float s[8][4] = {};

		FILL(k, keys, j);
		copies_end();
		FILL(v, values, j);
		copies_end();
		COPIES_WAIT(1);
		__syncthreads();
		if (!j)
			for (int d = 0; d < 4; d++)
				load_4(x[d], shared_at(&q[16 * warp + lane % 16]
							 [16 * d + lane / 16 * 8]));
		for (int d = 0; d < 4; d++)
			for (int n = 0; n < 4; n++) {
				word y[4];

				load_4(y, shared_at(&k[16 * n + lane / 16 * 8 +
						       lane % 8][16 * d +
						lane / 8 % 2 * 8]));
				mma_f16(s[2 * n], x[d], y);
				mma_f16(s[2 * n + 1], x[d], y + 2);
			}
		for (int h = 0; h < 2; h++) {
			float top = most[h], all = 0, less;

			for (int n = 0; n < 8; n++)
				top = fmaxf(top, fmaxf(s[n][2 * h] * scale,
							 s[n][2 * h + 1] * scale));
			top = of_quad(top, false);
			less = exp2f(most[h] - top);
			for (int n = 0; n < 8; n++)
				for (int e = 2 * h; e < 2 * h + 2; e++) {
					s[n][e] = exp2f(s[n][e] * scale - top);
					all += s[n][e];
					o[n][e] *= less;
				}
			sum[h] = sum[h] * less + of_quad(all, true);
			most[h] = top;
		}
		COPIES_WAIT(0);
		__syncthreads();
		for (int n = 0; n < 4; n++) {
			const word p[4] = {halves(s[2 * n][0], s[2 * n][1]),
				halves(s[2 * n][2], s[2 * n][3]),
				halves(s[2 * n + 1][0], s[2 * n + 1][1]),
				halves(s[2 * n + 1][2], s[2 * n + 1][3])};

			for (int d = 0; d < 4; d++) {
				word y[4];

				load_4_trans(y, shared_at(&v[16 * n + lane % 16]
							    [16 * d + lane / 16 *
									      8]));
				mma_f16(o[2 * d], p, y);
				mma_f16(o[2 * d + 1], p, y + 2);
			}
		}
		__syncthreads();
	}
	for (int n = 0; n < 8; n++)
		for (int e = 0; e < 4; e++)
			out[head +
				(size_t)(first + 16 * warp + lane / 4 + e / 2 * 8) *
					WIDTH +
				8 * n + lane % 4 * 2 + e % 2] =
				o[n][e] / sum[e / 2];
}
