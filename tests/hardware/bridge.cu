// How much crosses between the two halves of L2: every SM reads, stores, reduces
// or copies pages whose home is its own side, the other one, or both by turns.
// First one SM finds each page's home by the latency of atomics on it, and each
// SM its side. For results/probes/bridge.tsv:
//
//   nvcc -arch=sm_90 -O3 tests/hardware/bridge.cu -o bridge && ./bridge
//
// Bytes are those that the SMs of all sides that work have asked for; times are
// from the first block's start to the last one's end, medians of 5.
#include <algorithm>
#include "homes.cuh"
#define MEMORY (1u << 30)
#define FLUSH  (256u << 20)

// ---- work ----

struct work {
	char *memory;
	const unsigned *from[2], *to[2]; // pages, of each side's SMs
	unsigned pages, rounds;
	const int *side, *rank; // of each SM; its place on its side
	int sms[2];             // of each side
	int only;               // the side that works; 2: both
};
enum { READ, STORE, COPY, REDUCE };

static __device__ uint4 load(const char *at)
{
	uint4 v;
	asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3},[%4];"
		: "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at));
	return v;
}

// A warp takes a page at a time.
template <int WHAT> static __device__ unsigned page(char *from, char *to)
{
	unsigned lane = threadIdx.x % 32, sum = 0;
	uint4 v[8];
	for (int i = 0; WHAT == REDUCE && i < 32; i++)
		atomicAdd((unsigned *)(to + i * 128 + lane * 4), 1u);
#pragma unroll
	for (int i = 0; i < 8; i++)
		v[i] = WHAT == READ || WHAT == COPY
			? load(from + i * 512 + lane * 16)
			: make_uint4(i, lane, 1, 2);
#pragma unroll
	for (int i = 0; i < 8; i++)
		if (WHAT == STORE || WHAT == COPY)
			*(uint4 *)(to + i * 512 + lane * 16) = v[i];
		else
			sum += v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
	return sum;
}

template <int WHAT> __global__ void __launch_bounds__(1024, 1) run(
	struct work w, u64 *times, unsigned *out)
{
	int sm = sm_id(), side = w.side[sm];
	unsigned first = w.rank[sm] * 32 + threadIdx.x / 32, sum = 0;
	u64 begin;

	if (w.only < 2 && side != w.only) {
		times[blockIdx.x * 2] = times[blockIdx.x * 2 + 1] = 0;
		return;
	}
	__syncthreads();
	begin = nanoseconds();
	for (unsigned r = 0; r < w.rounds; r++)
		for (unsigned p = first; p < w.pages; p += w.sms[side] * 32)
			sum += page<WHAT>(
				w.memory + (size_t)w.from[side][p] * PAGE,
				w.memory + (size_t)w.to[side][p] * PAGE);
	__syncthreads();
	times[blockIdx.x * 2] = begin;
	times[blockIdx.x * 2 + 1] = nanoseconds();
	if (sum == 77)
		*out = sum;
}

__global__ void sweep(const uint4 *from, unsigned *out, size_t count)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
	unsigned sum = 0;
	for (; i < count; i += (size_t)gridDim.x * blockDim.x)
		sum += from[i].x ^ from[i].w;
	if (sum == 77)
		*out = sum;
}

// ---- host ----

static char *memory, *flush;
static unsigned *device;
static u64 *times;
static struct work base;
static list homes[2];

// One block an SM: shared memory keeps others away.
static void launch(int what, struct work w)
{
	static void (*const kernels[])(struct work, u64 *, unsigned *) = {
		run<READ>, run<STORE>, run<COPY>, run<REDUCE>};
	DO(cudaFuncSetAttribute(kernels[what],
		cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10));
	kernels[what]<<<SMS, 1024, 120 << 10>>>(w, times, device);
	DO(cudaDeviceSynchronize());
}

static double measure(int what, struct work w, const struct work *before)
{
	std::vector<double> all;
	for (int repeat = 0; repeat < 5; repeat++) {
		u64 t[SMS * 2], begin = ~0ull, end = 0;
		sweep<<<1056, 512>>>((uint4 *)flush, device, FLUSH / 16);
		DO(cudaDeviceSynchronize());
		if (before)
			launch(READ, *before);
		launch(what, w);
		DO(cudaMemcpy(t, times, sizeof(t), cudaMemcpyDeviceToHost));
		for (int i = 0; i < SMS; i++)
			if (t[2 * i]) {
				begin = std::min(begin, t[2 * i]);
				end = std::max(end, t[2 * i + 1]);
			}
		all.push_back(end - begin);
	}
	std::sort(all.begin(), all.end());
	return all[2];
}

enum { OWN, OTHER, MIXED };
static const char *const names[] = {"own", "other", "mixed"};

// Pages of a home as the SMs of `side` see it, from the `first` one on.
static list pages_of(int home, int side, size_t first, size_t count)
{
	list pages;
	for (size_t i = 0; i < count; i++) {
		const list &of = homes[home == MIXED ? i % 2
			: home == OWN ? side : 1 - side];
		pages.push_back(of[(first + (home == MIXED
			? side * count + i / 2 : i)) % of.size()]);
	}
	return pages;
}

static struct work make(int from, int to, unsigned pages, unsigned rounds,
	int only)
{
	struct work w = base;
	for (int s = 0; s < 2; s++) {
		w.from[s] = upload(pages_of(from, s, 0, pages));
		w.to[s] = upload(
			pages_of(to, s, homes[0].size() / 2, pages));
	}
	w.pages = pages;
	w.rounds = rounds;
	w.only = only;
	return w;
}

static void say(const char *what, const char *from, const char *to,
	const struct work &w, double ns)
{
	double bytes = (w.only == 2 ? 2. : 1.) * w.pages * w.rounds * PAGE;
	printf("%s\t%s\t%s\t%s\t%.0f\t%.0f\t%.1f\n", what,
		w.only == 2 ? "both" : w.only ? "1" : "0", from, to, bytes, ns,
		bytes / ns);
}

static void find_places()
{
	std::vector<int> side(SMS), rank(SMS);

	find_homes(memory, MEMORY / PAGE, device, homes, side);
	for (int i = 0; i < SMS; i++)
		rank[i] = base.sms[side[i]]++;
	base.memory = memory;
	base.side = upload(side);
	base.rank = upload(rank);
}

int main()
{
	static const char *const whats[] = {"store", "store", "copy", "reduce"};
	DO(cudaMalloc(&memory, MEMORY));
	DO(cudaMalloc(&flush, FLUSH));
	DO(cudaMalloc(&device, MEMORY / PAGE * 4));
	DO(cudaMalloc(&times, SMS * 2 * sizeof(*times)));
	DO(cudaMemset(memory, 0, MEMORY));
	DO(cudaMemset(flush, 0, FLUSH));
	find_places();
	puts("what\tsides\tfrom\tto\tbytes\tns\tbytes_per_ns");
	for (int only = 2; only >= 0; only--)
		for (int home = OWN; home <= MIXED; home++) {
			const char *name = names[home];
			struct work w = make(home, home, 40000, 1, only);
			say("read from DRAM", name, "-", w,
				measure(READ, w, NULL));
			w = make(home, home, 1536, 20, only);
			say("read again and again", name, "-", w,
				measure(READ, w, &w));
			for (int what : {STORE, REDUCE})
				say(whats[what], "-", name, w,
					measure(what, w, NULL));
			for (int to = OWN; to <= MIXED; to++) {
				w = make(home, to, 1536, 20, only);
				say("copy again and again", name, names[to], w,
					measure(COPY, w, NULL));
				w = make(home, to, 2048, 1, only);
				say("copy from DRAM", name, names[to], w,
					measure(COPY, w, NULL));
			}
		}
	for (int only : {2, 0}) {
		struct work own = make(OWN, OWN, 2048, 1, 2);
		struct work other = make(OTHER, OTHER, 2048, 1, only);
		say("read once what the other side has read", "other", "-",
			other, measure(READ, other, &own));
	}
	return 0;
}
