#ifndef NEARFAR_TESTS_ORACLE_FOR_CLANG_H
#define NEARFAR_TESTS_ORACLE_FOR_CLANG_H

/* What both_sides.cuh asks of CUDA C, on clang's own builtins. */
#include "../kernels/builtins.cuh"

#define __noinline__ __attribute__((noinline))
#define __constant__ __attribute__((constant))

IN int __popcll(unsigned long long x)
{
	return __builtin_popcountll(x);
}
IN int __clz(int x)
{
	return x ? __builtin_clz((unsigned)x) : 32;
}
IN int __clzll(long long x)
{
	return x ? __builtin_clzll((unsigned long long)x) : 64;
}
IN unsigned __brev(unsigned x)
{
	return __builtin_bitreverse32(x);
}
IN unsigned __umulhi(unsigned a, unsigned b)
{
	return __nvvm_mulhi_ui(a, b);
}
IN int __mulhi(int a, int b)
{
	return __nvvm_mulhi_i(a, b);
}
IN unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
	return __nvvm_mulhi_ull(a, b);
}
IN unsigned __byte_perm(unsigned a, unsigned b, unsigned s)
{
	return __nvvm_prmt(a, b, s);
}
IN unsigned __funnelshift_l(unsigned low, unsigned high, unsigned n)
{
	unsigned d;

	asm("shf.l.wrap.b32 %0, %1, %2, %3;"
		: "=r"(d)
		: "r"(low), "r"(high), "r"(n));
	return d;
}
IN unsigned __sad(int a, int b, unsigned c)
{
	return __nvvm_sad_i(a, b, c);
}
IN int __float_as_int(float x)
{
	return __nvvm_bitcast_f2i(x);
}
IN long long __double_as_longlong(double x)
{
	return __nvvm_bitcast_d2ll(x);
}
IN float __fmaf_rn(float a, float b, float c)
{
	return __nvvm_fma_rn_f(a, b, c);
}
IN double __fma_rn(double a, double b, double c)
{
	return __nvvm_fma_rn_d(a, b, c);
}
IN float __fsqrt_rn(float x)
{
	return __nvvm_sqrt_rn_f(x);
}
IN double __dsqrt_rn(double x)
{
	return __nvvm_sqrt_rn_d(x);
}

IN unsigned atomicAnd(unsigned *p, unsigned v)
{
	return __nvvm_atom_and_gen_i((int *)p, (int)v);
}
IN unsigned atomicMin(unsigned *p, unsigned v)
{
	return __nvvm_atom_min_gen_ui(p, v);
}
#endif
