/* What atomic operations make of a value. */
#include <fenv.h>
#include <string.h>

#include "backend_sim/code/atomic.h"

static int64_t extended(uint64_t x, unsigned bytes)
{
	return bytes == 4 ? (int32_t)x : (int64_t)x;
}

/* Two narrow reals. */
static uint64_t add_narrow(uint8_t type, uint64_t a, uint64_t b)
{
	return narrow_bits(type,
		value_sum(narrow_value(type, (uint16_t)a),
			narrow_value(type, (uint16_t)b)),
		FE_TONEAREST);
}

/* What is no number: in global memory it stays as it is, and the summand comes
   first; in shared memory, where the assembler makes a loop, it becomes quiet,
   and what was there comes first. */
static uint64_t add_double(uint64_t a, uint64_t b, bool in_global)
{
	double da, db, sum;

	memcpy(&da, &a, sizeof(da));
	memcpy(&db, &b, sizeof(db));
	if (in_global && (da != da || db != db))
		return db != db ? b : a;
	if (da != da || db != db)
		return (da != da ? a : b) | UINT64_C(1) << 51;
	sum = da + db;
	memcpy(&a, &sum, sizeof(a));
	return a;
}

/* In global memory f32 has no numbers below the least normal one. */
static uint64_t add_single(uint32_t a, uint32_t b, bool in_global)
{
	float fa, fb;
	uint32_t bits;

	if (in_global) {
		a = value_flushed(a);
		b = value_flushed(b);
	}
	memcpy(&fa, &a, sizeof(fa));
	memcpy(&fb, &b, sizeof(fb));
	fa += fb;
	memcpy(&bits, &fa, sizeof(bits));
	if (fa != fa)
		return 0x7fffffffu;
	return in_global ? value_flushed(bits) : bits;
}

static uint64_t add_real(uint8_t type, uint64_t a, uint64_t b, bool in_global)
{
	switch (type) {
	case PTX_f16:
	case PTX_bf16:
		return add_narrow(type, a, b);
	case PTX_f16x2:
	case PTX_bf16x2:
		return add_narrow(type, a, b) |
		       add_narrow(type, a >> 16, b >> 16) << 16;
	case PTX_f64:
		return add_double(a, b, in_global);
	default:
		return add_single((uint32_t)a, (uint32_t)b, in_global);
	}
}

static uint64_t least(
	const struct atomic *of, uint64_t a, uint64_t b, bool greatest)
{
	bool is_signed = ptx_types[of->type].kind == 's';
	bool less = is_signed ? extended(b, of->bytes) < extended(a, of->bytes)
			      : b < a;

	return less != greatest ? b : a;
}

static uint16_t bound_narrow(
	const struct atomic *of, uint8_t type, uint64_t a, uint64_t b)
{
	return narrow_bound(
		type, (uint16_t)a, (uint16_t)b, of->op == QV_ATOMIC_min);
}

/* The lesser or the greater of narrow reals. */
static uint64_t bound_real(const struct atomic *of, uint64_t a, uint64_t b)
{
	const uint8_t type = of->type;

	return bound_narrow(of, type, a, b) |
	       (ptx_is_pair(type) ? (uint64_t)bound_narrow(
					    of, type, a >> 16, b >> 16)
					    << 16
				  : 0);
}

uint64_t atomic_result(const struct atomic *of, uint64_t was, uint64_t b,
	uint64_t by, bool in_global, bool *known)
{
	uint64_t top = of->bytes == 4 ? UINT32_MAX : UINT64_MAX;

	*known = true;
	switch (of->op) {
	case QV_ATOMIC_add:
		return ptx_is_real(of->type)
			       ? add_real(of->type, was, b, in_global)
			       : (was + b) & top;
	case QV_ATOMIC_exch:
		return b;
	case QV_ATOMIC_cas:
		return was == b ? by : was;
	case QV_ATOMIC_min:
	case QV_ATOMIC_max:
		if (ptx_is_real(of->type))
			return bound_real(of, was, b);
		break;
	default:
		break;
	}
	switch (of->op) {
	case QV_ATOMIC_min:
		return was == b ? was : least(of, was, b, false);
	case QV_ATOMIC_max:
		return was == b ? was : least(of, was, b, true);
	case QV_ATOMIC_and:
		return was & b;
	case QV_ATOMIC_or:
		return was | b;
	case QV_ATOMIC_xor:
		return was ^ b;
	case QV_ATOMIC_inc:
		return was >= b ? 0 : was + 1;
	case QV_ATOMIC_dec:
		return !was || was > b ? b : was - 1;
	default:
		*known = false;
		return was;
	}
}
