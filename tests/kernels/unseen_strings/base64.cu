// Three bytes become four letters.
extern "C" __global__ void base64(const unsigned char *__restrict__ from,
	const unsigned char *__restrict__ letters, uchar4 *to, int count)
{
	__shared__ unsigned char table[64];
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (threadIdx.x < 64)
		table[threadIdx.x] = letters[threadIdx.x];
	__syncthreads();
	if (i >= count)
		return;
	const unsigned char *p = from + 3 * (size_t)i;
	unsigned v = p[0] << 16 | p[1] << 8 | p[2];
	to[i] = make_uchar4(table[v >> 18], table[v >> 12 & 63],
		table[v >> 6 & 63], table[v & 63]);
}
