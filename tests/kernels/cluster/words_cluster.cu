// What each access to the next block's shared memory reads and leaves: words
// for the hardware to agree on.
#include "cluster.cuh"

#define THREADS 32
#define WORDS   512
#define RESULTS 64 // of a thread

#define TOLD(expression) told[count++ * THREADS + t] = (unsigned)(expression)

#define LOAD(type, constraint, c)                                              \
	{                                                                      \
		c value;                                                       \
		asm volatile("ld.shared::cluster." type " %0, [%1];"           \
			: constraint(value)                                    \
			: "r"(next + 16 * t)                                   \
			: "memory");                                           \
		TOLD(value);                                                   \
		TOLD((unsigned long long)value >> 32);                         \
	}

#define ATOMIC(operation, constraint, c, value)                                \
	{                                                                      \
		c was, with = value;                                           \
		asm volatile("atom.shared::cluster." operation                 \
			     " %0, [%1], %2;"                                  \
			: "=" constraint(was)                                  \
			: "r"(next + 16 * t + 8 * (count & 1)),                \
			constraint(with)                                       \
			: "memory");                                           \
		TOLD(was);                                                     \
		TOLD((unsigned long long)was >> 32);                           \
	}

#define SWAP(type, constraint, c)                                              \
	{                                                                      \
		c was;                                                         \
		asm volatile("atom.shared::cluster.cas." type                  \
			     " %0, [%1], %2, %3;"                              \
			: "=" constraint(was)                                  \
			: "r"(next + 16 * t), constraint((c)(from[t + 11] * 0x11 + (t & 1))),   \
			constraint((c)(t * 77))                                \
			: "memory");                                           \
		TOLD(was);                                                     \
	}

extern "C" __global__ void words_cluster(
	const unsigned *__restrict__ from, unsigned *to)
{
	__shared__ uint4 quads[WORDS / 4];
	unsigned *words = (unsigned *)quads;
	unsigned t = threadIdx.x, count = 0, next, mine, spaces = 0;
	unsigned *told = to + blockIdx.x * (RESULTS * THREADS + WORDS);
	unsigned long long generic, other;
	unsigned v[4];

	for (int i = t; i < WORDS; i += THREADS)
		words[i] = from[blockIdx.x * WORDS + i];
	next = cluster_map(words, (cluster_rank() + 1) % cluster_blocks());
	mine = cluster_map(words, cluster_rank());
	cluster_arrive();
	cluster_wait();
	LOAD("u8", "=r", unsigned)
	LOAD("s8", "=r", unsigned)
	LOAD("u16", "=r", unsigned)
	LOAD("s16", "=r", unsigned)
	LOAD("b32", "=r", unsigned)
	LOAD("b64", "=l", unsigned long long)
	asm volatile("ld.shared::cluster.v4.b32 {%0, %1, %2, %3}, [%4];"
		: "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
		: "r"(next + 16 * (t ^ 5))
		: "memory");
	TOLD(v[0] ^ v[1] * 3 ^ v[2] * 5 ^ v[3] * 7);
	generic = (unsigned long long)words;
	asm("mapa.u64 %0, %1, %2;"
		: "=l"(other)
		: "l"(generic), "r"((cluster_rank() + 1) % cluster_blocks()));
	TOLD(*(volatile unsigned *)(other + 4 * t));
	TOLD((unsigned)((other >> 24) - (generic >> 24)));
	asm("{\n.reg .pred p;\nisspacep.shared::cta p, %1;\n"
	    "selp.u32 %0, 1, 0, p;\n}"
		: "=r"(spaces)
		: "l"(other));
	TOLD(spaces);
	asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(spaces) : "r"(next));
	TOLD(spaces);
	cluster_arrive();
	cluster_wait();
	ATOMIC("add.u32", "r", unsigned, from[t])
	ATOMIC("add.u64", "l", unsigned long long, from[t] * 0x100000001ull)
	ATOMIC("min.s32", "r", unsigned, from[t + 1])
	ATOMIC("max.u32", "r", unsigned, from[t + 2])
	ATOMIC("min.u64", "l", unsigned long long, from[t + 3] * 0x10001ull)
	ATOMIC("max.s64", "l", unsigned long long, from[t + 4] * 0x100001ull)
	ATOMIC("and.b32", "r", unsigned, from[t + 5])
	ATOMIC("xor.b64", "l", unsigned long long, from[t + 6] * 0x101ull)
	ATOMIC("or.b32", "r", unsigned, from[t + 7])
	ATOMIC("inc.u32", "r", unsigned, from[t + 8])
	ATOMIC("dec.u32", "r", unsigned, from[t + 9])
	ATOMIC("exch.b32", "r", unsigned, from[t + 10])
	ATOMIC("exch.b64", "l", unsigned long long, from[t + 11] * 0x11ull)
	SWAP("b32", "r", unsigned)
	asm volatile("st.shared::cluster.u16 [%0], %1;" ::"r"(next + 1024 + 2 * t),
		"h"((unsigned short)(t * 771))
		: "memory");
	asm volatile("st.shared::cluster.v2.b32 [%0], {%1, %2};" ::"r"(
			     next + 1280 + 8 * t),
		"r"(t * 3), "r"(t * 5)
		: "memory");
	asm volatile("red.release.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(
			     next + 1792),
		"r"(t)
		: "memory");
	asm volatile("atom.acq_rel.cluster.shared::cluster.add.f32 %0, [%1], %2;"
		: "=r"(spaces)
		: "r"(mine + 1920 + 4 * t), "f"(1.5f * t)
		: "memory");
	TOLD(spaces);
	asm volatile("fence.acq_rel.cluster;" ::: "memory");
	cluster_arrive();
	cluster_wait();
	told = to + blockIdx.x * (RESULTS * THREADS + WORDS) + RESULTS * THREADS;
	for (int i = t; i < WORDS; i += THREADS)
		told[i] = words[i];
}
