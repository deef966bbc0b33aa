// How many lookups in L2 SMs share that stream the same lines, by how many warps
// they have and how far they are apart. For results/probes/shared_streams.tsv:
//
//   nvcc -arch=sm_90 -O3 tests/hardware/shared_streams.cu -o shared_streams
//   ncu --cache-control none --clock-control none --csv --page raw --metrics \
//       lts__t_sectors_srcunit_tex_op_read.sum,\
//       l1tex__m_xbar2l1tex_read_sectors.sum,sm__cycles_elapsed.max \
//       --kernel-name stream ./shared_streams
//
// A kernel for each set of SMs, number of warps, loads and cycles by which the
// second SM begins later, each named on a line before it runs. A warp loads 16
// bytes a lane, eight loads at once, from 16 MiB that both sides of L2 have.
#include <vector>
#include "both_sides.cuh"
#include "call.cuh"
#include "cycles.cuh"
#define SMS     132u
#define SLAB    16384u
#define ALONE   (200 << 10) // shared memory: a block an SM
#define WAIT_NS 30000

__global__ void stream(const char *memory, const int *late, unsigned loads,
	u64 *start, unsigned *out)
{
	extern __shared__ volatile u64 at[];
	int wait = late[sm_id()];
	unsigned sum = 0, offset = threadIdx.x * 16, from;
	if (wait < 0)
		return;
	if (!threadIdx.x) {
		u64 now = nanoseconds() + WAIT_NS, first = atomicCAS(start, 0, now);
		at[0] = first ? first : now;
	}
	__syncthreads();
	while (nanoseconds() < at[0])
		;
	from = cycles();
	while (cycles() - from < 20 + wait)
		;
	for (unsigned i = 0; i < loads; i += 8) {
		uint4 v[8];
#pragma unroll
		for (int k = 0; k < 8; k++) {
			asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
				     : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z),
				     "=r"(v[k].w)
				     : "l"(memory + offset % MEMORY));
			offset += SLAB;
		}
#pragma unroll
		for (int k = 0; k < 8; k++)
			sum += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
	}
	if (sum == 12345)
		*out = sum;
}

static std::vector<int> up_to(int end, int step)
{
	std::vector<int> sms;
	for (int i = 0; i < end; i += step)
		sms.push_back(i);
	return sms;
}

int main()
{
	const struct { const char *name; std::vector<int> sms; } sets[] = {
		{"SM 0", {0}}, {"SM 0 and 1", {0, 1}}, {"SM 0 and 16", {0, 16}},
		{"SM 0, 1, 16, 17", {0, 1, 16, 17}},
		{"first SMs of 8 GPCs", up_to(16, 2)},
		{"pairs of 8 GPCs", up_to(16, 1)}, {"all SMs", up_to(SMS, 1)}};
	char *memory;
	unsigned *out;
	u64 *start;
	int *late;

	DO(cudaMalloc(&memory, MEMORY));
	DO(cudaMemset(memory, 0, MEMORY));
	DO(cudaMalloc(&out, sizeof(*out)));
	DO(cudaMalloc(&start, sizeof(*start)));
	DO(cudaMalloc(&late, SMS * sizeof(*late)));
	DO(cudaFuncSetAttribute(stream,
		cudaFuncAttributeMaxDynamicSharedMemorySize, ALONE));
	read_by_both(memory, out);
	for (auto &set : sets)
		for (unsigned warps : {1u, 8u, 32u})
			for (unsigned loads : {8u, 128u, 512u})
				for (int by : {0, 40, 100, 300}) {
					std::vector<int> when(SMS, -1);
					if (by && set.sms.size() != 2)
						continue;
					for (size_t i = 0; i < set.sms.size(); i++)
						when[set.sms[i]] = by * (int)i;
					DO(cudaMemcpy(late, when.data(),
						SMS * sizeof(*late),
						cudaMemcpyHostToDevice));
					DO(cudaMemset(start, 0, sizeof(*start)));
					printf("%s, %u warps, %u loads, %d cycles later\n",
						set.name, warps, loads, by);
					stream<<<SMS, warps * 32, ALONE>>>(memory,
						late, loads, start, out);
					DO(cudaDeviceSynchronize());
				}
}
