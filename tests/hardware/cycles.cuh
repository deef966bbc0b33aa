// Clocks and the SM's number, for the programs beside this.
typedef unsigned long long u64;

// The SM's clock.
static __device__ __forceinline__ unsigned cycles()
{
	unsigned t;
	asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
	return t;
}

static __device__ unsigned sm_id()
{
	unsigned sm;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
	return sm;
}

// The chip's clock, of 32 ns.
static __device__ u64 nanoseconds()
{
	u64 t;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
	return t;
}
