// Many products of 16 x 16 matrices, a warp-pair each.
#define N 16

extern "C" __global__ void gemm_batched(const float *__restrict__ a,
	const float *__restrict__ b, float *c, int batch)
{
	__shared__ float left[4][N * N], right[4][N * N];
	int which = threadIdx.x / 64, t = threadIdx.x % 64;
	int matrix = blockIdx.x * 4 + which;
	size_t base = (size_t)matrix * N * N;

	if (matrix < batch)
		for (int i = t; i < N * N; i += 64) {
			left[which][i] = a[base + i];
			right[which][i] = b[base + i];
		}
	__syncthreads();
	if (matrix >= batch)
		return;
	for (int i = t; i < N * N; i += 64) {
		float sum = 0;

		for (int k = 0; k < N; k++)
			sum = fmaf(left[which][i / N * N + k],
				right[which][k * N + i % N], sum);
		c[base + i] = sum;
	}
}
