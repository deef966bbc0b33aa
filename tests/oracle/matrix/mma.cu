// Every form of mma.sync on drawn operands. A block is a warp and a case, of the
// classes in turn; `out` has its words of D.
#include "elements.cuh"

#define STRING(...) #__VA_ARGS__
#define L1(x, c) c(x[0])
#define L2(x, c) L1(x, c), c(x[1])
#define L4(x, c) L2(x, c), c(x[2]), c(x[3])
#define L8(x, c) L4(x, c), c(x[4]), c(x[5]), c(x[6]), c(x[7])

// ---- where elements are: PTX ISA 9.0, section 9.7.14.5 ----

// One of four products of 8 x 8 x 4, by the quads of the warp.
__device__ inline int row_of_quad(int lane)
{
	return lane % 4 + (lane < 16 ? 0 : 4);
}

template <int type>
__device__ inline void draw_a(uint32_t *a, int count, bool tall, int cls,
	uint32_t seed, int lane)
{
	constexpr int each = 4 / formats[type].bytes;

#pragma unroll
	for (int i = 0; i < count; i++)
		a[i] = packed<type>(cls, seed, A,
			lane / 4 + (tall ? 8 * (i & 1) : 0),
			each * (lane % 4 + 4 * (tall ? i / 2 : i)), 0);
}

template <int type>
__device__ inline void draw_b(
	uint32_t *b, int count, int cls, uint32_t seed, int lane)
{
	constexpr int each = 4 / formats[type].bytes;

#pragma unroll
	for (int i = 0; i < count; i++)
		b[i] = packed<type>(cls, seed, B, lane / 4,
			each * (lane % 4 + 4 * i), 0);
}

template <int type>
__device__ inline void draw_c(
	uint32_t *c, int count, int cls, uint32_t seed, int lane, int p)
{
#pragma unroll
	for (int i = 0; i < count; i++)
		c[i] = type == F16
			       ? packed<F16>(cls, seed, C, lane / 4 + 8 * i,
					 lane % 4 * 2, p)
			       : (uint32_t)element<type>(cls, seed, C,
					 lane / 4 + i / 2 * 8,
					 lane % 4 * 2 + i % 2, p);
}

__device__ constexpr int spread(int type)
{
	return type == E4M3 ? 5 : type == E5M2 ? 12 : 14;
}

#define REGISTER(x) "r"(x)
#define RESULT(x)   "=r"(x)

#define OPERANDS_4_4_2_4                                                       \
	"{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
#define OPERANDS_4_2_1_4 "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
#define OPERANDS_2_4_2_2 "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
#define OPERANDS_2_2_1_2 "{%0, %1}, {%2, %3}, {%4}, {%5, %6};"
#define OPERANDS_2_1_1_2 "{%0, %1}, {%2}, {%3}, {%4, %5};"

#define MMA(name, text, TA, TB, TC, tall, nd, na, nb)                          \
	extern "C" __global__ void name(uint32_t *out, uint32_t seed)          \
	{                                                                      \
		const int lane = threadIdx.x, cls = blockIdx.x % CLASSES;      \
		const uint32_t s = mix(seed, blockIdx.x);                      \
		uint32_t a[na], b[nb], c[nd], d[nd];                           \
                                                                               \
		draw_a<TA>(a, na, tall, cls, s, lane);                         \
		draw_b<TB>(b, nb, cls, s, lane);                               \
		draw_c<TC>(c, nd, cls, s, lane, spread(TA));                   \
		asm volatile("mma.sync.aligned." text " "                      \
			     OPERANDS_##nd##_##na##_##nb##_##nd                \
			     : L##nd(d, RESULT)                                \
			     : L##na(a, REGISTER), L##nb(b, REGISTER),         \
			     L##nd(c, REGISTER));                              \
		for (int i = 0; i < nd; i++)                                   \
			out[(blockIdx.x * 32 + lane) * nd + i] = d[i];         \
	}

MMA(f16_k8, "m16n8k8.row.col.f32.f16.f16.f32", F16, F16, F32, true, 4, 2, 1)
MMA(f16_k16, "m16n8k16.row.col.f32.f16.f16.f32", F16, F16, F32, true, 4, 4, 2)
MMA(f16_f16_k8, "m16n8k8.row.col.f16.f16.f16.f16", F16, F16, F16, true, 2, 2, 1)
MMA(f16_f16_k16, "m16n8k16.row.col.f16.f16.f16.f16", F16, F16, F16, true, 2, 4, 2)
MMA(bf16_k8, "m16n8k8.row.col.f32.bf16.bf16.f32", BF16, BF16, F32, true, 4, 2, 1)
MMA(bf16_k16, "m16n8k16.row.col.f32.bf16.bf16.f32", BF16, BF16, F32, true, 4, 4, 2)
MMA(tf32_k4, "m16n8k4.row.col.f32.tf32.tf32.f32", TF32, TF32, F32, true, 4, 2, 1)
MMA(tf32_k8, "m16n8k8.row.col.f32.tf32.tf32.f32", TF32, TF32, F32, true, 4, 4, 2)

#define EIGHT(name, ta, tb, TA, TB)                                            \
	MMA(name##_k16, "m16n8k16.row.col.f32." ta "." tb ".f32", TA, TB, F32, \
		true, 4, 2, 1)                                                 \
	MMA(name##_k32, "m16n8k32.row.col.f32." ta "." tb ".f32", TA, TB, F32, \
		true, 4, 4, 2)                                                 \
	MMA(name##_f16_k16, "m16n8k16.row.col.f16." ta "." tb ".f16", TA, TB,  \
		F16, true, 2, 2, 1)                                            \
	MMA(name##_f16_k32, "m16n8k32.row.col.f16." ta "." tb ".f16", TA, TB,  \
		F16, true, 2, 4, 2)
EIGHT(e4m3_e4m3, "e4m3", "e4m3", E4M3, E4M3)
EIGHT(e4m3_e5m2, "e4m3", "e5m2", E4M3, E5M2)
EIGHT(e5m2_e4m3, "e5m2", "e4m3", E5M2, E4M3)
EIGHT(e5m2_e5m2, "e5m2", "e5m2", E5M2, E5M2)

#define WHOLE(name, more, ta, tb, TA, TB)                                      \
	MMA(name##_m8, "m8n8k16.row.col." more "s32." ta "." tb ".s32", TA,    \
		TB, S32, false, 2, 1, 1)                                       \
	MMA(name##_k16, "m16n8k16.row.col." more "s32." ta "." tb ".s32", TA,  \
		TB, S32, true, 4, 2, 1)                                        \
	MMA(name##_k32, "m16n8k32.row.col." more "s32." ta "." tb ".s32", TA,  \
		TB, S32, true, 4, 4, 2)
WHOLE(s8_s8, "", "s8", "s8", S8, S8)
WHOLE(s8_u8, "", "s8", "u8", S8, U8)
WHOLE(u8_s8, "satfinite.", "u8", "s8", U8, S8)
WHOLE(u8_u8, "satfinite.", "u8", "u8", U8, U8)

// ---- four products of 8 x 8 x 4: lanes 4 q to 4 q + 3 and 16 more ----

__device__ inline void draw_quads(uint32_t *a, bool by_column, int which,
	int cls, uint32_t seed, int lane)
{
	const int quad = lane / 4 % 4 * 64;

	// Element i: its column and the lane's row, or the other way around.
	for (int i = 0; i < 2; i++) {
		a[i] = 0;
		for (int j = 0; j < 2; j++) {
			const int e = 2 * i + j;
			const int row = by_column ? e + (lane < 16 ? 0 : 4)
						  : row_of_quad(lane);
			const int k = by_column ? lane % 4 : e;

			a[i] |= (uint32_t)element<F16>(
					cls, seed, which, quad + row, k, 0)
				<< 16 * j;
		}
	}
}

__device__ inline void draw_sums(
	uint32_t *c, bool is_half, int cls, uint32_t seed, int lane)
{
	const int quad = lane / 4 % 4 * 64;

	for (int i = 0; i < (is_half ? 4 : 8); i++)
		if (is_half)
			c[i] = packed<F16>(cls, seed, C,
				quad + row_of_quad(lane), 2 * i, 14);
		else
			c[i] = (uint32_t)element<F32>(cls, seed, C,
				quad + (lane & 1) + (i & 2) +
					(lane < 16 ? 0 : 4),
				(i & 4) + (lane & 2) + (i & 1), 14);
}

#define OPERANDS_8_2_2_8                                                       \
	"{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, "             \
	"{%12, %13, %14, %15, %16, %17, %18, %19};"
#define OPERANDS_8_2_2_4                                                       \
	"{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, "             \
	"{%12, %13, %14, %15};"
#define OPERANDS_4_2_2_4                                                       \
	"{%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%8, %9, %10, %11};"

#define QUADS(name, text, a_columns, b_columns, nd, nc)                        \
	extern "C" __global__ void name(uint32_t *out, uint32_t seed)          \
	{                                                                      \
		const int lane = threadIdx.x, cls = blockIdx.x % CLASSES;      \
		const uint32_t s = mix(seed, blockIdx.x);                      \
		uint32_t a[2], b[2], c[8], d[nd];                              \
                                                                               \
		draw_quads(a, a_columns, A, cls, s, lane);                     \
		draw_quads(b, !b_columns, B, cls, s, lane);                    \
		draw_sums(c, nc == 4, cls, s, lane);                           \
		asm volatile("mma.sync.aligned.m8n8k4." text " "               \
			     OPERANDS_##nd##_2_2_##nc                          \
			     : L##nd(d, RESULT)                                \
			     : L2(a, REGISTER), L2(b, REGISTER),               \
			     L##nc(c, REGISTER));                              \
		for (int i = 0; i < nd; i++)                                   \
			out[(blockIdx.x * 32 + lane) * nd + i] = d[i];         \
	}

#define FOUR(name, layouts, a_columns, b_columns)                              \
	QUADS(quads_##name, layouts ".f32.f16.f16.f32", a_columns, b_columns,  \
		8, 8)                                                          \
	QUADS(quads_##name##_mixed, layouts ".f32.f16.f16.f16", a_columns,     \
		b_columns, 8, 4)                                               \
	QUADS(quads_##name##_f16, layouts ".f16.f16.f16.f16", a_columns,       \
		b_columns, 4, 4)
FOUR(rc, "row.col", false, true)
FOUR(rr, "row.row", false, false)
FOUR(cc, "col.col", true, true)
FOUR(cr, "col.row", true, false)

// ---- f64 ----

#define DOUBLE(x)        "d"(x)
#define DOUBLE_RESULT(x) "=d"(x)

#define OPERANDS_4_8_4_4                                                       \
	"{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "               \
	"{%12, %13, %14, %15}, {%16, %17, %18, %19};"

#define DMMA(name, shape, tall, nd, na, nb)                                    \
	extern "C" __global__ void name(uint64_t *out, uint32_t seed)          \
	{                                                                      \
		const int lane = threadIdx.x, cls = blockIdx.x % CLASSES;      \
		const uint32_t s = mix(seed, blockIdx.x);                      \
		double a[na], b[nb], c[nd], d[nd];                             \
                                                                               \
		for (int i = 0; i < na; i++)                                   \
			a[i] = __longlong_as_double(element<F64>(cls, s, A,    \
				lane / 4 + (tall ? 8 * (i & 1) : 0),           \
				lane % 4 + 4 * (tall ? i / 2 : i), 0));        \
		for (int i = 0; i < nb; i++)                                   \
			b[i] = __longlong_as_double(element<F64>(              \
				cls, s, B, lane / 4, lane % 4 + 4 * i, 0));    \
		for (int i = 0; i < nd; i++)                                   \
			c[i] = __longlong_as_double(element<F64>(cls, s, C,    \
				lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2,    \
				14));                                          \
		asm volatile("mma.sync.aligned." shape                         \
			     ".row.col.f64.f64.f64.f64 "                       \
			     OPERANDS_##nd##_##na##_##nb##_##nd                \
			     : L##nd(d, DOUBLE_RESULT)                         \
			     : L##na(a, DOUBLE), L##nb(b, DOUBLE),             \
			     L##nd(c, DOUBLE));                                \
		for (int i = 0; i < nd; i++)                                   \
			out[(blockIdx.x * 32 + lane) * nd + i] =               \
				__double_as_longlong(d[i]);                    \
	}

DMMA(f64_m8, "m8n8k4", false, 2, 1, 1)
DMMA(f64_k4, "m16n8k4", true, 4, 2, 1)
DMMA(f64_k8, "m16n8k8", true, 4, 4, 2)
DMMA(f64_k16, "m16n8k16", true, 4, 8, 4)

// ---- moves: every lane's bytes say where they come from ----

__device__ inline uint32_t address_of(const void *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

#define MOVES(name, text, trans, n, operands)                                  \
	extern "C" __global__ void name(uint32_t *out, uint32_t seed)          \
	{                                                                      \
		__shared__ __align__(16) uint32_t from[32][8], to[32][8];      \
		const int lane = threadIdx.x;                                  \
		const uint32_t s = mix(seed, blockIdx.x);                      \
		const int row = (int)(mix(s, 1) % 32 ^ lane);                  \
		uint32_t w[4] = {0, 0, 0, 0};                                  \
                                                                               \
		for (int i = 0; i < 8; i++) {                                  \
			from[lane][i] = mix(s, lane * 8 + i);                  \
			to[lane][i] = 0;                                       \
		}                                                              \
		__syncwarp();                                                  \
		const uint32_t at = address_of(&from[row][lane & 4]);          \
		const uint32_t put = address_of(&to[row][lane & 4]);           \
		asm volatile("ldmatrix.sync.aligned.m8n8." text                \
			     trans ".shared.b16 " operands ", [%4];"           \
			     : L4(w, EITHER)                                   \
			     : "r"(at));                                       \
		asm volatile("stmatrix.sync.aligned.m8n8." text                \
			     trans ".shared.b16 [%4], " operands ";"           \
			     : L4(w, EITHER)                                   \
			     : "r"(put)                                        \
			     : "memory");                                      \
		asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;"   \
			     : "+r"(w[3]));                                    \
		__syncwarp();                                                  \
		for (int i = 0; i < 12; i++)                                   \
			out[(blockIdx.x * 32 + lane) * 12 + i] =               \
				i < 4 ? w[i] : to[lane][i - 4];                \
	}
#define EITHER(x) "+r"(x)

MOVES(moves_1, "x1", "", 1, "{%0}")
MOVES(moves_2, "x2", "", 2, "{%0, %1}")
MOVES(moves_4, "x4", "", 4, "{%0, %1, %2, %3}")
MOVES(moves_1_trans, "x1", ".trans", 1, "{%0}")
MOVES(moves_2_trans, "x2", ".trans", 2, "{%0, %1}")
MOVES(moves_4_trans, "x4", ".trans", 4, "{%0, %1, %2, %3}")
