// Each thread walks a list from its own element.
extern "C" __global__ void list_walk(const unsigned *__restrict__ next,
	unsigned *to, int count, unsigned first_stride, int steps)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= count)
		return;
	unsigned at = i * first_stride;
	for (int k = 0; k < steps; k++)
		at = next[at];
	to[i] = at;
}
