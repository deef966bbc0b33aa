// Over-relaxation of the points of one colour, in place, in double precision.
extern "C" __global__ void red_black(double *u,
	const double *__restrict__ right, int width, int height, int colour,
	double omega)
{
	int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
	int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;

	x += (y + colour) & 1;
	if (x >= width - 1 || y >= height - 1)
		return;
	size_t i = (size_t)y * width + x;
	double around = u[i - 1] + u[i + 1] + u[i - width] + u[i + width];
	double change = fma(0.25, around + right[i], -u[i]);
	u[i] = fma(omega, change, u[i]);
}
