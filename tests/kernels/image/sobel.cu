// The size of the gradient of a picture of bytes.
extern "C" __global__ void sobel(const unsigned char *__restrict__ from,
	unsigned char *to, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
		return;
	const unsigned char *p = from + (size_t)y * width + x;
	int a = p[-width - 1], b = p[-width], c = p[-width + 1];
	int d = p[-1], e = p[1];
	int f = p[width - 1], g = p[width], h = p[width + 1];
	int across = c + 2 * e + h - a - 2 * d - f;
	int down = f + 2 * g + h - a - 2 * b - c;
	int size = (across < 0 ? -across : across) + (down < 0 ? -down : down);
	to[(size_t)y * width + x] = (unsigned char)(size > 255 ? 255 : size);
}
