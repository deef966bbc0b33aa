// What arithmetic costs a scheduler of an SM: for each operation the cycles
// from one to a dependent one, and the cycles that each of many independent
// ones takes, of eight warps on the scheduler. The latter over the rate of the
// pipe is how many instructions the assembler makes of it.
//
//   nvcc -arch=sm_90 -O3 tests/hardware/op_rates.cu -o op_rates && ./op_rates
//
// Prints op, latency_cycles, cycles_per_warp_instruction.
#include <cstdio>
#include <cstdlib>

#define ITERATIONS 64

#define CHECK(call)                                                            \
	do {                                                                   \
		cudaError_t e = (call);                                        \
		if (e != cudaSuccess) {                                        \
			fprintf(stderr, "%s: %s\n", #call,                     \
				cudaGetErrorString(e));                        \
			exit(1);                                               \
		}                                                              \
	} while (0)

__device__ inline long long now()
{
	long long t;
	asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
	return t;
}

// One chain of 16 links, or four chains of four, a turn.
#define KERNEL(name, T, C, TEXT)                                               \
	__global__ void name(long long *out, T *keep, T y, T z, int chains)    \
	{                                                                      \
		T a = (T)(threadIdx.x + 3), b = a + (T)1, c = b + (T)1,        \
		  d = c + (T)1;                                                \
		long long start, end;                                          \
		__syncthreads();                                               \
		start = now();                                                 \
		if (chains == 1)                                               \
			for (int i = 0; i < ITERATIONS; i++) {                 \
				_Pragma("unroll") for (int k = 0; k < 16; k++) \
					asm volatile(TEXT                      \
						     : "+" C(a)                \
						     : C(y), C(z));            \
			}                                                      \
		else                                                           \
			for (int i = 0; i < ITERATIONS; i++) {                 \
				_Pragma("unroll") for (int k = 0; k < 4; k++)  \
				{                                              \
					asm volatile(TEXT                      \
						     : "+" C(a)                \
						     : C(y), C(z));            \
					asm volatile(TEXT                      \
						     : "+" C(b)                \
						     : C(y), C(z));            \
					asm volatile(TEXT                      \
						     : "+" C(c)                \
						     : C(y), C(z));            \
					asm volatile(TEXT                      \
						     : "+" C(d)                \
						     : C(y), C(z));            \
				}                                              \
			}                                                      \
		end = now();                                                   \
		keep[threadIdx.x] = a + b + c + d;                             \
		if (threadIdx.x % 32 == 0) {                                   \
			out[threadIdx.x / 32 * 2] = start;                     \
			out[threadIdx.x / 32 * 2 + 1] = end;                   \
		}                                                              \
	}

#include "op_rates.def"

template <typename T>
static void run(const char *name,
	void (*kernel)(long long *, T *, T, T, int), T y, T z)
{
	long long *out, host[64];
	T *keep;
	double latency = 0, rate = 0;

	CHECK(cudaMalloc(&out, sizeof(host)));
	CHECK(cudaMalloc(&keep, 1024 * sizeof(T)));
	for (int repeat = 0; repeat < 3; repeat++) {
		kernel<<<1, 32>>>(out, keep, y, z, 1);
		CHECK(cudaMemcpy(
			host, out, sizeof(host), cudaMemcpyDeviceToHost));
		latency = (double)(host[1] - host[0]) / (ITERATIONS * 16);
		kernel<<<1, 1024>>>(out, keep, y, z, 4);
		CHECK(cudaMemcpy(
			host, out, sizeof(host), cudaMemcpyDeviceToHost));
		long long first = host[0], last = host[1];
		for (int w = 0; w < 32; w++) {
			first = host[2 * w] < first ? host[2 * w] : first;
			last = host[2 * w + 1] > last ? host[2 * w + 1] : last;
		}
		rate = (double)(last - first) / (ITERATIONS * 16 * 8);
	}
	printf("%s\t%.2f\t%.2f\n", name, latency, rate);
	CHECK(cudaFree(out));
	CHECK(cudaFree(keep));
}

int main()
{
#undef KERNEL
#define KERNEL(name, T, C, TEXT) run<T>(#name, name, (T)5, (T)7);
#include "op_rates.def"
	return 0;
}
