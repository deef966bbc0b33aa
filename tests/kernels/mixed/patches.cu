// The nine neighbours of each point side by side in a matrix.
extern "C" __global__ void patches(
	const float *__restrict__ from, float *to, int width, int height)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int x = i % width, y = i / width;

	for (int k = 0; k < 9; k++) {
		int u = x + k % 3 - 1, v = y + k / 3 - 1;
		bool in = u >= 0 && v >= 0 && u < width && v < height;
		to[(size_t)k * width * height + i] =
			in ? from[(size_t)v * width + u] : 0.0f;
	}
}
