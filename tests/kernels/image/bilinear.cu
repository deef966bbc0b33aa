// A picture made larger by a factor, four neighbours a point.
extern "C" __global__ void bilinear(const float *__restrict__ from, float *to,
	int width, int height, int to_width, float step)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	float fx = (float)x * step, fy = (float)y * step;
	int x0 = min((int)fx, width - 2), y0 = min((int)fy, height - 2);
	float u = fx - (float)x0, v = fy - (float)y0;
	const float *p = from + (size_t)y0 * width + x0;
	float top = fmaf(u, p[1] - p[0], p[0]);
	float low = fmaf(u, p[width + 1] - p[width], p[width]);

	to[(size_t)y * to_width + x] = fmaf(v, low - top, top);
}
