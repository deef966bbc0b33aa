// Asynchronous barriers and bulk copies, as PTX has them.
#ifndef NEARFAR_TESTS_ASYNC_CUH
#define NEARFAR_TESTS_ASYNC_CUH

#define ASYNC static __device__ __forceinline__

ASYNC unsigned shared_of(const void *p)
{
	return (unsigned)__cvta_generic_to_shared(p);
}

ASYNC void barrier_init(unsigned long long *b, unsigned count)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(
			     shared_of(b)),
		"r"(count)
		: "memory");
}

ASYNC void barrier_init_fence()
{
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

ASYNC void barrier_arrive(unsigned long long *b)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(
			     shared_of(b))
		: "memory");
}

ASYNC void barrier_expect(unsigned long long *b, unsigned bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::
			     "r"(shared_of(b)),
		"r"(bytes)
		: "memory");
}

ASYNC bool barrier_try(unsigned long long *b, unsigned parity)
{
	unsigned over;

	asm volatile("{\n\t.reg .pred p;\n\t"
		     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
		     "selp.u32 %0, 1, 0, p;\n\t}"
		: "=r"(over)
		: "r"(shared_of(b)), "r"(parity)
		: "memory");
	return over;
}

ASYNC void barrier_wait(unsigned long long *b, unsigned parity)
{
	while (!barrier_try(b, parity))
		;
}

ASYNC void bulk_load(
	void *to, const void *from, unsigned bytes, unsigned long long *b)
{
	asm volatile("cp.async.bulk.shared::cluster.global."
		     "mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
			     shared_of(to)),
		"l"(from), "r"(bytes), "r"(shared_of(b))
		: "memory");
}

ASYNC void bulk_store(void *to, const void *from, unsigned bytes)
{
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], "
		     "%2;" ::"l"(to),
		"r"(shared_of(from)), "r"(bytes)
		: "memory");
}

ASYNC void bulk_commit()
{
	asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

template <int left> ASYNC void bulk_wait_read()
{
	asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(left)
		: "memory");
}

template <int left> ASYNC void bulk_wait()
{
	asm volatile("cp.async.bulk.wait_group %0;" ::"n"(left) : "memory");
}

ASYNC void proxy_fence()
{
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

#endif
