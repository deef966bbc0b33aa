// When each page of a trace was used last, and how many are used at all.
extern "C" __global__ void touch_pages(const unsigned *__restrict__ trace,
	unsigned *last, unsigned *seen, unsigned *touched, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	bool is_first = false;

	if (i < count) {
		unsigned page = trace[i], bit = 1u << (page & 31);

		atomicMax(&last[page], (unsigned)i + 1);
		is_first = !(atomicOr(&seen[page / 32], bit) & bit);
	}
	unsigned votes = __ballot_sync(~0u, is_first);
	if (threadIdx.x % 32 == 0 && votes)
		atomicAdd(touched, (unsigned)__popc(votes));
}
