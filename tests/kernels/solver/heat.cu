// Heat on a plate with a source at each point, by tiles with a rim.
#define TILE 16
extern "C" __global__ void heat(const float *__restrict__ from,
	const float *__restrict__ power, float *to, int width, int height)
{
	__shared__ float tile[TILE + 2][TILE + 2];
	int x = blockIdx.x * TILE + threadIdx.x;
	int y = blockIdx.y * TILE + threadIdx.y;
	int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
	size_t at = (size_t)y * width + x;

	tile[ty][tx] = from[at];
	if (tx == 1)
		tile[ty][0] = from[x > 0 ? at - 1 : at];
	if (tx == TILE)
		tile[ty][TILE + 1] = from[x < width - 1 ? at + 1 : at];
	if (ty == 1)
		tile[0][tx] = from[y > 0 ? at - width : at];
	if (ty == TILE)
		tile[TILE + 1][tx] = from[y < height - 1 ? at + width : at];
	__syncthreads();
	float t = tile[ty][tx];
	float across = tile[ty][tx - 1] + tile[ty][tx + 1] - 2 * t;
	float down = tile[ty - 1][tx] + tile[ty + 1][tx] - 2 * t;
	to[at] = t + 0.1f * (power[at] + across + down);
}
