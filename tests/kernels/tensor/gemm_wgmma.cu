// C = A B of bf16 with sums of f32 by warpgroups: 128 x 256 a block, 64 x 256 a
// warpgroup; operands in shared memory, with the 128-byte swizzle, by asynchronous
// copies, two stages. For sm_90a.
#include "tensor.cuh"

#define ROWS    128
#define COLUMNS 256
#define DEPTH   64
#define A_BYTES (ROWS * DEPTH * 2)
#define B_BYTES (COLUMNS * DEPTH * 2)
#define STAGE   (A_BYTES + B_BYTES)

typedef unsigned short half_bits;
typedef unsigned long long descriptor;

// Where 16 bytes go that stand at `at` of a pattern of 1024.
IN_KERNEL word swizzled(word at)
{
	return at ^ (at >> 7 & 7) << 4;
}

IN_KERNEL descriptor describe(word at, word lead, word stride)
{
	return (descriptor)(at >> 4 & 0x3fff) | (descriptor)(lead >> 4) << 16 |
	       (descriptor)(stride >> 4) << 32 | (descriptor)1 << 62;
}

#define EIGHT(d, i)                                                            \
	"+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]),            \
		"+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])

// A along K, B along N.
IN_KERNEL void multiply(float *d, descriptor a, descriptor b)
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

extern "C" __global__ void gemm_wgmma(
	const half_bits *__restrict__ a, const half_bits *__restrict__ b,
	float *c, int n, int depth)
{
	extern __shared__ __attribute__((aligned(1024))) unsigned char shared[];
	const int t = threadIdx.x, group = t / 128, lane = t % 32;
	const int row0 = blockIdx.y * ROWS, column0 = blockIdx.x * COLUMNS;
	const word base = shared_at(shared);
	float sum[2][64] = {};

	// A: rows of 64 elements; B: for each 64 columns, rows of 64 elements.
#define FILL(stage, k)                                                         \
	for (int i = t; i < ROWS * DEPTH / 8; i += 256)                        \
		copy_16(base + (stage) * STAGE + swizzled(i * 16),             \
			a + (size_t)(row0 + i / 8) * depth + (k) + i % 8 * 8); \
	for (int i = t; i < COLUMNS * DEPTH / 8; i += 256)                     \
		copy_16(base + (stage) * STAGE + A_BYTES + swizzled(i * 16),   \
			b + (size_t)((k) + i / 8 % DEPTH) * n + column0 +      \
				i / 8 / DEPTH * 64 + i % 8 * 8);               \
	copies_end()

	FILL(0, 0);
	for (int k = 0; k < depth; k += DEPTH) {
		const int stage = k / DEPTH & 1;
		const word left = base + stage * STAGE + group * 64 * 128;
		const word right = base + stage * STAGE + A_BYTES;

		if (k + DEPTH < depth) {
			FILL(stage ^ 1, k + DEPTH);
			COPIES_WAIT(1);
		} else {
			COPIES_WAIT(0);
		}
		asm volatile("fence.proxy.async;" : : : "memory");
		__syncthreads();
		asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
#pragma unroll
		for (int kk = 0; kk < DEPTH / 16; kk++)
			for (int j = 0; j < 2; j++)
				multiply(sum[j],
					describe(left + kk * 32, 16, 1024),
					describe(right + kk * 2048 +
							 j * 2 * DEPTH * 128,
						DEPTH * 128, 1024));
		asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
		asm volatile("wgmma.wait_group.sync.aligned 0;" : : : "memory");
		__syncthreads();
	}
	for (int j = 0; j < 2; j++)
		for (int i = 0; i < 64; i += 2) {
			const int row = row0 + t / 32 * 16 + lane / 4 + i / 2 % 2 * 8;
			const int column = column0 + j * 128 + i / 4 * 8 + lane % 4 * 2;
			float *to = c + (size_t)row * n + column;

			to[0] = sum[j][i];
			to[1] = sum[j][i + 1];
		}
}
