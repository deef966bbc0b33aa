// sum(price * discount) where the date and the quantity are in their ranges:
// columns are read only as far as rows pass.
extern "C" __global__ void filter_sum(const unsigned short *__restrict__ date,
	const unsigned char *__restrict__ quantity,
	const unsigned *__restrict__ price,
	const unsigned char *__restrict__ discount, unsigned long long *total,
	int count)
{
	unsigned long long sum = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		i += gridDim.x * blockDim.x)
		if (date[i] < 400 && quantity[i] < 24)
			sum += price[i] * discount[i];
	for (int step = 16; step; step /= 2)
		sum += __shfl_down_sync(~0u, sum, step);
	if (threadIdx.x % 32 == 0 && sum)
		atomicAdd(total, sum);
}
