// Clusters by their PTX: ranks, barriers, and other blocks' shared memory.
static __device__ inline unsigned cluster_rank()
{
	unsigned rank;

	asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	return rank;
}

static __device__ inline unsigned cluster_blocks()
{
	unsigned blocks;

	asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
	return blocks;
}

static __device__ inline void cluster_arrive()
{
	asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
}

static __device__ inline void cluster_wait()
{
	asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

// Where the block of that rank has what this one has at `own`.
template <class T>
static __device__ inline unsigned cluster_map(const T *own, unsigned rank)
{
	unsigned long long address;
	unsigned mapped;

	asm("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"(own));
	asm("mapa.shared::cluster.u32 %0, %1, %2;"
		: "=r"(mapped)
		: "r"((unsigned)address), "r"(rank));
	return mapped;
}

static __device__ inline float cluster_load(unsigned address)
{
	float value;

	asm volatile("ld.shared::cluster.f32 %0, [%1];"
		: "=f"(value)
		: "r"(address)
		: "memory");
	return value;
}

static __device__ inline void cluster_store(unsigned address, float value)
{
	asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(address),
		"f"(value)
		: "memory");
}

static __device__ inline void cluster_add(unsigned address, unsigned value)
{
	asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(address),
		"r"(value)
		: "memory");
}
