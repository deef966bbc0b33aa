// Particles (a place and a speed) move in a field that a grid knows.
extern "C" __global__ void push_particles(float4 *particles,
	const float2 *__restrict__ field, int count, int width, float step)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= count)
		return;
	float4 p = particles[i];
	float most = (float)(width - 1);
	int x = min((int)(p.x * most), width - 2);
	int y = min((int)(p.y * most), width - 2);
	float u = fmaf(p.x, most, -(float)x), v = fmaf(p.y, most, -(float)y);
	const float2 *f = field + (size_t)y * width + x;
	float2 a = f[0], b = f[1], c = f[width], d = f[width + 1];
	float2 top = make_float2(
		fmaf(u, b.x - a.x, a.x), fmaf(u, b.y - a.y, a.y));
	float2 low = make_float2(
		fmaf(u, d.x - c.x, c.x), fmaf(u, d.y - c.y, c.y));

	p.z = fmaf(step, fmaf(v, low.x - top.x, top.x), p.z);
	p.w = fmaf(step, fmaf(v, low.y - top.y, top.y), p.w);
	// Nothing moves back: what leaves at the end comes in at the start.
	p.x = fmaf(step, p.z, p.x);
	p.y = fmaf(step, p.w, p.y);
	p.x -= (float)(int)p.x;
	p.y -= (float)(int)p.y;
	particles[i] = p;
}
