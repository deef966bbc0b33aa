// The SM's clock, for the programs beside this.
static __device__ __forceinline__ unsigned cycles()
{
	unsigned t;
	asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
	return t;
}
