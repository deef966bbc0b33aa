#ifndef NEARFAR_TESTS_BUILTINS_H
#define NEARFAR_TESTS_BUILTINS_H

/*
 * As much of CUDA C as tests/kernels/ needs, on clang's own builtins: no
 * toolkit is asked for. Given to clang by -include.
 */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

typedef __SIZE_TYPE__ size_t;

#define IN static inline __attribute__((device, always_inline))

/* ---- where a thread is ---- */

#define SPECIAL_GET(read, axis)                                                \
	static inline __attribute__((device, always_inline)) unsigned          \
	get_##axis()                                                           \
	{                                                                      \
		return __nvvm_read_ptx_sreg_##read##_##axis();                 \
	}
#define SPECIAL(name, read)                                                    \
	struct name##_type {                                                   \
		__declspec(property(get = get_x)) unsigned x;                  \
		__declspec(property(get = get_y)) unsigned y;                  \
		__declspec(property(get = get_z)) unsigned z;                  \
		SPECIAL_GET(read, x)                                           \
		SPECIAL_GET(read, y)                                           \
		SPECIAL_GET(read, z)                                           \
	};                                                                     \
	extern const __attribute__((device)) struct name##_type name

SPECIAL(threadIdx, tid);
SPECIAL(blockIdx, ctaid);
SPECIAL(blockDim, ntid);
SPECIAL(gridDim, nctaid);

/* ---- vectors ---- */

#define VECTOR2(type, name)                                                    \
	struct __attribute__((aligned(2 * sizeof(type)))) name {               \
		type x, y;                                                     \
	};                                                                     \
	IN struct name make_##name(type x, type y)                             \
	{                                                                      \
		struct name v = {x, y};                                        \
		return v;                                                      \
	}
#define VECTOR4(type, name)                                                    \
	struct __attribute__((aligned(4 * sizeof(type)))) name {               \
		type x, y, z, w;                                               \
	};                                                                     \
	IN struct name make_##name(type x, type y, type z, type w)             \
	{                                                                      \
		struct name v = {x, y, z, w};                                  \
		return v;                                                      \
	}

VECTOR2(float, float2)
VECTOR2(unsigned, uint2)
VECTOR2(short, short2)
VECTOR4(float, float4)
VECTOR4(unsigned, uint4)
VECTOR4(unsigned char, uchar4)

/* ---- synchronisation ---- */

IN void __threadfence() { __nvvm_membar_gl(); }
IN unsigned __activemask()
{
	unsigned mask;

	asm volatile("activemask.b32 %0;" : "=r"(mask));
	return mask;
}

/* ---- warps ---- */

IN unsigned __ballot_sync(unsigned mask, int vote)
{
	return __nvvm_vote_ballot_sync(mask, vote);
}

#define SHUFFLE(name, builtin, control)                                        \
	IN int name(unsigned mask, int value, int lane)                        \
	{                                                                      \
		return __nvvm_shfl_sync_##builtin##_i32(                       \
			mask, value, lane, control);                           \
	}                                                                      \
	IN unsigned name(unsigned mask, unsigned value, int lane)              \
	{                                                                      \
		return (unsigned)name(mask, (int)value, lane);                 \
	}                                                                      \
	IN float name(unsigned mask, float value, int lane)                    \
	{                                                                      \
		return __nvvm_shfl_sync_##builtin##_f32(                       \
			mask, value, lane, control);                           \
	}                                                                      \
	IN unsigned long long name(                                            \
		unsigned mask, unsigned long long value, int lane)             \
	{                                                                      \
		unsigned low = name(mask, (unsigned)value, lane);              \
		unsigned high = name(mask, (unsigned)(value >> 32), lane);     \
                                                                               \
		return (unsigned long long)high << 32 | low;                   \
	}

SHUFFLE(__shfl_sync, idx, 31)
SHUFFLE(__shfl_up_sync, up, 0)
SHUFFLE(__shfl_down_sync, down, 31)
SHUFFLE(__shfl_xor_sync, bfly, 31)

/* ---- atomics ---- */

IN unsigned atomicAdd(unsigned *p, unsigned v)
{
	return __nvvm_atom_add_gen_i((int *)p, (int)v);
}
IN int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
IN unsigned long long atomicAdd(unsigned long long *p, unsigned long long v)
{
	return __nvvm_atom_add_gen_ll((long long *)p, (long long)v);
}
IN int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
IN int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
IN unsigned atomicMax(unsigned *p, unsigned v)
{
	return __nvvm_atom_max_gen_ui(p, v);
}
IN unsigned long long atomicMax(unsigned long long *p, unsigned long long v)
{
	return __nvvm_atom_max_gen_ull(p, v);
}
IN unsigned atomicOr(unsigned *p, unsigned v)
{
	return __nvvm_atom_or_gen_i((int *)p, (int)v);
}
IN unsigned atomicXor(unsigned *p, unsigned v)
{
	return __nvvm_atom_xor_gen_i((int *)p, (int)v);
}
IN unsigned atomicExch(unsigned *p, unsigned v)
{
	return __nvvm_atom_xchg_gen_i((int *)p, (int)v);
}
IN unsigned atomicCAS(unsigned *p, unsigned old, unsigned v)
{
	return __nvvm_atom_cas_gen_i((int *)p, (int)old, (int)v);
}
IN int atomicCAS(int *p, int old, int v)
{
	return __nvvm_atom_cas_gen_i(p, old, v);
}

/* ---- memory ---- */

IN size_t __cvta_generic_to_shared(const void *p)
{
	return (size_t)(__attribute__((address_space(3))) const void *)p;
}
IN struct uint4 __ldg(const struct uint4 *p)
{
	struct uint4 v;

	asm("ld.global.nc.v4.u32 {%0,%1,%2,%3}, [%4];"
	    : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
	    : "l"(p));
	return v;
}

/* ---- clusters ---- */

namespace cooperative_groups
{
struct cluster_group {
	IN unsigned num_blocks()
	{
		unsigned blocks;

		asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
		return blocks;
	}
	IN unsigned block_rank()
	{
		unsigned rank;

		asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
		return rank;
	}
	IN void sync()
	{
		asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;"
			     :
			     :
			     : "memory");
	}
	template <class T> IN T *map_shared_rank(T *own, unsigned rank)
	{
		T *mapped;

		asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(own), "r"(rank));
		return mapped;
	}
};
IN struct cluster_group this_cluster()
{
	return {};
}
} // namespace cooperative_groups

/* ---- arithmetic ---- */

IN int min(int a, int b) { return a < b ? a : b; }
IN int max(int a, int b) { return a > b ? a : b; }
IN int __popc(unsigned x) { return __builtin_popcount(x); }
IN int __ffs(int x) { return __builtin_ffs(x); }
IN float fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
IN double fma(double a, double b, double c)
{
	return __nvvm_fma_rn_d(a, b, c);
}
IN float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
IN float fabsf(float a) { return __nvvm_fabs_f(a); }
IN float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
IN float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
IN float exp2f(float a) { return __nvvm_ex2_approx_f(a); }
IN float __expf(float a)
{
	return __nvvm_ex2_approx_f(a * 1.44269504f);
}
IN float __logf(float a)
{
	return __nvvm_lg2_approx_f(a) * 0.693147181f;
}
IN float __fmul_rn(float a, float b) { return __nvvm_mul_rn_f(a, b); }
IN float __fadd_rn(float a, float b) { return __nvvm_add_rn_f(a, b); }
IN float __fsub_rn(float a, float b) { return __nvvm_add_rn_f(a, -b); }

/* ---- floats of 16 bits ---- */

struct __attribute__((aligned(4))) __half2 {
	unsigned short x, y;
};

IN struct float2 __half22float2(struct __half2 h)
{
	struct float2 v;

	asm("cvt.f32.f16 %0, %1;" : "=f"(v.x) : "h"(h.x));
	asm("cvt.f32.f16 %0, %1;" : "=f"(v.y) : "h"(h.y));
	return v;
}
IN struct __half2 __floats2half2_rn(float x, float y)
{
	struct __half2 h;

	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.x) : "f"(x));
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.y) : "f"(y));
	return h;
}

#endif
