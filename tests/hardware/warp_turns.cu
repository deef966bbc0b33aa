// Whose turn it is in a scheduler: each warp of a block on one SM executes 64
// sums, each apart from the fifteen before; cycles of each warp's begin and end,
// from the first begin on, of two runs:
//
//   nvcc -arch=sm_90 -O3 tests/hardware/warp_turns.cu -o turns && ./turns
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include "cycles.cuh"
#define WARPS 32
#define SUMS  16
#define ROUNDS 4

enum kind { FMA, XOR };

template <kind KIND> __global__ void __launch_bounds__(1024, 1) work(
	unsigned *out, float x, int n)
{
	float a[SUMS], sum = 0;
	int b[SUMS];
	unsigned begin, end;

#pragma unroll
	for (int i = 0; i < SUMS; i++) {
		a[i] = x + i + threadIdx.x;
		b[i] = n + i + threadIdx.x;
	}
	__syncthreads();
	__nanosleep(2000);
	__syncthreads();
	begin = cycles();
#pragma unroll
	for (int r = 0; r < ROUNDS; r++)
#pragma unroll
		for (int i = 0; i < SUMS; i++)
			if (KIND == FMA)
				asm volatile("fma.rn.f32 %0,%0,%1,%1;"
					: "+f"(a[i]) : "f"(x));
			else
				asm volatile("xor.b32 %0,%0,%1;"
					: "+r"(b[i]) : "r"(n + r));
	end = cycles();
#pragma unroll
	for (int i = 0; i < SUMS; i++)
		sum += a[i] + b[i];
	if (sum == 77.5f)
		out[2 * WARPS] = 1;
	if (threadIdx.x % 32 == 0) {
		out[threadIdx.x / 32 * 2] = begin;
		out[threadIdx.x / 32 * 2 + 1] = end;
	}
}

template <kind KIND> void rows(unsigned *out, int warps)
{
	unsigned h[2 * WARPS], first;

	for (int run = 0; run < 3; run++) {
		work<KIND><<<1, 32 * warps>>>(out, 1.5f, run + 3);
		if (cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost))
			exit(1);
		first = h[0];
		for (int w = 0; w < warps; w++)
			if ((int)(h[2 * w] - first) < 0)
				first = h[2 * w];
		for (int w = 0; run && w < warps; w++)
			printf("%s\t%d\t%d\t%d\t%d\t%u\t%u\n",
				KIND == FMA ? "fma" : "xor", warps, run, w,
				w % 4, h[2 * w] - first, h[2 * w + 1] - first);
	}
}

int main()
{
	unsigned *out;

	if (cudaMalloc(&out, (2 * WARPS + 1) * sizeof(*out)))
		return 1;
	printf("sum\twarps\trun\twarp\tscheduler\tbegin\tend\n");
	for (int warps : {4, 8, 16, 32}) {
		rows<FMA>(out, warps);
		rows<XOR>(out, warps);
	}
	return 0;
}
