// Connected components: every vertex jumps to the parent of its parent until
// it stands at a root.
extern "C" __global__ void hook(const unsigned *__restrict__ parents,
	unsigned *roots, int vertices)
{
	int vertex = blockIdx.x * blockDim.x + threadIdx.x;

	if (vertex >= vertices)
		return;
	unsigned at = vertex, parent = parents[at];
	while (parent < at) {
		at = parent;
		parent = parents[at];
	}
	roots[vertex] = at;
}
