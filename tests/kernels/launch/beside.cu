// Two kernels that have nothing to do with each other, on two streams: one
// computes, one moves.
#define THREADS 256

extern "C" __global__ void rounds(unsigned *states, int count)
{
	const int at = blockIdx.x * THREADS + threadIdx.x;
	unsigned x = states[at], y = x ^ 0x9e3779b9u;

	for (int i = 0; i < count; i++) {
		x = (x << 7 | x >> 25) + y;
		y = (y << 13 | y >> 19) ^ x;
	}
	states[at] = x + y;
}

extern "C" __global__ void turn(const uint4 *from, uint4 *to, int count)
{
	const int step = gridDim.x * THREADS;

	for (int i = blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
		const uint4 v = from[i];

		to[count - 1 - i] = make_uint4(v.w, v.z, v.y, v.x);
	}
}
