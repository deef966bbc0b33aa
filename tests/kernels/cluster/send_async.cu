// Words that threads send to other blocks' shared memory, sums that they send there,
// and a block's sums as a whole, by st.async, red.async and a bulk copy, each of which
// an asynchronous barrier of the block that gets them waits for.
#include "cluster.cuh"

#define THREADS 256
#define BINS    64
#define BLOCKS  4

static __device__ unsigned address_of(const void *at)
{
	return (unsigned)__cvta_generic_to_shared(at);
}

static __device__ void barrier_make(unsigned barrier, unsigned bytes)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"
		     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::
			     "r"(barrier),
		     "r"(bytes)
		     : "memory");
}

static __device__ void barrier_wait(unsigned barrier)
{
	asm volatile("{\n"
		     ".reg .pred done;\n"
		     "again:\n"
		     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 "
		     "done, [%0], 0;\n"
		     "@!done bra again;\n"
		     "}" ::"r"(barrier)
		     : "memory");
}

static __device__ void send_word(unsigned to, unsigned value, unsigned barrier)
{
	asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 "
		     "[%0], %1, [%2];" ::"r"(to),
		     "r"(value), "r"(barrier)
		     : "memory");
}

static __device__ void send_sum(unsigned to, unsigned value, unsigned barrier)
{
	asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::"
		     "complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(to),
		     "r"(value), "r"(barrier)
		     : "memory");
}

static __device__ void send_bytes(
	unsigned to, unsigned from, unsigned bytes, unsigned barrier)
{
	asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::"
		     "complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
		     "r"(from), "r"(bytes), "r"(barrier)
		     : "memory");
}

extern "C" __global__ void send_async(const unsigned *in, unsigned *out)
{
	__shared__ __attribute__((aligned(128))) unsigned words[THREADS];
	__shared__ __attribute__((aligned(128))) unsigned sums[BINS];
	__shared__ __attribute__((aligned(128))) unsigned others[BINS];
	__shared__ unsigned long long barriers[3];
	const unsigned t = threadIdx.x, rank = cluster_rank();
	const unsigned next = (rank + 1) % BLOCKS;
	const unsigned at = blockIdx.x * THREADS + t, value = in[at];

	if (t < BINS)
		sums[t] = t;
	if (t == 0) {
		barrier_make(address_of(&barriers[0]), sizeof(words));
		barrier_make(address_of(&barriers[1]), BLOCKS * THREADS * 4);
		barrier_make(address_of(&barriers[2]), sizeof(others));
		asm volatile("fence.mbarrier_init.release.cluster;" ::
				     : "memory");
	}
	__syncthreads();
	cluster_arrive();
	cluster_wait();
	send_word(cluster_map(&words[t], next), value * 3,
		cluster_map(&barriers[0], next));
	for (unsigned r = 0; r < BLOCKS; r++)
		send_sum(cluster_map(&sums[(t + value) % BINS], r), value + r,
			cluster_map(&barriers[1], r));
	barrier_wait(address_of(&barriers[1]));
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (t == 0)
		send_bytes(cluster_map(&others[0], next), address_of(&sums[0]),
			sizeof(others), cluster_map(&barriers[2], next));
	barrier_wait(address_of(&barriers[0]));
	barrier_wait(address_of(&barriers[2]));
	out[at] = words[t] + sums[t % BINS] * 5 + others[(t + 1) % BINS] * 7;
	cluster_arrive();
	cluster_wait();
}
