// Rows of any length, a block a row: mean and variance in one pass.
extern "C" __global__ void layer_norm(const float *__restrict__ from,
	const float *__restrict__ scale, const float *__restrict__ shift,
	float *to, int columns)
{
	__shared__ float2 parts[8];
	const float *row = from + (size_t)blockIdx.x * columns;
	int t = threadIdx.x;
	float sum = 0, squares = 0;

	for (int i = t; i < columns; i += blockDim.x) {
		float x = row[i];

		sum += x;
		squares = fmaf(x, x, squares);
	}
	for (int step = 16; step; step /= 2) {
		sum += __shfl_xor_sync(~0u, sum, step);
		squares += __shfl_xor_sync(~0u, squares, step);
	}
	if (t % 32 == 0)
		parts[t / 32] = make_float2(sum, squares);
	__syncthreads();
	sum = squares = 0;
	for (int w = 0; w < 8; w++) {
		sum += parts[w].x;
		squares += parts[w].y;
	}
	float mean = sum / columns;
	float inverse = rsqrtf(squares / columns - mean * mean + 1e-5f);
	for (int i = t; i < columns; i += blockDim.x)
		to[(size_t)blockIdx.x * columns + i] =
			fmaf((row[i] - mean) * inverse, scale[i], shift[i]);
}
