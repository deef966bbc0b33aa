/* Approximations of f32 and f64: the special function unit, what is made of its
   results, and in double precision what is not modelled bit for bit. */
#include <math.h>

#include "backend_sim/values/unit.h"
#include "backend_sim/values/value.h"

static uint32_t bits32(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return x == x ? bits : 0x7fffffffu;
}

static uint64_t bits64(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

#define REAL32(name, expression) VALUE32(name, bits32((float)(expression)))

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

static uint64_t flushed64(uint64_t bits)
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
VALUE64(rsqrt64, bits64(1.0 / sqrt(IN_f64(0))))

static value_fn of_double(const struct ptx_insn *insn)
{
	const bool flushes = insn->word[PTX_CLASS_FTZ] != 0;

	if (insn->op == PTXO_RSQRT)
		return flushes ? rsqrt_ftz64 : rsqrt64;
	return insn->op == PTXO_RCP ? rcp_approx64 : NULL;
}

value_fn value_approximate(const struct ptx_insn *insn)
{
	if (insn->type == PTX_f64)
		return of_double(insn);
	switch (insn->op) {
	case PTXO_DIV:
		return quotient32;
	case PTXO_RCP:
		return rcp_approx32;
	case PTXO_SQRT:
		return sqrt_approx32;
	case PTXO_RSQRT:
		return rsqrt32;
	case PTXO_SIN:
		return sin32;
	case PTXO_COS:
		return cos32;
	case PTXO_LG2:
		return lg2_32;
	case PTXO_EX2:
		return ex2_32;
	case PTXO_TANH:
		return tanh32;
	default:
		return NULL;
	}
}
