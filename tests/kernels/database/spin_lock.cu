// A bank: each transfer holds the locks of its account while it changes two
// words. Lanes of one warp may want one lock.
extern "C" __global__ void spin_lock(unsigned *locks, volatile int *accounts,
	const unsigned *__restrict__ which, const int *__restrict__ amounts,
	int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= count)
		return;
	unsigned account = which[i];
	bool done = false;
	while (!done)
		if (!atomicExch(&locks[account], 1u)) {
			__threadfence();
			accounts[2 * account] += amounts[i];
			accounts[2 * account + 1]++;
			__threadfence();
			atomicExch(&locks[account], 0u);
			done = true;
		}
}
