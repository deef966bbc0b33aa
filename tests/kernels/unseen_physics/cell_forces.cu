// Particles push each other off, within their cell and the eight around it.
#define ROOM 8

extern "C" __global__ void cell_forces(const float2 *__restrict__ places,
	const unsigned char *__restrict__ counts, float2 *forces, int width,
	int height)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, cell = i / ROOM;
	int cx = cell % width, cy = cell / width;
	float2 sum = make_float2(0, 0);

	if (cy >= height || i % ROOM >= counts[cell])
		return;
	float2 me = places[i];
	for (int y = max(cy - 1, 0); y <= min(cy + 1, height - 1); y++)
		for (int x = max(cx - 1, 0); x <= min(cx + 1, width - 1); x++) {
			int other = y * width + x, count = counts[other];

			for (int k = 0; k < count; k++) {
				float2 p = places[other * ROOM + k];
				float dx = p.x - me.x + (float)(x - cx);
				float dy = p.y - me.y + (float)(y - cy);
				float r2 = fmaf(dx, dx, __fmul_rn(dy, dy));

				if (r2 < 0.25f) {
					sum.x = fmaf(r2 - 0.25f, dx, sum.x);
					sum.y = fmaf(r2 - 0.25f, dy, sum.y);
				}
			}
		}
	forces[i] = sum;
}
