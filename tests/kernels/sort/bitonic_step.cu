// One step of a bitonic sort in global memory.
extern "C" __global__ void bitonic_step(unsigned *keys, unsigned distance,
	unsigned size)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned i = 2 * t - (t & (distance - 1)), k = i + distance;
	unsigned a = keys[i], b = keys[k];
	bool up = !(i & size);

	if ((a > b) == up) {
		keys[i] = b;
		keys[k] = a;
	}
}
