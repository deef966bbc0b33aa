/* A stencil of seven points in three dimensions: each block's points and their
   neighbours are a box, zeros outside of the grid. */
#include "box.cuh"

#define SIDE 8
#define WIDE (SIDE + 8) /* a box begins and ends at 16 bytes */
#define DEEP (SIDE + 2)

extern "C" __global__ void stencil_box(const __grid_constant__ tensor_map from,
	float *to, int nx, int ny, int nz)
{
	__shared__ alignas(128) float box[DEEP][DEEP][WIDE];
	__shared__ unsigned long long barrier;
	int x = blockIdx.x * SIDE + threadIdx.x;
	int y = blockIdx.y * SIDE + threadIdx.y;
	int z = blockIdx.z * SIDE + threadIdx.z;
	int i = threadIdx.x + 4, j = threadIdx.y + 1, k = threadIdx.z + 1;

	if (!threadIdx.x && !threadIdx.y && !threadIdx.z) {
		barrier_make(&barrier);
		barrier_expect(&barrier, sizeof(box));
		load_box(box, &from, (int)(blockIdx.x * SIDE) - 4,
			(int)(blockIdx.y * SIDE) - 1,
			(int)(blockIdx.z * SIDE) - 1, &barrier);
	}
	__syncthreads();
	barrier_wait(&barrier, 0);
	if (x >= nx || y >= ny || z >= nz)
		return;
	float sum = __fadd_rn(box[k][j][i - 1], box[k][j][i + 1]);

	sum = __fadd_rn(sum, box[k][j - 1][i]);
	sum = __fadd_rn(sum, box[k][j + 1][i]);
	sum = __fadd_rn(sum, box[k - 1][j][i]);
	sum = __fadd_rn(sum, box[k + 1][j][i]);
	to[((long long)z * ny + y) * nx + x] =
		__fadd_rn(sum, __fmul_rn(-6.0f, box[k][j][i]));
}
