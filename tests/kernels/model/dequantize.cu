// 4-bit weights with a scale for each 32 become floats.
extern "C" __global__ void dequantize(const unsigned *__restrict__ packed,
	const float *__restrict__ scales, float4 *to, int words)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= words)
		return;
	unsigned bits = packed[i];
	float scale = scales[i / 4];
	float x[8];
	for (int k = 0; k < 8; k++)
		x[k] = (float)((int)(bits >> 4 * k & 15) - 8) * scale;
	to[2 * (size_t)i] = make_float4(x[0], x[1], x[2], x[3]);
	to[2 * (size_t)i + 1] = make_float4(x[4], x[5], x[6], x[7]);
}
