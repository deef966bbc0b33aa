// How many characters begin in each 16 bytes of a text, and how many bytes of
// it are where UTF-8 does not allow them.
extern "C" __global__ void utf8(const uint4 *__restrict__ text,
	unsigned char *starts, unsigned *wrong, int count)
{
	__shared__ unsigned sum;
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (!threadIdx.x)
		sum = 0;
	__syncthreads();
	if (i < count) {
		uint4 v = text[i];
		unsigned before = i ? text[i - 1].w : 0;
		unsigned characters = 16, bad = 0;

		if ((v.x | v.y | v.z | v.w | before) & 0x80808080u) {
			unsigned words[4] = {v.x, v.y, v.z, v.w};

			characters = 0;
#pragma unroll
			for (int k = 0; k < 16; k++) {
				unsigned c = words[k / 4] >> k % 4 * 8 & 255;
				bool follows = (c & 0xc0) == 0x80;
				bool is_due = before >> 24 >= 0xc0 ||
					(before >> 16 & 255) >= 0xe0 ||
					(before >> 8 & 255) >= 0xf0;

				characters += !follows;
				bad += follows != is_due;
				before = before >> 8 | c << 24;
			}
		}
		starts[i] = (unsigned char)characters;
		if (bad)
			atomicAdd(&sum, bad);
	}
	__syncthreads();
	if (!threadIdx.x && sum)
		atomicAdd(wrong, sum);
}
