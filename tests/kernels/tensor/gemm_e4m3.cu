// C = A B' / 16 of e4m3 with sums of f32 and results of f16, 128 x 128 a block: the
// two blocks of a cluster have the same rows of A, of which each one loads a half for
// both; a warp of its own brings boxes, those of B by a policy of L2; results leave by
// stmatrix and a tensor copy. For sm_90a.
#include "wgmma.cuh"

#define STAGES 4
#define STAGE  (4 * BOX) /* boxes of 64 rows of 128 bytes */
#define WARPS  8

static __device__ bool elected()
{
	unsigned is;

	asm volatile("{\n"
		     ".reg .pred p;\n"
		     "elect.sync _|p, 0xffffffff;\n"
		     "selp.u32 %0, 1, 0, p;\n"
		     "}"
		     : "=r"(is));
	return is;
}

static __device__ void load_box_by(void *to, const void *map, int x, int y,
	unsigned long long *barrier, unsigned long long policy)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile."
		     "mbarrier::complete_tx::bytes.L2::cache_hint [%0], "
		     "[%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
		     "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier)),
		     "l"(policy)
		     : "memory");
}

static inline __device__ void multiply_e4m3(
	float *d, descriptor a, descriptor b)
{
	asm volatile(
		"wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 "
		"{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
		"%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, "
		"%26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, "
		"%38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
		"%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
		"%62, %63}, %64, %65, 1, 1, 1;"
		: EIGHT(d, 0), EIGHT(d, 8), EIGHT(d, 16), EIGHT(d, 24),
		EIGHT(d, 32), EIGHT(d, 40), EIGHT(d, 48), EIGHT(d, 56)
		: "l"(a), "l"(b));
}

// Two floats as halves, the first one in the low bits.
static inline __device__ unsigned halves(float low, float high)
{
	unsigned w;

	asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(high), "f"(low));
	return w;
}

// 64 x 128 halves of a warpgroup, rows of 256 bytes.
static __device__ void put_halves(unsigned to, const float *sum)
{
	const int t = threadIdx.x % 128, lane = t % 32, which = lane / 8;
	const int row = t / 32 * 16 + which % 2 * 8 + lane % 8;

#pragma unroll
	for (int j = 0; j < 16; j += 2) {
		const float *s = sum + 4 * j;

		asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], "
			     "{%1, %2, %3, %4};" ::"r"(
				     to + row * 256 + (j + which / 2) * 16),
			     "r"(halves(s[0] / 16, s[1] / 16)),
			     "r"(halves(s[2] / 16, s[3] / 16)),
			     "r"(halves(s[4] / 16, s[5] / 16)),
			     "r"(halves(s[6] / 16, s[7] / 16))
			     : "memory");
	}
}

static __device__ void bring(const tensor_map *a, const tensor_map *b,
	unsigned char *shared, unsigned long long *full,
	unsigned long long *empty, int steps)
{
	const int row0 = blockIdx.y * 128, column0 = blockIdx.x * 128;
	const int rank = cluster_rank();
	unsigned long long policy;

	asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;"
		     : "=l"(policy));
#pragma unroll 1
	for (int step = 0; step < steps; step++) {
		const int s = step % STAGES, k = step * 128;
		unsigned char *to = shared + s * STAGE;

		if (step >= STAGES)
			barrier_wait_cluster(
				&empty[s], (step / STAGES - 1) & 1);
		barrier_expect(&full[s], STAGE);
		load_box_multicast(to + rank * BOX, a, k, row0 + rank * 64,
			&full[s], 3);
		for (int i = 0; i < 2; i++)
			load_box_by(to + (2 + i) * BOX, b, k, column0 + i * 64,
				&full[s], policy);
	}
}

static __device__ void work(const tensor_map *c, unsigned char *shared,
	unsigned long long *full, unsigned long long *empty, int steps)
{
	const int t = threadIdx.x, group = t / 128;
	unsigned char *own = shared + STAGES * STAGE + group * 64 * 256;
	float sum[64] = {};

#pragma unroll 1
	for (int step = 0; step < steps; step++) {
		const int s = step % STAGES;
		const unsigned at = shared_address(shared) + s * STAGE;

		barrier_wait_cluster(&full[s], step / STAGES & 1);
		asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
#pragma unroll
		for (int k = 0; k < 4; k++)
			multiply_e4m3(sum,
				describe(at + group * BOX + k * 32, 16, 1024),
				describe(at + 2 * BOX + k * 32, 16, 1024));
		asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
		asm volatile("wgmma.wait_group.sync.aligned 0;" : : : "memory");
		if (t % 32 < 2)
			barrier_arrive_at(cluster_map(&empty[s], t % 32));
	}
	put_halves(shared_address(own), sum);
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
	if (t % 128 == 0) {
		store_box(c, blockIdx.x * 128, blockIdx.y * 128 + group * 64,
			own);
		wait_stores();
	}
}

extern "C" __global__ void __launch_bounds__(288, 1) gemm_e4m3(
	const __grid_constant__ tensor_map a,
	const __grid_constant__ tensor_map b,
	const __grid_constant__ tensor_map c, int depth)
{
	extern __shared__ __attribute__((aligned(1024))) unsigned char shared[];
	__shared__ unsigned long long full[STAGES], empty[STAGES];
	const int t = threadIdx.x;

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
	if (t < 256)
		work(&c, shared, full, empty, depth / 128);
	else if (elected())
		bring(&a, &b, shared, full, empty, depth / 128);
	__syncwarp();
	cluster_arrive();
	cluster_wait();
}
