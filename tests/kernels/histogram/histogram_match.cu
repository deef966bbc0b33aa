// Few bins and many equal neighbours: lanes with one bin make one atomic.
extern "C" __global__ void histogram_match(const unsigned *__restrict__ from,
	unsigned *bins, int count)
{
	int lane = threadIdx.x % 32;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		i += gridDim.x * blockDim.x) {
		unsigned bin = from[i];
		unsigned waiting = __activemask();

		while (waiting) {
			int leader = __ffs(waiting) - 1;
			unsigned theirs = __shfl_sync(waiting, bin, leader);
			unsigned same =
				__ballot_sync(waiting, bin == theirs);

			if (lane == leader)
				atomicAdd(&bins[theirs], __popc(same));
			if (bin == theirs)
				break;
			waiting &= ~same;
		}
	}
}
