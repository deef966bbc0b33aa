// Products by warpgroups of boxes that tensor copies bring, as these kernels use
// them: a bf16 box of 64 x 64 elements has the 128-byte swizzle.
#include "../box/box.cuh"
#include "../cluster/cluster.cuh"

#define BOX (64 * 64 * 2)

typedef unsigned long long descriptor;

static inline __device__ descriptor describe(
	unsigned at, unsigned lead, unsigned stride)
{
	return (descriptor)(at >> 4 & 0x3fff) | (descriptor)(lead >> 4) << 16 |
	       (descriptor)(stride >> 4) << 32 | (descriptor)1 << 62;
}

#define EIGHT(d, i)                                                            \
	"+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]),            \
		"+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])

// A along K, B along N.
static inline __device__ void multiply(float *d, descriptor a, descriptor b)
{
	asm volatile(
		"wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
		"{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
		"%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, "
		"%26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, "
		"%38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
		"%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
		"%62, %63}, %64, %65, 1, 1, 1, 0, 1;"
		: EIGHT(d, 0), EIGHT(d, 8), EIGHT(d, 16), EIGHT(d, 24),
		EIGHT(d, 32), EIGHT(d, 40), EIGHT(d, 48), EIGHT(d, 56)
		: "l"(a), "l"(b));
}

// d += a b: one box of A, `count` times two of B side by side.
template <int count>
static inline __device__ void multiply_boxes(
	float (*d)[64], unsigned left, unsigned right)
{
	asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
#pragma unroll
	for (int k = 0; k < 4; k++)
#pragma unroll
		for (int j = 0; j < count; j++)
			multiply(d[j], describe(left + k * 32, 16, 1024),
				describe(right + k * 2048 + j * 2 * BOX, BOX,
					1024));
	asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
	asm volatile("wgmma.wait_group.sync.aligned 0;" : : : "memory");
}

static __device__ void barrier_init(unsigned long long *barrier, int count)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(
			     shared_address(barrier)),
		     "r"(count)
		     : "memory");
}

static __device__ void barriers_made()
{
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static __device__ void barrier_arrive(unsigned long long *barrier)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(
			     shared_address(barrier))
		     : "memory");
}

// At the barrier of another block of the cluster.
static __device__ void barrier_arrive_at(unsigned address)
{
	asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
		     "[%0];" ::"r"(address)
		     : "memory");
}

static __device__ void barrier_wait_cluster(
	unsigned long long *barrier, int parity)
{
	asm volatile("{\n"
		     ".reg .pred done;\n"
		     "again:\n"
		     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 "
		     "done, [%0], %1;\n"
		     "@!done bra again;\n"
		     "}" ::"r"(shared_address(barrier)),
		     "r"(parity)
		     : "memory");
}

// To the same place of each block of the cluster that the mask has.
static __device__ void load_box_multicast(void *to, const void *map, int x,
	int y, unsigned long long *barrier, int ranks)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile."
		     "mbarrier::complete_tx::bytes.multicast::cluster [%0], "
		     "[%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
		     "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier)),
		     "h"((short)ranks)
		     : "memory");
}

// The sums of a thread of a warpgroup, 64 rows of it, to a matrix of rows of
// `pitch` floats.
static inline __device__ void put_sums(
	float *to, size_t pitch, const float *sum)
{
	const int t = threadIdx.x % 128, lane = t % 32;

#pragma unroll
	for (int i = 0; i < 64; i += 2) {
		float *at = to + (t / 32 * 16 + lane / 4 + i / 2 % 2 * 8) * pitch +
			    i / 4 * 8 + lane % 4 * 2;

		at[0] = sum[i];
		at[1] = sum[i + 1];
	}
}
