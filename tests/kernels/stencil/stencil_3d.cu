// Seven points; a thread walks along z and keeps three planes in registers.
extern "C" __global__ void stencil_3d(const float *__restrict__ from, float *to,
	int nx, int ny, int nz)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	size_t plane = (size_t)nx * ny, i = (size_t)y * nx + x;

	if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
		return;
	float below = from[i], here = from[i + plane];
	for (int z = 1; z < nz - 1; z++) {
		i += plane;
		float above = from[i + plane];
		float around = from[i - 1] + from[i + 1] + from[i - nx] +
			       from[i + nx];
		to[i] = fmaf(-6.0f, here, around + below + above);
		below = here;
		here = above;
	}
}
