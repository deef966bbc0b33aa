// Pairs of kernels with one result: as it was, and as advice would have it. What
// changes is who does the work.

typedef unsigned int word;

static __device__ int thread()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

// ---- a histogram of 256 bins: in global memory, or one a block ----

extern "C" __global__ void bins_global(const uint4 *from, word *bins, int count)
{
	for (int i = thread(); i < count; i += gridDim.x * blockDim.x) {
		uint4 v = from[i];
		atomicAdd(bins + v.x % 256, 1);
		atomicAdd(bins + v.y % 256, 1);
		atomicAdd(bins + v.z % 256, 1);
		atomicAdd(bins + v.w % 256, 1);
	}
}

extern "C" __global__ void bins_shared(const uint4 *from, word *bins, int count)
{
	__shared__ word mine[256];

	mine[threadIdx.x] = 0;
	__syncthreads();
	for (int i = thread(); i < count; i += gridDim.x * blockDim.x) {
		uint4 v = from[i];
		atomicAdd(mine + v.x % 256, 1);
		atomicAdd(mine + v.y % 256, 1);
		atomicAdd(mine + v.z % 256, 1);
		atomicAdd(mine + v.w % 256, 1);
	}
	__syncthreads();
	atomicAdd(bins + threadIdx.x, mine[threadIdx.x]);
}

// ---- a sum: an atomic a thread, or one a block ----

extern "C" __global__ void sum_threads(const float *from, float *to, int count)
{
	int i = thread();

	if (i < count)
		atomicAdd(to, from[i]);
}

extern "C" __global__ void sum_blocks(const float *from, float *to, int count)
{
	__shared__ float part[8];
	int i = thread();
	float sum = i < count ? from[i] : 0;

	for (int step = 16; step; step /= 2)
		sum += __shfl_down_sync(~0u, sum, step);
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = sum;
	__syncthreads();
	if (threadIdx.x < 8) {
		sum = part[threadIdx.x];
		for (int step = 4; step; step /= 2)
			sum += __shfl_down_sync(0xff, sum, step);
		if (threadIdx.x == 0)
			atomicAdd(to, sum);
	}
}

// ---- a triad by blocks of 32 threads, or of 256: the launch alone ----

extern "C" __global__ void triad_blocks(
	const float *a, const float *b, float *c, float s, int count)
{
	int i = thread();

	if (i < count)
		c[i] = a[i] + s * b[i];
}

// ---- a series: of two kinds by the thread's parity, or by the warp's ----

static __device__ float series(float x, int kind, int rounds)
{
	float y = x;

	if (kind)
#pragma unroll 1
		for (int r = 0; r < rounds; r++)
			y = y * x + 0.5f;
	else
#pragma unroll 1
		for (int r = 0; r < rounds; r++)
			y = y * 0.25f - x;
	return y;
}

extern "C" __global__ void series_parity(
	const float *from, float *to, int rounds)
{
	to[thread()] = series(from[thread()], threadIdx.x & 1, rounds);
}

// Threads of a block change places, so that warps are of one kind.
extern "C" __global__ void series_warps(
	const float *from, float *to, int rounds)
{
	int half = blockDim.x / 2, kind = threadIdx.x >= half;
	int i = blockIdx.x * blockDim.x + (threadIdx.x - kind * half) * 2 + kind;

	to[i] = series(from[i], kind, rounds);
}

// ---- roots and quotients: as IEEE wants them, or approximated ----

extern "C" __global__ void roots_exact(const float *from, float *to, int count)
{
	for (int i = thread(); i < count; i += gridDim.x * blockDim.x)
		to[i] = __fdiv_rn(1.0f, __fsqrt_rn(from[i] + 1.0f));
}

extern "C" __global__ void roots_fast(const float *from, float *to, int count)
{
	for (int i = thread(); i < count; i += gridDim.x * blockDim.x)
		to[i] = rsqrtf(from[i] + 1.0f);
}

// ---- a chain: by few blocks or as many as find room; large or small ones ----

extern "C" __global__ void polynomial(
	const float *from, float *to, int count, int rounds)
{
	for (int i = thread(); i < count; i += gridDim.x * blockDim.x) {
		float x = from[i], y = x;
#pragma unroll 1
		for (int r = 0; r < rounds; r++)
			y = y * x + 0.5f;
		to[i] = y;
	}
}
