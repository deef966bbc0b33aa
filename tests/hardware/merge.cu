// When loads of one GPC for the same sectors share a lookup in L2. 16 SMs of a
// GPC, a cluster, load sectors that L2 has, some cycles apart; a load that shares
// ends with the one that it waited for. For results/probes/merge.tsv:
//
//   nvcc -arch=sm_90 -O3 tests/hardware/merge.cu -o merge && ./merge
//   ncu --cache-control none --csv --metrics \
//       lts__t_requests_srcunit_tex_op_read.sum,\
//       l1tex__m_xbar2l1tex_read_sectors.sum,\
//       lrc__lrc2xbar_sectors_op_read_replayed.sum ./merge counts
//
// Without a word: cases of loads with their SM of the cluster, what they load of
// a line (a sector's number, or `line`), the cycle of it, and the cycle at which
// it is there after the first one's is; medians of 55. With `counts`: kernels to
// count, each named on a line before it runs.
#include <cooperative_groups.h>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>
#include "both_sides.cuh"
#include "call.cuh"
#include "cycles.cuh"
namespace cg = cooperative_groups;
#define SMS    16
#define ROUNDS 60
#define FIRST  5 // rounds that do not count
#define LINE   128u
#define NOWHERE UINT32_MAX
#define STEPS_BEFORE 30u

// ---- cases: who ends with whom ----

struct times { unsigned begin, end; };

// What each lane of each SM loads in a round, and steps of some cycles before.
__global__ void rounds(const char *memory, const uint32_t *offsets,
	const uint32_t *steps, struct times *out)
{
	extern __shared__ volatile unsigned shared[];
	cg::cluster_group cluster = cg::this_cluster();
	unsigned sm = cluster.block_rank(), lane = threadIdx.x, i, begin, v = 0;
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t at = offsets[(round * SMS + sm) * 32 + lane];
		uint32_t wait = steps[round * SMS + sm], x = wait, zero;
		shared[lane] = at;
		cluster.sync();
		cluster.sync();
		zero = cycles();
#pragma unroll 1
		for (i = 0; i < wait; i++)
			asm volatile("mad.lo.u32 %0, %0, 3, 1;" : "+r"(x));
		shared[lane] = x;
		begin = cycles();
		if (at != NOWHERE)
			v = load(memory + at);
		shared[lane] = v;
		if (!lane)
			out[round * SMS + sm] = {begin - zero, cycles() - zero};
		__syncwarp();
	}
}

struct asks { int sm, what, step; }; // what: a sector; 4: the line

static char *memory;
static uint32_t *device_offsets, *device_steps;
static struct times *device_times;
static unsigned *nothing;
static std::vector<uint32_t> lines;
static size_t used;

static void run(std::vector<uint32_t> &offsets, std::vector<uint32_t> &steps,
	std::vector<struct times> &out)
{
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute attribute;
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim.x = SMS;
	attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
	config.gridDim = SMS;
	config.blockDim = 32;
	config.dynamicSmemBytes = 130 << 10; // a block an SM
	config.attrs = &attribute;
	config.numAttrs = 1;
	DO(cudaMemcpy(device_offsets, offsets.data(), offsets.size() * 4,
		cudaMemcpyHostToDevice));
	DO(cudaMemcpy(device_steps, steps.data(), steps.size() * 4,
		cudaMemcpyHostToDevice));
	read_by_both(memory, nothing);
	DO(cudaLaunchKernelEx(&config, rounds, (const char *)memory,
		(const uint32_t *)device_offsets,
		(const uint32_t *)device_steps, device_times));
	DO(cudaDeviceSynchronize());
	out.resize(ROUNDS * SMS);
	DO(cudaMemcpy(out.data(), device_times, out.size() * sizeof(out[0]),
		cudaMemcpyDeviceToHost));
}

static int median(std::vector<int> v)
{
	std::sort(v.begin(), v.end());
	return v[v.size() / 2];
}

static void print_case(const std::vector<struct asks> &loads)
{
	std::vector<uint32_t> offsets(ROUNDS * SMS * 32, NOWHERE);
	std::vector<uint32_t> steps(ROUNDS * SMS);
	std::vector<struct times> out;
	for (int r = 0; r < ROUNDS; r++) {
		uint32_t line = lines[used++ % lines.size()] * LINE;
		for (const struct asks &a : loads) {
			uint32_t *at = &offsets[(r * SMS + a.sm) * 32];
			steps[r * SMS + a.sm] = STEPS_BEFORE + a.step;
			for (int lane = 0; lane < (a.what == 4 ? 32 : 1); lane++)
				at[lane] = line + (a.what == 4 ? lane * 4
							       : a.what * 32);
		}
	}
	run(offsets, steps, out);
	for (size_t i = 0; i < loads.size(); i++) {
		std::vector<int> begins, ends;
		for (int r = FIRST; r < ROUNDS; r++) {
			struct times a = out[r * SMS + loads[0].sm];
			struct times b = out[r * SMS + loads[i].sm];
			begins.push_back((int)(b.begin - a.begin));
			ends.push_back((int)(b.end - a.end));
		}
		printf("%sSM %d %s at %d ends at %d", i ? "; " : "",
			loads[i].sm,
			loads[i].what == 4 ? "line"
					   : std::to_string(loads[i].what).c_str(),
			median(begins), median(ends));
	}
	printf("\n");
}

static void print_cases()
{
	for (int sm : {1, 2, 5, 12}) // a step is 28 to 30 cycles
		for (int step = 0; step <= 3; step++)
			print_case({{0, 0, 0}, {sm, 0, step}});
	print_case({{0, 4, 0}, {1, 4, 1}});
	print_case({{0, 4, 0}, {1, 4, 2}});
	print_case({{0, 0, 0}, {1, 1, 1}});
	print_case({{0, 4, 0}, {1, 0, 1}});
	print_case({{0, 0, 0}, {1, 4, 1}});
	print_case({{0, 0, 0}, {2, 1, 0}, {1, 0, 1}});
	print_case({{0, 0, 0}, {2, 1, 0}, {3, 1, 1}});
	print_case({{0, 0, 0}, {2, 1, 1}, {3, 1, 2}});
	print_case({{0, 0, 0}, {2, 1, 0}, {1, 0, 1}, {3, 1, 1}});
	print_case({{0, 0, 0}, {1, 0, 1}, {2, 0, 2}});
	print_case({{0, 0, 0}, {1, 0, 1}, {2, 0, 1}, {3, 0, 1}, {4, 0, 1},
		{5, 0, 1}});
	print_case({{0, 4, 0}, {2, 1, 0}, {1, 4, 1}});
}

// ---- counts: how many lookups there are ----

// Each lane loads from a line of its own, `stride` bytes apart, or all lanes
// words of one line; every block the same, but for its sector.
__global__ void count(const char *at, unsigned lanes, unsigned loads,
	unsigned stride, unsigned apart, unsigned sectors, unsigned *out)
{
	unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
	unsigned sector = blockIdx.x / apart % sectors;
	for (unsigned i = 0; lane < lanes && i < loads; i++)
		sum += load(at + (size_t)((i * blockDim.x / 32 + warp) * lanes +
				 lane) * stride + sector * 32);
	if (sum == 12345)
		*out = sum;
}

static void count_one(const char *what, unsigned blocks, unsigned warps,
	unsigned lanes, unsigned loads, unsigned stride, unsigned apart,
	unsigned sectors)
{
	printf("%s\t%u\t%u\t%u\t%u\n", what, blocks, warps, lanes, loads);
	fflush(stdout);
	count<<<blocks, warps * 32>>>(memory, lanes, loads, stride, apart,
		sectors, nothing);
	DO(cudaDeviceSynchronize());
}

static void run_counts()
{
	const unsigned own = 33 * LINE; // a line for each lane
	for (unsigned blocks : {8, 16, 48, 132, 264, 1056}) {
		count_one("a sector", blocks, 1, 1, 8, own, 1, 1);
		count_one("a line", blocks, 1, 32, 8, 4, 1, 1);
	}
	for (unsigned warps : {1, 4, 16})
		count_one("a sector of each of 32 lines", 132, warps, 32, 1, own,
			1, 1);
	count_one("sectors of a line one after another", 132, 1, 8, 8, 4, 1, 1);
	count_one("halves of a line one after another", 132, 1, 16, 8, 4, 1, 1);
	for (unsigned apart : {1, 2, 4, 8, 16, 64}) {
		std::string what = "sector 0 and 1 of a line, by blocks of " +
				   std::to_string(apart);
		count_one(what.c_str(), 132, 1, 1, 1, own, apart, 2);
		count_one(what.c_str(), 132, 1, 32, 1, own, apart, 2);
		count_one(what.c_str(), 132, 8, 32, 1, own, apart, 2);
	}
}

int main(int argc, char **argv)
{
	cudaDeviceProp p;
	DO(cudaGetDeviceProperties(&p, 0));
	printf("# %s, GPU-", p.name);
	for (int i = 0; i < 16; i++)
		printf("%02x%s", (unsigned char)p.uuid.bytes[i],
			i == 3 || i == 5 || i == 7 || i == 9 ? "-" : "");
	printf("\n");
	DO(cudaMalloc(&memory, MEMORY * 2));
	DO(cudaMemset(memory, 0, MEMORY * 2));
	DO(cudaMalloc(&nothing, 4));
	DO(cudaMalloc(&device_offsets, ROUNDS * SMS * 32 * 4));
	DO(cudaMalloc(&device_steps, ROUNDS * SMS * 4));
	DO(cudaMalloc(&device_times, ROUNDS * SMS * sizeof(struct times)));
	if (argc > 1 && !strcmp(argv[1], "counts")) {
		run_counts();
		return 0;
	}
	DO(cudaFuncSetAttribute(rounds,
		cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
	DO(cudaFuncSetAttribute(rounds,
		cudaFuncAttributeMaxDynamicSharedMemorySize, 130 << 10));
	for (uint32_t i = 0; i < MEMORY / LINE; i++)
		lines.push_back(i);
	std::shuffle(lines.begin(), lines.end(), std::mt19937(7));
	print_cases();
}
