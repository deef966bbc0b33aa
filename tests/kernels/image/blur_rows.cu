// Seven taps along the rows of a picture, from a row segment in shared memory.
#define SPAN 256
extern "C" __global__ void blur_rows(
	const float *__restrict__ from, float *to, int width)
{
	__shared__ float row[SPAN + 6];
	const float *line = from + (size_t)blockIdx.y * width;
	int first = blockIdx.x * SPAN - 3;

	for (int i = threadIdx.x; i < SPAN + 6; i += SPAN) {
		int x = min(max(first + i, 0), width - 1);
		row[i] = line[x];
	}
	__syncthreads();
	int i = threadIdx.x;
	float sum = 0.4f * row[i + 3];
	sum = fmaf(0.18f, row[i + 2] + row[i + 4], sum);
	sum = fmaf(0.09f, row[i + 1] + row[i + 5], sum);
	sum = fmaf(0.03f, row[i] + row[i + 6], sum);
	to[(size_t)blockIdx.y * width + first + 3 + i] = sum;
}
