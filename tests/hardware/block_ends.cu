// When the place of a block is free again, by what its warps did: kernels of 40 and
// of 10 blocks for each place, by events; cycles a place and block, medians. Blocks
// have so much shared memory that one or two are on an SM at once.
//
//   nvcc -std=c++17 -arch=sm_90 -O3 tests/hardware/block_ends.cu -o block_ends &&
//   ./block_ends
#include "launches.cuh"
#include "cycles.cuh"
#define BYTES     (8u << 20)
#define SMS       132

enum { NOTHING, LOAD, SPIN };
enum { NONE, ONE_LANE, A_LANE_EACH, ALL, BEFORE }; // BEFORE: one lane, then spins

template <int WORK, int STORES>
__global__ void __launch_bounds__(1024) go(char *data, unsigned zero)
{
	unsigned lane = threadIdx.x % 32, value = zero, begin;
	char *at = data + (blockIdx.x * blockDim.x + threadIdx.x) * 4 % BYTES;

	if (STORES == BEFORE && !threadIdx.x)
		asm volatile("st.global.u32 [%0],%1;" ::"l"(at), "r"(zero)
			: "memory");
	if (WORK == LOAD)
		asm volatile("ld.global.cg.u32 %0,[%1];"
			: "=r"(value) : "l"(at) : "memory");
	if (WORK == SPIN)
		for (begin = cycles(); cycles() - begin < 400;)
			;
	if (value == 77)
		__trap();
	if (STORES == ONE_LANE ? !threadIdx.x
		: STORES == A_LANE_EACH ? !lane : STORES == ALL)
		asm volatile("st.global.u32 [%0],%1;" ::"l"(at), "r"(zero)
			: "memory");
}

static char *data;

template <int WORK, int STORES> static double launches(int blocks, int threads,
	int shared)
{
	auto kernel = go<WORK, STORES>;

	DO(cudaFuncSetAttribute(kernel,
		cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
	return cycles_of_launch(
		[=] { kernel<<<blocks, threads, shared>>>(data, 0); });
}

template <int WORK, int STORES> static void row(const char *name)
{
	static const struct {
		int threads, shared, places;
	} shapes[] = {{32, 120000, 1}, {256, 120000, 1}, {1024, 120000, 1},
		{256, 80000, 2}, {1024, 80000, 2}};

	printf("%s", name);
	for (auto &s : shapes) {
		int places = SMS * s.places;

		printf("\t%.0f",
			(launches<WORK, STORES>(40 * places, s.threads, s.shared) -
				launches<WORK, STORES>(
					10 * places, s.threads, s.shared)) / 30);
	}
	printf("\n");
}

int main()
{
	DO(cudaMalloc(&data, BYTES));
	DO(cudaMemset(data, 0, BYTES));
	printf("# what\t32 threads\t256\t1024\t2 x 256\t2 x 1024\n");
	row<NOTHING, NONE>("nothing");
	row<NOTHING, ONE_LANE>("a lane stores");
	row<NOTHING, A_LANE_EACH>("a lane of each warp stores");
	row<NOTHING, ALL>("all store");
	row<LOAD, NONE>("load");
	row<LOAD, ONE_LANE>("load, a lane stores");
	row<LOAD, A_LANE_EACH>("load, a lane of each warp stores");
	row<LOAD, ALL>("load, all store");
	row<SPIN, NONE>("400 cycles");
	row<SPIN, ONE_LANE>("400 cycles, a lane stores");
	row<SPIN, BEFORE>("a lane stores, 400 cycles");
	row<SPIN, ALL>("400 cycles, all store");
	return 0;
}
