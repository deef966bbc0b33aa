// Each vertex adds its share to its neighbours. Shares are whole numbers, so
// that order does not count.
extern "C" __global__ void rank_push(const int *__restrict__ starts,
	const int *__restrict__ neighbours, const unsigned *__restrict__ ranks,
	unsigned *to, int vertices)
{
	int vertex = blockIdx.x * blockDim.x + threadIdx.x;

	if (vertex >= vertices)
		return;
	int first = starts[vertex], end = starts[vertex + 1];
	if (first == end)
		return;
	unsigned share = ranks[vertex] / (end - first);
	for (int e = first; e < end; e++)
		atomicAdd(&to[neighbours[e]], share);
}
