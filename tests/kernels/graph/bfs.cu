// A step of a breadth-first search from a frontier to the next one.
extern "C" __global__ void bfs(const int *__restrict__ starts,
	const int *__restrict__ neighbours, const int *__restrict__ frontier,
	int *levels, int *next, int *next_count, int frontier_count, int level)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= frontier_count)
		return;
	int vertex = frontier[i];
	for (int e = starts[vertex]; e < starts[vertex + 1]; e++) {
		int other = neighbours[e];

		if (!levels[other] && !atomicCAS(&levels[other], 0, level))
			next[atomicAdd(next_count, 1)] = other;
	}
}
