// The place of each key in a sorted array.
extern "C" __global__ void binary_search(const unsigned *__restrict__ sorted,
	const unsigned *__restrict__ keys, unsigned *to, unsigned length,
	int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= count)
		return;
	unsigned key = keys[i], low = 0, high = length;
	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (sorted[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	to[i] = low;
}
