#ifndef NEARFAR_TESTS_BOX_H
#define NEARFAR_TESTS_BOX_H

/* What kernels that copy boxes of tensors share. */

/* A tensor map, by value. */
struct alignas(64) tensor_map {
	unsigned long long words[16];
};

static __device__ unsigned shared_address(const void *at)
{
	return (unsigned)__cvta_generic_to_shared(at);
}

static __device__ void barrier_make(unsigned long long *barrier)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"
		     "fence.proxy.async.shared::cta;" ::"r"(
			     shared_address(barrier))
		     : "memory");
}

static __device__ void barrier_expect(unsigned long long *barrier, int bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::
			     "r"(shared_address(barrier)),
		     "r"(bytes)
		     : "memory");
}

static __device__ void barrier_wait(unsigned long long *barrier, int parity)
{
	asm volatile("{\n"
		     ".reg .pred done;\n"
		     "again:\n"
		     "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], "
		     "%1;\n"
		     "@!done bra again;\n"
		     "}" ::"r"(shared_address(barrier)),
		     "r"(parity)
		     : "memory");
}

static __device__ void load_box(void *to, const void *map, int x, int y,
	unsigned long long *barrier)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile."
		     "mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
		     "[%4];" ::"r"(shared_address(to)),
		     "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier))
		     : "memory");
}

static __device__ void load_box(void *to, const void *map, int x, int y,
	int z, unsigned long long *barrier)
{
	asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile."
		     "mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
		     "[%5];" ::"r"(shared_address(to)),
		     "l"(map), "r"(x), "r"(y), "r"(z),
		     "r"(shared_address(barrier))
		     : "memory");
}

static __device__ void store_box(
	const void *map, int x, int y, const void *from)
{
	asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile."
		     "bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
		     "r"(x), "r"(y), "r"(shared_address(from))
		     : "memory");
}

static __device__ void add_box(const void *map, int x, int y, const void *from)
{
	asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add."
		     "tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
		     "r"(x), "r"(y), "r"(shared_address(from))
		     : "memory");
}

static __device__ void wait_stores()
{
	asm volatile("cp.async.bulk.commit_group;"
		     "cp.async.bulk.wait_group 0;" ::
			     : "memory");
}

/* What threads have written is there for copies. */
static __device__ void show_copies()
{
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
}

#endif
