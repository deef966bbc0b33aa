// Reductions by warps of SMs that start together, each warp on a line of its own
// ("own": line after line; "page": those of an SM in a page of 4 KiB), or warps of
// a side's SMs on lines of one slice ("slice"); all lanes on a word, or a word
// each. Prints cycles of each of 64 reductions of the slowest SM, and of the
// middle one. For results/probes/atomic_ports.tsv:
//
//   nvcc -std=c++17 -arch=sm_90 -O3 tests/hardware/atomic_ports.cu -o ports && ./ports
#include <algorithm>
#include <string>
#include <vector>
#include "call.cuh"
#include "cycles.cuh"
#define SMS    132
#define WARPS  8
#define ROUNDS 64
#define BYTES  (size_t)(4 << 20)
#define OWN_SM (130u << 10) // of shared memory: one block an SM
#define NEAR   390 // cycles of an atomic, at most

struct plan { unsigned warps[SMS], at[SMS][WARPS], step, active; };

__global__ void __launch_bounds__(WARPS * 32)
	reduce(char *data, const struct plan *plan, unsigned *met, unsigned *out)
{
	unsigned sm = sm_id(), warp = threadIdx.x / 32, begin, i;
	char *to = data + plan->at[sm][warp] + threadIdx.x % 32 * plan->step;
	if (!plan->warps[sm])
		return;
	if (!threadIdx.x)
		for (atomicAdd(met, 1); *(volatile unsigned *)met < plan->active;)
			;
	__syncthreads();
	if (warp >= plan->warps[sm])
		return;
	begin = cycles();
#pragma unroll 4
	for (i = 0; i < ROUNDS; i++)
		asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(to)
			     : "memory");
	__threadfence();
	if (threadIdx.x % 32 == 0)
		atomicMax(&out[sm], cycles() - begin);
}

// What an atomic by one thread of each SM takes, one SM after the other.
__global__ void ask(char *data, unsigned sm, unsigned *out)
{
	__shared__ volatile unsigned keep;
	if (sm_id() != sm || threadIdx.x)
		return;
	for (int i = 0; i < 2; i++) {
		unsigned begin = cycles();
		keep = atomicAdd((unsigned *)data, 0);
		*out = cycles() - begin;
	}
}

static char *data;
static struct plan here, *there;
static unsigned *met, *out; // with a word for each SM behind the first

static void measure(const std::string &name)
{
	std::vector<double> median, most;
	here.active = 0;
	for (unsigned warps : here.warps)
		here.active += warps > 0;
	DO(cudaMemcpy(there, &here, sizeof(here), cudaMemcpyHostToDevice));
	for (int repeat = 0; repeat < 4; repeat++) {
		std::vector<unsigned> all;
		unsigned took[SMS];
		DO(cudaMemset(met, 0, 4 + sizeof(took)));
		reduce<<<SMS, WARPS * 32, OWN_SM>>>(data, there, met, out);
		DO(cudaMemcpy(took, out, sizeof(took), cudaMemcpyDeviceToHost));
		for (int sm = 0; sm < SMS; sm++)
			if (here.warps[sm])
				all.push_back(took[sm]);
		std::sort(all.begin(), all.end());
		median.push_back((double)all[all.size() / 2] / ROUNDS);
		most.push_back((double)all.back() / ROUNDS);
	}
	std::sort(median.begin() + 1, median.end()); // the first one warms
	std::sort(most.begin() + 1, most.end());
	printf("%s\t%.1f\t%.1f\n", name.c_str(), median[2], most[2]);
}

int main()
{
	const unsigned counts[] = {1, 2, 4, 8, 16, 33, 66, SMS};
	bool first[SMS]; // it is on the side of the first page's home
	DO(cudaMalloc(&data, 2 * BYTES));
	DO(cudaMemset(data, 0, 2 * BYTES));
	data += -(size_t)data & (BYTES / 2 - 1);
	DO(cudaMalloc(&there, sizeof(*there)));
	DO(cudaMalloc(&met, 4 + 4 * SMS));
	out = met + 1;
	DO(cudaFuncSetAttribute(reduce,
		cudaFuncAttributeMaxDynamicSharedMemorySize, OWN_SM));
	for (unsigned sm = 0; sm < SMS; sm++) {
		unsigned took;
		ask<<<SMS, 32>>>(data, sm, out);
		DO(cudaMemcpy(&took, out, 4, cudaMemcpyDeviceToHost));
		first[sm] = took < NEAR;
	}
	printf("# where\tlanes_on\twarps\tsms\tmedian_cycles\tmost_cycles\n");
	for (unsigned step : {0, 4})
		for (unsigned page : {0, 1})
			for (unsigned warps : {1, 2, 4, 8})
				for (unsigned sms : counts) {
					here = {};
					here.step = step;
					for (unsigned i = 0; i < sms * warps; i++) {
						unsigned sm = i / warps, w = i % warps;
						here.warps[sm] = warps;
						here.at[sm][w] = page ? sm * 4096 + w * 128 : i * 128;
					}
					measure(std::string(page ? "page" : "own") +
						(step ? "\tline\t" : "\tword\t") +
						std::to_string(warps) + "\t" +
						std::to_string(sms));
				}
	for (unsigned step : {0, 4})
		for (bool side : {true, false})
			for (unsigned sms : {1, 4, 16, 60}) {
				unsigned n = 0;
				here = {};
				here.step = step;
				for (unsigned sm = 0; sm < SMS && n < sms; sm++)
					if (first[sm] == side) {
						here.warps[sm] = 1;
						here.at[sm][0] = n++ % 4 / 2 * 512 + n % 2 * 128;
					}
				measure(std::string(side ? "slice near" : "slice far") +
					(step ? "\tline\t1\t" : "\tword\t1\t") +
					std::to_string(sms));
			}
	return 0;
}
