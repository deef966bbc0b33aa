// Fences of each kind, and accesses that stand before them, for the programs
// beside this.
#include "call.cuh"
#include "cycles.cuh"
typedef unsigned u;
#define USE(v)                                                                 \
	asm volatile(                                                          \
		"{.reg .pred p; setp.eq.u32 p,%0,0x77777777; @p trap;}" ::"r"( \
			v)                                                     \
		: "memory")
static __device__ __forceinline__ void fence(u f)
{
	switch (f) {
	case 1:
		asm volatile("fence.acq_rel.gpu;" ::: "memory");
		break;
	case 2:
		asm volatile("fence.sc.gpu;" ::: "memory");
		break;
	case 3:
		asm volatile("fence.release.gpu;" ::: "memory");
		break;
	case 4:
		asm volatile("fence.acquire.gpu;" ::: "memory");
		break;
	case 5:
		asm volatile("fence.acq_rel.sys;" ::: "memory");
		break;
	case 6:
		asm volatile("fence.sc.sys;" ::: "memory");
		break;
	case 7:
		asm volatile("fence.acq_rel.cta;" ::: "memory");
		break;
	case 8:
		asm volatile("fence.sc.cta;" ::: "memory");
		break;
	case 9:
		asm volatile("fence.acq_rel.cluster;" ::: "memory");
		break;
	case 10:
		asm volatile("fence.release.sys;" ::: "memory");
		break;
	}
}
static __device__ __forceinline__ u ldcg(char *p)
{
	u v;
	asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
	return v;
}
static __device__ __forceinline__ u ldca(char *p)
{
	u v;
	asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
	return v;
}
static __device__ __forceinline__ void st(char *p, u v)
{
	asm volatile("st.global.u32 [%0],%1;" ::"l"(p), "r"(v) : "memory");
}
static __device__ __forceinline__ void red(char *p, u v)
{
	asm volatile("red.relaxed.gpu.global.add.u32 [%0],%1;" ::"l"(p), "r"(v)
		     : "memory");
}
static __device__ __forceinline__ u atom(char *p, u v)
{
	u o;
	asm volatile("atom.relaxed.gpu.global.add.u32 %0,[%1],%2;"
		     : "=r"(o)
		     : "l"(p), "r"(v)
		     : "memory");
	return o;
}
// `at`: the lane's word of the warp's line of the page of this round.
static __device__ __forceinline__ void work(u op, char *at, u lane, u *sh, u n)
{
	u v;
	switch (op) {
	case 1:
		v = ldcg(at);
		USE(v);
		break;
	case 2:
		v = ldca(at);
		USE(v);
		break;
	case 3:
		st(at, lane);
		break;
	case 4:
		red(at, 0);
		break;
	case 5:
		v = atom(at, 0);
		USE(v);
		break;
	case 6:
		v = atom(at, 0);
		asm volatile("" ::"r"(v));
		break;
	case 7:
		if (!lane)
			st(at, 1);
		break;
	case 8:
		if (!lane)
			red(at, 0);
		break;
	case 9:
		for (u i = 0; i < n; i++)
			st(at + i * 4096 * 16, lane);
		break;
	case 10:
		for (u i = 0; i < n; i++)
			red(at + i * 4096 * 16, 0);
		break;
	case 11:
		sh[threadIdx.x] = lane;
		break;
	case 12:
		asm volatile("fence.acq_rel.gpu;" ::: "memory");
		break;
	case 13:
		v = 0;
		for (u i = 0; i < n; i++)
			v ^= ldca(at + i * 4096 * 16);
		USE(v);
		break;
	case 14:
		if (!lane) {
			v = atom(at, 0);
			USE(v);
		}
		__syncwarp();
		break;
	}
}
