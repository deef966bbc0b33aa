/* What atomic operations make of a value. */
#include <string.h>

#include "backend_sim/kernel/grid.h"

static int64_t extended(uint64_t x, unsigned bytes)
{
	return bytes == 4 ? (int32_t)x : (int64_t)x;
}

static uint64_t add_real(uint8_t type, uint64_t a, uint64_t b)
{
	uint32_t na = (uint32_t)a, nb = (uint32_t)b;
	float fa, fb;
	double da, db;

	if (type == PTX_f16)
		return half_bits(
			half_value((uint16_t)a) + half_value((uint16_t)b));
	if (type == PTX_f16x2)
		return half_bits(half_value((uint16_t)a) +
				 half_value((uint16_t)b)) |
		       (uint64_t)half_bits(half_value((uint16_t)(a >> 16)) +
					   half_value((uint16_t)(b >> 16)))
			       << 16;
	if (type == PTX_f64) {
		memcpy(&da, &a, sizeof(da));
		memcpy(&db, &b, sizeof(db));
		da += db;
		memcpy(&a, &da, sizeof(a));
		return a;
	}
	memcpy(&fa, &na, sizeof(fa));
	memcpy(&fb, &nb, sizeof(fb));
	fa += fb;
	memcpy(&na, &fa, sizeof(na));
	return fa == fa ? na : 0x7fffffffu;
}

static bool is_real(uint8_t type)
{
	return type == PTX_f16 || type == PTX_f16x2 || type == PTX_f32 ||
	       type == PTX_f64;
}

static uint64_t least(
	const struct code_insn *c, uint64_t a, uint64_t b, bool greatest)
{
	bool is_signed = ptx_types[c->insn->type].kind == 's';
	bool less = is_signed ? extended(b, c->bytes) < extended(a, c->bytes)
			      : b < a;

	return less != greatest ? b : a;
}

uint64_t atomic_result(const struct code_insn *c, uint64_t was, uint64_t b,
	uint64_t by, bool *known)
{
	uint64_t top = c->bytes == 4 ? UINT32_MAX : UINT64_MAX;

	*known = true;
	switch (c->insn->qualifiers[Q_ATOMIC]) {
	case QV_ATOMIC_add:
		return is_real(c->insn->type) ? add_real(c->insn->type, was, b)
					      : (was + b) & top;
	case QV_ATOMIC_exch:
		return b;
	case QV_ATOMIC_cas:
		return was == b ? by : was;
	case QV_ATOMIC_min:
		return was == b ? was : least(c, was, b, false);
	case QV_ATOMIC_max:
		return was == b ? was : least(c, was, b, true);
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
