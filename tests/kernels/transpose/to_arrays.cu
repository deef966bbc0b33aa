// An array of structs becomes a struct of arrays.
struct particle {
	float x, y, z, mass, charge, spin;
};

extern "C" __global__ void to_arrays(const struct particle *from, float *to,
	int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= count)
		return;
	struct particle p = from[i];
	to[i] = p.x;
	to[i + count] = p.y;
	to[i + 2 * count] = p.z;
	to[i + 3 * count] = p.mass;
	to[i + 4 * count] = p.charge;
	to[i + 5 * count] = p.spin;
}
