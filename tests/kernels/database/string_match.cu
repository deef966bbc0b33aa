// Where a text has a word of eight letters: bytes are compared as they come.
extern "C" __global__ void string_match(const unsigned char *__restrict__ text,
	const unsigned char *__restrict__ word, unsigned *found, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i + 8 > count)
		return;
	for (int k = 0; k < 8; k++)
		if (text[i + k] != word[k])
			return;
	atomicAdd(found, 1u);
	atomicXor(found + 1, (unsigned)i);
}
