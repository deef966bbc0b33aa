// Nine points, with a tile and its halo in shared memory.
#define TILE_X 32
#define TILE_Y 8

extern "C" __global__ void stencil_2d_tiled(const float *__restrict__ from,
	float *to, int width, int height)
{
	__shared__ float tile[TILE_Y + 2][TILE_X + 2];
	int x0 = blockIdx.x * TILE_X - 1, y0 = blockIdx.y * TILE_Y - 1;
	int t = threadIdx.y * TILE_X + threadIdx.x;

	for (int i = t; i < (TILE_X + 2) * (TILE_Y + 2); i += TILE_X * TILE_Y) {
		int x = x0 + i % (TILE_X + 2), y = y0 + i / (TILE_X + 2);
		bool inside = x >= 0 && y >= 0 && x < width && y < height;

		tile[i / (TILE_X + 2)][i % (TILE_X + 2)] =
			inside ? from[(size_t)y * width + x] : 0;
	}
	__syncthreads();
	float sum = 0;
	for (int dy = 0; dy < 3; dy++)
		for (int dx = 0; dx < 3; dx++)
			sum += tile[threadIdx.y + dy][threadIdx.x + dx];
	int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y;
	if (x < width && y < height)
		to[(size_t)y * width + x] = sum * (1.0f / 9);
}
