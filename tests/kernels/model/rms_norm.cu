// Rows of 16-bit floats, a warp a row, 16 bytes a lane and access.
#include <cuda_fp16.h>

struct eight {
	__half2 h[4];
};

extern "C" __global__ void rms_norm(const uint4 *__restrict__ from, uint4 *to,
	int rows, int columns8)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	int lane = threadIdx.x % 32;
	float squares = 0;

	if (row >= rows)
		return;
	size_t base = (size_t)row * columns8;
	for (int i = lane; i < columns8; i += 32) {
		uint4 bits = from[base + i];
		const __half2 *h = (const __half2 *)&bits;

		for (int k = 0; k < 4; k++) {
			float2 x = __half22float2(h[k]);

			squares = fmaf(x.x, x.x, fmaf(x.y, x.y, squares));
		}
	}
	for (int step = 16; step; step /= 2)
		squares += __shfl_xor_sync(~0u, squares, step);
	float scale = rsqrtf(squares / (8 * columns8) + 1e-6f);
	for (int i = lane; i < columns8; i += 32) {
		uint4 bits = from[base + i];
		__half2 *h = (__half2 *)&bits;

		for (int k = 0; k < 4; k++) {
			float2 x = __half22float2(h[k]);

			h[k] = __floats2half2_rn(x.x * scale, x.y * scale);
		}
		to[base + i] = bits;
	}
}
