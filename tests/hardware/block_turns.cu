// Which SMs get the blocks that come in the places of others: for how long they
// go on in the order of GPCs and of SMs in a GPC, and how often two blocks that
// follow each other are on one SM or in one GPC. SMs that no cluster of sixteen
// has are left out. For results/probes/block_turns.tsv:
//
//   nvcc -std=c++17 -arch=sm_90 -O3 tests/hardware/block_turns.cu -o turns && ./turns
#include <algorithm>
#include <map>
#include <vector>
#include <cooperative_groups.h>
#include "call.cuh"
#include "cycles.cuh"
#define BLOCKS    8192u
#define REPEATS   3
#define PER_NS    1.98
#define OWN_SM    (130u << 10) // of shared memory: one block an SM
#define CLUSTER   16u
#define CLUSTERED 112u
namespace cg = cooperative_groups;

struct record { unsigned sm, ns; };

__global__ void clusters(unsigned *sms)
{
	unsigned begin = cycles();
	if (!threadIdx.x)
		sms[blockIdx.x] = sm_id();
	while (cycles() - begin < 20000)
		;
	cg::this_cluster().sync();
}

// A block takes `least` cycles and up to `spread` more.
__global__ void __launch_bounds__(1024)
	spin(unsigned least, unsigned spread, struct record *out)
{
	unsigned begin = cycles(), ns = (unsigned)nanoseconds();
	unsigned x = blockIdx.x * 2654435761u, long_for;
	x = (x ^ x >> 15) * 0x2c1b3c6d;
	long_for = least + (spread ? (x ^ x >> 13) % spread : 0);
	while (cycles() - begin < long_for)
		;
	if (!threadIdx.x)
		out[blockIdx.x] = {sm_id(), ns};
}

static struct record *records;

// By SM: a number that rises GPC by GPC; SMs that are missing are alone.
static std::map<unsigned, unsigned> gpcs()
{
	std::map<unsigned, unsigned> least;
	cudaLaunchAttribute attribute = {};
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim.x = CLUSTER;
	attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
	DO(cudaFuncSetAttribute(clusters,
		cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
	DO(cudaFuncSetAttribute(clusters,
		cudaFuncAttributeMaxDynamicSharedMemorySize, OWN_SM));
	for (int repeat = 0; repeat < 6; repeat++) {
		cudaLaunchConfig_t config = {};
		std::vector<unsigned> sms(CLUSTERED);
		config.gridDim = CLUSTERED;
		config.blockDim = 32 + 32 * repeat;
		config.dynamicSmemBytes = OWN_SM;
		config.attrs = &attribute;
		config.numAttrs = 1;
		DO(cudaLaunchKernelEx(&config, clusters, (unsigned *)records));
		DO(cudaMemcpy(sms.data(), records, CLUSTERED * 4,
			cudaMemcpyDeviceToHost));
		for (unsigned i = 0; i < CLUSTERED; i += CLUSTER) {
			unsigned first = *std::min_element(
				&sms[i], &sms[i] + CLUSTER);
			for (unsigned k = i; k < i + CLUSTER; k++)
				if (!least.count(sms[k]) ||
					first < least[sms[k]])
					least[sms[k]] = first;
		}
	}
	return least;
}

static void print_row(std::map<unsigned, unsigned> &gpc, unsigned threads,
	unsigned least, unsigned spread, unsigned shared)
{
	unsigned places = shared ? 132 : 132 * std::min(32u, 2048 / threads);
	unsigned same_sm = 0, same_gpc = 0, pairs = 0, rises = 0, last = 0;
	double span = 0;
	for (int repeat = 0; repeat < REPEATS; repeat++) {
		std::vector<struct record> out(BLOCKS), kept;
		spin<<<BLOCKS, threads, shared>>>(least, spread, records);
		DO(cudaDeviceSynchronize());
		DO(cudaMemcpy(out.data(), records, BLOCKS * sizeof(out[0]),
			cudaMemcpyDeviceToHost));
		// in the midst of it, where there are places of others
		for (unsigned i = places + (BLOCKS - places) / 8;
			i < BLOCKS - (BLOCKS - places) / 4; i++)
			if (gpc.count(out[i].sm))
				kept.push_back(out[i]);
		for (size_t i = 1; i < kept.size(); i++) {
			unsigned a = kept[i - 1].sm, b = kept[i].sm;
			unsigned at = gpc[b] * 1000 + b;
			pairs++;
			same_sm += a == b;
			same_gpc += gpc[a] == gpc[b];
			rises += at < last;
			last = at;
		}
		span += (int)(kept.back().ns - kept.front().ns) * PER_NS;
	}
	printf("%u\t%u\t%u\t%u\t%.3f\t%.1f\t%.1f\t%.3f\t%.2f\n", threads,
		shared ? 1 : places / 132, least, least + spread, pairs / span,
		(double)pairs / rises, span / rises, (double)same_sm / pairs,
		(double)same_gpc / pairs);
}

int main()
{
	DO(cudaMalloc(&records, BLOCKS * sizeof(*records)));
	DO(cudaFuncSetAttribute(spin,
		cudaFuncAttributeMaxDynamicSharedMemorySize, OWN_SM));
	std::map<unsigned, unsigned> gpc = gpcs();
	printf("threads\tblocks an SM\tcycles a block\tto\tblocks a cycle"
	       "\tblocks a rise\tcycles a rise\ton one SM\tin one GPC\n");
	for (unsigned threads : {32, 64, 256, 1024}) {
		print_row(gpc, threads, 0, 0, 0);
		print_row(gpc, threads, 2000, 0, 0);
		print_row(gpc, threads, 1000, 2000, 0);
	}
	print_row(gpc, 256, 2000, 0, OWN_SM);
	print_row(gpc, 256, 1000, 2000, OWN_SM);
	return 0;
}
