// Layers of a stencil, each a launch that may begin before the one before it has
// ended: it waits before it reads what that wrote, or writes what that reads.
#include "launch.cuh"

#define THREADS 128

extern "C" __global__ void layer(
	const float *from, const float *weights, float *to, int count)
{
	const int at = blockIdx.x * THREADS + threadIdx.x;
	const int left = at ? at - 1 : count - 1;
	const int right = at + 1 < count ? at + 1 : 0;
	const float weight = weights[at];

	if (threadIdx.x == 0)
		dependents_begin();
	dependence_wait();
	to[at] = __fadd_rn(__fmul_rn(from[at], weight),
		__fmul_rn(__fadd_rn(from[left], from[right]), 0.25f));
}
