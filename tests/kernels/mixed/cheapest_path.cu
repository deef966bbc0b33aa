// Eight rows of a field of costs, each step down or aside, in shared memory.
#define SPAN 256
#define ROWS 8
extern "C" __global__ void cheapest_path(const int *__restrict__ costs,
	const int *__restrict__ from, int *to, int width)
{
	__shared__ int row[SPAN];
	int x = (int)(blockIdx.x * (SPAN - 2 * ROWS) + threadIdx.x) - ROWS;
	int at = min(max(x, 0), width - 1);
	int t = threadIdx.x;

	row[t] = from[at];
	__syncthreads();
	for (int k = 0; k < ROWS; k++) {
		int left = row[max(t - 1, 0)], right = row[min(t + 1, SPAN - 1)];
		int v = min(min(left, right), row[t]) +
			costs[(size_t)k * width + at];
		__syncthreads();
		row[t] = v;
		__syncthreads();
	}
	if (t >= ROWS && t < SPAN - ROWS && x < width)
		to[x] = row[t];
}
