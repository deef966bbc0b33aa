// Points in a quarter of a circle, counted: arithmetic alone.
extern "C" __global__ void monte_carlo(unsigned *inside, int draws)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned state = i * 747796405u + 2891336453u, count = 0;

	for (int k = 0; k < draws; k++) {
		state = state * 1664525u + 1013904223u;
		float x = (float)(state >> 8) * 0x1p-24f;
		state = state * 1664525u + 1013904223u;
		float y = (float)(state >> 8) * 0x1p-24f;

		count += fmaf(x, x, y * y) < 1;
	}
	inside[i] = count;
}
