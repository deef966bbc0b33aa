// Through a tile in shared memory, without bank conflicts.
#define TILE 32

extern "C" __global__ void transpose_tiled(const float *__restrict__ from,
	float *to, int rows, int columns)
{
	__shared__ float tile[TILE][TILE + 1];
	int x = blockIdx.x * TILE + threadIdx.x;
	int y = blockIdx.y * TILE + threadIdx.y;

	for (int k = 0; k < TILE; k += 8)
		tile[threadIdx.y + k][threadIdx.x] =
			from[(size_t)(y + k) * columns + x];
	__syncthreads();
	x = blockIdx.y * TILE + threadIdx.x;
	y = blockIdx.x * TILE + threadIdx.y;
	for (int k = 0; k < TILE; k += 8)
		to[(size_t)(y + k) * rows + x] =
			tile[threadIdx.x][threadIdx.y + k];
}
