// Warps of a block that load what others of it have under way into L1, beside
// warps that load lines of their own, and hits: the time from one barrier to the
// next, between which each warp loads once. For results/kernels/pending.tsv:
//
//   nvcc -arch=sm_90 -O3 tests/hardware/pending.cu -o pending && ./pending
//
// Cycles are medians of 10 rounds, each with lines of its own, which L2 has.
#include <algorithm>
#include <vector>
#include "call.cuh"
#include "cycles.cuh"
#define ROUNDS 12
#define FIRST  2 // rounds that do not count

static __device__ unsigned load(const unsigned *at)
{
	unsigned v;
	asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
	return v;
}

// Lanes are `apart` words apart; `own`: each warp has lines of its own.
__global__ void rounds(const unsigned *memory, unsigned *out, unsigned apart,
	unsigned shift, unsigned lines, bool own, unsigned words)
{
	extern __shared__ volatile unsigned shared[];
	unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32, sum = 0;
	unsigned step = 32 * lines * (own ? warps : 1), i;
	const unsigned *at = memory + threadIdx.x % 32 * apart + shift +
			     (own ? warp * 32 * lines : 0);
	for (i = threadIdx.x; i < words; i += blockDim.x)
		sum += __ldcg(memory + i);
	shared[threadIdx.x] = sum;
	for (i = 0; i < ROUNDS; i++, at += step) {
		unsigned t[3] = {};
		__syncthreads();
		for (int again = 0; again < 2; again++) {
			if (!warp)
				t[again] = cycles();
			shared[threadIdx.x] = load(at);
			__syncthreads();
		}
		if (!warp)
			t[2] = cycles();
		if (!threadIdx.x) {
			out[2 * i] = t[1] - t[0];
			out[2 * i + 1] = t[2] - t[1];
		}
	}
}

static unsigned median(const std::vector<unsigned> &all, int which)
{
	std::vector<unsigned> v;
	for (int i = FIRST; i < ROUNDS; i++)
		v.push_back(all[2 * i + which]);
	std::sort(v.begin(), v.end());
	return v[v.size() / 2];
}

int main()
{
	static const struct { unsigned apart, shift, lines; } shapes[] = {
		{1, 0, 1}, {1, 1, 2}, {2, 0, 2}, {4, 0, 4}, {8, 0, 8},
		{32, 0, 32}};
	unsigned *memory, *device;
	DO(cudaMalloc(&memory, 64 << 20));
	DO(cudaMemset(memory, 0, 64 << 20));
	DO(cudaMalloc(&device, 2 * ROUNDS * sizeof(*device)));
	printf("bytes_apart\tshift\tlines\tlines_of\twarps\tfirst\tagain\n");
	for (const auto &s : shapes)
		for (bool own : {false, true})
			for (unsigned warps : {1, 2, 4, 8, 16, 32}) {
				std::vector<unsigned> out(2 * ROUNDS);
				unsigned words = ROUNDS * 32 * s.lines *
							 (own ? warps : 1) + 64;
				rounds<<<1, warps * 32, warps * 128>>>(memory,
					device, s.apart, s.shift, s.lines, own,
					words);
				DO(cudaDeviceSynchronize());
				DO(cudaMemcpy(out.data(), device,
					out.size() * sizeof(out[0]),
					cudaMemcpyDeviceToHost));
				printf("%u\t%u\t%u\t%s\t%u\t%u\t%u\n",
					s.apart * 4, s.shift * 4, s.lines,
					own ? "each warp" : "all", warps,
					median(out, 0), median(out, 1));
			}
}
