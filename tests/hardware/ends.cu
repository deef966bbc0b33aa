// Kernels that do nothing, load one line after another, or store: how long each
// lasts beside the time in which its SMs are active. For results/kernels/ends.tsv:
//
//   nvcc -arch=sm_90 -O3 tests/hardware/ends.cu -o ends
//   ncu --csv --clock-control none --cache-control none \
//       --metrics sm__cycles_elapsed.max,sm__cycles_active.max ./ends
//
// and again with --cache-control all. Each kernel is named on a line before it
// runs.
#include "call.cuh"
#define STEP (2u << 20) // from one load of a warp to its next one

// Each warp loads `loads` lines of its own, and stores a line, if wanted.
__global__ void end(const char *memory, unsigned *out, int loads, bool stores)
{
	unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, v = 0;
	const char *at = memory + thread / 32 * 128ull + thread % 32 * 4;
	for (int i = 0; i < loads; i++) {
		v = __ldcg((const unsigned *)at);
		at += STEP + (v & 1);
	}
	if (stores || v == 12345)
		out[thread] = v;
}

int main()
{
	char *memory;
	unsigned *out;
	DO(cudaMalloc(&memory, 64 << 20));
	DO(cudaMemset(memory, 0, 64 << 20));
	DO(cudaMalloc(&out, 8 << 20));
	printf("blocks\tthreads\tloads\tstores\n");
	for (int blocks : {1, 16, 132, 528})
		for (int threads : {32, 256})
			for (int loads : {0, 1, 4})
				for (int stores : {0, 1})
					for (int i = 0; i < 3; i++) {
						printf("%d\t%d\t%d\t%d\n",
							blocks, threads, loads,
							stores);
						fflush(stdout);
						end<<<blocks, threads>>>(memory,
							out, loads, stores);
						DO(cudaDeviceSynchronize());
					}
}
