// Two sorted arrays become one: each thread finds its place on the diagonal
// and merges 16 elements.
#define EACH 16

extern "C" __global__ void merge_path(const unsigned *__restrict__ a,
	const unsigned *__restrict__ b, unsigned *to, int na, int nb)
{
	int diagonal = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;

	if (diagonal >= na + nb)
		return;
	int low = max(0, diagonal - nb), high = min(diagonal, na);
	while (low < high) {
		int middle = (low + high) / 2;

		if (a[middle] <= b[diagonal - 1 - middle])
			low = middle + 1;
		else
			high = middle;
	}
	int i = low, k = diagonal - low;
	for (int n = 0; n < EACH && diagonal + n < na + nb; n++) {
		bool take_a = k >= nb || (i < na && a[i] <= b[k]);

		to[diagonal + n] = take_a ? a[i++] : b[k++];
	}
}
