// A step of Adam's optimiser: gradients of 16 bits, all else of 32.
#include <cuda_fp16.h>

static __device__ void update(
	float *weight, float *mean, float *square, float gradient, float rate)
{
	*mean = fmaf(0.1f, gradient - *mean, *mean);
	*square = fmaf(0.01f, fmaf(gradient, gradient, -*square), *square);
	*weight = fmaf(-rate, *mean / (sqrtf(*square) + 1e-6f), *weight);
}

extern "C" __global__ void adam(float4 *weights, float4 *means, float4 *squares,
	const uint2 *__restrict__ gradients, int count, float rate)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		i += gridDim.x * blockDim.x) {
		uint2 bits = gradients[i];
		const __half2 *h = (const __half2 *)&bits;
		float2 low = __half22float2(h[0]), high = __half22float2(h[1]);
		float4 w = weights[i], m = means[i], s = squares[i];

		update(&w.x, &m.x, &s.x, low.x, rate);
		update(&w.y, &m.y, &s.y, low.y, rate);
		update(&w.z, &m.z, &s.z, high.x, rate);
		update(&w.w, &m.w, &s.w, high.y, rate);
		weights[i] = w;
		means[i] = m;
		squares[i] = s;
	}
}
