// C = A B of bf16 with sums of f32, 128 x 256 a block, by specialised warps: one
// warpgroup gives its registers away and brings boxes by tensor copies, four
// stages of them; two multiply. For sm_90a.
#include "wgmma.cuh"

#define STAGES 4
#define STAGE  (6 * BOX)

static __device__ void bring(const tensor_map *a, const tensor_map *b,
	unsigned char *shared, unsigned long long *full,
	unsigned long long *empty, int steps)
{
	const int row0 = blockIdx.y * 128, column0 = blockIdx.x * 256;

#pragma unroll 1
	for (int step = 0; step < steps; step++) {
		const int s = step % STAGES, k = step * 64;
		unsigned char *to = shared + s * STAGE;

		if (step >= STAGES)
			barrier_wait(&empty[s], (step / STAGES - 1) & 1);
		barrier_expect(&full[s], STAGE);
		for (int i = 0; i < 2; i++)
			load_box(to + i * BOX, a, k, row0 + i * 64, &full[s]);
		for (int i = 0; i < 4; i++)
			load_box(to + (2 + i) * BOX, b, column0 + i * 64, k,
				&full[s]);
	}
}

extern "C" __global__ void __launch_bounds__(384, 1) gemm_warps(
	const __grid_constant__ tensor_map a,
	const __grid_constant__ tensor_map b, float *c, int n, int depth)
{
	extern __shared__ __attribute__((aligned(1024))) unsigned char shared[];
	__shared__ unsigned long long full[STAGES], empty[STAGES];
	const int t = threadIdx.x, group = t / 128, steps = depth / 64;

	if (t == 0) {
		for (int s = 0; s < STAGES; s++) {
			barrier_init(&full[s], 1);
			barrier_init(&empty[s], 2);
		}
		barriers_made();
	}
	__syncthreads();
	if (group == 0) {
		asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
		if (t == 0)
			bring(&a, &b, shared, full, empty, steps);
	} else {
		float sum[2][64] = {};

		asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
#pragma unroll 1
		for (int step = 0; step < steps; step++) {
			const int s = step % STAGES;
			const unsigned at = shared_address(shared) + s * STAGE;

			barrier_wait(&full[s], step / STAGES & 1);
			multiply_boxes<2>(
				sum, at + (group - 1) * BOX, at + 2 * BOX);
			asm volatile("bar.sync %0, 128;" ::"r"(group) : "memory");
			if (t % 128 == 0)
				barrier_arrive(&empty[s]);
		}
#pragma unroll
		for (int j = 0; j < 2; j++)
			put_sums(c + (size_t)(blockIdx.y * 128 + (group - 1) * 64) *
					     n +
					 blockIdx.x * 256 + j * 128,
				n, sum[j]);
	}
}
