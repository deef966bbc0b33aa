// Kernels that keep one server of the memory busy, and nothing else. A comment
// `// binds KERNEL` marks the line whose instructions it serves.

typedef unsigned int word;

static __device__ int thread()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

// Loads by one cache operator, of one word or four. They are no functions, so
// that a line is charged where it is written.
#define LOAD(OP, v, at)                                                        \
	asm volatile("ld.global." OP ".u32 %0, [%1];" : "=r"(v) : "l"(at))
#define LOAD_4(OP, v, at)                                                      \
	asm volatile("ld.global." OP ".v4.u32 {%0, %1, %2, %3}, [%4];"         \
		: "=r"((v).x), "=r"((v).y), "=r"((v).z), "=r"((v).w)           \
		: "l"(at))

// All threads add to one word of L2, without a result.
extern "C" __global__ void hot_word(float *to, int rounds)
{
#pragma unroll 1
	for (int r = 0; r < rounds; r++)
		atomicAdd(to, 1.0f + threadIdx.x); // binds hot_word
}

// All warps load one line, which L1 does not keep.
extern "C" __global__ void hot_line(const uint4 *from, uint4 *to, int rounds)
{
	uint4 sum = {};

#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
		uint4 v;
		LOAD_4("cg", v, from + (threadIdx.x + r) % 8); // binds hot_line
		sum.x += v.x ^ v.y ^ v.z ^ v.w;
	}
	if (sum.x == 12345)
		to[thread()] = sum;
}

// Everything once, from DRAM.
extern "C" __global__ void stream(const uint4 *from, uint4 *to, int count)
{
	word sum = 0;

	for (int i = thread(); i < count; i += gridDim.x * blockDim.x) {
		uint4 v;
		LOAD_4("cs", v, from + i); // binds stream
		sum += v.x ^ v.y ^ v.z ^ v.w;
	}
	if (sum == 12345)
		to[thread()].x = sum;
}

// One sector here and there: each opens a row of DRAM.
extern "C" __global__ void rows(
	const word *from, word *to, word mask, int rounds)
{
	word sum = 0, at = thread() * 2654435761u;

#pragma unroll 4
	for (int r = 0; r < rounds; r++) {
		at = at * 1664525u + 1013904223u;
		word v;
		LOAD("cg", v, from + ((at >> 4) & mask)); // binds rows
		sum += v;
	}
	if (sum == 12345)
		to[thread()] = sum;
}

// Lanes of a warp 128 bytes apart, in lines that L1 holds.
extern "C" __global__ void uncoalesced(const word *from, word *to, int rounds)
{
	word sum = 0;

#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
#pragma unroll
		for (int i = 0; i < 8; i++) {
			word v;
			LOAD("ca", v, // binds uncoalesced
				from + threadIdx.x * 32 + (i ^ (r & 7)));
			sum += v;
		}
	}
	if (sum == 12345)
		to[thread()] = sum;
}

// Each SM goes around a ring of lines that is larger than its L1.
extern "C" __global__ void thrash(
	const uint4 *from, word *to, int rounds, int count)
{
	word sum = 0;

#pragma unroll 1
	for (int r = 0; r < rounds; r++)
#pragma unroll 1
		for (int i = threadIdx.x; i < count; i += blockDim.x * 8) {
			uint4 v[8];
#pragma unroll
			for (int k = 0; k < 8; k++)
				LOAD_4("ca", v[k], from + i + k * blockDim.x); // binds thrash
#pragma unroll
			for (int k = 0; k < 8; k++)
				sum += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
		}
	if (sum == 12345)
		to[thread()] = sum;
}

// One SM stores.
extern "C" __global__ void stores(uint4 *to, int rounds)
{
	uint4 v = {threadIdx.x, 1, 2, 3};

#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
#pragma unroll
		for (int i = 0; i < 8; i++)
			to[i * blockDim.x + threadIdx.x] = v; // binds stores
		v.x++;
	}
}

// A chain of loads that L2 answers, one at a time: no server is busy.
extern "C" __global__ void chain(const word *from, word *to, int rounds)
{
	word at = 0;

#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
		word v;
		LOAD("cg", v, from + at); // binds chain
		at = v;
	}
	to[thread()] = at;
}

static __device__ word sm_id()
{
	word sm;

	asm("mov.u32 %0, %%smid;" : "=r"(sm));
	return sm;
}

// The least of three.
static __device__ word latency(word *at)
{
	word least = ~0u;

	for (int i = 0; i < 3; i++) {
		word begin, end, was;
		asm volatile("mov.u32 %0, %%clock;" : "=r"(begin)::"memory");
		asm volatile("atom.global.add.u32 %0, [%1], 0;"
			: "=r"(was) : "l"(at) : "memory");
		asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 77; @p trap; "
			     "mov.u32 %0, %%clock; }"
			: "=r"(end) : "r"(was) : "memory");
		least = min(least, end - begin);
	}
	return least;
}

// Which pages of an SM's share have their home on the other side of L2, by the
// latency of atomics: to far[sm * count] on, behind their number.
#define PAGE_WORDS 1024
extern "C" __global__ void homes(
	word *memory, word *far, word *times, int count)
{
	word sm = sm_id(), first = sm * count, least = ~0u, most = 0, found = 0;

	for (int i = 0; i < count; i++) {
		word cycles = latency(memory + (size_t)(first + i) * PAGE_WORDS);
		times[first + i] = cycles;
		least = min(least, cycles);
		most = max(most, cycles);
	}
	for (int i = 0; i < count; i++)
		if (times[first + i] > (least + most) / 2)
			far[sm * (count + 1) + ++found] = first + i;
	far[sm * (count + 1)] = found;
}

// Every SM reads what has its home on the other side, from DRAM.
extern "C" __global__ void bridge(
	const word *memory, const word *far, word *to, int count)
{
	const word *mine = far + sm_id() * (count + 1);
	word found = mine[0], sum = 0;

	for (int i = threadIdx.x / 32; i < found; i += blockDim.x / 32) {
		const uint4 *page = (const uint4 *)(memory +
						    (size_t)mine[1 + i] * PAGE_WORDS);
#pragma unroll
		for (int k = 0; k < 8; k++) {
			uint4 v;
			LOAD_4("cs", v, page + k * 32 + threadIdx.x % 32); // binds bridge
			sum += v.x ^ v.y ^ v.z ^ v.w;
		}
	}
	if (sum == 12345)
		to[thread()] = sum;
}

// The last block works a hundred times as long as the others.
extern "C" __global__ void tail(float *to, int rounds, float a, float b)
{
	float v = threadIdx.x;
	int mine = blockIdx.x == gridDim.x - 1 ? rounds * 100 : rounds;

#pragma unroll 1
	for (int r = 0; r < mine; r++) // binds tail
		v = v * a + b; // binds tail
	to[thread()] = v;
}

// Blocks that do next to nothing: what takes time is to begin and to end them.
extern "C" __global__ void blocks(word *to)
{
	if (!to)
		to[1] = threadIdx.x;
}
