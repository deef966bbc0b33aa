// Kernels of which two follow each other: what the second one finds in L2 is
// what the first one left there.

#define EACH 4

// Writes words in whole lines.
extern "C" __global__ void produce(uint4 *to, unsigned count)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	for (; i < count; i += gridDim.x * blockDim.x)
		to[i] = make_uint4(i, i ^ 0x5bd1e995u, i * 2654435761u, ~i);
}

// A sum of the words, one for each thread.
extern "C" __global__ void consume(
	const uint4 *__restrict__ from, unsigned *sums, unsigned count)
{
	const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned sum = 0;

	for (unsigned i = thread; i < count; i += gridDim.x * blockDim.x) {
		const uint4 v = from[i];

		sum += v.x + (v.y ^ v.z) + v.w;
	}
	sums[thread] = sum;
}

// Half of the words of a line at a time, in floats.
extern "C" __global__ void scale(
	const float *__restrict__ from, float *to, float by, unsigned count)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		to[i] = from[i] * by;
}

// Words by indices that are drawn.
extern "C" __global__ void look_up(const unsigned *__restrict__ table,
	const unsigned *__restrict__ indices, unsigned *to)
{
	const unsigned first = blockIdx.x * blockDim.x * EACH + threadIdx.x;
	unsigned sum = 0;

	for (unsigned k = 0; k < EACH; k++)
		sum += table[indices[first + k * blockDim.x]];
	to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Adds one to a counter for each key.
extern "C" __global__ void count_keys(
	const unsigned *__restrict__ keys, unsigned *counters)
{
	const unsigned first = blockIdx.x * blockDim.x * EACH + threadIdx.x;

	for (unsigned k = 0; k < EACH; k++)
		atomicAdd(&counters[keys[first + k * blockDim.x]], 1);
}

// A step of diffusion on a plane of width * rows.
extern "C" __global__ void diffuse(
	const float *__restrict__ from, float *to, unsigned width, unsigned rows)
{
	const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
	const unsigned y = blockIdx.y;
	const unsigned at = y * width + x;

	if (x >= width)
		return;
	if (!x || !y || x + 1 == width || y + 1 == rows)
		to[at] = from[at];
	else
		to[at] = 0.5f * from[at] +
			 0.125f * (from[at - 1] + from[at + 1] +
					  from[at - width] + from[at + width]);
}

// Tiles of 32 * 32 words change their places and turn.
extern "C" __global__ void turn_tiles(
	const unsigned *__restrict__ from, unsigned *to, unsigned width)
{
	__shared__ unsigned tile[32][33];
	unsigned x = blockIdx.x * 32 + threadIdx.x;
	unsigned y = blockIdx.y * 32 + threadIdx.y;

	for (unsigned k = 0; k < 32; k += 8)
		tile[threadIdx.y + k][threadIdx.x] = from[(y + k) * width + x];
	__syncthreads();
	x = blockIdx.y * 32 + threadIdx.x;
	y = blockIdx.x * 32 + threadIdx.y;
	for (unsigned k = 0; k < 32; k += 8)
		to[(y + k) * width + x] = tile[threadIdx.x][threadIdx.y + k];
}

// A row of a matrix a warp, times a vector.
extern "C" __global__ void rows_times(const float4 *__restrict__ rows,
	const float4 *__restrict__ vector, float *to, unsigned width)
{
	const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	const unsigned lane = threadIdx.x % 32;
	float sum = 0;

	for (unsigned i = lane; i < width; i += 32) {
		const float4 a = rows[(size_t)row * width + i];
		const float4 b = vector[i];

		sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
	}
	for (int k = 16; k; k >>= 1)
		sum += __shfl_xor_sync(~0u, sum, k);
	if (!lane)
		to[row] = sum;
}

// A table is read by all, then a stream passes by.
extern "C" __global__ void table_and_stream(const uint4 *__restrict__ table,
	unsigned table_count, const uint4 *__restrict__ stream,
	unsigned stream_count, unsigned *sums)
{
	const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
	const unsigned threads = gridDim.x * blockDim.x;
	unsigned sum = 0;

	for (unsigned i = thread; i < table_count; i += threads)
		sum += table[i].x;
	for (unsigned i = thread; i < stream_count; i += threads)
		sum += stream[i].y;
	sums[thread] = sum;
}

// Words of the block's own part are changed in place.
extern "C" __global__ void change(unsigned *words, unsigned by)
{
	const unsigned first = blockIdx.x * blockDim.x * EACH + threadIdx.x;

	for (unsigned k = 0; k < EACH; k++)
		words[first + k * blockDim.x] =
			words[first + k * blockDim.x] * 3 + by;
}
