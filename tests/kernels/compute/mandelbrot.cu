// Lanes leave their loops one after the other.
extern "C" __global__ void mandelbrot(unsigned char *to, int width, int height,
	int most)
{
	int px = blockIdx.x * blockDim.x + threadIdx.x;
	int py = blockIdx.y * blockDim.y + threadIdx.y;

	if (px >= width || py >= height)
		return;
	float cx = -2.0f + 3.0f * px / width, cy = -1.0f + 2.0f * py / height;
	float x = 0, y = 0;
	int n = 0;
	while (n < most && __fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)) < 4) {
		float next = __fadd_rn(
			__fsub_rn(__fmul_rn(x, x), __fmul_rn(y, y)), cx);

		y = __fadd_rn(__fmul_rn(__fmul_rn(2.0f, x), y), cy);
		x = next;
		n++;
	}
	to[(size_t)py * width + px] = (unsigned char)n;
}
