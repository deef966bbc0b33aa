// Which fences of an SM's warps go together, and which wait for others.
//
//   nvcc -arch=sm_90 -O3 tests/hardware/fence_rounds.cu -o fence_rounds &&
//   ./fence_rounds
//
// For results/probes/fence_rounds.tsv.gz, whose rows are some of its lines,
// with one round of each.
#include "fences.cuh"
// Warp w stores (op) and fences at base + w * delta; those that only access do
// it there, too.
template <u op, u fe>
__global__ void epoch(
	u *out, char *data, u delta, u late, u fencers, u rounds, u spread)
{
	__shared__ u base;
	u lane = threadIdx.x & 31, w = threadIdx.x >> 5;
	for (u q = 0; q < 2 * rounds; q++) {
		u r = q % rounds;
		char *at = data + (size_t)(r % 16) * 4096 + (w * 128) % 4096 +
			   lane * 4 + (spread ? w * 4096 * 16 : 0);
		__syncthreads();
		if (!threadIdx.x)
			base = cycles() + 300;
		__syncthreads();
		u go = base + w * delta;
		while ((int)(cycles() - go) < 0)
			;
		u t0 = cycles();
		work(op, at, lane, nullptr, 1);
		u t1 = cycles();
		if (w < fencers) {
			if (late) {
				u g2 = go + late;
				while ((int)(cycles() - g2) < 0)
					;
			}
			t1 = cycles();
			fence(fe);
		}
		u t2 = cycles();
		if (!lane) {
			u *o = out +
			       ((size_t)(q < rounds ? 0 : r) * 32 + w) * 4;
			o[0] = t0 - base;
			o[1] = t1 - base;
			o[2] = t2 - base;
		}
		__syncthreads();
	}
}
static u *d;
static char *data;
static u h[16 * 32 * 4];
typedef void (*K)(u *, char *, u, u, u, u, u);
static void go(
	K k, const char *n, u warps, u delta, u late, u fencers, u spread)
{
	k<<<1, warps * 32>>>(d, data, delta, late, fencers, 16, spread);
	DO(cudaDeviceSynchronize());
	DO(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
	printf("%s warps=%u delta=%u late=%u fencers=%u spread=%u", n, warps,
		delta, late, fencers, spread);
	for (u r : {3u, 7u, 11u}) {
		printf("\t|r%u", r);
		for (u w = 0; w < warps; w++)
			printf(" %u:%u-%u", h[(r * 32 + w) * 4],
				h[(r * 32 + w) * 4 + 1],
				h[(r * 32 + w) * 4 + 2]);
	}
	printf("\n");
}
int main()
{
	DO(cudaMalloc(&d, sizeof h));
	DO(cudaMalloc(&data, 64 << 20));
	DO(cudaMemset(data, 0, 64 << 20));
	K st = epoch<3, 3>, st1 = epoch<3, 1>, red = epoch<4, 3>,
	  ld = epoch<1, 3>, no = epoch<0, 3>, no1 = epoch<0, 1>;
	struct {
		K k;
		const char *n;
	} ks[] = {{st, "st.release"}, {st1, "st.acq_rel"}, {red, "red.release"},
		{ld, "ld.release"}, {no, "none.release"},
		{no1, "none.acq_rel"}};
	for (auto &k : ks)
		for (u spread : {0u, 1u})
			for (u delta : {0u, 5u, 10u, 20u, 30u, 40u, 60u, 80u,
				     100u, 150u, 200u, 300u, 400u, 500u})
				for (u warps : {2u, 3u, 4u, 8u})
					if (warps < 8 || delta <= 60)
						go(k.k, k.n, warps, delta, 0,
							warps, spread);
	for (auto &k : ks)
		for (u late : {50u, 100u, 200u, 300u})
			for (u delta : {5u, 10u, 20u, 30u, 50u, 80u})
				go(k.k, k.n, 4, delta, late, 4, 1);
	for (u delta : {10u, 30u, 60u, 100u, 200u, 300u})
		for (u f : {1u, 2u})
			for (u warps : {4u, 8u, 16u})
				go(st, "st.release", warps, delta, 0, f, 1),
					go(red, "red.release", warps, delta, 0,
						f, 1);
	for (u late : {0u, 100u})
		for (u w : {8u, 16u, 32u})
			for (u delta : {0u, 1u, 2u, 4u, 8u})
				go(st, "st.release", w, delta, late, w, 0),
					go(red, "red.release", w, delta, late,
						w, 0),
					go(no, "none.release", w, delta, late,
						w, 0);
	return 0;
}
