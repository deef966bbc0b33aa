// Stores only.
extern "C" __global__ void set_words(uint4 *to, unsigned value, int count)
{
	int stride = gridDim.x * blockDim.x;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		i += stride)
		to[i] = make_uint4(value, value + i, value ^ i, i);
}
