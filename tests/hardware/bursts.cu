// One SM's loads of 16 B a lane from L2, without any instrument: loops with 1 to 8
// loads in an iteration, by carve-out for shared memory, and single bursts
// behind a barrier. Cycles of an iteration, and of a burst, medians of 15:
//
//   nvcc -arch=sm_90 -O3 tests/hardware/bursts.cu -o bursts && ./bursts
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#include "cycles.cuh"
#define REPEATS 15
#define WARPS   32
#define BYTES   (512u << 10)

static __device__ uint4 load(const char *from)
{
	uint4 v;
	asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3},[%4];"
		: "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from) : "memory");
	return v;
}

__global__ void bring(const char *data, unsigned *out)
{
	size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * 16;
	unsigned sum = 0;
	for (; i < BYTES; i += (size_t)gridDim.x * blockDim.x * 16) {
		uint4 v = load(data + i);
		sum |= v.x | v.y | v.z | v.w;
	}
	if (sum == 77)
		*out = sum;
}

// A block of `blockDim.x / 32` warps on one SM; each warp's begin and end.
template <int LOADS> __global__ void __launch_bounds__(1024, 1) read(
	const char *data, unsigned *out, int iterations)
{
	unsigned warp = threadIdx.x / 32, sum = 0;
	unsigned at = threadIdx.x * 16, step = LOADS * blockDim.x * 16, begin;

	__syncthreads();
	__nanosleep(2000);
	__syncthreads();
	begin = cycles();
#pragma unroll 1
	for (int i = 0; i < iterations; i++) {
		uint4 v[LOADS];
#pragma unroll
		for (int k = 0; k < LOADS; k++)
			v[k] = load(data + at + k * WARPS * 512);
#pragma unroll
		for (int k = 0; k < LOADS; k++)
			sum ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
		at = (at + step + (sum == 12345)) & (BYTES - 1);
	}
	if (threadIdx.x % 32 == 0) {
		out[2 * warp] = begin;
		out[2 * warp + 1] = cycles();
	}
	if (sum == 77)
		out[100] = sum;
}

template <int LOADS> void row(const char *data, unsigned *out, int warps,
	int iterations, int carveout)
{
	std::vector<unsigned> spans;

	cudaFuncSetAttribute(read<LOADS>,
		cudaFuncAttributePreferredSharedMemoryCarveout, carveout);
	for (int i = 0; i < REPEATS; i++) {
		unsigned h[2 * WARPS], last = 0;
		bring<<<132, 1024>>>(data, out);
		read<LOADS><<<1, 32 * warps>>>(data, out, iterations);
		if (cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost))
			exit(1);
		for (int w = 0; w < warps; w++)
			for (int k = 0; k < warps; k++)
				last = std::max(last, (unsigned)std::max(0,
					(int)(h[2 * w + 1] - h[2 * k])));
		spans.push_back(last);
	}
	std::sort(spans.begin(), spans.end());
	printf("%s\t%d\t%d\t%d\t%.1f\n", iterations > 1 ? "loop" : "burst", warps,
		LOADS, carveout, spans[REPEATS / 2] / (double)iterations);
}

template <int LOADS> void rows(const char *data, unsigned *out)
{
	static const int carveouts[] = {0, 8, 15, 50, 100};
	static const int warps[] = {8, 16, 24, 32};

	for (int carveout : carveouts)
		for (int w : warps) {
			row<LOADS>(data, out, w, 256, carveout);
			row<LOADS>(data, out, w, 1, carveout);
		}
}

int main()
{
	char *data;
	unsigned *out;

	if (cudaMalloc(&data, 2 * BYTES) || cudaMalloc(&out, 4096))
		return 1;
	cudaMemset(data, 0, 2 * BYTES);
	printf("kind\twarps\tloads\tcarveout_percent\tcycles\n");
	rows<1>(data, out);
	rows<2>(data, out);
	rows<4>(data, out);
	rows<8>(data, out);
	return 0;
}
