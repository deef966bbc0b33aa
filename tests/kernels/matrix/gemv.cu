// y = A x, a block a row.
extern "C" __global__ void gemv(const float4 *__restrict__ a,
	const float4 *__restrict__ x, float *y, int columns4)
{
	__shared__ float parts[8];
	const float4 *row = a + (size_t)blockIdx.x * columns4;
	float sum = 0;

	for (int i = threadIdx.x; i < columns4; i += blockDim.x) {
		float4 p = row[i], q = x[i];

		sum = fmaf(p.x, q.x, sum);
		sum = fmaf(p.y, q.y, sum);
		sum = fmaf(p.z, q.z, sum);
		sum = fmaf(p.w, q.w, sum);
	}
	for (int step = 16; step; step /= 2)
		sum += __shfl_xor_sync(~0u, sum, step);
	if (threadIdx.x % 32 == 0)
		parts[threadIdx.x / 32] = sum;
	__syncthreads();
	if (!threadIdx.x) {
		sum = 0;
		for (int i = 0; i < 8; i++)
			sum += parts[i];
		y[blockIdx.x] = sum;
	}
}
