// Launches that need not wait for the end of the one before.
#ifndef NEARFAR_TESTS_LAUNCH_CUH
#define NEARFAR_TESTS_LAUNCH_CUH

#define LAUNCH static __device__ __forceinline__

// The launch before is over, and what it wrote is there.
LAUNCH void dependence_wait()
{
	asm volatile("griddepcontrol.wait;" ::: "memory");
}

// The next launch may begin.
LAUNCH void dependents_begin()
{
	asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

#endif
