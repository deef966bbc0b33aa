// [x][y][z] becomes [z][x][y], a three-dimensional grid.
extern "C" __global__ void permute(const float *__restrict__ from, float *to,
	int nx, int ny, int nz)
{
	int z = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	int x = blockIdx.z * blockDim.z + threadIdx.z;

	if (x < nx && y < ny && z < nz)
		to[((size_t)z * nx + x) * ny + y] =
			from[((size_t)x * ny + y) * nz + z];
}
