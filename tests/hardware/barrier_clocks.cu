// When a clock behind a barrier is read: the last of eight warps comes to bar.sync
// 20,000 cycles after the others, and each reads the clock behind it, with nothing
// or one kind of instruction between the two. Cycles from when the last warp came
// to the first and the last of the eight clocks; below 0: read before it came.
//
//   nvcc -arch=sm_90 -O3 tests/hardware/barrier_clocks.cu -o behind && ./behind
#include <algorithm>
#include <cstdio>
#include "call.cuh"
#include "cycles.cuh"
#define WARPS 8
#define WAIT  20000

enum kind { NOTHING, BRANCH, WARP_SYNC, SHARED_STORE, STORE, STORE_BY_THREAD_0,
	LOAD, PREFETCH, KINDS };
static const char *const names[KINDS] = {"nothing", "branch", "bar.warp.sync",
	"shared store", "store", "store by thread 0", "load", "prefetch"};

template <int KIND> __global__ void behind(unsigned *out, unsigned *at, int never)
{
	__shared__ unsigned word[32 * WARPS];
	unsigned warp = threadIdx.x / 32, from = cycles(), came, read, value = 0;
	unsigned to = (unsigned)__cvta_generic_to_shared(&word[threadIdx.x]);
	unsigned *own = &at[threadIdx.x];

	while (warp == WARPS - 1 && cycles() - from < WAIT)
		;
	came = cycles();
	asm volatile("bar.sync 0;" ::: "memory");
	if (KIND == BRANCH)
		asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 77;\n"
			     "@p bra OUT; bra.uni ON; OUT: exit; ON: }"
			: : "r"(never) : "memory");
	if (KIND == WARP_SYNC)
		asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
	if (KIND == SHARED_STORE)
		asm volatile("st.volatile.shared.b32 [%0], %1;"
			: : "r"(to), "r"(never) : "memory");
	if (KIND == STORE)
		asm volatile("st.volatile.global.b32 [%0], %1;"
			: : "l"(own), "r"(never) : "memory");
	if (KIND == STORE_BY_THREAD_0)
		asm volatile("{ .reg .pred p; setp.eq.u32 p, %2, 0;\n"
			     "@p st.volatile.global.b32 [%0], %1; }"
			: : "l"(own), "r"(never), "r"(threadIdx.x) : "memory");
	if (KIND == LOAD)
		asm volatile("ld.volatile.global.b32 %0, [%1];"
			: "=r"(value) : "l"(own) : "memory");
	if (KIND == PREFETCH)
		asm volatile("prefetch.global.L2 [%0];" : : "l"(own) : "memory");
	read = cycles();
	if (value == 77)
		out[2 * WARPS] = 1;
	if (threadIdx.x % 32 == 0) {
		out[2 * warp] = came;
		out[2 * warp + 1] = read;
	}
}

template <int KIND> static void row(unsigned *out, unsigned *at)
{
	unsigned h[2 * WARPS];
	int least = 0, most = 0;

	for (int run = 0; run < 2; run++) {
		behind<KIND><<<1, 32 * WARPS>>>(out, at, 0);
		DO(cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost));
	}
	for (int w = 0; w < WARPS; w++) {
		int after = (int)(h[2 * w + 1] - h[2 * (WARPS - 1)]);

		least = w ? std::min(least, after) : after;
		most = w ? std::max(most, after) : after;
	}
	printf("%s\t%d\t%d\n", names[KIND], least, most);
}

int main()
{
	unsigned *out, *at;

	DO(cudaMalloc(&out, (2 * WARPS + 1) * sizeof(*out)));
	DO(cudaMalloc(&at, 32 * WARPS * sizeof(*at)));
	DO(cudaMemset(at, 0, 32 * WARPS * sizeof(*at)));
	printf("# between\tfirst_clock\tlast_clock\n");
	row<NOTHING>(out, at);
	row<BRANCH>(out, at);
	row<WARP_SYNC>(out, at);
	row<SHARED_STORE>(out, at);
	row<STORE>(out, at);
	row<STORE_BY_THREAD_0>(out, at);
	row<LOAD>(out, at);
	row<PREFETCH>(out, at);
	return 0;
}
