// Sound of 8 bits at another rate: eight taps, with the weights of one of 256
// phases.
extern "C" __global__ void resample(const signed char *__restrict__ from,
	const float4 *__restrict__ weights, float *to, int count, unsigned step)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		i += gridDim.x * blockDim.x) {
		unsigned long long at = (unsigned long long)i * step;
		unsigned phase = (unsigned)at >> 8 & 255;
		const signed char *p = from + (at >> 16);
		float4 a = weights[2 * phase], b = weights[2 * phase + 1];
		float sum = __fmul_rn(a.x, p[0]);

		sum = fmaf(a.y, p[1], sum);
		sum = fmaf(a.z, p[2], sum);
		sum = fmaf(a.w, p[3], sum);
		sum = fmaf(b.x, p[4], sum);
		sum = fmaf(b.y, p[5], sum);
		sum = fmaf(b.z, p[6], sum);
		sum = fmaf(b.w, p[7], sum);
		to[i] = sum;
	}
}
