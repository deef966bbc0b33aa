// Each block of a cluster reads a share of all others', by cooperative groups.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void exchange_groups(
	const unsigned *__restrict__ from, unsigned *to)
{
	extern __shared__ unsigned mine[];
	cg::cluster_group cluster = cg::this_cluster();
	unsigned blocks = cluster.num_blocks(), rank = cluster.block_rank();
	unsigned share = blockDim.x / blocks, t = threadIdx.x;
	size_t i = (size_t)blockIdx.x * blockDim.x + t;
	unsigned *theirs = cluster.map_shared_rank(mine, t / share);

	mine[t] = from[i];
	cluster.sync();
	to[i] = theirs[rank * share + t % share];
	cluster.sync();
}
