// Tridiagonal systems, one a thread, their equations interleaved.
extern "C" __global__ void thomas(const float *__restrict__ low,
	const float *__restrict__ diagonal, const float *__restrict__ high,
	const float *__restrict__ right, float *c, float *d, int systems,
	int size)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= systems)
		return;
	float pivot = 1.0f / (diagonal[i] + 2.0f);
	float cc = high[i] * pivot, dd = right[i] * pivot;
	c[i] = cc;
	d[i] = dd;
	for (int k = 1; k < size; k++) {
		int at = k * systems + i;
		pivot = 1.0f / (diagonal[at] + 2.0f - low[at] * cc);
		cc = high[at] * pivot;
		dd = (right[at] - low[at] * dd) * pivot;
		c[at] = cc;
		d[at] = dd;
	}
	for (int k = size - 2; k >= 0; k--) {
		int at = k * systems + i;
		dd = d[at] - c[at] * dd;
		d[at] = dd;
	}
}
