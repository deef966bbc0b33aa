// Sums of tiles, and what the rows of a matrix do with them: the second kernel
// reads its own matrix while the first one still runs.
#include "launch.cuh"

#define THREADS 256
#define EACH    8

// A sum of THREADS * EACH words a block.
extern "C" __global__ void produce(const unsigned *from, unsigned *sums)
{
	__shared__ unsigned part[THREADS / 32];
	const unsigned first = blockIdx.x * THREADS * EACH + threadIdx.x;
	unsigned sum = 0;

	dependents_begin();
	for (int i = 0; i < EACH; i++)
		sum += from[first + i * THREADS] * (unsigned)(i + 1);
	for (int k = 16; k; k >>= 1)
		sum += __shfl_xor_sync(~0u, sum, k);
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = sum;
	__syncthreads();
	if (threadIdx.x)
		return;
	for (int i = 1; i < THREADS / 32; i++)
		sum += part[i];
	sums[blockIdx.x] = sum;
}

// A row a block, of which each element meets the sum of another tile.
extern "C" __global__ void consume(
	const unsigned *rows, const unsigned *sums, unsigned *to, int tiles)
{
	const unsigned first = blockIdx.x * THREADS * EACH + threadIdx.x;
	unsigned own[EACH];

	for (int i = 0; i < EACH; i++)
		own[i] = rows[first + i * THREADS];
	dependence_wait();
	for (int i = 0; i < EACH; i++) {
		const unsigned tile =
			(tiles - 1 - blockIdx.x + threadIdx.x + i * 7) % tiles;

		to[first + i * THREADS] = own[i] ^ sums[tile];
	}
}
