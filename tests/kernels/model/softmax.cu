// Rows of 1024, a block a row, four elements a thread.
extern "C" __global__ void softmax(const float4 *__restrict__ from, float4 *to)
{
	__shared__ float parts[8];
	int t = threadIdx.x, lane = t % 32, warp = t / 32;
	size_t i = (size_t)blockIdx.x * 256 + t;
	float4 x = from[i];
	float most = fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)), sum;

	for (int step = 16; step; step /= 2)
		most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
	if (!lane)
		parts[warp] = most;
	__syncthreads();
	most = parts[0];
	for (int w = 1; w < 8; w++)
		most = fmaxf(most, parts[w]);
	__syncthreads();
	x.x = __expf(x.x - most);
	x.y = __expf(x.y - most);
	x.z = __expf(x.z - most);
	x.w = __expf(x.w - most);
	sum = x.x + x.y + x.z + x.w;
	for (int step = 16; step; step /= 2)
		sum += __shfl_xor_sync(~0u, sum, step);
	if (!lane)
		parts[warp] = sum;
	__syncthreads();
	sum = 0;
	for (int w = 0; w < 8; w++)
		sum += parts[w];
	sum = 1 / sum;
	to[i] = make_float4(x.x * sum, x.y * sum, x.z * sum, x.w * sum);
}
