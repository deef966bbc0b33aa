// Particles go to the bins of their keys, as many to each: a rank within the
// block, then a place for the whole block.
#define BINS 256

extern "C" __global__ void bin_particles(const uint2 *__restrict__ particles,
	const unsigned *__restrict__ keys, unsigned *taken, uint2 *to, int room)
{
	__shared__ unsigned counts[BINS], places[BINS];
	int t = threadIdx.x;
	size_t i = (size_t)blockIdx.x * blockDim.x + t;

	if (t < BINS)
		counts[t] = 0;
	__syncthreads();
	uint2 p = particles[i];
	unsigned bin = keys[i] % BINS;
	unsigned rank = atomicAdd(&counts[bin], 1u);
	__syncthreads();
	if (t < BINS)
		places[t] = atomicAdd(&taken[t], counts[t]);
	__syncthreads();
	// `room` is a power of two; a second launch begins at the front again.
	to[(size_t)bin * room + ((places[bin] + rank) & (room - 1))] = p;
}
