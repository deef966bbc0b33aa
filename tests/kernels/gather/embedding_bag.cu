// The sum of a bag's rows of 128 floats, a warp a bag.
extern "C" __global__ void embedding_bag(const float4 *__restrict__ table,
	const int *__restrict__ indices, const int *__restrict__ starts,
	float4 *to, int bags)
{
	int bag = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	int lane = threadIdx.x % 32;
	float4 sum = make_float4(0, 0, 0, 0);

	if (bag >= bags)
		return;
	int end = starts[bag + 1];
	for (int i = starts[bag]; i < end; i++) {
		float4 x = table[(size_t)indices[i] * 32 + lane];

		sum.x += x.x;
		sum.y += x.y;
		sum.z += x.z;
		sum.w += x.w;
	}
	to[(size_t)bag * 32 + lane] = sum;
}
