// Codes of a byte become values of 8 bytes.
extern "C" __global__ void dictionary(const uchar4 *__restrict__ codes,
	const double *__restrict__ values, double *to, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= count)
		return;
	uchar4 c = codes[i];
	double *out = to + 4 * (size_t)i;
	out[0] = values[c.x];
	out[1] = values[c.y];
	out[2] = values[c.z];
	out[3] = values[c.w];
}
