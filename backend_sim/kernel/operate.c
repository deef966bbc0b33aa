/* Instructions on registers. */
#include <string.h>

#include "backend_sim/grid/grid.h"

static uint32_t predicate(const struct grid *g, const struct kernel_warp *k,
	const struct code_insn *c)
{
	uint32_t bits;

	memcpy(&bits, kernel_row(g, k, &c->p), sizeof(bits));
	return c->p_negated ? ~bits : bits;
}

void operate_value(const struct grid *g, struct kernel_warp *k,
	const struct code_insn *c, uint32_t mask)
{
	uint8_t *const from[2] = {kernel_rows(g, k), g->code.constants};
	uint64_t nowhere[LANES];
	struct value v;
	uint32_t i;

	if (c->idle)
		return;
	v.mask = mask;
	v.carry = &k->carry;
	v.insn = c->insn;
	v.d = c->d.is_constant ? (void *)nowhere : from[0] + c->d.offset;
	v.e = c->e.is_constant ? NULL : (void *)(from[0] + c->e.offset);
	for (i = 0; i < c->sources; i++)
		v.s[i] = from[c->s[i].is_constant] + c->s[i].offset;
	for (; i < 4; i++)
		v.s[i] = NULL;
	if (c->insn->op == PTXO_CVTA)
		v.s[1] = from[c->s[1].is_constant] + c->s[1].offset;
	v.p = c->p.slot != NO_SLOT || c->p_constant ? predicate(g, k, c) : 0;
	c->run(&v);
}

static __attribute__((noinline)) void operate_predicate(const struct grid *g,
	struct kernel_warp *k, const struct code_insn *c, uint32_t mask)
{
	uint32_t s[2] = {0, 0}, bits, *d = kernel_row(g, k, &c->d), i;

	for (i = 0; i < 2; i++) {
		memcpy(&s[i], kernel_row(g, k, &c->s[i]), sizeof(s[i]));
		s[i] ^= c->count >> i & 1 ? UINT32_MAX : 0;
	}
	switch (c->insn->op) {
	case PTXO_AND:
		bits = s[0] & s[1];
		break;
	case PTXO_OR:
		bits = s[0] | s[1];
		break;
	case PTXO_XOR:
		bits = s[0] ^ s[1];
		break;
	case PTXO_NOT:
		bits = ~s[0];
		break;
	default:
		bits = s[0];
		break;
	}
	*d = (*d & ~mask) | (bits & mask);
}

static uint64_t read_lane(const void *row, unsigned lane, unsigned bytes)
{
	return bytes == 8   ? ((const row_u64 *)row)[lane]
	       : bytes == 4 ? ((const row_u32 *)row)[lane]
			    : ((const row_u32 *)row)[lane] &
				      ((UINT32_C(1) << 8 * bytes) - 1);
}

static void write_lane(void *row, unsigned lane, unsigned bytes, uint64_t value)
{
	if (bytes == 8)
		((row_u64 *)row)[lane] = value;
	else
		((row_u32 *)row)[lane] =
			(uint32_t)(bytes == 4
					   ? value
					   : value & ((1u << 8 * bytes) - 1));
}

/* Between a whole and its parts. */
static __attribute__((noinline)) void operate_pack(const struct grid *g,
	struct kernel_warp *k, const struct code_insn *c, uint32_t mask)
{
	unsigned whole = c->bytes * c->count, i;
	bool packs = c->has_base;
	uint64_t parts[8];

	for (; mask; mask &= mask - 1) {
		unsigned lane = (unsigned)__builtin_ctz(mask);
		uint64_t all = 0;

		if (!packs)
			all = read_lane(
				kernel_row(g, k, &c->s[0]), lane, whole);
		for (i = 0; i < c->count; i++)
			parts[i] =
				packs ? read_lane(kernel_row(g, k, &c->rows[i]),
						lane, c->bytes)
				      : all >> (8 * c->bytes * i);
		for (i = 0; packs && i < c->count; i++)
			all |= parts[i] << (8 * c->bytes * i);
		if (packs && !c->d.is_constant)
			write_lane(kernel_row(g, k, &c->d), lane, whole, all);
		for (i = 0; !packs && i < c->count; i++)
			if (!c->rows[i].is_constant)
				write_lane(kernel_row(g, k, &c->rows[i]), lane,
					c->bytes, parts[i]);
	}
}

/* Cycles, and nanoseconds since the launch began. */
static __attribute__((noinline)) void operate_clock(const struct execution *x,
	struct kernel_warp *k, const struct code_insn *c, uint32_t mask)
{
	uint64_t now = core_now(x->core), value;
	bool wide = ptx_specials[c->count].bits == 64;

	value = c->count >= PTXS_globaltimer
			? (uint64_t)((double)now * 1e9 / x->core->cost.clock_hz)
			: now;
	if (c->count == PTXS_clock_hi || c->count == PTXS_globaltimer_hi)
		value >>= 32;
	for (; mask; mask &= mask - 1)
		write_lane(kernel_row(x->grid, k, &c->d),
			(unsigned)__builtin_ctz(mask), wide ? 8 : 4, value);
}

void operate(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t mask)
{
	struct kernel_warp *k = &x->grid->warps[warp];

	if (c->idle)
		return;
	switch (c->kind) {
	case CODE_VALUE:
		operate_value(x->grid, k, c, mask);
		break;
	case CODE_PREDICATE:
		operate_predicate(x->grid, k, c, mask);
		break;
	case CODE_PACK:
		operate_pack(x->grid, k, c, mask);
		break;
	case CODE_CLOCK:
		operate_clock(x, k, c, mask);
		break;
	case CODE_WARP:
		operate_across(x, warp, c, mask);
		break;
	default:
		break;
	}
}
