// Each vertex collects the shares of those that point to it.
extern "C" __global__ void rank_pull(const int *__restrict__ starts,
	const int *__restrict__ sources, const float *__restrict__ ranks,
	const int *__restrict__ degrees, float *to, int vertices)
{
	int vertex = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (vertex >= vertices)
		return;
	for (int e = starts[vertex]; e < starts[vertex + 1]; e++) {
		int source = sources[e];

		sum += ranks[source] / (float)(degrees[source] + 1);
	}
	to[vertex] = fmaf(0.85f, sum, 0.15f);
}
