// How many letters the suffixes of a text have in common with the next in a
// list.
extern "C" __global__ void common_prefix(const unsigned char *__restrict__ text,
	const unsigned *__restrict__ suffixes, unsigned short *to, int length)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= length - 1)
		return;
	unsigned a = suffixes[i], b = suffixes[i + 1];
	int most = length - (int)(a > b ? a : b), n = 0;
	while (n < most && text[a + n] == text[b + n])
		n++;
	to[i] = (unsigned short)n;
}
