// Two streams, four elements an access, one result a block.
extern "C" __global__ void dot(const float4 *__restrict__ a,
	const float4 *__restrict__ b, float *to, int count)
{
	__shared__ float parts[8];
	float sum = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		i += gridDim.x * blockDim.x) {
		float4 x = a[i], y = b[i];

		sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
	}
	for (int step = 16; step; step /= 2)
		sum += __shfl_xor_sync(~0u, sum, step);
	if (threadIdx.x % 32 == 0)
		parts[threadIdx.x / 32] = sum;
	__syncthreads();
	if (threadIdx.x)
		return;
	sum = 0;
	for (int i = 0; i < blockDim.x / 32; i++)
		sum += parts[i];
	to[blockIdx.x] = sum;
}
