// What warps leave behind, and whom it disturbs. One block's burst of loads, whose
// values are waited for by nothing but their sum, by shared stores, with a record
// of two clocks stored at once or when all warps are through: cycles from the
// first begin to the last end. And grids of many blocks, by events, ten launches
// in a row: cycles a launch. Medians.
//
//   nvcc -arch=sm_90 -O3 tests/hardware/records.cu -o records && ./records
#include "launches.cuh"
typedef unsigned long long u64;
#define BYTES     (16u << 20)
#define REPEATS   11

enum { SUM, STORE, TWO_STORES };          // what a warp waits by
enum { NONE, AT_ONCE, TOGETHER, GATHERED }; // when it stores its record

static __device__ u64 clock64_now()
{
	u64 t;
	asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
	return t;
}

template <int BYTES_A_LANE> struct value;
template <> struct value<4> {
	unsigned x;
	__device__ void load(const char *from)
	{
		asm volatile("ld.global.cg.u32 %0,[%1];"
			: "=r"(x) : "l"(from) : "memory");
	}
	__device__ unsigned sum() { return x; }
};
template <> struct value<16> {
	unsigned x, y, z, w;
	__device__ void load(const char *from)
	{
		asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3},[%4];"
			: "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(from)
			: "memory");
	}
	__device__ unsigned sum() { return x ^ y ^ z ^ w; }
};

__global__ void bring(const char *data, unsigned *out)
{
	unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 16, sum = 0;
	value<16> v;
	for (; i < BYTES; i += gridDim.x * blockDim.x * 16) {
		v.load(data + i);
		sum |= v.sum();
	}
	if (sum == 77)
		*out = sum;
}

static __device__ void record(u64 *to, u64 begin, u64 end)
{
	asm volatile("st.global.v2.u64 [%0],{%1,%2};" ::"l"(to), "l"(begin),
		"l"(end) : "memory");
}

template <int WIDTH, int LOADS, int WAIT, int WHEN>
__global__ void __launch_bounds__(1024) go(const char *data, u64 *out, u64 zero,
	bool burst)
{
	__shared__ u64 sink[1024], records[64];
	unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
	unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * WIDTH;
	unsigned step = gridDim.x * blockDim.x * WIDTH;
	u64 *own = out + ((u64)blockIdx.x * (blockDim.x / 32) + warp) * 2;
	value<WIDTH> v[LOADS];
	u64 begin, end;

	if (burst) {
		__syncthreads();
		__nanosleep(1000);
		__syncthreads();
	}
	begin = clock64_now();
#pragma unroll
	for (int k = 0; k < LOADS; k++)
		v[k].load(data + (at + k * step) % BYTES);
#pragma unroll
	for (int k = 0; k < LOADS; k++)
		sum ^= v[k].sum();
	if (WAIT == TWO_STORES)
		((volatile u64 *)sink)[threadIdx.x] = zero;
	if (WAIT == TWO_STORES)
		*(volatile unsigned *)&sink[threadIdx.x] = sum;
	else if (WAIT == STORE)
		((volatile unsigned *)sink)[threadIdx.x] = sum;
	else
		asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 77;"
			" @p trap; }" ::"r"(sum) : "memory");
	end = clock64_now();
	if (WHEN == AT_ONCE && !lane)
		record(own, begin, end);
	if (WHEN == TOGETHER || WHEN == GATHERED)
		__syncthreads();
	if (WHEN == TOGETHER && !lane)
		record(own, begin, end);
	if (WHEN == GATHERED) {
		if (!lane) {
			records[2 * warp] = begin;
			records[2 * warp + 1] = end;
		}
		__syncthreads();
		if (threadIdx.x < blockDim.x / 32)
			record(out + ((u64)blockIdx.x * (blockDim.x / 32) +
				threadIdx.x) * 2, records[2 * threadIdx.x],
				records[2 * threadIdx.x + 1]);
	}
}

static char *data;
static u64 *out;

template <int WIDTH, int LOADS, int WAIT, int WHEN> static double burst(int warps)
{
	std::vector<u64> spans;

	for (int i = 0; i < REPEATS; i++) {
		u64 h[64], begin = ~0ull, end = 0;
		bring<<<132, 1024>>>(data, (unsigned *)out);
		go<WIDTH, LOADS, WAIT, WHEN><<<1, 32 * warps>>>(data, out, 0, true);
		DO(cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost));
		for (int w = 0; w < warps; w++) {
			begin = std::min(begin, h[2 * w]);
			end = std::max(end, h[2 * w + 1]);
		}
		spans.push_back(end - begin);
	}
	std::sort(spans.begin(), spans.end());
	return (double)spans[REPEATS / 2];
}

template <int WIDTH, int LOADS, int WAIT, int WHEN> static double grid(int blocks,
	int threads, int shared)
{
	auto kernel = go<WIDTH, LOADS, WAIT, WHEN>;

	DO(cudaFuncSetAttribute(kernel,
		cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
	return cycles_of_launch(
		[=] { kernel<<<blocks, threads, shared>>>(data, out, 0, false); });
}

template <int WIDTH, int LOADS> static void bursts(int warps)
{
	printf("burst\t%d x %d B x %d\t-\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\n", warps,
		WIDTH, LOADS, burst<WIDTH, LOADS, SUM, TOGETHER>(warps),
		burst<WIDTH, LOADS, STORE, TOGETHER>(warps),
		burst<WIDTH, LOADS, TWO_STORES, TOGETHER>(warps),
		burst<WIDTH, LOADS, SUM, AT_ONCE>(warps),
		burst<WIDTH, LOADS, TWO_STORES, AT_ONCE>(warps));
}

template <int WIDTH, int LOADS> static void grids(int blocks, int threads,
	int shared)
{
	printf("grid\t%d x %d x %d B x %d\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\n",
		blocks, threads, WIDTH, LOADS,
		grid<WIDTH, LOADS, SUM, NONE>(blocks, threads, shared),
		grid<WIDTH, LOADS, STORE, NONE>(blocks, threads, shared),
		grid<WIDTH, LOADS, STORE, AT_ONCE>(blocks, threads, shared),
		grid<WIDTH, LOADS, STORE, TOGETHER>(blocks, threads, shared),
		grid<WIDTH, LOADS, STORE, GATHERED>(blocks, threads, shared),
		grid<WIDTH, LOADS, SUM, AT_ONCE>(blocks, threads, shared));
}

int main()
{
	DO(cudaMalloc(&data, BYTES));
	DO(cudaMalloc(&out, 8 << 20));
	DO(cudaMemset(data, 0, BYTES));
	printf("# burst\twarps x loads\t-\tsum, records together\tstore, together"
		"\ttwo stores, together\tsum, at once\ttwo stores, at once\n");
	for (int warps = 8; warps <= 32; warps *= 2) {
		bursts<16, 1>(warps);
		bursts<16, 2>(warps);
		bursts<16, 4>(warps);
		bursts<16, 8>(warps);
		bursts<4, 4>(warps);
		bursts<4, 8>(warps);
	}
	printf("# grid\tblocks x threads x loads\tsum, no records\tstore, none\t"
		"store, at once\tstore, together\tstore, gathered\tsum, at once\n");
	grids<4, 4>(1909, 1024, 0);
	grids<16, 2>(1415, 1024, 49152);
	grids<16, 1>(4586, 256, 0);
	grids<16, 4>(264, 1024, 0);
	grids<16, 4>(1056, 512, 0);
	grids<16, 4>(8448, 256, 0);
	return 0;
}
