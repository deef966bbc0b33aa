// The same tile without the padding: 32 lanes meet in one bank.
#define TILE 32

extern "C" __global__ void transpose_banks(const float *__restrict__ from,
	float *to, int width)
{
	__shared__ float tile[TILE][TILE];
	int x = blockIdx.x * TILE + threadIdx.x;
	int y = blockIdx.y * TILE + threadIdx.y;

	tile[threadIdx.y][threadIdx.x] = from[(size_t)y * width + x];
	__syncthreads();
	x = blockIdx.y * TILE + threadIdx.x;
	y = blockIdx.x * TILE + threadIdx.y;
	to[(size_t)y * width + x] = tile[threadIdx.x][threadIdx.y];
}
