// A checksum of each record by a table of 256 words, a thread a record.
static __device__ unsigned pass(const unsigned *words, unsigned sum)
{
	for (int k = 0; k < 4; k++)
		sum = words[sum & 255] ^ sum >> 8;
	return sum;
}

extern "C" __global__ void crc(const uint4 *__restrict__ records,
	const unsigned *__restrict__ table, unsigned *to, int count, int pieces)
{
	__shared__ unsigned words[256];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned sum = ~0u;

	for (int k = threadIdx.x; k < 256; k += blockDim.x)
		words[k] = table[k];
	__syncthreads();
	if (i >= count)
		return;
	for (int k = 0; k < pieces; k++) {
		uint4 v = records[(size_t)i * pieces + k];

		sum = pass(words, sum ^ v.x);
		sum = pass(words, sum ^ v.y);
		sum = pass(words, sum ^ v.z);
		sum = pass(words, sum ^ v.w);
	}
	to[i] = ~sum;
}
