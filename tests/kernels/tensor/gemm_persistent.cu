// C = A B of bf16 with sums of f32, tiles of 128 x 128, of which each block of a
// persistent grid takes every so-manieth: one warp brings boxes by tensor copies,
// on to the next tile, two warpgroups multiply and store their sums by tensor
// copies. For sm_90a.
#include "wgmma.cuh"

#define STAGES 3
#define STAGE  (4 * BOX)
#define SUMS   (64 * 128) /* floats of a warpgroup */

struct tiles {
	int wide, count, steps;
};

struct ring {
	unsigned long long full[STAGES], empty[STAGES];
};

static __device__ void bring(const tensor_map *a, const tensor_map *b,
	unsigned char *shared, ring *r, tiles all)
{
	int at = 0;

	for (int tile = blockIdx.x; tile < all.count; tile += gridDim.x) {
		const int row0 = tile / all.wide * 128;
		const int column0 = tile % all.wide * 128;

#pragma unroll 1
		for (int k = 0; k < all.steps; k++, at++) {
			const int s = at % STAGES;
			unsigned char *to = shared + s * STAGE;

			if (at >= STAGES)
				barrier_wait(&r->empty[s], (at / STAGES - 1) & 1);
			barrier_expect(&r->full[s], STAGE);
			for (int i = 0; i < 2; i++) {
				load_box(to + i * BOX, a, k * 64,
					row0 + i * 64, &r->full[s]);
				load_box(to + (2 + i) * BOX, b,
					column0 + i * 64, k * 64, &r->full[s]);
			}
		}
	}
}

static __device__ void group_meets(int group)
{
	asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
}

// A warpgroup's sums by way of shared memory.
static __device__ void give(const tensor_map *c, float *own, const float *sum,
	int group, int column, int row)
{
	const int t = threadIdx.x % 128;

	if (t == 0)
		asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
	group_meets(group);
	put_sums(own, 128, sum);
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	group_meets(group);
	if (t == 0) {
		store_box(c, column, row, own);
		asm volatile("cp.async.bulk.commit_group;" ::: "memory");
	}
}

static __device__ void work(const tensor_map *c, unsigned char *shared, ring *r,
	tiles all, int group)
{
	float *own = (float *)(shared + STAGES * STAGE) + group * SUMS;
	int at = 0;

	for (int tile = blockIdx.x; tile < all.count; tile += gridDim.x) {
		float sum[1][64] = {};

#pragma unroll 1
		for (int k = 0; k < all.steps; k++, at++) {
			const int s = at % STAGES;
			const unsigned boxes = shared_address(shared) + s * STAGE;

			barrier_wait(&r->full[s], at / STAGES & 1);
			multiply_boxes<1>(
				sum, boxes + group * BOX, boxes + 2 * BOX);
			if (threadIdx.x % 32 == 0)
				barrier_arrive(&r->empty[s]);
		}
		give(c, own, sum[0], group, tile % all.wide * 128,
			tile / all.wide * 128 + group * 64);
	}
	if (threadIdx.x % 128 == 0)
		asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

extern "C" __global__ void __launch_bounds__(288, 1) gemm_persistent(
	const __grid_constant__ tensor_map a,
	const __grid_constant__ tensor_map b,
	const __grid_constant__ tensor_map c, int rows, int n, int depth)
{
	extern __shared__ __attribute__((aligned(1024))) unsigned char shared[];
	__shared__ ring r;
	const int t = threadIdx.x;
	const tiles all = {n / 128, rows / 128 * (n / 128), depth / 64};

	if (t == 0) {
		for (int s = 0; s < STAGES; s++) {
			barrier_init(&r.full[s], 1);
			barrier_init(&r.empty[s], 8);
		}
		barriers_made();
	}
	__syncthreads();
	if (t < 256)
		work(&c, shared, &r, all, t / 128);
	else if (t == 256)
		bring(&a, &b, shared, &r, all);
}
