// Pairs of kernels with one result: as it was, and as advice would have it. What
// changes is how they reach memory.

typedef unsigned int word;

static __device__ int thread()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

// ---- a field of each record: records of 32 bytes, or an array a field ----

struct record {
	float x, y, z, mass, u, v, w, charge;
};

extern "C" __global__ void fields_records(
	const struct record *from, float *to, int count)
{
	int i = thread();

	if (i < count)
		to[i] = from[i].x * from[i].mass;
}

extern "C" __global__ void fields_arrays(
	const float *x, const float *mass, float *to, int count)
{
	int i = thread();

	if (i < count)
		to[i] = x[i] * mass[i];
}

// ---- sums of rows: a thread a row, or a warp a row ----

extern "C" __global__ void rows_thread(
	const float *from, float *to, int rows, int columns)
{
	int row = thread();
	float sum = 0;

	if (row >= rows)
		return;
	for (int k = 0; k < columns; k++)
		sum += from[(size_t)row * columns + k];
	to[row] = sum;
}

extern "C" __global__ void rows_warp(
	const float *from, float *to, int rows, int columns)
{
	int row = thread() / 32, lane = threadIdx.x % 32;
	float sum = 0;

	if (row >= rows)
		return;
	for (int k = lane; k < columns; k += 32)
		sum += from[(size_t)row * columns + k];
	for (int step = 16; step; step /= 2)
		sum += __shfl_down_sync(~0u, sum, step);
	if (lane == 0)
		to[row] = sum;
}

// ---- a transpose through shared memory: a column in one bank, or padded ----

template <int PAD>
static __device__ void transpose(const float *from, float *to, int n)
{
	__shared__ float tile[32][32 + PAD];
	int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;

	for (int k = 0; k < 32; k += 8)
		tile[threadIdx.y + k][threadIdx.x] = from[(y + k) * n + x];
	__syncthreads();
	x = blockIdx.y * 32 + threadIdx.x;
	y = blockIdx.x * 32 + threadIdx.y;
	for (int k = 0; k < 32; k += 8)
		to[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" __global__ void transpose_plain(const float *from, float *to, int n)
{
	transpose<0>(from, to, n);
}

extern "C" __global__ void transpose_padded(const float *from, float *to, int n)
{
	transpose<1>(from, to, n);
}

// ---- bytes turned over: one a thread, or sixteen ----

extern "C" __global__ void bytes_single(
	const unsigned char *from, unsigned char *to, int count)
{
	int i = thread();

	if (i < count)
		to[i] = ~from[i];
}

extern "C" __global__ void bytes_vector(const uint4 *from, uint4 *to, int count)
{
	int i = thread();

	if (i < count) {
		uint4 v = from[i];
		to[i] = make_uint4(~v.x, ~v.y, ~v.z, ~v.w);
	}
}

// ---- a gather by few warps: one load under way in each, or eight ----

extern "C" __global__ void gather_single(
	const float *from, const int *indices, float *to, int count)
{
	float sum = 0;

#pragma unroll 1
	for (int i = thread(); i < count; i += gridDim.x * blockDim.x)
		sum += from[indices[i]];
	to[thread()] = sum;
}

extern "C" __global__ void gather_eight(
	const float *from, const int *indices, float *to, int count)
{
	const int step = gridDim.x * blockDim.x;
	float sum = 0;

#pragma unroll 1
	for (int i = thread(); i < count; i += 8 * step) {
		int at[8];
		float v[8];
#pragma unroll
		for (int k = 0; k < 8; k++)
			at[k] = indices[i + k * step];
#pragma unroll
		for (int k = 0; k < 8; k++)
			v[k] = from[at[k]];
#pragma unroll
		for (int k = 0; k < 8; k++)
			sum += v[k];
	}
	to[thread()] = sum;
}

// ---- a product of matrices: from global memory, or by tiles in shared ----

extern "C" __global__ void product_global(
	const float *a, const float *b, float *c, int n)
{
	int row = blockIdx.y * 16 + threadIdx.y;
	int column = blockIdx.x * 16 + threadIdx.x;
	float sum = 0;

	for (int k = 0; k < n; k++)
		sum += a[row * n + k] * b[k * n + column];
	c[row * n + column] = sum;
}

extern "C" __global__ void product_tiled(
	const float *a, const float *b, float *c, int n)
{
	__shared__ float left[16][16], right[16][16];
	int row = blockIdx.y * 16 + threadIdx.y;
	int column = blockIdx.x * 16 + threadIdx.x;
	float sum = 0;

	for (int k = 0; k < n; k += 16) {
		left[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
		right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
		__syncthreads();
#pragma unroll
		for (int j = 0; j < 16; j++)
			sum += left[threadIdx.y][j] * right[j][threadIdx.x];
		__syncthreads();
	}
	c[row * n + column] = sum;
}
