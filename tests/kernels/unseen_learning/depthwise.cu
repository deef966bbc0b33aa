// Three by three points of each channel by itself; a point's channels lie side
// by side, four a thread.
extern "C" __global__ void depthwise(const float4 *__restrict__ from,
	const float4 *__restrict__ weights, float4 *to, int width, int height)
{
	int c = threadIdx.x, quarters = blockDim.x;
	int x = blockIdx.x * blockDim.y + threadIdx.y, y = blockIdx.y;
	float4 sum = make_float4(0, 0, 0, 0);

	if (x >= width)
		return;
	for (int dy = 0; dy < 3; dy++)
		for (int dx = 0; dx < 3; dx++) {
			int u = x + dx - 1, v = y + dy - 1;

			if (u < 0 || v < 0 || u >= width || v >= height)
				continue;
			float4 w = weights[(3 * dy + dx) * quarters + c];
			float4 p = from[((size_t)v * width + u) * quarters + c];
			sum.x = fmaf(w.x, p.x, sum.x);
			sum.y = fmaf(w.y, p.y, sum.y);
			sum.z = fmaf(w.z, p.z, sum.z);
			sum.w = fmaf(w.w, p.w, sum.w);
		}
	to[((size_t)y * width + x) * quarters + c] = sum;
}
