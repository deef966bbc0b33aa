// Which pages of 4 KiB have their home on which side of L2, and which SMs are on
// which: by the latency of atomics, for the programs beside this.
#include <vector>
#include "call.cuh"
#include "cycles.cuh"
typedef std::vector<unsigned> list;
#define PAGE 4096u
#define SMS  132

// Cycles of an atomic, the least of four.
static __device__ unsigned latency(char *at)
{
	unsigned least = ~0u;
	for (int i = 0; i < 4; i++) {
		unsigned begin = cycles(), was;
		was = atomicAdd((unsigned *)at, 0);
		asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 77;"
			" @p trap; }" ::"r"(was) : "memory");
		least = min(least, cycles() - begin);
	}
	return least;
}

__global__ void time_pages(char *memory, unsigned pages, unsigned *times)
{
	if (sm_id() || threadIdx.x)
		return;
	for (unsigned p = 0; p < pages; p++)
		times[p] = latency(memory + (size_t)p * PAGE);
}

// The SMs take turns.
__global__ void time_sms(char *memory, const unsigned *pages, unsigned count,
	unsigned *turn, unsigned *times)
{
	unsigned sum = 0;
	if (threadIdx.x)
		return;
	while (atomicAdd(turn, 0) != blockIdx.x)
		__nanosleep(200);
	for (unsigned i = 0; i < count; i++)
		sum += latency(memory + (size_t)pages[i] * PAGE);
	times[sm_id()] = sum / count;
	__threadfence();
	atomicAdd(turn, 1);
}

template <class T> static T *upload(const std::vector<T> &v)
{
	T *at;
	DO(cudaMalloc(&at, v.size() * sizeof(T)));
	DO(cudaMemcpy(at, v.data(), v.size() * sizeof(T),
		cudaMemcpyHostToDevice));
	return at;
}

// `device` has room for a number a page. Homes are named as SM 0 sees them.
static void find_homes(char *memory, unsigned pages, unsigned *device,
	list homes[2], std::vector<int> &side)
{
	list times(pages), sm(SMS), few;
	double near = 250, far = 550;

	time_pages<<<SMS, 32>>>(memory, pages, device);
	DO(cudaMemcpy(times.data(), device, pages * 4,
		cudaMemcpyDeviceToHost));
	for (int i = 0; i < 20; i++) {
		double sum[2] = {0, 0}, count[2] = {0, 0};
		for (unsigned c : times) {
			sum[c > (near + far) / 2] += c;
			count[c > (near + far) / 2]++;
		}
		near = sum[0] / count[0];
		far = sum[1] / count[1];
	}
	for (unsigned p = 0; p < pages; p++)
		homes[times[p] > (near + far) / 2].push_back(p);
	few.assign(homes[0].begin(), homes[0].begin() + 32);
	DO(cudaMemset(device, 0, 4));
	time_sms<<<SMS, 32>>>(memory, upload(few), 32, device, device + 32);
	DO(cudaMemcpy(sm.data(), device + 32, SMS * 4, cudaMemcpyDeviceToHost));
	for (int i = 0; i < SMS; i++)
		side[i] = sm[i] > (near + far) / 2;
	fprintf(stderr, "pages %zu and %zu, %.0f and %.0f cycles\n",
		homes[0].size(), homes[1].size(), near, far);
}
