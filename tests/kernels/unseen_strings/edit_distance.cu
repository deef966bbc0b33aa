// By how many letters two words differ, a block a pair: the diagonals of the
// table of all prefixes pass through shared memory.
#define LENGTH 128

extern "C" __global__ void edit_distance(const unsigned char *__restrict__ a,
	const unsigned char *__restrict__ b, int *to)
{
	__shared__ int rows[3][LENGTH + 1];
	__shared__ unsigned char word[LENGTH];
	int t = threadIdx.x, i = t + 1, now = 1, last = 0, older = 2, v = 0;
	unsigned char mine = a[(size_t)blockIdx.x * LENGTH + t];

	word[t] = b[(size_t)blockIdx.x * LENGTH + t];
	if (!t)
		rows[0][0] = 0;
	__syncthreads();
	for (int d = 1; d <= 2 * LENGTH; d++) {
		int k = d - i;

		if (!t)
			rows[now][0] = d;
		if (k >= 0 && k <= LENGTH) {
			v = i;
			if (k > 0) {
				v = min(rows[last][i - 1], rows[last][i]) + 1;
				v = min(v, rows[older][i - 1] +
						(mine != word[k - 1]));
			}
			rows[now][i] = v;
		}
		__syncthreads();
		int next = older;
		older = last;
		last = now;
		now = next;
	}
	if (i == LENGTH)
		to[blockIdx.x] = v;
}
