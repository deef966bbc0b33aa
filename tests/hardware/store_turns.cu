// Who gets how much where many SMs store, read or reduce in L2 at the same time:
// the rate of each SM in the steady state, for sets of SMs that share a CPC, a
// GPC or a side. For results/probes/store_turns.tsv:
//
//   nvcc -arch=sm_90 -O3 tests/hardware/store_turns.cu -o turns && ./turns
//
// A set's SMs begin together. Rates are of 40,000 cycles from the 16,000th on,
// medians of 3 runs, in bytes a cycle: of all SMs, and of the slowest and the
// fastest. Which SMs share a GPC or a CPC is that of H200s whose SMs 0 to 63 take
// eight GPCs in rotation, SMs 64 to 119 seven, and 124 to 131 are the first's.
#include <algorithm>
#include <functional>
#include <string>
#include "homes.cuh"
#define MEMORY (256u << 20)
#define PAGES  2048u // of a set: 8 MiB
#define BEGIN  16000u
#define END    56000u

enum { STORE, READ, REDUCE };
static const char *const whats[] = {"store", "read", "reduce"};
enum { ORDER, OWN, OTHER, MIXED }; // lines in order; pages by home
static const char *const patterns[] = {"order", "own", "other", "mixed"};

struct work {
	char *memory;
	const unsigned *pages[2]; // of each side's SMs; NULL: in order
	const int *side, *rank;   // of each SM; its place among the set's, or -1
	unsigned sms, warps;
};

// 8 accesses of a warp to blocks of 512 B, `step` apart, modulo `of`; reductions
// to the first line of each.
template <int WHAT> static __device__ unsigned body(
	char *memory, unsigned block, unsigned step, unsigned of)
{
	unsigned lane = threadIdx.x % 32, sum = 0;
	uint4 v[8];
#pragma unroll
	for (int i = 0; i < 8; i++) {
		char *to = memory + (block + i * step) % of * 512;
		if (WHAT == STORE)
			asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::
				"l"(to + lane * 16), "r"(i) : "memory");
		else if (WHAT == READ)
			asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3},[%4];"
				: "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z),
				"=r"(v[i].w) : "l"(to + lane * 16));
		else
			asm volatile("red.global.add.u32 [%0],1;" ::
				"l"(to + lane * 4) : "memory");
	}
	for (int i = 0; WHAT == READ && i < 8; i++)
		sum += v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
	return sum;
}

template <int WHAT> __global__ void __launch_bounds__(1024, 1) run(
	struct work w, unsigned *arrived, volatile u64 *start, unsigned *done,
	unsigned *out)
{
	int sm = sm_id(), rank = w.rank[sm];
	unsigned warp = threadIdx.x / 32, n = 0, sum = 0, first, since, k;
	unsigned all = w.sms * w.warps;
	bool counts = false;

	if (!threadIdx.x)
		atomicAdd(arrived, 1);
	if (!blockIdx.x && !threadIdx.x) {
		while (atomicAdd(arrived, 0) < gridDim.x)
			;
		*start = nanoseconds() + 3000;
		__threadfence();
	}
	if (rank < 0 || warp >= w.warps)
		return;
	while (!*start || nanoseconds() < *start)
		;
	first = cycles();
	k = rank * w.warps + warp;
	while ((since = cycles() - first) < END) {
		if (!counts && since > BEGIN) {
			counts = true;
			n = 0;
		}
		if (w.pages[0])
			sum += body<WHAT>(w.memory,
				w.pages[w.side[sm]][k % PAGES] * 8, 1,
				MEMORY / 512);
		else // 8 times through all warps' parts
			sum += body<WHAT>(w.memory, k / all * all * 8 + k % all,
				all, PAGES * 8);
		k += all;
		n++;
	}
	if (threadIdx.x % 32 == 0)
		atomicAdd(&done[sm], n);
	if (sum == 77)
		*out = sum;
}

// ---- host ----

typedef std::vector<int> set;
static char *memory;
static unsigned *device, *arrived, *done;
static u64 *start;
static list homes[2];
static std::vector<int> side(SMS), gpc(SMS), cpc(SMS), turn(SMS);
static const unsigned *pages[4][2];

static void find_places()
{
	int tpcs[10] = {0};

	find_homes(memory, MEMORY / PAGE, device, homes, side);
	for (int i = 0; i < SMS; i += 2) {
		int g = i < 64 ? i / 2 % 8 : i < 120 ? 1 + (i - 64) / 2 % 7
			: i < 124 ? 8 + (i - 120) / 2 : 0;
		gpc[i] = gpc[i + 1] = g;
		cpc[i] = cpc[i + 1] = tpcs[g] % 3;
		turn[i] = turn[i + 1] = tpcs[g]++ / 3; // which of its CPC
	}
	for (int pattern = OWN; pattern <= MIXED; pattern++)
		for (int s = 0; s < 2; s++) {
			list of;
			for (unsigned i = 0; i < PAGES; i++)
				of.push_back(pattern == MIXED
					? homes[i % 2][s * PAGES + i / 2]
					: homes[pattern == OWN ? s : 1 - s][i]);
			pages[pattern][s] = upload(of);
		}
}

static void measure(int what, int pattern, const std::string &name,
	const set &sms, unsigned warps)
{
	static void (*const kernels[])(struct work, unsigned *, volatile u64 *,
		unsigned *, unsigned *) = {run<STORE>, run<READ>, run<REDUCE>};
	std::vector<int> rank(SMS, -1);
	std::vector<std::vector<double>> rates(SMS + 1);
	double least = 1e9, most = 0;
	int of_side[2] = {0, 0};

	if (sms.empty())
		return;
	for (int sm : sms) {
		rank[sm] = of_side[0] + of_side[1];
		of_side[side[sm]]++;
	}
	struct work w = {memory, {pages[pattern][0], pages[pattern][1]},
		upload(side), upload(rank), (unsigned)sms.size(), warps};
	DO(cudaFuncSetAttribute(kernels[what],
		cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10));
	for (int repeat = 0; repeat < 3; repeat++) {
		unsigned n[SMS];
		double sum = 0;
		DO(cudaMemset(arrived, 0, 4));
		DO(cudaMemset(start, 0, 8));
		DO(cudaMemset(done, 0, SMS * 4));
		kernels[what]<<<SMS, 1024, 120 << 10>>>(
			w, arrived, start, done, device);
		DO(cudaMemcpy(n, done, sizeof(n), cudaMemcpyDeviceToHost));
		for (int sm : sms) {
			rates[sm].push_back(n[sm] *
				(what == REDUCE ? 1024. : 4096.) / (END - BEGIN));
			sum += rates[sm].back();
		}
		rates[SMS].push_back(sum);
	}
	for (auto &r : rates)
		std::sort(r.begin(), r.end());
	for (int sm : sms) {
		least = std::min(least, rates[sm][1]);
		most = std::max(most, rates[sm][1]);
	}
	printf("%s\t%s\t%s\t%zu\t%d\t%d\t%u\t%.0f\t%.1f\t%.1f\n", whats[what],
		patterns[pattern], name.c_str(), sms.size(), of_side[0],
		of_side[1], warps, rates[SMS][1], least, most);
}

static set pick(std::function<bool(int)> belongs)
{
	set sms;
	for (int i = 0; i < SMS; i++)
		if (belongs(i))
			sms.push_back(i);
	return sms;
}

static set first(int count)
{
	return pick([=](int sm) { return sm < count; });
}

static bool has_three(int sm)
{
	for (int i = 0; i < SMS; i++)
		if (gpc[i] == gpc[sm] && cpc[i] == cpc[sm] && turn[i] == 2)
			return true;
	return false;
}

static void measure_all(int what, int pattern)
{
	for (int n : {1, 2, 4, 8, 16, 32, 48, 64, 66, 68, 72, 76, 80, 88, 96,
		     100, 104, 112, 120, 128, 132})
		measure(what, pattern, "first", first(n), 32);
	for (int warps : {1, 2, 4, 8, 16})
		for (int n : {1, 64, 100, 132})
			measure(what, pattern, "first", first(n), warps);
	for (int s = 0; s < 2; s++) {
		std::string on = "side " + std::to_string(s);
		auto of = [=](int sm) { return side[sm] == s && gpc[sm] < 8; };
		measure(what, pattern, on,
			pick([=](int sm) { return side[sm] == s; }), 32);
		for (int n = 1; n <= 3; n++)
			measure(what, pattern,
				on + ", TPCs of each CPC: " + std::to_string(n),
				pick([=](int sm) {
					return of(sm) && turn[sm] < n;
				}), 32);
		measure(what, pattern, on + ", CPCs of three TPCs",
			pick([=](int sm) { return of(sm) && has_three(sm); }),
			32);
		measure(what, pattern, on + ", CPCs of two TPCs",
			pick([=](int sm) { return of(sm) && !has_three(sm); }),
			32);
	}
	for (int n = 1; n <= 3; n++)
		measure(what, pattern, "TPCs of CPC 0 of GPC 1",
			pick([=](int sm) {
				return gpc[sm] == 1 && !cpc[sm] && turn[sm] < n;
			}), 32);
	for (int g = 0; g < 8; g++)
		measure(what, pattern, "GPC " + std::to_string(g),
			pick([=](int sm) { return gpc[sm] == g; }), 32);
	for (int n = 2; n < 8; n++)
		measure(what, pattern, "GPCs below " + std::to_string(n),
			pick([=](int sm) { return gpc[sm] < n; }), 32);
}

int main()
{
	DO(cudaMalloc(&memory, MEMORY));
	DO(cudaMalloc(&device, MEMORY / PAGE * 4));
	DO(cudaMalloc(&arrived, 4));
	DO(cudaMalloc(&start, 8));
	DO(cudaMalloc(&done, SMS * 4));
	DO(cudaMemset(memory, 0, MEMORY));
	find_places();
	puts("what\tpattern\tset\tsms\tof_side_0\tof_side_1\twarps\t"
	     "bytes_per_cycle\tleast_of_an_sm\tmost_of_an_sm");
	for (int what : {STORE, READ, REDUCE})
		for (int pattern : {ORDER, OWN, OTHER, MIXED})
			measure_all(what, pattern);
	return 0;
}
