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

/* The same of bits, where nothing is computed. */
static inline uint32_t number32(uint32_t bits, uint32_t result)
{
	return (bits & 0x7fffffffu) > 0x7f800000u ? NAN_BITS : result;
}

#define QUIET UINT64_C(0x0008000000000000)

static inline uint64_t number64(uint64_t bits, uint64_t result)
{
	return (bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u ? bits | QUIET
								  : result;
}

/* A result of f64 that is no number is the first source that is none, and
   quiet: which one is looked at first depends on the operation. */
static inline uint64_t first64(double x, double first, double second)
{
	if (x == x)
		return bits64(x);
	return first != first     ? bits64(first) | QUIET
	       : second != second ? bits64(second) | QUIET
				  : bits64(x);
}

#define REAL32(name, expression) VALUE32(name, canonical((float)(expression)))
#define REAL64(name, expression) VALUE64(name, bits64(expression))
#define SECOND64(name, expression)                                             \
	VALUE64(name, first64(expression, IN_f64(1), IN_f64(0)))

REAL32(add32, IN_f32(0) + IN_f32(1))
SECOND64(add64, IN_f64(0) + IN_f64(1))
REAL32(sub32, IN_f32(0) - IN_f32(1))
SECOND64(sub64, IN_f64(0) - IN_f64(1))
REAL32(mul32, IN_f32(0) * IN_f32(1))
SECOND64(mul64, IN_f64(0) * IN_f64(1))
REAL32(div32, IN_f32(0) / IN_f32(1))
VALUE64(div64, first64(IN_f64(0) / IN_f64(1), IN_f64(0), IN_f64(1)))
REAL32(rcp32, 1.0f / IN_f32(0))
REAL64(rcp64, 1.0 / IN_f64(0))
REAL32(sqrt32, sqrtf(IN_f32(0)))
REAL64(sqrt64, sqrt(IN_f64(0)))
VALUE32(abs32, number32(IN_u32(0), IN_u32(0) & 0x7fffffffu))
VALUE64(abs64, number64(IN_u64(0), IN_u64(0) & 0x7fffffffffffffffu))
VALUE32(neg32, number32(IN_u32(0), IN_u32(0) ^ 0x80000000u))
VALUE64(neg64, number64(IN_u64(0), IN_u64(0) ^ 0x8000000000000000u))
VALUE32(copysign32, (IN_u32(0) & 0x80000000u) | (IN_u32(1) & 0x7fffffffu))
VALUE64(copysign64,
	(IN_u64(0) & 0x8000000000000000u) | (IN_u64(1) & 0x7fffffffffffffffu))

/* ---- a product and a sum, rounded once ---- */

REAL32(fma32, fmaf(IN_f32(0), IN_f32(1), IN_f32(2)))

/* The second source first, then the third. */
static inline uint64_t fused64(double x, double a, double b, double c)
{
	return b != b ? bits64(b) | QUIET : first64(x, c, a);
}

VALUE64(fma64, fused64(fma(IN_f64(0), IN_f64(1), IN_f64(2)), IN_f64(0),
		       IN_f64(1), IN_f64(2)))

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
		r[l] = fused64(__builtin_fma(IN_f64(0), IN_f64(1), IN_f64(2)),
			IN_f64(0), IN_f64(1), IN_f64(2));
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
SECOND64(min64, lesser(IN_f64(0), IN_f64(1)))
REAL32(max32, greater(IN_f32(0), IN_f32(1)))
SECOND64(max64, greater(IN_f64(0), IN_f64(1)))

/* With .NaN one that is no number decides; with .xorsign.abs magnitudes are
   compared, and the sign is that of the product. */
static uint32_t chosen(const struct value *v, unsigned l)
{
	const uint8_t *word = v->insn->word;
	float a = IN_f32(0), b = IN_f32(1), x;
	uint32_t sign = (IN_u32(0) ^ IN_u32(1)) & 0x80000000u;

	if (word[PTX_CLASS_XORSIGN]) {
		a = fabsf(a);
		b = fabsf(b);
	}
	x = (float)(v->insn->op == PTXO_MIN ? lesser(a, b) : greater(a, b));
	if (x != x || (word[PTX_CLASS_NAN] && (a != a || b != b)))
		return NAN_BITS;
	return bits32(x) | (word[PTX_CLASS_XORSIGN] ? sign : 0);
}

VALUE32(chosen32, chosen(v, l))

/* ---- roundings, flushes and saturation around a function ---- */

static const struct {
	uint8_t op;
	value_fn exact[2]; /* f32, f64 */
} functions[] = {
	{PTXO_ADD, {add32, add64}},
	{PTXO_SUB, {sub32, sub64}},
	{PTXO_MUL, {mul32, mul64}},
	{PTXO_DIV, {div32, div64}},
	{PTXO_ABS, {abs32, abs64}},
	{PTXO_NEG, {neg32, neg64}},
	{PTXO_MIN, {min32, min64}},
	{PTXO_MAX, {max32, max64}},
	{PTXO_COPYSIGN, {copysign32, copysign64}},
	{PTXO_RCP, {rcp32, rcp64}},
	{PTXO_SQRT, {sqrt32, sqrt64}},
};

static value_fn plain(const struct ptx_insn *insn)
{
	bool wide = insn->type == PTX_f64;
	size_t i;

	if (insn->word[PTX_CLASS_APPROX])
		return value_approximate(insn);
	if (insn->op == PTXO_FMA || insn->op == PTXO_MAD)
		return fused(wide);
	if (insn->word[PTX_CLASS_NAN] || insn->word[PTX_CLASS_XORSIGN])
		return chosen32;
	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (functions[i].op == insn->op)
			return functions[i].exact[wide];
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

#define LEAST_NORMAL 0x00800000u

/* A product, and a sum with it, is flushed if it is too small before it is
   rounded; `bits` is what it is after that. */
static uint32_t flushed_product(
	const struct value *v, unsigned l, uint32_t bits)
{
	uint8_t op = v->insn->op;
	double exact;

	if ((bits & 0x7fffffffu) != LEAST_NORMAL)
		return value_flushed(bits);
	if (op != PTXO_MUL && op != PTXO_FMA && op != PTXO_MAD)
		return bits;
	exact = value_sum((double)IN_f32(0) * IN_f32(1),
		op == PTXO_MUL ? 0 : (double)IN_f32(2));
	return fabs(exact) < 0x1p-126 ? bits & 0x80000000u : bits;
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
				sources[i][l] = value_flushed(IN_u32(i));
			inner.s[i] = sources[i];
		}
	inner.d = narrow ? (void *)r : (void *)wide;
	fesetround(value_rounding(insn));
	plain(insn)(&inner);
	fesetround(FE_TONEAREST);
	for (l = 0; narrow && l < LANES; l++) {
		r[l] = flushes ? flushed_product(&inner, l, r[l]) : r[l];
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
