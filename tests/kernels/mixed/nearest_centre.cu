// The nearest of some centres for points whose features lie in planes.
extern "C" __global__ void nearest_centre(const float *__restrict__ points,
	const float *__restrict__ centres, int *of, int count, int features,
	int centre_count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float least = 1e30f;
	int best = 0;

	if (i >= count)
		return;
	for (int c = 0; c < centre_count; c++) {
		float sum = 0;
		for (int f = 0; f < features; f++) {
			float d = points[(size_t)f * count + i] -
				  centres[c * features + f];
			sum = fmaf(d, d, sum);
		}
		if (sum < least) {
			least = sum;
			best = c;
		}
	}
	of[i] = best;
}
