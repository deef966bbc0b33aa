// What loads that ask to be evicted first leave in L2: SMs of one side or both read
// some KiB of a full L2 once or twice, each warp with one or eight loads of 512 B
// under way; then SM 0 loads 512 lines of it. Shares of the lines at home on its
// side and on the other one that take less than 390 and 530 cycles, or more. For
// results/probes/evict_first.tsv:
//
//   nvcc -std=c++17 -arch=sm_90 -O3 tests/hardware/evict_first.cu -o evict && ./evict
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("error %s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)
typedef unsigned long long u64;
enum { NORMAL, CS, LU, L1_EF, L1_NA, L2_EF, CG, L1_EL, CV, L2_EF_CG, KINDS };
static const char *names[] = {"normal", "cs", "lu", "L1::evict_first", "L1::no_allocate", "L2::evict_first", "cg", "L1::evict_last", "cv", "cg L2::evict_first"};
template<int K> __device__ __forceinline__ unsigned load4(const char *a, u64 pol) {
	unsigned x, y, z, w;
	if (K == NORMAL) asm volatile("ld.global.v4.b32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(a) : "memory");
	if (K == CS) asm volatile("ld.global.cs.v4.b32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(a) : "memory");
	if (K == LU) asm volatile("ld.global.lu.v4.b32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(a) : "memory");
	if (K == L1_EF) asm volatile("ld.global.L1::evict_first.v4.b32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(a) : "memory");
	if (K == L1_NA) asm volatile("ld.global.L1::no_allocate.v4.b32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(a) : "memory");
	if (K == L1_EL) asm volatile("ld.global.L1::evict_last.v4.b32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(a) : "memory");
	if (K == CG) asm volatile("ld.global.cg.v4.b32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(a) : "memory");
	if (K == CV) asm volatile("ld.global.cv.v4.b32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(a) : "memory");
	if (K == L2_EF) asm volatile("ld.global.L2::cache_hint.v4.b32 {%0,%1,%2,%3}, [%4], %5;" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(a), "l"(pol) : "memory");
	if (K == L2_EF_CG) asm volatile("ld.global.cg.L2::cache_hint.v4.b32 {%0,%1,%2,%3}, [%4], %5;" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(a), "l"(pol) : "memory");
	return x ^ y ^ z ^ w;
}
template<int K> __device__ __forceinline__ unsigned load1(const char *a, u64 pol) {
	unsigned x;
	if (K == NORMAL) asm volatile("ld.global.b32 %0, [%1];" : "=r"(x) : "l"(a) : "memory");
	if (K == CS) asm volatile("ld.global.cs.b32 %0, [%1];" : "=r"(x) : "l"(a) : "memory");
	if (K == LU) asm volatile("ld.global.lu.b32 %0, [%1];" : "=r"(x) : "l"(a) : "memory");
	if (K == L1_EF) asm volatile("ld.global.L1::evict_first.b32 %0, [%1];" : "=r"(x) : "l"(a) : "memory");
	if (K == L1_NA) asm volatile("ld.global.L1::no_allocate.b32 %0, [%1];" : "=r"(x) : "l"(a) : "memory");
	if (K == L1_EL) asm volatile("ld.global.L1::evict_last.b32 %0, [%1];" : "=r"(x) : "l"(a) : "memory");
	if (K == CG) asm volatile("ld.global.cg.b32 %0, [%1];" : "=r"(x) : "l"(a) : "memory");
	if (K == CV) asm volatile("ld.global.cv.b32 %0, [%1];" : "=r"(x) : "l"(a) : "memory");
	if (K == L2_EF) asm volatile("ld.global.L2::cache_hint.b32 %0, [%1], %2;" : "=r"(x) : "l"(a), "l"(pol) : "memory");
	if (K == L2_EF_CG) asm volatile("ld.global.cg.L2::cache_hint.b32 %0, [%1], %2;" : "=r"(x) : "l"(a), "l"(pol) : "memory");
	return x;
}

struct Who { unsigned char slot[160]; };
// SMs with a slot share the bytes; a warp takes 4 KiB after the other; `deep` loads of 512 B in flight, or one
template<int K> __global__ void read(const char *a, size_t bytes, Who who, int sms, int deep, int passes, unsigned *out) {
	unsigned me; asm("mov.u32 %0, %%smid;" : "=r"(me));
	if (!who.slot[me]) return;
	u64 pol; asm("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(pol));
	unsigned x = 0, lane = threadIdx.x % 32, warps = blockDim.x / 32, warp = threadIdx.x / 32 + warps * (who.slot[me] - 1);
	for (int p = 0; p < passes; p++)
		for (size_t at = warp * 4096; at < bytes; at += (size_t)4096 * warps * sms) {
			if (deep) {
#pragma unroll
				for (int i = 0; i < 8; i++) x ^= load4<K>(a + at + i * 512 + lane * 16, pol);
			} else {
#pragma unroll 1
				for (int i = 0; i < 8; i++) { x = load4<K>(a + at + i * 512 + lane * 16 + (x & 0), pol); if (x == 12345) out[1] = x; asm volatile("" ::: "memory"); }
			}
			if (x == 12345) out[0] = x;
		}
}
// one thread of an SM: what a load (or an atomic) of each of n lines takes
template<bool ATOM> __global__ void look(char *a, size_t step, int n, unsigned sm, unsigned *out) {
	unsigned me; asm("mov.u32 %0, %%smid;" : "=r"(me));
	if (me != sm || threadIdx.x) return;
	__shared__ volatile unsigned keep;
	for (int i = 0; i < n; i++) {
		unsigned x; char *p = a + i * step;
		unsigned t0 = clock();
		if (ATOM) asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(x) : "l"(p) : "memory");
		else asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
		keep = x;
		unsigned t1 = clock();
		out[i] = t1 - t0;
	}
}
__global__ void flush(const uint4 *a, size_t n, unsigned *out) {
	uint4 s = {};
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) { uint4 v; asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(a + i)); s.x ^= v.x ^ v.y ^ v.z ^ v.w; }
	if (s.x == 12345) out[0] = 1;
}
typedef void (*Reader)(const char *, size_t, Who, int, int, int, unsigned *);
static Reader readers[KINDS] = {read<0>, read<1>, read<2>, read<3>, read<4>, read<5>, read<6>, read<7>, read<8>, read<9>};
int main() {
	const size_t MiB = 1 << 20; char *mem, *other; unsigned *out; CHECK(cudaMalloc(&mem, 64 * MiB)); CHECK(cudaMalloc(&other, 256 * MiB)); CHECK(cudaMalloc(&out, 65536));
	CHECK(cudaMemset(mem, 0, 64 * MiB)); CHECK(cudaMemset(other, 0, 256 * MiB));
	mem = (char *)(((uintptr_t)mem + 2 * MiB - 1) & ~(2 * MiB - 1));
	for (int i = 0; i < KINDS; i++) CHECK(cudaFuncSetAttribute(readers[i], cudaFuncAttributeMaxDynamicSharedMemorySize, 128 * 1024));
	const int N = 512; static unsigned h[N], homes[N], home1[N];
	auto wipe = [&]() { for (int i = 0; i < 2; i++) flush<<<1056, 256>>>((uint4 *)other, 256 * MiB / 16, out); CHECK(cudaDeviceSynchronize()); };
	auto lat = [&](unsigned sm, size_t step, unsigned *to) { for (int i = 0; i < 2; i++) { look<true><<<132, 32>>>(mem, step, N, sm, out); CHECK(cudaDeviceSynchronize()); } CHECK(cudaMemcpy(to, out, N * 4, cudaMemcpyDeviceToHost)); };
	printf("# kib\tread_as\tside\tsms\twarps\tloads\tpasses\tnear_under_390\tnear_under_530\tnear_more\tfar_under_390\tfar_under_530\tfar_more\n");
	std::vector<unsigned> same, far; lat(0, 4096, homes);
	for (unsigned sm = 0; sm < 132; sm++) { lat(sm, 4096, home1); int eq = 0; for (int i = 0; i < N; i++) eq += (homes[i] < 390) == (home1[i] < 390); (eq < N / 2 ? far : same).push_back(sm); }
	for (int kind : {NORMAL, LU, CS, L2_EF}) for (size_t size : {MiB / 16, 2 * MiB, 8 * MiB, 16 * MiB}) for (int set = 0; set < 3; set++) for (int n : {1, 2, 4, 8, 16, 33, 66, 132}) for (int warps : {1, 8, 32}) for (int deep = 0; deep < 2; deep++) for (int passes : {1, 2}) {
		if (kind != LU && (warps == 8 || passes == 2 || (n > 1 && n < 66))) continue;
		std::vector<unsigned> use = set == 0 ? same : set == 1 ? far : same; if (set == 2) use.insert(use.end(), far.begin(), far.end());
		if (set == 2 && n != 132) continue; if (n > (int)use.size()) continue;
		if (!deep && n * warps < 8 && size > 2 * MiB) continue;
		Who who = {}; for (int i = 0; i < n; i++) who.slot[use[i]] = i + 1;
		size_t step = size / N / 128 * 128; step -= step > 1024 ? 128 : 0;
		lat(0, step, homes); wipe();
		readers[kind]<<<132, 32 * warps, 120 * 1024>>>(mem, size, who, n, deep, passes, out); CHECK(cudaDeviceSynchronize());
		look<false><<<132, 32>>>(mem, step, N, 0, out); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(h, out, N * 4, cudaMemcpyDeviceToHost));
		int c[2][4] = {};
		for (int i = 0; i < N; i++) { int f = homes[i] >= 390; c[f][h[i] < 390 ? 0 : h[i] < 530 ? 1 : h[i] < 660 ? 2 : 3]++; }
		printf("%zu\t%s\t%s\t%d\t%d\t%d\t%d", size >> 10, names[kind], set == 0 ? "same" : set == 1 ? "other" : "both", n, warps, deep ? 8 : 1, passes);
		for (int f = 0; f < 2; f++) { double t = c[f][0] + c[f][1] + c[f][2] + c[f][3]; printf("\t%.3f\t%.3f\t%.3f", c[f][0] / t, c[f][1] / t, (c[f][2] + c[f][3]) / t); }
		printf("\n"); fflush(stdout);
	}
	return 0;
}
