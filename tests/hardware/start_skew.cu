// How far apart blocks of a kernel start: by the clock of each SM, which is joined
// to the others' at steps of the chip's timer of 32 ns, twelve of them, at the
// moment of the step. Medians of 21 launches, in cycles after the first block. For
// results/probes/start_skew.tsv:
//
//   nvcc -std=c++17 -arch=sm_90 -O3 tests/hardware/start_skew.cu -o skew && ./skew
#include <algorithm>
#include <vector>
#include "call.cuh"
#include "cycles.cuh"
#define WARPS_MAX 32
#define STEPS     12
#define LAUNCHES  25
#define FIRST     4 // launches that do not count
#define PER_NS    1.98

struct record {
	double began; // of its first warp: cycles of the chip's timer
	unsigned starts[WARPS_MAX]; // of its warps, by the SM's clock
};

static __device__ u64 clock_now()
{
	u64 t;
	asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
	return t;
}

__global__ void __launch_bounds__(1024) go(struct record *out, u64 base_ns)
{
	u64 begin = clock_now();
	struct record *r = &out[blockIdx.x];
	if (threadIdx.x % 32 == 0)
		r->starts[threadIdx.x / 32] = (unsigned)begin;
	if (threadIdx.x)
		return;
	double best = -1e300;
	u64 last = nanoseconds(), ns, now;
	for (int i = 0; i < STEPS; i++) {
		do {
			ns = nanoseconds();
			now = clock_now();
		} while (ns == last);
		last = ns;
		best = max(best, (double)(long long)(ns - base_ns) * PER_NS -
					 (double)(now - begin));
	}
	r->began = best;
}

__global__ void read_timer(u64 *out)
{
	*out = nanoseconds();
}

static double quantile(std::vector<double> v, double share)
{
	std::sort(v.begin(), v.end());
	return v[(size_t)(share * (v.size() - 1))];
}

static void print_row(struct record *device, u64 base, int blocks, int warps)
{
	std::vector<double> half, most, all, inside;
	for (int launch = 0; launch < LAUNCHES; launch++) {
		std::vector<struct record> r(blocks);
		std::vector<double> after, width;
		double first = 1e300;
		go<<<blocks, 32 * warps>>>(device, base);
		DO(cudaDeviceSynchronize());
		DO(cudaMemcpy(r.data(), device, blocks * sizeof(r[0]),
			cudaMemcpyDeviceToHost));
		for (auto &b : r)
			first = std::min(first, b.began);
		for (auto &b : r) {
			int low = 0, high = 0;
			for (int w = 1; w < warps; w++) {
				int by = (int)(b.starts[w] - b.starts[0]);
				low = std::min(low, by);
				high = std::max(high, by);
			}
			width.push_back(high - low);
			after.push_back(b.began - first);
		}
		if (launch < FIRST)
			continue;
		half.push_back(quantile(after, 0.5));
		most.push_back(quantile(after, 0.9));
		all.push_back(quantile(after, 1));
		inside.push_back(quantile(width, 0.5));
	}
	printf("%d\t%d\t%.0f\t%.0f\t%.0f\t%.0f\n", blocks, warps,
		quantile(half, 0.5), quantile(most, 0.5), quantile(all, 0.5),
		quantile(inside, 0.5));
}

int main()
{
	struct record *device;
	u64 *timer, base;
	DO(cudaMalloc(&device, sizeof(*device) * 2112));
	DO(cudaMalloc(&timer, 8));
	read_timer<<<1, 1>>>(timer);
	DO(cudaMemcpy(&base, timer, 8, cudaMemcpyDeviceToHost));
	printf("blocks\twarps\thalf_of_them\t90_percent\tlast\twarps_of_a_block\n");
	for (int warps : {1, 3, 8, 32})
		for (int blocks : {2, 4, 6, 8, 16, 33, 66, 132, 264, 528, 1056,
			     2112})
			if (blocks * warps <= 132 * 64)
				print_row(device, base, blocks, warps);
	return 0;
}
