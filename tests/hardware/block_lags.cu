// How far apart an SM's blocks begin, and the warps of each.
//
//   nvcc -arch=sm_90 -O3 tests/hardware/block_lags.cu -o block_lags &&
//   ./block_lags
//
// For results/probes/block_lags.tsv.
#include <vector>
#include <map>
#include <algorithm>
#include "call.cuh"
#include "cycles.cuh"
typedef unsigned u;
__global__ void begin(uint2 *out, u keep)
{
	u t = cycles(), sm = sm_id();
	if ((threadIdx.x & 31) == 0)
		out[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] =
			make_uint2(t, sm);
	while (cycles() - t < keep)
		;
}
static u pct(std::vector<u> &v, double p)
{
	std::sort(v.begin(), v.end());
	return v[(size_t)(p * (v.size() - 1))];
}
int main()
{
	uint2 *d;
	DO(cudaMalloc(&d, 1 << 22));
	static uint2 h[1 << 19];
	for (u b : {132u, 264u, 396u, 528u, 792u, 1056u, 8u, 16u, 33u, 66u,
		     200u, 320u})
		for (u t : {32u, 64u, 128u, 256u, 512u, 1024u}) {
			if ((size_t)b * t > 132 * 2048)
				continue;
			if (b > 132 * 32)
				continue;
			std::vector<std::vector<u>> lag(9), span(3);
			for (int rep = 0; rep < 12; rep++) {
				begin<<<b, t>>>(d, 20000);
				DO(cudaDeviceSynchronize());
				u w = t / 32;
				if (rep < 2)
					continue;
				DO(cudaMemcpy(h, d, (size_t)b * w * 8,
					cudaMemcpyDeviceToHost));
				std::map<u, std::vector<u>> sm;
				for (u i = 0; i < b; i++) {
					u lo;
					u base = h[i * w].x;
					int l = 0, m = 0;
					for (u k = 0; k < w; k++) {
						int x = (int)(h[i * w + k].x -
							      base);
						l = std::min(l, x);
						m = std::max(m, x);
					}
					span[0].push_back(m - l);
					span[1].push_back((u)-l);
					lo = base + l;
					sm[h[i * w].y].push_back(lo);
				}
				for (auto &s : sm) {
					auto &v = s.second;
					std::sort(v.begin(), v.end());
					for (size_t k = 1;
						k < v.size() && k < 8; k++)
						lag[k].push_back(v[k] - v[0]);
				}
			}
			printf("blocks=%u threads=%u\twarps apart %u %u %u "
			       "first late %u %u",
				b, t, pct(span[0], 0), pct(span[0], .5),
				pct(span[0], 1), pct(span[1], .5),
				pct(span[1], 1));
			for (u k = 1; k < 8; k++)
				if (lag[k].size())
					printf("\tblock %u: n=%zu %u %u %u %u",
						k + 1, lag[k].size(),
						pct(lag[k], 0), pct(lag[k], .5),
						pct(lag[k], .9),
						pct(lag[k], 1));
			printf("\n");
		}
	return 0;
}
