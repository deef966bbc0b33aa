// Which lines share a set of L2: lines that are to be evicted first take each
// other's place. SM 0 loads so the lines of a page that are at home on its
// side, then lines of a page, at home near or far, of whose number a bit is 0
// or 1, and looks which of the first are gone: the bits that take a line's
// place are its partner's. For results/probes/l2_sets-*.tsv:
//
//   nvcc -std=c++17 -arch=sm_90 -O3 tests/hardware/l2_sets.cu -o l2_sets &&
//   ./l2_sets
#include <cstdint>
#include <map>
#include <algorithm>
#include <vector>
#include "call.cuh"
typedef unsigned u;
__global__ void ef(const char *a, const u *lines, u n, u *out)
{
	u me;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(me));
	if (me)
		return;
	unsigned long long pol;
	asm volatile("createpolicy.fractional.L2::evict_first.b64 %0;"
		     : "=l"(pol));
	u s = 0;
	for (u i = threadIdx.x; i < n; i += 32) {
		u x;
		asm volatile("ld.global.cg.L2::cache_hint.b32 %0, [%1], %2;"
			     : "=r"(x)
			     : "l"(a + (size_t)lines[i] * 128), "l"(pol)
			     : "memory");
		s ^= x;
		if (s == 12345)
			out[0] = s;
	}
}
__global__ void check(const char *a, const u *lines, u n, u *out)
{
	u me;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(me));
	__shared__ volatile u keep;
	if (me || threadIdx.x)
		return;
	for (u i = 0; i < n; i++) {
		u x;
		const char *p = a + (size_t)lines[i] * 128;
		u t0 = clock();
		asm volatile("ld.global.cg.b32 %0, [%1];"
			     : "=r"(x)
			     : "l"(p)
			     : "memory");
		keep = x;
		u t1 = clock();
		out[i] = t1 - t0;
	}
}
__global__ void homes(char *a, u first, u n, u *out)
{
	u me;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(me));
	__shared__ volatile u keep;
	if (me || threadIdx.x)
		return;
	for (u i = 0; i < n; i++)
		for (int k = 0; k < 2; k++) {
			u x;
			u t0 = clock();
			asm volatile("atom.global.add.u32 %0, [%1], 0;"
				     : "=r"(x)
				     : "l"(a + (size_t)(first + i) * 128)
				     : "memory");
			keep = x;
			u t1 = clock();
			out[i] = t1 - t0;
		}
}
__global__ void wipe(const uint4 *a, size_t n, u *out)
{
	uint4 s = {};
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
		i += (size_t)gridDim.x * blockDim.x) {
		uint4 v;
		asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
			     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
			     : "l"(a + i));
		s.x ^= v.x ^ v.y ^ v.z ^ v.w;
	}
	if (s.x == 12345)
		out[0] = 1;
}
int main()
{
	const size_t MiB = 1 << 20;
	const u pages = 10, each = 16384;
	char *a, *other;
	u *va, *at, *out, *junk;
	DO(cudaMalloc(&a, (pages + 1) * 2 * MiB));
	a = (char *)(((uintptr_t)a + 2 * MiB - 1) & ~(2 * MiB - 1));
	DO(cudaMalloc(&other, 256 * MiB));
	DO(cudaMalloc(&va, 65536));
	DO(cudaMalloc(&at, 65536));
	DO(cudaMalloc(&out, 65536));
	DO(cudaMalloc(&junk, 4096));
	DO(cudaMemset(a, 0, pages * 2 * MiB));
	DO(cudaMemset(other, 0, 256 * MiB));
	std::vector<unsigned char> far(pages * each);
	std::vector<u> t(each);
	for (u p = 0; p < pages; p++) {
		homes<<<132, 32>>>(a, p * each, each, out);
		DO(cudaDeviceSynchronize());
		DO(cudaMemcpy(t.data(), out, each * 4, cudaMemcpyDeviceToHost));
		for (u b = 0; b < each; b += 32) {
			unsigned long long sum = 0;
			for (u i = 0; i < 32; i++)
				sum += t[b + i];
			for (u i = 0; i < 32; i++)
				far[p * each + b + i] = sum / 32 >= 388;
		}
	}
	std::vector<u> vic;
	for (u i = 0; i < each; i++)
		if (!far[i])
			vic.push_back(i);
	DO(cudaMemcpy(va, vic.data(), vic.size() * 4, cudaMemcpyHostToDevice));
	printf("# "
	       "page\tattackers\tlines\tone_partner\tnone\tother\tmost_common_"
	       "xors_of_line_numbers\n");
	for (u p = 0; p < pages; p++)
		for (u kind = 0; kind < 2; kind++) {
			if (!p && !kind)
				continue;
			std::vector<uint16_t> one(each), zero(each);
			for (u b = 0; b < 14; b++)
				for (u v = 0; v < 2; v++) {
					std::vector<u> list;
					for (u i = 0; i < each; i++)
						if (far[p * each + i] == kind &&
							(i >> b & 1) == v)
							list.push_back(
								p * each + i);
					DO(cudaMemcpy(at, list.data(),
						list.size() * 4,
						cudaMemcpyHostToDevice));
					for (int i = 0; i < 2; i++)
						wipe<<<1056, 256>>>(
							(uint4 *)other,
							256 * MiB / 16, junk);
					DO(cudaDeviceSynchronize());
					ef<<<132, 32>>>(
						a, va, vic.size(), junk);
					DO(cudaDeviceSynchronize());
					ef<<<132, 32>>>(
						a, at, list.size(), junk);
					DO(cudaDeviceSynchronize());
					check<<<132, 32>>>(
						a, va, vic.size(), out);
					DO(cudaDeviceSynchronize());
					DO(cudaMemcpy(t.data(), out,
						vic.size() * 4,
						cudaMemcpyDeviceToHost));
					for (u i = 0; i < vic.size(); i++)
						if (t[i] >= 400)
							(v ? one
							   : zero)[vic[i]] |=
								1 << b;
				}
			u good = 0, none = 0;
			std::map<u, u> xors;
			for (u i : vic)
				if ((one[i] ^ zero[i]) == 0x3fff)
					good++, xors[i ^ one[i]]++;
				else
					none += !(one[i] | zero[i]);
			std::vector<std::pair<u, u>> most;
			for (auto &x : xors)
				most.push_back({x.second, x.first});
			std::sort(most.rbegin(), most.rend());
			printf("%u\t%s\t%zu\t%u\t%u\t%zu\t", p,
				kind ? "far" : "near", vic.size(), good, none,
				vic.size() - good - none);
			for (size_t i = 0; i < most.size() && i < 8; i++)
				printf("%s%#x:%u", i ? " " : "", most[i].second,
					most[i].first);
			printf("\n");
			fflush(stdout);
		}
	return 0;
}
