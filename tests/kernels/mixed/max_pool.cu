// The largest of each two by two.
extern "C" __global__ void max_pool(
	const float2 *__restrict__ from, float *to, int to_width)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	float2 a = from[(size_t)2 * y * to_width + x];
	float2 b = from[(size_t)(2 * y + 1) * to_width + x];

	to[(size_t)y * to_width + x] = fmaxf(fmaxf(a.x, a.y), fmaxf(b.x, b.y));
}
