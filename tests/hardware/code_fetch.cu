// How instructions come to an SM, for results/kernels/code_fetch.tsv: cycles that
// warps take, by their own clock, for instructions that they execute for the first
// time or again.
//
//   nvcc -arch=sm_90 -O3 tests/hardware/code_fetch.cu -o code && ./code
//
// straight: 40 pieces of 65 instructions in a row, for each piece
// wait: the same behind a load whose value is waited for; the load is the second
// jump: 17 instructions, a branch over `size` others, 17, and four pieces; twice
// loop: rounds of `size` products; the second line is of the launch after it
//
// Medians over all warps; `other` launches come behind 128 KiB of another kernel's
// instructions, `again` ones behind the same kernel.
#include <algorithm>
#include <vector>
#include "call.cuh"
#include "cycles.cuh"
#define STAMPS 41
#define WARPS  (132 * 32)

// Products that a scheduler can issue cycle by cycle.
#define PRODUCT(i)                                                             \
	asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(a[i]) : "f"(b));
#define PRODUCTS8                                                              \
	PRODUCT(0) PRODUCT(1) PRODUCT(2) PRODUCT(3)                            \
	PRODUCT(4) PRODUCT(5) PRODUCT(6) PRODUCT(7)
#define PRODUCTS16 PRODUCTS8 PRODUCTS8
#define PRODUCTS64 PRODUCTS16 PRODUCTS16 PRODUCTS16 PRODUCTS16
#define PIECE(i)   PRODUCTS64 t[i] = cycles();
#define PIECES4(i) PIECE(i) PIECE(i + 1) PIECE(i + 2) PIECE(i + 3)
#define PIECES8(i) PIECES4(i) PIECES4(i + 4)
#define BEGIN      float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}
#define USE                                                                    \
	if (a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7] == 77)       \
		*out = 1;

static __device__ __forceinline__ void keep(
	unsigned *out, const unsigned *t, int count)
{
	unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	if (threadIdx.x % 32 == 0)
#pragma unroll
		for (int i = 0; i < count; i++)
			out[warp * STAMPS + i] = t[i];
}

__global__ void __launch_bounds__(1024, 1) straight(
	unsigned *out, const unsigned *, float b, int)
{
	unsigned t[STAMPS];
	BEGIN;
	t[0] = cycles();
	PIECES8(1) PIECES8(9) PIECES8(17) PIECES8(25) PIECES8(33)
	USE keep(out, t, STAMPS);
}

__global__ void __launch_bounds__(1024, 1) wait(
	unsigned *out, const unsigned *data, float b, int)
{
	unsigned t[19], v;
	BEGIN;
	t[0] = cycles();
	asm volatile("ld.global.cg.u32 %0,[%1];"
		: "=r"(v) : "l"(data + blockIdx.x * blockDim.x + threadIdx.x));
	t[1] = cycles();
	if (v == 77)
		out[3] = 1;
	t[2] = cycles();
	PIECES8(3) PIECES8(11)
	USE keep(out, t, 19);
}

template <int SIZE> __global__ void __launch_bounds__(1024, 1) jump(
	unsigned *out, const unsigned *, float b, int skip)
{
	__shared__ unsigned all[32][2][8];
	BEGIN;
#pragma unroll 1
	for (int round = 0; round < 2; round++) {
		unsigned t[8];
		t[0] = cycles();
		PRODUCTS16
		t[1] = cycles();
		if (!skip) {
#pragma unroll
			for (int i = 0; i < SIZE / 64; i++) {
				PRODUCTS64
			}
			__threadfence();
		}
		t[2] = cycles();
		PRODUCTS16
		t[3] = cycles();
		PIECES4(4)
		if (threadIdx.x % 32 == 0)
			for (int i = 0; i < 8; i++)
				all[threadIdx.x / 32][round][i] = t[i];
	}
	USE __syncthreads();
	keep(out, all[threadIdx.x / 32][0], 16);
}

template <int SIZE> __global__ void __launch_bounds__(1024, 1) loop(
	unsigned *out, const unsigned *, float b, int rounds)
{
	__shared__ unsigned all[32][8];
	BEGIN;
#pragma unroll 1
	for (int round = 0; round < rounds; round++) {
		all[threadIdx.x / 32][round] = cycles();
#pragma unroll
		for (int i = 0; i < SIZE / 64; i++) {
			PRODUCTS64
		}
	}
	all[threadIdx.x / 32][rounds] = cycles();
	USE __syncthreads();
	keep(out, all[threadIdx.x / 32], 7);
}

__global__ void __launch_bounds__(512, 1) other(unsigned *out, float b)
{
	BEGIN;
#pragma unroll
	for (int i = 0; i < 128; i++) {
		PRODUCTS64
	}
	USE
}

typedef void (*kernel)(unsigned *, const unsigned *, float, int);
static unsigned *device, *data;

static void launch(const char *what, kernel k, int size, int blocks,
	int threads, int stamps, int argument)
{
	static std::vector<unsigned> all(WARPS * STAMPS);
	int warps = blocks * threads / 32;
	for (int again = 0; again < 2; again++) {
		if (!again)
			other<<<264, 512>>>(device, 1.5f);
		k<<<blocks, threads>>>(device, data, 1.5f, argument);
		DO(cudaDeviceSynchronize());
		DO(cudaMemcpy(all.data(), device, all.size() * 4,
			cudaMemcpyDeviceToHost));
		printf("%s\t%d\t%d\t%d\t%s\t", what, size, blocks, threads,
			again ? "again" : "other");
		for (int i = 1; i < stamps; i++) {
			std::vector<unsigned> each;
			for (int w = 0; w < warps; w++)
				each.push_back(all[w * STAMPS + i] -
					all[w * STAMPS + i - 1]);
			std::sort(each.begin(), each.end());
			printf("%s%u", i > 1 ? " " : "", each[warps / 2]);
		}
		puts("");
	}
}

int main()
{
	DO(cudaMalloc(&device, WARPS * STAMPS * 4));
	DO(cudaMalloc(&data, 64 << 20));
	DO(cudaMemset(data, 0, 64 << 20));
	puts("what\tsize\tblocks\tthreads\tbehind\tcycles");
	for (int blocks : {1, 132})
		for (int threads : {32, 128, 256, 1024})
			launch("straight", straight, 2600, blocks, threads,
				STAMPS, 0);
	for (int blocks : {1, 132})
		for (int threads : {32, 256})
			launch("wait", wait, 1040, blocks, threads, 19, 0);
	for (int blocks : {1, 132}) {
		launch("jump", jump<64>, 64, blocks, 32, 16, 1);
		launch("jump", jump<512>, 512, blocks, 32, 16, 1);
		launch("jump", jump<2048>, 2048, blocks, 32, 16, 1);
		for (int threads : {32, 512}) {
			launch("loop", loop<64>, 64, blocks, threads, 7, 6);
			launch("loop", loop<256>, 256, blocks, threads, 7, 6);
			launch("loop", loop<1024>, 1024, blocks, threads, 7, 6);
			launch("loop", loop<2048>, 2048, blocks, threads, 7, 6);
			launch("loop", loop<4096>, 4096, blocks, threads, 7, 6);
			launch("loop", loop<8192>, 8192, blocks, threads, 7, 6);
		}
	}
	return 0;
}
