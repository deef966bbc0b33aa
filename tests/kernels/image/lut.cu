// Four bytes a thread through a table of 256 words in shared memory.
extern "C" __global__ void lut(const uchar4 *__restrict__ from,
	const unsigned *__restrict__ table, unsigned *to, int count)
{
	__shared__ unsigned words[256];

	words[threadIdx.x] = table[threadIdx.x];
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		i += gridDim.x * blockDim.x) {
		uchar4 v = from[i];
		to[i] = words[v.x] ^ words[v.y] << 1 ^ words[v.z] << 2 ^
			words[v.w] << 3;
	}
}
