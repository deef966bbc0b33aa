// What fences take, behind what their SM has accessed and beside other warps.
//
//   nvcc -arch=sm_90 -O3 tests/hardware/fences.cu -o fences && ./fences
//
// For results/probes/fences.tsv, which has the numbers of a line behind
// `fence`, and names for those of `op` and `fence`.
#include <vector>
#include <algorithm>
#include "fences.cuh"
#define OPS    15u
#define FENCES 11u
template <u op, u fe>
__global__ void probe(u *out, char *data, u waitc, u who, u rounds, u n,
	u others, u other_blocks, u meet, u pages, u first)
{
	extern __shared__ u sh[];
	volatile u *stop = sh + 1024 + 8192;
	u lane = threadIdx.x & 31, w = threadIdx.x >> 5,
	  warps = blockDim.x >> 5;
	u sm;
	asm("mov.u32 %0,%%smid;" : "=r"(sm));
	char *base = data + (size_t)first * 4096 +
		     (blockIdx.x * 8 + (w & 7)) * 128 % 4096 + lane * 4 +
		     (blockIdx.x * 8 + (w & 7)) / 32 * 4096 * 16 * 64 +
		     (w >> 3) * 4096 * 16 * 64 * 40;
	if (threadIdx.x == 0)
		*stop = 0;
	__syncthreads();
	bool is_fencer = w < who && !(other_blocks && blockIdx.x);
	if (is_fencer) {
		for (u q = 0; q < 2 * rounds; q++) {
			u r = q % rounds;
			char *at = base + (r % pages) * 4096;
			if (meet)
				asm volatile("bar.sync 1,%0;" ::"r"(who * 32)
					     : "memory");
			u ta = cycles();
			work(op, at, lane, sh, n);
			if (waitc)
				while (cycles() - ta < waitc)
					;
			u t0 = cycles();
			fence(fe);
			u t1 = cycles();
			if (!lane) {
				sh[1024 + (r * warps + w) * 3] = ta;
				sh[1024 + (r * warps + w) * 3 + 1] = t0;
				sh[1024 + (r * warps + w) * 3 + 2] = t1;
			}
			__syncwarp();
		}
		__syncwarp();
		if (!other_blocks && !lane)
			*stop = 1;
		if (!lane)
			for (u r = 0; r < rounds; r++)
				for (u j = 0; j < 3; j++)
					out[((blockIdx.x * rounds + r) * 32 +
						    w) * 4 +
						j] =
						sh[1024 + (r * warps + w) * 3 +
							j];
		if (!lane)
			out[(blockIdx.x * rounds * 32 + w) * 4 + 3] = sm;
	} else {
		char *mine = base + 4096 * 16 * 64 * 80;
		for (u i = 0; i < 4000 && (other_blocks || !*stop); i++) {
			if (other_blocks && i >= 600)
				break;
			if (!others)
				continue;
			work(others, mine + (i % 16) * 4096, lane, sh, n);
		}
	}
}
typedef void (*kernel)(u *, char *, u, u, u, u, u, u, u, u, u);
static kernel table[OPS * FENCES];
template <u i> struct fill {
	static void go()
	{
		table[i] = probe<i / FENCES, i % FENCES>;
		cudaFuncSetAttribute(probe<i / FENCES, i % FENCES>,
			cudaFuncAttributeMaxDynamicSharedMemorySize,
			120 * 1024);
		fill<i - 1>::go();
	}
};
template <> struct fill<0> {
	static void go()
	{
		table[0] = probe<0, 0>;
		cudaFuncSetAttribute(probe<0, 0>,
			cudaFuncAttributeMaxDynamicSharedMemorySize,
			120 * 1024);
	}
};
static u *out;
static char *data;
static const u R = 16;
static void go(const char *label, u blocks, u warps, u op, u fe, u waitc = 0,
	u who = 0, u n = 8, u others = 0, u ob = 0, u meet = 1, u pages = 16,
	u first = 0)
{
	if (!who)
		who = warps;
	DO(cudaMemset(out, 0, 132 * R * 32 * 16));
	table[op * FENCES + fe]<<<blocks, warps * 32, 120 * 1024>>>(
		out, data, waitc, who, R, n, others, ob, meet, pages, first);
	DO(cudaDeviceSynchronize());
	static u h[132 * R * 32 * 4];
	DO(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
	u bl = ob ? 1 : blocks;
	printf("%s\tb=%u w=%u op=%u fence=%u wait=%u who=%u n=%u others=%u "
	       "ob=%u meet=%u pages=%u first=%u\t",
		label, blocks, warps, op, fe, waitc, who, n, others, ob, meet,
		pages, first);
	auto at = [&](u b, u r, u w, u j) {
		return h[((b * R + r) * 32 + w) * 4 + j];
	};
	for (u r = 0; r < R; r++)
		printf("%u+%u ", at(0, r, 0, 1) - at(0, r, 0, 0),
			at(0, r, 0, 2) - at(0, r, 0, 1));
	std::vector<u> d, s, m;
	for (u b = 0; b < bl; b++)
		for (u w = 0; w < who; w++)
			for (u r = 4; r < R; r++) {
				d.push_back(at(b, r, w, 2) - at(b, r, w, 1));
				s.push_back(at(b, r, w, 2) - at(b, r, w, 0));
			}
	std::sort(d.begin(), d.end());
	std::sort(s.begin(), s.end());
	// over all the warps of a block in a round: from the first begin to the
	// last end
	for (u b = 0; b < bl; b++)
		for (u r = 4; r < R; r++) {
			u lo = ~0u, hi = 0;
			for (u w = 0; w < who; w++) {
				lo = std::min(lo, at(b, r, w, 0));
				hi = std::max(hi, at(b, r, w, 2));
			}
			m.push_back(hi - lo);
		}
	std::sort(m.begin(), m.end());
	printf("\tfence %u %u %u\tboth %u %u %u\tblock %u %u %u\t", d[0],
		d[d.size() / 2], d.back(), s[0], s[s.size() / 2], s.back(),
		m[0], m[m.size() / 2], m.back());
	if (who > 1) {
		u lo = ~0u;
		for (u w = 0; w < who; w++)
			lo = std::min(lo, at(0, 8, w, 0));
		for (u w = 0; w < who; w++)
			printf("%u:%u-%u ", w, at(0, 8, w, 1) - lo,
				at(0, 8, w, 2) - lo);
	}
	printf("\n");
}
int main()
{
	fill<OPS * FENCES - 1>::go();
	size_t bytes = (size_t)4096 * 16 * 64 * 320 + (64 << 20);
	DO(cudaMalloc(&out, 132 * R * 32 * 16));
	DO(cudaMalloc(&data, bytes));
	DO(cudaMemset(data, 0, bytes));
	printf("# ta..t0 + fence, 16 rounds of warp 0 of block 0; fence, both: "
	       "least median most of rounds 4..15\n");
	go("warm", 132, 1, 0, 1);
	for (u op = 0; op <= 14; op++)
		for (u fe = 0; fe <= 10; fe++)
			go("one", 1, 1, op, fe);
	for (u op : {1u, 2u, 3u, 4u, 5u})
		for (u fe : {1u, 3u, 7u})
			for (u wa : {50u, 100u, 200u, 400u, 800u, 1600u, 4000u})
				go("wait", 1, 1, op, fe, wa);
	for (u op : {9u, 10u, 13u})
		for (u fe : {0u, 1u, 3u})
			for (u n : {1u, 2u, 4u, 8u, 16u, 32u, 64u})
				go("lines", 1, 1, op, fe, 0, 0, n);
	for (u op : {0u, 1u, 3u, 4u})
		for (u fe : {1u, 3u})
			for (u w : {1u, 2u, 3u, 4u, 5u, 6u, 8u, 12u, 16u, 24u,
				     32u})
				go("warps", 1, w, op, fe);
	for (u op : {0u, 3u})
		for (u fe : {1u, 3u})
			for (u w : {2u, 4u, 8u, 32u})
				go("unmet", 1, w, op, fe, 0, 0, 8, 0, 0, 0);
	for (u op : {0u, 1u, 3u, 4u})
		for (u fe : {1u, 3u})
			for (u b : {2u, 8u, 33u, 66u, 132u})
				for (u w : {1u, 4u, 32u})
					go("sms", b, w, op, fe);
	for (u ot : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 11u, 12u})
		for (u op : {0u, 3u})
			for (u fe : {1u, 3u, 7u})
				for (u w : {2u, 5u, 32u})
					go("others", 1, w, op, fe, 0, 1, 8, ot);
	for (u ot : {1u, 3u, 4u, 5u, 9u, 12u})
		for (u op : {0u, 1u, 3u})
			for (u fe : {1u, 3u})
				for (u b : {2u, 17u, 132u})
					go("blocks", b, 4, op, fe, 0, 1, 8, ot,
						1);
	go("warm", 132, 1, 0, 1);
	for (u i = 0; i < 3; i++)
		for (u op : {0u, 1u, 3u, 5u})
			go("again", 1, 1, op, 1);
	return 0;
}
