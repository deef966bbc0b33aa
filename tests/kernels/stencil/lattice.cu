// One step of a lattice of cells: nine planes are read with an offset each.
extern "C" __global__ void lattice(const float *__restrict__ from, float *to,
	int width, int height)
{
	const int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
	const int dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y;
	size_t plane = (size_t)width * height;
	float f[9], density = 0;

	if (x >= width)
		return;
#pragma unroll
	for (int k = 0; k < 9; k++) {
		int sx = (x - dx[k] + width) % width;
		int sy = (y - dy[k] + height) % height;

		f[k] = from[k * plane + (size_t)sy * width + sx];
		density += f[k];
	}
#pragma unroll
	for (int k = 0; k < 9; k++)
		to[k * plane + (size_t)y * width + x] =
			fmaf(0.5f, density * (1.0f / 9) - f[k], f[k]);
}
