// A stage of a Fourier transform that takes four points at once, in place.
static __device__ float2 times(float2 a, float2 b)
{
	return make_float2(fmaf(a.x, b.x, -__fmul_rn(a.y, b.y)),
		fmaf(a.x, b.y, __fmul_rn(a.y, b.x)));
}

extern "C" __global__ void butterfly(float2 *points,
	const float2 *__restrict__ turns, int quarter, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int k = i & (quarter - 1);

	if (i >= count)
		return;
	float2 *p = points + 4 * (size_t)(i - k) + k;
	float2 a = p[0], b = times(p[quarter], turns[k]);
	float2 c = times(p[2 * quarter], turns[2 * k]);
	float2 d = times(p[3 * quarter], turns[3 * k]);
	float2 s = make_float2(a.x + c.x, a.y + c.y);
	float2 t = make_float2(a.x - c.x, a.y - c.y);
	float2 u = make_float2(b.x + d.x, b.y + d.y);
	float2 v = make_float2(b.y - d.y, d.x - b.x);

	p[0] = make_float2(s.x + u.x, s.y + u.y);
	p[quarter] = make_float2(t.x + v.x, t.y + v.y);
	p[2 * quarter] = make_float2(s.x - u.x, s.y - u.y);
	p[3 * quarter] = make_float2(t.x - v.x, t.y - v.y);
}
