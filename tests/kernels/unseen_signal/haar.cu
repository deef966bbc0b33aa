// All levels of Haar's wavelet of 1024 samples of 16 bits, a block each.
#define HALF 512

extern "C" __global__ void haar(const short2 *__restrict__ from, short *to)
{
	__shared__ int part[HALF];
	int t = threadIdx.x;
	short2 v = from[(size_t)blockIdx.x * HALF + t];
	short *mine = to + (size_t)blockIdx.x * 2 * HALF;

	mine[HALF + t] = (short)(v.x - v.y);
	part[t] = (v.x + v.y) >> 1;
	__syncthreads();
	for (int half = HALF / 2; half; half /= 2) {
		int low = 0;

		if (t < half) {
			int a = part[2 * t], b = part[2 * t + 1];

			mine[half + t] = (short)(a - b);
			low = (a + b) >> 1;
		}
		__syncthreads();
		if (t < half)
			part[t] = low;
		__syncthreads();
	}
	if (!t)
		mine[0] = (short)part[0];
}
