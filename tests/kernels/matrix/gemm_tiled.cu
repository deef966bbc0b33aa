// C = A B of square matrices, tiles of 16 x 16 in shared memory.
#define TILE 16

extern "C" __global__ void gemm_tiled(const float *__restrict__ a,
	const float *__restrict__ b, float *c, int n)
{
	__shared__ float left[TILE][TILE], right[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
	float sum = 0;

	for (int k = 0; k < n; k += TILE) {
		left[ty][tx] = a[row * n + k + tx];
		right[ty][tx] = b[(k + ty) * n + column];
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum = fmaf(left[ty][i], right[i][tx], sum);
		__syncthreads();
	}
	c[row * n + column] = sum;
}
