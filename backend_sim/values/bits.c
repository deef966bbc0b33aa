/* Bits: logic, shifts, fields, moves. */
#include "backend_sim/values/value.h"

#define SHL(IN, BITS) (IN_u32(1) < (BITS) ? (IN(0)) << IN_u32(1) : 0)
#define SHR(IN, BITS) (IN_u32(1) < (BITS) ? (IN(0)) >> IN_u32(1) : 0)
/* Of a negative number all ones. */
#define SAR(IN, BITS) ((IN(0)) >> (IN_u32(1) < (BITS) ? IN_u32(1) : (BITS)-1u))

VALUE32(and32, IN_u32(0) & IN_u32(1))
VALUE64(and64, IN_u64(0) & IN_u64(1))
VALUE32(or32, IN_u32(0) | IN_u32(1))
VALUE64(or64, IN_u64(0) | IN_u64(1))
VALUE32(xor32, IN_u32(0) ^ IN_u32(1))
VALUE64(xor64, IN_u64(0) ^ IN_u64(1))
VALUE16(not16, ~IN_u32(0))
VALUE32(not32, ~IN_u32(0))
VALUE64(not64, ~IN_u64(0))
VALUE32(cnot16, !IN_u16(0))
VALUE32(cnot32, !IN_u32(0))
VALUE64(cnot64, !IN_u64(0))
VALUE16(shl16, SHL((uint32_t)IN_u16, 16))
VALUE32(shl32, SHL(IN_u32, 32))
VALUE64(shl64, SHL(IN_u64, 64))
VALUE16(shr_u16, SHR(IN_u16, 16))
VALUE32(shr_u32, SHR(IN_u32, 32))
VALUE64(shr_u64, SHR(IN_u64, 64))
VALUE16(shr_s16, SAR(IN_s16, 16))
VALUE32(shr_s32, SAR(IN_s32, 32))
VALUE64(shr_s64, SAR(IN_s64, 64))
VALUE32(mov32, IN_u32(0))
VALUE64(mov64, IN_u64(0))
VALUE32(selp32, v->p >> l & 1 ? IN_u32(0) : IN_u32(1))
VALUE64(selp64, v->p >> l & 1 ? IN_u64(0) : IN_u64(1))

/* With .ftz what has no exponent of its own is 0, and so not below it. */
static bool is_positive(const struct value *v, unsigned l)
{
	if (v->insn->from == PTX_s32)
		return IN_s32(2) >= 0;
	return IN_f32(2) >= 0 ||
	       (v->insn->word[PTX_CLASS_FTZ] && !(IN_u32(2) & 0x7f800000u));
}

VALUE32(slct32, is_positive(v, l) ? IN_u32(0) : IN_u32(1))
VALUE64(slct64, is_positive(v, l) ? IN_u64(0) : IN_u64(1))
VALUE32(popc32, (uint32_t)__builtin_popcount(IN_u32(0)))
VALUE32(popc64, (uint32_t)__builtin_popcountll(IN_u64(0)))
VALUE32(clz32, IN_u32(0) ? (uint32_t)__builtin_clz(IN_u32(0)) : 32)
VALUE32(clz64, IN_u64(0) ? (uint32_t)__builtin_clzll(IN_u64(0)) : 64)

static uint32_t reverse32(uint32_t x)
{
	x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
	x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
	x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
	return __builtin_bswap32(x);
}

static uint64_t reverse64(uint64_t x)
{
	return (uint64_t)reverse32((uint32_t)x) << 32 |
	       reverse32((uint32_t)(x >> 32));
}

VALUE32(brev32, reverse32(IN_u32(0)))
VALUE64(brev64, reverse64(IN_u64(0)))

/* The highest bit that differs from the sign, or all ones. */
static uint32_t find_bit(uint64_t x, uint32_t bits, bool is_signed, bool shift)
{
	uint32_t at;

	if (is_signed && x >> (bits - 1) & 1)
		x = ~x;
	if (bits == 32)
		x = (uint32_t)x;
	if (!x)
		return UINT32_MAX;
	at = 63u - (uint32_t)__builtin_clzll(x);
	return shift ? bits - 1 - at : at;
}

static void bfind(const struct value *v)
{
	bool is_signed = ptx_types[v->insn->type].kind == 's';
	bool shift = v->insn->word[PTX_CLASS_AMOUNT] != 0;
	uint32_t bits = ptx_types[v->insn->type].bytes * 8u, r[LANES];
	unsigned l;

	for (l = 0; l < LANES; l++)
		r[l] = find_bit(bits == 64 ? IN_u64(0) : IN_u32(0), bits,
			is_signed, shift);
	value_put32(v, r);
}

/* ---- fields: of 32 bits position and length are taken modulo 256 ---- */

static uint64_t field(uint64_t a, uint32_t position, uint32_t length,
	uint32_t bits, bool sign)
{
	uint64_t end = (uint64_t)position + length;
	uint64_t value, mask;
	bool fill;

	if (!length)
		return 0;
	if (end > bits)
		end = bits;
	fill = sign && a >> ((end ? end : 1) - 1) & 1;
	if (position >= bits)
		return sign && a >> (bits - 1) & 1 ? UINT64_MAX : 0;
	value = a >> position;
	length = (uint32_t)(end - position);
	mask = length < 64 ? (UINT64_C(1) << length) - 1 : UINT64_MAX;
	return fill ? value | ~mask : value & mask;
}

static uint64_t inserted(uint64_t a, uint64_t b, uint32_t position,
	uint32_t length, uint32_t bits)
{
	uint64_t mask;

	if (position >= bits || !length)
		return b;
	mask = length < 64 ? (UINT64_C(1) << length) - 1 : UINT64_MAX;
	mask <<= position;
	return (b & ~mask) | ((a << position) & mask);
}

#define U8(i) (IN_u32(i) & 255u)

VALUE32(bfe_u32, field(IN_u32(0), U8(1), U8(2), 32, false))
VALUE32(bfe_s32, field(IN_u32(0), U8(1), U8(2), 32, true))
VALUE64(bfe_u64, field(IN_u64(0), IN_u32(1), IN_u32(2), 64, false))
VALUE64(bfe_s64, field(IN_u64(0), IN_u32(1), IN_u32(2), 64, true))
VALUE32(bfi32, inserted(IN_u32(0), IN_u32(1), U8(2), U8(3), 32))
VALUE64(bfi64, inserted(IN_u64(0), IN_u64(1), IN_u32(2), IN_u32(3), 64))

/* bmsk: `length` ones from `position` on. */
static uint32_t ones(uint32_t position, uint32_t length, bool clamps)
{
	if (!clamps) {
		position &= 31;
		length &= 31;
	}
	if (position >= 32 || !length)
		return 0;
	return (length >= 32 ? UINT32_MAX : (1u << length) - 1) << position;
}

VALUE32(bmsk_clamp, ones(IN_u32(0), IN_u32(1), true))
VALUE32(bmsk_wrap, ones(IN_u32(0), IN_u32(1), false))

/* ---- funnel shifts ---- */

static uint32_t funnel(
	uint32_t a, uint32_t b, uint32_t amount, bool left, bool clamps)
{
	uint64_t both = (uint64_t)b << 32 | a;

	amount = clamps ? (amount < 32 ? amount : 32) : amount & 31;
	return (uint32_t)(left ? both << amount >> 32 : both >> amount);
}

VALUE32(shf_l_wrap, funnel(IN_u32(0), IN_u32(1), IN_u32(2), true, false))
VALUE32(shf_l_clamp, funnel(IN_u32(0), IN_u32(1), IN_u32(2), true, true))
VALUE32(shf_r_wrap, funnel(IN_u32(0), IN_u32(1), IN_u32(2), false, false))
VALUE32(shf_r_clamp, funnel(IN_u32(0), IN_u32(1), IN_u32(2), false, true))

/* ---- permuted bytes: the default mode ---- */

static uint32_t permuted(uint32_t a, uint32_t b, uint32_t selector)
{
	uint64_t both = (uint64_t)b << 32 | a;
	uint32_t result = 0, i;

	for (i = 0; i < 4; i++) {
		uint32_t pick = selector >> (4 * i) & 15;
		uint32_t byte = (uint32_t)(both >> (8 * (pick & 7))) & 255;

		if (pick & 8)
			byte = byte & 128 ? 255 : 0;
		result |= byte << (8 * i);
	}
	return result;
}

VALUE32(prmt, permuted(IN_u32(0), IN_u32(1), IN_u32(2)))

/* Bits of `one` where `by` has ones, of `zero` elsewhere. */
static uint64_t chosen(uint64_t by, uint64_t one, uint64_t zero)
{
	return (by & one) | (~by & zero);
}

/* Two bits of the table, as far as `c` chooses. */
static uint64_t by_last(uint64_t c, uint32_t table)
{
	return chosen(c, -(uint64_t)(table >> 1 & 1), -(uint64_t)(table & 1));
}

static uint64_t logic3(uint64_t a, uint64_t b, uint64_t c, uint32_t table)
{
	return chosen(a,
		chosen(b, by_last(c, table >> 6), by_last(c, table >> 4)),
		chosen(b, by_last(c, table >> 2), by_last(c, table)));
}

VALUE32(lop3_32, (uint32_t)logic3(IN_u32(0), IN_u32(1), IN_u32(2), IN_u32(3)))
VALUE64(lop3_64, logic3(IN_u64(0), IN_u64(1), IN_u64(2), IN_u32(3)))

/* ---- which ---- */

static value_fn by_width(
	const struct ptx_insn *insn, value_fn narrow, value_fn wide)
{
	return ptx_types[insn->type].bytes == 8 ? wide : narrow;
}

static value_fn shift_right(const struct ptx_insn *insn)
{
	bool is_signed = ptx_types[insn->type].kind == 's';

	switch (ptx_types[insn->type].bytes) {
	case 2:
		return is_signed ? shr_s16 : shr_u16;
	case 4:
		return is_signed ? shr_s32 : shr_u32;
	default:
		return is_signed ? shr_s64 : shr_u64;
	}
}

static value_fn funnel_shift(const struct ptx_insn *insn)
{
	bool clamps = insn->word[PTX_CLASS_CLAMP] == PTXW_CLAMP_clamp;

	if (insn->word[PTX_CLASS_SHIFT] == PTXW_SHIFT_l)
		return clamps ? shf_l_clamp : shf_l_wrap;
	return clamps ? shf_r_clamp : shf_r_wrap;
}

static value_fn extract(const struct ptx_insn *insn)
{
	bool is_signed = ptx_types[insn->type].kind == 's';

	return is_signed ? by_width(insn, bfe_s32, bfe_s64)
			 : by_width(insn, bfe_u32, bfe_u64);
}

value_fn value_bits(const struct ptx_insn *insn)
{
	bool is_16 = ptx_types[insn->type].bytes == 2;

	switch (insn->op) {
	case PTXO_AND:
		return by_width(insn, and32, and64);
	case PTXO_OR:
		return by_width(insn, or32, or64);
	case PTXO_XOR:
		return by_width(insn, xor32, xor64);
	case PTXO_NOT:
		return is_16 ? not16 : by_width(insn, not32, not64);
	case PTXO_CNOT:
		return is_16 ? cnot16 : by_width(insn, cnot32, cnot64);
	case PTXO_SHL:
		return is_16 ? shl16 : by_width(insn, shl32, shl64);
	case PTXO_SHR:
		return shift_right(insn);
	case PTXO_SHF:
		return funnel_shift(insn);
	case PTXO_MOV:
		return by_width(insn, mov32, mov64);
	case PTXO_SELP:
		return by_width(insn, selp32, selp64);
	case PTXO_SLCT:
		return insn->from == PTX_f32 || insn->from == PTX_s32
			       ? by_width(insn, slct32, slct64)
			       : NULL;
	case PTXO_BFE:
		return extract(insn);
	case PTXO_BFI:
		return by_width(insn, bfi32, bfi64);
	case PTXO_BFIND:
		return bfind;
	case PTXO_BMSK:
		return insn->word[PTX_CLASS_CLAMP] == PTXW_CLAMP_clamp
			       ? bmsk_clamp
			       : bmsk_wrap;
	case PTXO_BREV:
		return by_width(insn, brev32, brev64);
	case PTXO_CLZ:
		return by_width(insn, clz32, clz64);
	case PTXO_POPC:
		return by_width(insn, popc32, popc64);
	case PTXO_PRMT:
		return prmt;
	case PTXO_LOP3:
		return by_width(insn, lop3_32, lop3_64);
	default:
		return NULL;
	}
}
