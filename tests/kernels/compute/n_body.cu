// Each thread sums the pull of all bodies, which pass through shared memory.
#define THREADS 128

extern "C" __global__ void n_body(const float4 *__restrict__ bodies, float4 *to,
	int count)
{
	__shared__ float4 tile[THREADS];
	int i = blockIdx.x * THREADS + threadIdx.x;
	float4 me = bodies[i];
	float ax = 0, ay = 0, az = 0;

	for (int first = 0; first < count; first += THREADS) {
		tile[threadIdx.x] = bodies[first + threadIdx.x];
		__syncthreads();
#pragma unroll 8
		for (int k = 0; k < THREADS; k++) {
			float4 other = tile[k];
			float dx = other.x - me.x, dy = other.y - me.y;
			float dz = other.z - me.z;
			float r2 = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz,
				0.01f)));
			float inverse = rsqrtf(r2);
			float pull = other.w * inverse * inverse * inverse;

			ax = fmaf(pull, dx, ax);
			ay = fmaf(pull, dy, ay);
			az = fmaf(pull, dz, az);
		}
		__syncthreads();
	}
	to[i] = make_float4(ax, ay, az, 0);
}
