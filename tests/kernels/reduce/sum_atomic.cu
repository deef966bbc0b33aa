// Every thread adds to one of a few counters in global memory.
extern "C" __global__ void sum_atomic(const unsigned *__restrict__ from,
	unsigned *counters, int count, int counter_mask)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		atomicAdd(&counters[i / 32 & counter_mask], from[i]);
}
