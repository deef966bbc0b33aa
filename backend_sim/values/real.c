/* Arithmetic of f32 and f64. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "backend_sim/values/unit.h"
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

/* ---- approximations, in double precision ---- */

VALUE32(rsqrt32, unit_rsqrt(IN_u32(0)))
VALUE32(rcp_approx32, unit_rcp(IN_u32(0)))
VALUE32(sqrt_approx32, unit_sqrt(IN_u32(0)))

/* What has no exponent of its own is 0, for the unit and from it. */
static float reciprocal(float b)
{
	const uint32_t bits = value_flushed(unit_rcp(value_flushed(bits32(b))));
	float r;

	memcpy(&r, &bits, sizeof(r));
	return r;
}

/* A product with the reciprocal. With .full both are scaled where the latter
   would have no exponent of its own, without .ftz where the divisor has none.
   The product is flushed before it is rounded. */
static float divided(const struct value *v, unsigned l)
{
	const bool full = v->insn->word[PTX_CLASS_APPROX] == PTXW_APPROX_full;
	const float b = IN_f32(1), size = fabsf(b);
	const float scale = size < 0x1p-126f          ? 0x1p24f
			    : full && size > 0x1p126f ? 0.25f
						      : 1;
	const float a = IN_f32(0) * scale, r = reciprocal(b * scale);

	if (v->insn->word[PTX_CLASS_FTZ] && fabs((double)a * r) < 0x1p-126)
		return copysignf(0, a) * copysignf(1, r);
	return a * r;
}

REAL32(quotient32, divided(v, l))

/* An angle as the unit gets it: in turns, by a product that is cut off, of
   which only what is behind the point counts. Above 2^24 turns nothing is. */
static double turned(float x)
{
	const double exact = (double)x * 0x1.45f306p-3f;
	float turns = (float)exact, part;

	if (fabs((double)turns) > fabs(exact))
		turns = nextafterf(turns, 0);
	/* Of whole turns the sign is left. */
	part = turns - rintf(turns);
	return part == 0 ? copysign(0, x) : 2 * M_PI * part;
}

REAL32(sin32, sin(turned(IN_f32(0))))
REAL32(cos32, cos(turned(IN_f32(0))))
REAL32(lg2_32, log2(IN_f32(0)))

/* Without .ftz the result of a half is squared where it would have no exponent
   of its own. */
static float power(const struct value *v, unsigned l)
{
	const float x = IN_f32(0);
	const bool halves = !v->insn->word[PTX_CLASS_FTZ] && x < -126;
	const uint32_t bits =
		unit_ex2(value_flushed(bits32(halves ? x * 0.5f : x)));
	float result;

	memcpy(&result, &bits, sizeof(result));
	return halves ? result * result : result;
}

REAL32(ex2_32, power(v, l))
REAL32(tanh32, tanh(IN_f32(0)))

/* What has no exponent of its own becomes 0. */
static inline uint64_t flushed64(uint64_t bits)
{
	return bits & 0x7ff0000000000000u ? bits : bits & 1ull << 63;
}

/* The upper half of the bits, of what is read and of the result; the lower one
   is 0, as PTX defines it for f64 with .ftz. */
static double upper(uint64_t bits)
{
	double x;

	bits = flushed64(bits) & 0xffffffff00000000u;
	memcpy(&x, &bits, sizeof(x));
	return x;
}

static uint64_t upper_bits(double x)
{
	return x == x ? flushed64(bits64(x)) & 0xffffffff00000000u
		      : 0x7fffffff00000000u;
}

VALUE64(rcp_approx64, upper_bits(1.0 / upper(IN_u64(0))))
VALUE64(rsqrt_ftz64, upper_bits(1.0 / sqrt(upper(IN_u64(0)))))
REAL64(rsqrt64, 1.0 / sqrt(IN_f64(0)))

/* ---- roundings, flushes and saturation around a function ---- */

static const struct {
	uint8_t op;
	value_fn exact[2], approximate[2]; /* f32, f64 */
} functions[] = {
	{PTXO_ADD, {add32, add64}, {NULL, NULL}},
	{PTXO_SUB, {sub32, sub64}, {NULL, NULL}},
	{PTXO_MUL, {mul32, mul64}, {NULL, NULL}},
	{PTXO_DIV, {div32, div64}, {quotient32, NULL}},
	{PTXO_ABS, {abs32, abs64}, {NULL, NULL}},
	{PTXO_NEG, {neg32, neg64}, {NULL, NULL}},
	{PTXO_MIN, {min32, min64}, {NULL, NULL}},
	{PTXO_MAX, {max32, max64}, {NULL, NULL}},
	{PTXO_COPYSIGN, {copysign32, copysign64}, {NULL, NULL}},
	{PTXO_RCP, {rcp32, rcp64}, {rcp_approx32, rcp_approx64}},
	{PTXO_SQRT, {sqrt32, sqrt64}, {sqrt_approx32, NULL}},
	{PTXO_RSQRT, {NULL, NULL}, {rsqrt32, rsqrt64}},
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
	if (insn->op == PTXO_RSQRT && wide && insn->word[PTX_CLASS_FTZ])
		return rsqrt_ftz64;
	if (insn->word[PTX_CLASS_NAN] || insn->word[PTX_CLASS_XORSIGN])
		return chosen32;
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
