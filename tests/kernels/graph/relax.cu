// A step of shortest paths over a list of edges.
extern "C" __global__ void relax(const int *__restrict__ from,
	const int *__restrict__ to, const int *__restrict__ lengths,
	const int *__restrict__ old, int *distances, int edges)
{
	int e = blockIdx.x * blockDim.x + threadIdx.x;

	if (e >= edges)
		return;
	int through = old[from[e]] + lengths[e];
	if (through < old[to[e]])
		atomicMin(&distances[to[e]], through);
}
