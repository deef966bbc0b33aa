// Prices of options: exponentials, logarithms and roots on five streams.
static __device__ float below(float d)
{
	float k = 1 / fmaf(0.2316419f, fabsf(d), 1.0f);
	float tail = 0.39894228f * __expf(-0.5f * d * d) * k *
		     fmaf(k, fmaf(k, fmaf(k, fmaf(k, 1.330274429f,
						     -1.821255978f),
					      1.781477937f),
				       -0.356563782f),
			     0.31938153f);

	return d > 0 ? 1 - tail : tail;
}

extern "C" __global__ void options(const float *__restrict__ price,
	const float *__restrict__ strike, const float *__restrict__ years,
	float *call, float *put, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= count)
		return;
	float s = 5 + 25 * price[i], x = 1 + 99 * strike[i];
	float t = 0.25f + 9.75f * years[i], root = sqrtf(t);
	float d1 = (__logf(s / x) + (0.02f + 0.5f * 0.09f) * t) /
		   (0.3f * root);
	float d2 = d1 - 0.3f * root;
	float paid = x * __expf(-0.02f * t);
	call[i] = s * below(d1) - paid * below(d2);
	put[i] = paid * (1 - below(d2)) - s * (1 - below(d1));
}
