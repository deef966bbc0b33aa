/* Operations that few kernels have: tests of reals, permutations by mode, logic
   with a predicate, products of halves of words, the n-th bit. */
#include "backend_sim/values/value.h"

/* ---- testp ---- */

static bool is_so(uint8_t op, bool none, bool infinite, bool zero, bool full)
{
	switch (op) {
	case PTXO_TEST_FINITE:
		return !none && !infinite;
	case PTXO_TEST_INFINITE:
		return infinite;
	case PTXO_TEST_NUMBER:
		return !none;
	case PTXO_TEST_NONE:
		return none;
	case PTXO_TEST_NORMAL:
		return (full || zero) && !none && !infinite;
	default:
		return !full && !zero;
	}
}

/* A real by the bits of its exponent and its fraction. */
static void test(const struct value *v)
{
	const bool wide = v->insn->type == PTX_f64;
	uint32_t bits = 0;
	unsigned l;

	for (l = 0; l < LANES; l++) {
		const uint64_t x =
			wide ? IN_u64(0) << 1 : (uint64_t)IN_u32(0) << 33;
		const uint64_t top =
			wide ? UINT64_C(0xffe) << 52 : UINT64_C(0xff) << 56;

		bits |= (uint32_t)is_so(v->insn->op, x > top, x == top, !x,
				(x & top) != 0)
			<< l;
	}
	value_put_predicate(v, bits);
}

/* ---- prmt ---- */

static uint32_t byte_at(uint64_t both, unsigned i)
{
	return (uint32_t)(both >> (8 * (i & 7))) & 255;
}

/* Which byte of the eight becomes byte `i`, where the selector's two low bits
   are `s`. */
static unsigned picked(uint8_t op, unsigned s, unsigned i)
{
	switch (op) {
	case PTXO_PRMT_F4E:
		return s + i;
	case PTXO_PRMT_B4E:
		return s - i;
	case PTXO_PRMT_RC8:
		return s;
	case PTXO_PRMT_ECL:
		return i > s ? i : s;
	case PTXO_PRMT_ECR:
		return i < s ? i : s;
	default:
		return (s & 1) * 2 + (i & 1);
	}
}

static uint32_t permuted(uint8_t op, uint32_t a, uint32_t b, uint32_t selector)
{
	const uint64_t both = (uint64_t)b << 32 | a;
	uint32_t result = 0, i;

	for (i = 0; i < 4; i++)
		result |= byte_at(both, picked(op, selector & 3, i)) << (8 * i);
	return result;
}

VALUE32(prmt, permuted(v->insn->op, IN_u32(0), IN_u32(1), IN_u32(2)))

/* ---- lop3 with a predicate: whether the result is not 0, and `p` ---- */

static void logic_and_test(const struct value *v)
{
	uint32_t r[LANES], bits = 0;
	unsigned l, i;

	for (l = 0; l < LANES; l++) {
		r[l] = 0;
		for (i = 0; i < 8; i++)
			if (IN_u32(3) >> i & 1)
				r[l] |= (i & 4 ? IN_u32(0) : ~IN_u32(0)) &
					(i & 2 ? IN_u32(1) : ~IN_u32(1)) &
					(i & 1 ? IN_u32(2) : ~IN_u32(2));
		bits |= (uint32_t)(r[l] != 0) << l;
	}
	switch (v->insn->word[PTX_CLASS_BOOL]) {
	case PTXW_BOOL_and:
		bits &= v->p;
		break;
	case PTXW_BOOL_or:
		bits |= v->p;
		break;
	default:
		bits ^= v->p;
		break;
	}
	value_put32(v, r);
	if (v->e)
		*v->e = (*v->e & ~v->mask) | (bits & v->mask);
}

/* ---- dp2a: two halves of a word by two bytes of another ---- */

static void dp2a(const struct value *v)
{
	const bool sa = ptx_types[v->insn->type].kind == 's';
	const bool sb = ptx_types[v->insn->from].kind == 's';
	const unsigned from =
		v->insn->word[PTX_CLASS_MODE] == PTXW_MODE_hi ? 16 : 0;
	uint32_t r[LANES];
	unsigned l, i;

	for (l = 0; l < LANES; l++) {
		r[l] = IN_u32(2);
		for (i = 0; i < 2; i++) {
			const uint32_t a = IN_u32(0) >> (16 * i) & 65535;
			const uint32_t b = IN_u32(1) >> (from + 8 * i) & 255;

			r[l] += (sa ? (uint32_t)(int16_t)a : a) *
				(sb ? (uint32_t)(int8_t)b : b);
		}
	}
	value_put32(v, r);
}

/* ---- szext: so many low bits, with their sign or without ---- */

static uint32_t extended(const struct ptx_insn *insn, uint32_t x, uint32_t bits)
{
	const bool clamps = insn->word[PTX_CLASS_CLAMP] == PTXW_CLAMP_clamp;
	uint32_t mask;

	bits = clamps ? bits : bits & 31;
	if (bits >= 32)
		return x;
	mask = (1u << bits) - 1;
	if (insn->type == PTX_s32 && bits && x >> (bits - 1) & 1)
		return x | ~mask;
	return x & mask;
}

VALUE32(szext, extended(v->insn, IN_u32(0), IN_u32(1)))

/* ---- fns ---- */

/* The place of the bit that is set and the `offset`-th from `base` on: upwards,
   or downwards for less than 0; 0 is the bit at `base` itself. An H100 leaves 0
   for the least offset, whatever the mask. */
static uint32_t nth_bit(uint32_t mask, uint32_t base, int32_t offset)
{
	const int step = offset < 0 ? -1 : 1;
	uint32_t left = offset < 0 ? 0u - (uint32_t)offset : (uint32_t)offset;
	uint32_t at;

	if (offset == INT32_MIN)
		return 0;
	if (!offset)
		return base < 32 && mask >> base & 1 ? base : UINT32_MAX;
	for (at = base; at < 32; at += (uint32_t)step)
		if (mask >> at & 1 && !--left)
			return at;
	return UINT32_MAX;
}

VALUE32(fns, nth_bit(IN_u32(0), IN_u32(1), IN_s32(2)))

value_fn value_rare(const struct ptx_insn *insn)
{
	if (insn->op >= PTXO_TEST_FINITE && insn->op <= PTXO_TEST_SUBNORMAL)
		return test;
	if (insn->op >= PTXO_PRMT_F4E && insn->op <= PTXO_PRMT_RC16)
		return prmt;
	switch (insn->op) {
	case PTXO_LOP3:
		return insn->word[PTX_CLASS_BOOL] ? logic_and_test : NULL;
	case PTXO_DP2A:
		return insn->word[PTX_CLASS_MODE] == PTXW_MODE_lo ||
				       insn->word[PTX_CLASS_MODE] ==
					       PTXW_MODE_hi
			       ? dp2a
			       : NULL;
	case PTXO_FNS:
		return fns;
	case PTXO_SZEXT:
		return insn->word[PTX_CLASS_CLAMP] ? szext : NULL;
	default:
		return NULL;
	}
}
