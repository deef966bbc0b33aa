// C = A B of bf16 with sums of f32 by warpgroups, 128 x 128 a block: the two
// blocks of a cluster have the same rows of A, of which each one loads a half for
// both, by a tensor copy with multicast. For sm_90a.
#include "wgmma.cuh"

#define STAGES 3
#define STAGE  (4 * BOX)
#define WARPS  8

extern "C" __global__ void __launch_bounds__(WARPS * 32) gemm_multicast(
	const __grid_constant__ tensor_map a,
	const __grid_constant__ tensor_map b, float *c, int n, int depth)
{
	extern __shared__ __attribute__((aligned(1024))) unsigned char shared[];
	__shared__ unsigned long long full[STAGES], empty[STAGES];
	const int t = threadIdx.x, group = t / 128, steps = depth / 64;
	const int row0 = blockIdx.y * 128, column0 = blockIdx.x * 128;
	const unsigned rank = cluster_rank();
	float sum[1][64] = {};

#define FILL(step)                                                             \
	do {                                                                   \
		const int s = (step) % STAGES;                                 \
		unsigned char *to = shared + s * STAGE;                        \
                                                                               \
		barrier_expect(&full[s], STAGE);                               \
		load_box_multicast(to + rank * BOX, &a, (step) * 64,           \
			row0 + rank * 64, &full[s], 3);                        \
		load_box(to + 2 * BOX, &b, column0, (step) * 64, &full[s]);    \
		load_box(to + 3 * BOX, &b, column0 + 64, (step) * 64,          \
			&full[s]);                                             \
	} while (0)

	if (t == 0) {
		for (int s = 0; s < STAGES; s++) {
			barrier_init(&full[s], 1);
			barrier_init(&empty[s], 2 * WARPS);
		}
		barriers_made();
	}
	__syncwarp();
	cluster_arrive();
	cluster_wait();
	if (t == 0)
		for (int step = 0; step < STAGES - 1 && step < steps; step++)
			FILL(step);
#pragma unroll 1
	for (int step = 0; step < steps; step++) {
		const int next = step + STAGES - 1, s = step % STAGES;
		const unsigned at = shared_address(shared) + s * STAGE;

		if (t == 0 && next < steps) {
			if (next >= STAGES)
				barrier_wait_cluster(&empty[next % STAGES],
					(next / STAGES - 1) & 1);
			FILL(next);
		}
		__syncwarp();
		barrier_wait_cluster(&full[s], step / STAGES & 1);
		multiply_boxes<1>(sum, at + group * BOX, at + 2 * BOX);
		if (t % 32 < 2)
			barrier_arrive_at(cluster_map(&empty[s], t % 32));
	}
	put_sums(c + (size_t)(row0 + group * 64) * n + column0, n, sum[0]);
	cluster_arrive();
	cluster_wait();
}
