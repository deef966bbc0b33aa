// Count, sum, least and greatest value of each key.
extern "C" __global__ void group_by(const unsigned *__restrict__ keys,
	const int *__restrict__ values, int *groups, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= count)
		return;
	int *group = groups + 4 * (size_t)keys[i];
	int value = values[i];
	atomicAdd(&group[0], 1);
	atomicAdd(&group[1], value);
	atomicMin(&group[2], value);
	atomicMax(&group[3], value);
}
