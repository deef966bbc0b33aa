// Both parities of six stripes, as RAID 6 has them, 16 bytes a thread.
#define STRIPES 6

// Four bytes of GF(2^8), each times two.
static __device__ unsigned twice(unsigned x)
{
	unsigned top = x & 0x80808080u;

	return (x ^ top) << 1 ^ (top >> 7) * 0x1d;
}

extern "C" __global__ void parity(const uint4 *__restrict__ stripes, uint4 *p,
	uint4 *q, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	uint4 sum = make_uint4(0, 0, 0, 0), code = sum;

	if (i >= count)
		return;
#pragma unroll
	for (int k = STRIPES - 1; k >= 0; k--) {
		uint4 v = stripes[(size_t)k * count + i];

		sum.x ^= v.x;
		sum.y ^= v.y;
		sum.z ^= v.z;
		sum.w ^= v.w;
		code.x = twice(code.x) ^ v.x;
		code.y = twice(code.y) ^ v.y;
		code.z = twice(code.z) ^ v.z;
		code.w = twice(code.w) ^ v.w;
	}
	p[i] = sum;
	q[i] = code;
}
