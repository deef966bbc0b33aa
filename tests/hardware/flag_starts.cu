// When blocks that wait for each other go on: each adds to a count, and its first
// thread reads it until all are there, as a program's blocks do that start
// together. For results/probes/flag_starts.tsv:
//
//   nvcc -arch=sm_90 -O3 tests/hardware/flag_starts.cu -o flag_starts && ./flag_starts
//
// A row for blocks on every `step`th SM: cycles after the first one by which a
// quarter, half, three quarters, 90 % and all of them go on, medians of 24 launches
// with counts in lines of their own; and by which the SMs of a pair do so apart.
// The clocks of SMs are joined at steps of the chip's, which are 63 cycles.
#include <algorithm>
#include <vector>
#include "call.cuh"
#include "cycles.cuh"
#define SMS    132u
#define ALONE  (200 << 10) // shared memory: a block an SM
#define ROUNDS 24
#define STEPS  8
#define CYCLES_A_NANOSECOND 1.98

struct seen { u64 nanoseconds; unsigned start, then; };

// Where the SM's clock is least behind the chip's, that has just stepped.
static __device__ void join(struct seen *s)
{
	u64 before = nanoseconds(), now;
	unsigned clock;
	for (int i = 0; i < STEPS; i++) {
		do {
			now = nanoseconds();
			clock = cycles();
		} while (now == before);
		before = now;
		u64 since = now - s->nanoseconds;
		if (!i || (int)(clock - s->then - (unsigned)(since * 198 / 100)) < 0) {
			s->nanoseconds = now;
			s->then = clock;
		}
	}
}

__global__ void wait_all(unsigned *count, unsigned blocks, unsigned step,
	struct seen *out)
{
	unsigned sm = sm_id(), there;
	if (sm % step || sm / step >= blocks)
		return;
	if (!threadIdx.x) {
		asm volatile("red.global.add.u32 [%0], 1;" ::"l"(count)
			     : "memory");
		do
			asm volatile("ld.volatile.global.u32 %0, [%1];"
				     : "=r"(there) : "l"(count) : "memory");
		while (there < blocks);
	}
	__syncthreads();
	struct seen s = {0, cycles(), 0};
	if (!threadIdx.x) {
		join(&s);
		out[sm] = s;
	}
}

static double median(std::vector<double> v)
{
	std::sort(v.begin(), v.end());
	return v[v.size() / 2];
}

static void print_row(unsigned threads, unsigned step, unsigned blocks,
	unsigned *counts, struct seen *out)
{
	static const double parts[] = {0.25, 0.5, 0.75, 0.9, 1};
	std::vector<double> at[5], apart;
	std::vector<struct seen> seen(SMS);
	for (unsigned r = 0; r < ROUNDS; r++) {
		std::vector<double> starts;
		DO(cudaMemset(counts, 0, 1 << 20));
		wait_all<<<SMS, threads, ALONE>>>(counts + r * 37 * 32, blocks,
			step, out);
		DO(cudaMemcpy(seen.data(), out, SMS * sizeof(seen[0]),
			cudaMemcpyDeviceToHost));
		for (unsigned i = 0; i < blocks; i++) {
			const struct seen &s = seen[i * step];
			double after = (double)(int64_t)(s.nanoseconds -
				seen[0].nanoseconds);
			starts.push_back(after * CYCLES_A_NANOSECOND -
				(double)(s.then - s.start));
		}
		for (unsigned i = 0; step == 1 && i + 1 < blocks; i += 2)
			apart.push_back(std::abs(starts[i] - starts[i + 1]));
		std::sort(starts.begin(), starts.end());
		for (int p = 0; p < 5; p++)
			at[p].push_back(starts[(size_t)(parts[p] * (blocks - 1))] -
				starts[0]);
	}
	printf("%u\t%u\t%u", threads / 32, step, blocks);
	for (auto &v : at)
		printf("\t%.0f", median(v));
	if (apart.empty())
		printf("\t-\n");
	else
		printf("\t%.0f\n", median(apart));
}

int main()
{
	unsigned *counts;
	struct seen *out;
	DO(cudaMalloc(&counts, 1 << 20));
	DO(cudaMalloc(&out, SMS * sizeof(*out)));
	DO(cudaFuncSetAttribute(wait_all,
		cudaFuncAttributeMaxDynamicSharedMemorySize, ALONE));
	printf("# warps\tstep\tblocks\tquarter\thalf\tthree_quarters\t90_percent"
	       "\tlast\tpair_apart\n");
	for (unsigned threads : {32u, 1024u})
		for (unsigned step : {1u, 2u})
			for (unsigned blocks : {2u, 4u, 8u, 16u, 33u, 66u, SMS})
				if (blocks * step <= SMS)
					print_row(threads, step, blocks, counts,
						out);
}
