// Pairs of kernels with one result: as it was, and as advice would have it. What
// changes is the way through shared memory, barriers, atomics and lists.

typedef unsigned int word;

static __device__ int thread()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

// ---- prefix sums of 1024 words a block, by a tree: its steps meet in banks
// (shift 31), or a word of padding stands behind every 32 (shift 5) ----

static __device__ int place(int i, int shift)
{
	return i + (i >> shift);
}

extern "C" __global__ void prefix(const word *from, word *to, int shift)
{
	__shared__ word tree[1056];
	int t = threadIdx.x, first = blockIdx.x * 1024, step = 1;

	tree[place(t, shift)] = from[first + t];
	tree[place(t + 512, shift)] = from[first + t + 512];
	for (int half = 512; half; half /= 2) {
		__syncthreads();
		if (t < half) {
			int a = place(step * (2 * t + 1) - 1, shift);
			int b = place(step * (2 * t + 2) - 1, shift);
			tree[b] += tree[a];
		}
		step *= 2;
	}
	if (!t)
		tree[place(1023, shift)] = 0;
	for (int part = 1; part < 1024; part *= 2) {
		step /= 2;
		__syncthreads();
		if (t < part) {
			int a = place(step * (2 * t + 1) - 1, shift);
			int b = place(step * (2 * t + 2) - 1, shift);
			word was = tree[a];
			tree[a] = tree[b];
			tree[b] += was;
		}
	}
	__syncthreads();
	to[first + t] = tree[place(t, shift)];
	to[first + t + 512] = tree[place(t + 512, shift)];
}

// ---- kinetic energies of particles: records of 48 bytes, or arrays ----

struct particle {
	float place[3], speed[3], mass, charge, other[4];
};

extern "C" __global__ void energy_records(
	const particle *from, float *to, int count)
{
	int i = thread();

	if (i < count) {
		const particle *p = from + i;
		to[i] = 0.5f * p->mass *
			(p->speed[0] * p->speed[0] + p->speed[1] * p->speed[1] +
				p->speed[2] * p->speed[2]);
	}
}

extern "C" __global__ void energy_arrays(
	const float *from, float *to, int count)
{
	int i = thread();

	if (i < count) {
		float x = from[3 * count + i], y = from[4 * count + i];
		float z = from[5 * count + i];
		to[i] = 0.5f * from[6 * count + i] * (x * x + y * y + z * z);
	}
}

// ---- a scaled sum: a word a thread, or four ----

extern "C" __global__ void scale_words(
	const float *from, float *to, float a, float b, int count)
{
	int i = thread();

	if (i < count)
		to[i] = from[i] * a + b;
}

extern "C" __global__ void scale_fours(
	const float4 *from, float4 *to, float a, float b, int count)
{
	int i = thread();

	if (i < count) {
		float4 v = from[i];
		v.x = v.x * a + b;
		v.y = v.y * a + b;
		v.z = v.z * a + b;
		v.w = v.w * a + b;
		to[i] = v;
	}
}

// ---- sums of rows of 1024: halves with a barrier each, or shuffles ----

extern "C" __global__ void row_halves(const word *from, word *to, int rows)
{
	__shared__ word part[1024];

	for (int row = blockIdx.x; row < rows; row += gridDim.x) {
		part[threadIdx.x] = from[row * 1024 + threadIdx.x];
		__syncthreads();
		for (int half = 512; half; half /= 2) {
			if (threadIdx.x < half)
				part[threadIdx.x] += part[threadIdx.x + half];
			__syncthreads();
		}
		if (!threadIdx.x)
			to[row] = part[0];
		__syncthreads();
	}
}

extern "C" __global__ void row_shuffles(const word *from, word *to, int rows)
{
	__shared__ word part[32];

	for (int row = blockIdx.x; row < rows; row += gridDim.x) {
		word sum = from[row * 1024 + threadIdx.x];
		for (int half = 16; half; half /= 2)
			sum += __shfl_xor_sync(~0u, sum, half);
		if (threadIdx.x % 32 == 0)
			part[threadIdx.x / 32] = sum;
		__syncthreads();
		if (threadIdx.x < 32) {
			sum = part[threadIdx.x];
			for (int half = 16; half; half /= 2)
				sum += __shfl_xor_sync(~0u, sum, half);
			if (!threadIdx.x)
				to[row] = sum;
		}
		__syncthreads();
	}
}

// ---- the ends of lists: eight lists a thread, one after the other, or at once ----

extern "C" __global__ void lists_in_turn(const word *next, word *to, int steps)
{
	for (int k = 0; k < 8; k++) {
		word at = thread() * 8 + k;
#pragma unroll 1
		for (int s = 0; s < steps; s++)
			at = next[at];
		to[thread() * 8 + k] = at;
	}
}

extern "C" __global__ void lists_at_once(const word *next, word *to, int steps)
{
	word at[8];

	for (int k = 0; k < 8; k++)
		at[k] = thread() * 8 + k;
#pragma unroll 1
	for (int s = 0; s < steps; s++)
#pragma unroll
		for (int k = 0; k < 8; k++)
			at[k] = next[at[k]];
	for (int k = 0; k < 8; k++)
		to[thread() * 8 + k] = at[k];
}

// ---- the largest word of each of 16 groups: an atomic a thread, or one a warp ----

extern "C" __global__ void largest_threads(const word *from, word *to, int count)
{
	for (int i = thread(); i < count; i += gridDim.x * blockDim.x) {
		word was = atomicMax(to + i / 1024 % 16, from[i]);
		if (was == 0xfffffffe)
			to[16] = was;
	}
}

extern "C" __global__ void largest_warps(const word *from, word *to, int count)
{
	for (int i = thread(); i < count; i += gridDim.x * blockDim.x) {
		word most = __reduce_max_sync(~0u, from[i]);
		if (threadIdx.x % 32 == 0)
			atomicMax(to + i / 1024 % 16, most);
	}
}

// ---- a filter whose tile takes more shared memory than it needs, or less: an SM
// has room for two blocks, or for eight ----

extern "C" __global__ void tile_filter(
	const float *from, float *to, int count, int rounds)
{
	extern __shared__ float tile[];

	for (int i = blockIdx.x * blockDim.x; i < count; i += gridDim.x * blockDim.x) {
		tile[threadIdx.x] = from[i + threadIdx.x];
		__syncthreads();
		float y = 0;
#pragma unroll 1
		for (int r = 0; r < rounds; r++)
			y = y * 0.5f + tile[(threadIdx.x + r) & (blockDim.x - 1)];
		to[i + threadIdx.x] = y;
		__syncthreads();
	}
}

// ---- a potential in f64, or in f32 ----

extern "C" __global__ void potential_double(
	const float *from, float *to, double step, int count)
{
	double x = from[thread()], y = 0.5, sum = 0;

#pragma unroll 4
	for (int i = 0; i < count; i++) {
		sum = sum * y + x;
		y = y * x + step;
	}
	to[thread()] = sum;
}

extern "C" __global__ void potential_float(
	const float *from, float *to, float step, int count)
{
	float x = from[thread()], y = 0.5f, sum = 0;

#pragma unroll 4
	for (int i = 0; i < count; i++) {
		sum = sum * y + x;
		y = y * x + step;
	}
	to[thread()] = sum;
}

// ---- a series of words along a list: all of them kept until the last is there,
// or added up one by one. Registers limit the warps ----

extern "C" __global__ void series_kept(
	const word *next, float *to, float x, int mask)
{
	int at = thread();
	float kept[64], sum = 0;

#pragma unroll
	for (int k = 0; k < 64; k++) {
		at = next[at & mask];
		kept[k] = at & 255;
	}
#pragma unroll
	for (int k = 63; k >= 0; k--)
		sum = sum * x + kept[k];
	to[thread()] = sum;
}

extern "C" __global__ void series_added(
	const word *next, float *to, float x, int mask)
{
	int at = thread();
	float power = 1, sum = 0;

#pragma unroll
	for (int k = 0; k < 64; k++) {
		at = next[at & mask];
		sum += (at & 255) * power;
		power *= x;
	}
	to[thread()] = sum;
}

// ---- words of a table of 64 KiB, beside shared memory that leaves L1 little or much
// of the SM's memory ----

extern "C" __global__ void table_words(
	const word *table, word *to, int rounds, int mask)
{
	extern __shared__ word first[];
	word at = thread() * 2654435761u, sum = 0;

	first[threadIdx.x] = at >> 7;
	__syncthreads();
	at += first[threadIdx.x ^ 1];
#pragma unroll 4
	for (int r = 0; r < rounds; r++) {
		at = at * 1664525u + 1013904223u;
		sum += table[(at >> 9) & mask];
	}
	to[thread()] = sum;
}
