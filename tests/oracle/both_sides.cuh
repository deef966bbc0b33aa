#ifndef NEARFAR_TESTS_ORACLE_BOTH_SIDES_H
#define NEARFAR_TESTS_ORACLE_BOTH_SIDES_H

/*
 * What drawn kernels stand on, for a GPU's compiler and for the host's: a
 * kernel is a row of phases, with a barrier behind each. The host executes a
 * phase for one thread after the other. Every operation has one result, by the
 * language: sums wrap around in unsigned types, shifts are masked, divisions
 * guarded, and floats are rounded as IEEE says, never fused.
 */
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

/* ---- a kernel's frame ---- */

#ifdef ON_HOST
#include <math.h>
#include <string.h>
#define DEVICE   static inline
#define NOINLINE static __attribute__((noinline))
#define TABLE    static const
#define POINTERS static
#define KERNEL(name, ...)                                                      \
	void name(const u32 *in, u64 *out, u32 grid, u32 nt, ##__VA_ARGS__)
#define BEGIN(K)                                                               \
	for (u32 bid = 0; bid < grid; bid++) {                                 \
		static struct K##_s s;                                         \
		static struct K##_v v[1024];                                   \
		static u8 dead[1024];                                          \
		u32 *g = (u32 *)(out + (u64)grid * nt * 4),                    \
		    *ga = g + grid * nt * 8;                                   \
		memset(dead, 0, sizeof(dead));
#define EACH                                                                   \
	for (u32 tid = 0; tid < nt; tid++)                                     \
		if (!dead[tid])
#define CALL(F)                                                                \
	F(&v[tid], &s, in, out, g + (bid * nt + tid) * 8, ga, tid, bid, nt)
#define SET(x)     EACH v[tid].x = x;
#define PHASE(F)   EACH CALL(F);
#define EXIT_IF(F) EACH dead[tid] = CALL(F) != 0;
#define END        }
#else
#define DEVICE   static __device__ __inline__
#define NOINLINE static __device__ __noinline__
#define TABLE    static __constant__
#define POINTERS static __device__
#define KERNEL(name, ...)                                                      \
	extern "C" __global__ void name(const u32 *in, u64 *out, ##__VA_ARGS__)
#define BEGIN(K)                                                               \
	__shared__ struct K##_s s;                                             \
	struct K##_v v;                                                        \
	const u32 tid = threadIdx.y * blockDim.x + threadIdx.x;                \
	const u32 bid = blockIdx.x, nt = blockDim.x * blockDim.y;              \
	u32 *const g0 = (u32 *)(out + (u64)gridDim.x * nt * 4);                \
	u32 *const g = g0 + (bid * nt + tid) * 8, *const ga =                  \
							  g0 +                 \
							  gridDim.x * nt * 8;
#define CALL(F) F(&v, &s, in, out, g, ga, tid, bid, nt)
#define SET(x)  v.x = x;
#define PHASE(F)                                                               \
	CALL(F);                                                               \
	__syncthreads();
#define EXIT_IF(F)                                                             \
	if (CALL(F))                                                           \
		return;
#define END
#endif

/* ---- integers ---- */

#define OVER(T, U)                                                             \
	DEVICE T quotient_##T(T a, T b)                                        \
	{                                                                      \
		if (b == 0)                                                    \
			return (T)(a ^ 5);                                     \
		return (T)-1 < 0 && b == (T)-1 ? (T)(0 - (U)a) : (T)(a / b);   \
	}                                                                      \
	DEVICE T remainder_##T(T a, T b)                                       \
	{                                                                      \
		if (b == 0 || ((T)-1 < 0 && b == (T)-1))                       \
			return (T)(a & 7);                                     \
		return (T)(a % b);                                             \
	}                                                                      \
	DEVICE T smaller_##T(T a, T b)                                         \
	{                                                                      \
		return a < b ? a : b;                                          \
	}                                                                      \
	DEVICE T larger_##T(T a, T b)                                          \
	{                                                                      \
		return a > b ? a : b;                                          \
	}
OVER(i8, u32)
OVER(u8, u32)
OVER(i16, u32)
OVER(u16, u32)
OVER(i32, u32)
OVER(u32, u32)
OVER(i64, u64)
OVER(u64, u64)

#ifdef ON_HOST
DEVICE u32 ones(u32 x)
{
	return (u32)__builtin_popcount(x);
}
DEVICE u32 ones_64(u64 x)
{
	return (u32)__builtin_popcountll(x);
}
DEVICE u32 zeros_before(u32 x)
{
	return x ? (u32)__builtin_clz(x) : 32;
}
DEVICE u32 zeros_before_64(u64 x)
{
	return x ? (u32)__builtin_clzll(x) : 64;
}
DEVICE u32 first_one(u32 x)
{
	return (u32)__builtin_ffs((int)x);
}
DEVICE u32 high(u32 a, u32 b)
{
	return (u32)((u64)a * b >> 32);
}
DEVICE i32 high_signed(i32 a, i32 b)
{
	return (i32)((i64)a * b >> 32);
}
DEVICE u64 high_64(u64 a, u64 b)
{
	return (u64)((unsigned __int128)a * b >> 64);
}
DEVICE u32 backwards(u32 x)
{
	u32 y = 0;

	for (int i = 0; i < 32; i++)
		y |= (x >> i & 1) << (31 - i);
	return y;
}
DEVICE u32 bytes_of(u32 a, u32 b, u32 s)
{
	const u64 all = (u64)b << 32 | a;
	u32 y = 0;

	for (int i = 0; i < 4; i++)
		y |= (u32)(all >> (8 * (s >> 4 * i & 7)) & 255) << 8 * i;
	return y;
}
DEVICE u32 funnel(u32 low, u32 top, u32 n)
{
	return n & 31 ? top << (n & 31) | low >> (32 - (n & 31)) : top;
}
DEVICE u32 apart(i32 a, i32 b, u32 c)
{
	return (a > b ? (u32)a - (u32)b : (u32)b - (u32)a) + c;
}
DEVICE u32 bits_f32(f32 x)
{
	u32 y;

	memcpy(&y, &x, 4);
	return x != x ? 0x7fc00000u : y;
}
DEVICE u64 bits_f64(f64 x)
{
	u64 y;

	memcpy(&y, &x, 8);
	return x != x ? 0x7ff8000000000000ull : y;
}
#else
DEVICE u32 ones(u32 x)
{
	return (u32)__popc(x);
}
DEVICE u32 ones_64(u64 x)
{
	return (u32)__popcll(x);
}
DEVICE u32 zeros_before(u32 x)
{
	return (u32)__clz((int)x);
}
DEVICE u32 zeros_before_64(u64 x)
{
	return (u32)__clzll((i64)x);
}
DEVICE u32 first_one(u32 x)
{
	return (u32)__ffs((int)x);
}
DEVICE u32 high(u32 a, u32 b)
{
	return __umulhi(a, b);
}
DEVICE i32 high_signed(i32 a, i32 b)
{
	return __mulhi(a, b);
}
DEVICE u64 high_64(u64 a, u64 b)
{
	return __umul64hi(a, b);
}
DEVICE u32 backwards(u32 x)
{
	return __brev(x);
}
DEVICE u32 bytes_of(u32 a, u32 b, u32 s)
{
	return __byte_perm(a, b, s & 0x7777);
}
DEVICE u32 funnel(u32 low, u32 top, u32 n)
{
	return __funnelshift_l(low, top, n);
}
DEVICE u32 apart(i32 a, i32 b, u32 c)
{
	return __sad(a, b, c);
}
DEVICE u32 bits_f32(f32 x)
{
	return x != x ? 0x7fc00000u : (u32)__float_as_int(x);
}
DEVICE u64 bits_f64(f64 x)
{
	return x != x ? 0x7ff8000000000000ull : (u64)__double_as_longlong(x);
}
#endif

/* ---- floats ---- */

#define TO(T, F, low, top)                                                     \
	DEVICE T T##_of_##F(F x)                                               \
	{                                                                      \
		return x > low && x < top ? (T)x : (T)77;                      \
	}
TO(i32, f32, -2.0e9f, 2.0e9f)
TO(u32, f32, -0.5f, 4.0e9f)
TO(i64, f32, -9.0e18f, 9.0e18f)
TO(u64, f32, -0.5f, 1.8e19f)
TO(i32, f64, -2.0e9, 2.0e9)
TO(u32, f64, -0.5, 4.0e9)
TO(i64, f64, -9.0e18, 9.0e18)
TO(u64, f64, -0.5, 1.8e19)

#ifdef ON_HOST
DEVICE f32 fused_f32(f32 a, f32 b, f32 c)
{
	return fmaf(a, b, c);
}
DEVICE f64 fused_f64(f64 a, f64 b, f64 c)
{
	return fma(a, b, c);
}
DEVICE f32 root_f32(f32 x)
{
	return sqrtf(x < 0 ? -x : x);
}
DEVICE f64 root_f64(f64 x)
{
	return sqrt(x < 0 ? -x : x);
}
#else
DEVICE f32 fused_f32(f32 a, f32 b, f32 c)
{
	return __fmaf_rn(a, b, c);
}
DEVICE f64 fused_f64(f64 a, f64 b, f64 c)
{
	return __fma_rn(a, b, c);
}
DEVICE f32 root_f32(f32 x)
{
	return __fsqrt_rn(x < 0 ? -x : x);
}
DEVICE f64 root_f64(f64 x)
{
	return __dsqrt_rn(x < 0 ? -x : x);
}
#endif

/* ---- words that all threads change, in whatever order ---- */

#ifdef ON_HOST
DEVICE void all_add(u32 *p, u32 x)
{
	*p += x;
}
DEVICE void all_or(u32 *p, u32 x)
{
	*p |= x;
}
DEVICE void all_and(u32 *p, u32 x)
{
	*p &= x;
}
DEVICE void all_xor(u32 *p, u32 x)
{
	*p ^= x;
}
DEVICE void all_min(u32 *p, u32 x)
{
	*p = x < *p ? x : *p;
}
DEVICE void all_max(u32 *p, i32 x)
{
	*p = x > (i32)*p ? (u32)x : *p;
}
#else
DEVICE void all_add(u32 *p, u32 x)
{
	atomicAdd(p, x);
}
DEVICE void all_or(u32 *p, u32 x)
{
	atomicOr(p, x);
}
DEVICE void all_and(u32 *p, u32 x)
{
	atomicAnd(p, x);
}
DEVICE void all_xor(u32 *p, u32 x)
{
	atomicXor(p, x);
}
DEVICE void all_min(u32 *p, u32 x)
{
	atomicMin(p, x);
}
DEVICE void all_max(u32 *p, i32 x)
{
	atomicMax((i32 *)p, x);
}
#endif
#endif
