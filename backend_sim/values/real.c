/* Arithmetic of f32 and f64. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "backend_sim/values/value.h"

/* What an H200 writes for a f32 result that is no number. */
#define NAN_BITS 0x7fffffffu

static inline uint32_t bits32(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline uint64_t bits64(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline uint32_t canonical(float x)
{
	uint32_t bits = bits32(x);

	return x == x ? bits : NAN_BITS;
}

#define REAL32(name, expression) VALUE32(name, canonical((float)(expression)))
#define REAL64(name, expression) VALUE64(name, bits64(expression))

REAL32(add32, IN_f32(0) + IN_f32(1))
REAL64(add64, IN_f64(0) + IN_f64(1))
REAL32(sub32, IN_f32(0) - IN_f32(1))
REAL64(sub64, IN_f64(0) - IN_f64(1))
REAL32(mul32, IN_f32(0) * IN_f32(1))
REAL64(mul64, IN_f64(0) * IN_f64(1))
REAL32(div32, IN_f32(0) / IN_f32(1))
REAL64(div64, IN_f64(0) / IN_f64(1))
REAL32(rcp32, 1.0f / IN_f32(0))
REAL64(rcp64, 1.0 / IN_f64(0))
REAL32(sqrt32, sqrtf(IN_f32(0)))
REAL64(sqrt64, sqrt(IN_f64(0)))
VALUE32(abs32, IN_u32(0) & 0x7fffffffu)
VALUE64(abs64, IN_u64(0) & 0x7fffffffffffffffu)
VALUE32(neg32, IN_u32(0) ^ 0x80000000u)
VALUE64(neg64, IN_u64(0) ^ 0x8000000000000000u)
VALUE32(copysign32, (IN_u32(0) & 0x80000000u) | (IN_u32(1) & 0x7fffffffu))
VALUE64(copysign64,
	(IN_u64(0) & 0x8000000000000000u) | (IN_u64(1) & 0x7fffffffffffffffu))

/* ---- a product and a sum, rounded once ---- */

REAL32(fma32, fmaf(IN_f32(0), IN_f32(1), IN_f32(2)))
REAL64(fma64, fma(IN_f64(0), IN_f64(1), IN_f64(2)))

#ifdef __x86_64__
/* The same by the host's instruction, which most hosts have. */
#define FAST __attribute__((target("fma,avx2")))

FAST static void fma32_host(const struct value *v)
{
	uint32_t r[LANES];
	unsigned l;

	for (l = 0; l < LANES; l++)
		r[l] = canonical(
			__builtin_fmaf(IN_f32(0), IN_f32(1), IN_f32(2)));
	value_put32(v, r);
}

FAST static void fma64_host(const struct value *v)
{
	uint64_t r[LANES];
	unsigned l;

	for (l = 0; l < LANES; l++)
		r[l] = bits64(__builtin_fma(IN_f64(0), IN_f64(1), IN_f64(2)));
	value_put64(v, r);
}

static value_fn fused(bool wide)
{
	bool has =
		__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");

	if (wide)
		return has ? fma64_host : fma64;
	return has ? fma32_host : fma32;
}
#else
static value_fn fused(bool wide)
{
	return wide ? fma64 : fma32;
}
#endif

/* ---- the lesser: a number before none, -0 before +0 ---- */

static double lesser(double a, double b)
{
	if (a != a)
		return b;
	if (b != b)
		return a;
	if (a == b)
		return signbit(a) ? a : b;
	return a < b ? a : b;
}

static double greater(double a, double b)
{
	if (a != a)
		return b;
	if (b != b)
		return a;
	if (a == b)
		return signbit(a) ? b : a;
	return a > b ? a : b;
}

REAL32(min32, lesser(IN_f32(0), IN_f32(1)))
REAL64(min64, lesser(IN_f64(0), IN_f64(1)))
REAL32(max32, greater(IN_f32(0), IN_f32(1)))
REAL64(max64, greater(IN_f64(0), IN_f64(1)))

/* ---- approximations, in double precision ---- */

REAL32(rsqrt32, 1.0 / sqrt(IN_f32(0)))
REAL32(rcp_approx32, 1.0 / IN_f32(0))
REAL32(sqrt_approx32, sqrt(IN_f32(0)))
REAL32(div_approx32, (double)IN_f32(0) / IN_f32(1))
REAL32(sin32, sin(IN_f32(0)))
REAL32(cos32, cos(IN_f32(0)))
REAL32(lg2_32, log2(IN_f32(0)))
REAL32(ex2_32, exp2(IN_f32(0)))
REAL32(tanh32, tanh(IN_f32(0)))

/* The upper half of the result's bits, as PTX defines it for f64. */
static uint64_t upper(double x)
{
	return bits64(x) & 0xffffffff00000000u;
}

VALUE64(rcp_approx64, upper(1.0 / IN_f64(0)))
VALUE64(rsqrt_approx64, upper(1.0 / sqrt(IN_f64(0))))

/* ---- roundings, flushes and saturation around a function ---- */

static const struct {
	uint8_t op;
	value_fn exact[2], approximate[2]; /* f32, f64 */
} functions[] = {
	{PTXO_ADD, {add32, add64}, {NULL, NULL}},
	{PTXO_SUB, {sub32, sub64}, {NULL, NULL}},
	{PTXO_MUL, {mul32, mul64}, {NULL, NULL}},
	{PTXO_DIV, {div32, div64}, {div_approx32, NULL}},
	{PTXO_ABS, {abs32, abs64}, {NULL, NULL}},
	{PTXO_NEG, {neg32, neg64}, {NULL, NULL}},
	{PTXO_MIN, {min32, min64}, {NULL, NULL}},
	{PTXO_MAX, {max32, max64}, {NULL, NULL}},
	{PTXO_COPYSIGN, {copysign32, copysign64}, {NULL, NULL}},
	{PTXO_RCP, {rcp32, rcp64}, {rcp_approx32, rcp_approx64}},
	{PTXO_SQRT, {sqrt32, sqrt64}, {sqrt_approx32, NULL}},
	{PTXO_RSQRT, {NULL, NULL}, {rsqrt32, rsqrt_approx64}},
	{PTXO_SIN, {NULL, NULL}, {sin32, NULL}},
	{PTXO_COS, {NULL, NULL}, {cos32, NULL}},
	{PTXO_LG2, {NULL, NULL}, {lg2_32, NULL}},
	{PTXO_EX2, {NULL, NULL}, {ex2_32, NULL}},
	{PTXO_TANH, {NULL, NULL}, {tanh32, NULL}},
};

static value_fn plain(const struct ptx_insn *insn)
{
	bool wide = insn->type == PTX_f64;
	size_t i;

	if (insn->op == PTXO_FMA || insn->op == PTXO_MAD)
		return fused(wide);
	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (functions[i].op == insn->op)
			return insn->word[PTX_CLASS_APPROX]
				       ? functions[i].approximate[wide]
				       : functions[i].exact[wide];
	return NULL;
}

int value_rounding(const struct ptx_insn *insn)
{
	switch (insn->word[PTX_CLASS_ROUND]) {
	case PTXW_ROUND_rz:
		return FE_TOWARDZERO;
	case PTXW_ROUND_rm:
		return FE_DOWNWARD;
	case PTXW_ROUND_rp:
		return FE_UPWARD;
	default:
		return FE_TONEAREST;
	}
}

/* A number so small that it has no exponent of its own becomes 0. */
static inline uint32_t flushed(uint32_t bits)
{
	return bits & 0x7f800000u ? bits : bits & 0x80000000u;
}

static uint32_t clamped(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x > 1 ? bits32(1) : x > 0 ? bits : 0;
}

static void modified(const struct value *v)
{
	const struct ptx_insn *insn = v->insn;
	bool flushes = insn->word[PTX_CLASS_FTZ] && insn->type == PTX_f32;
	bool narrow = insn->type == PTX_f32;
	uint32_t sources[3][LANES], r[LANES] = {0};
	uint64_t wide[LANES] = {0};
	struct value inner = *v;
	unsigned i, l;

	for (i = 0; flushes && i < 3; i++)
		if (v->s[i]) {
			for (l = 0; l < LANES; l++)
				sources[i][l] = flushed(IN_u32(i));
			inner.s[i] = sources[i];
		}
	inner.d = narrow ? (void *)r : (void *)wide;
	fesetround(value_rounding(insn));
	plain(insn)(&inner);
	fesetround(FE_TONEAREST);
	for (l = 0; narrow && l < LANES; l++) {
		r[l] = flushes ? flushed(r[l]) : r[l];
		r[l] = insn->word[PTX_CLASS_SAT] ? clamped(r[l]) : r[l];
	}
	if (narrow)
		value_put32(v, r);
	else
		value_put64(v, wide);
}

value_fn value_real(const struct ptx_insn *insn)
{
	value_fn f;

	if (insn->type != PTX_f32 && insn->type != PTX_f64)
		return NULL;
	f = plain(insn);
	if (!f)
		return NULL;
	return insn->word[PTX_CLASS_FTZ] || insn->word[PTX_CLASS_SAT] ||
			       value_rounding(insn) != FE_TONEAREST
		       ? modified
		       : f;
}
