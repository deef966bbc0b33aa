/* Which loops only read the clock, and how long warps stay in them. */
#include "backend_sim/grid/spin.h"

#define SPIN_INSNS_MAX 4u

/* ---- which ---- */

static bool is_row(const struct row *r, const struct row *of)
{
	return !r->is_constant && !of->is_constant && r->slot == of->slot;
}

static bool has_words(const struct ptx_insn *insn, uint8_t but)
{
	uint32_t i;

	for (i = 0; i < PTX_CLASS_COUNT; i++)
		if (i != but && insn->word[i])
			return true;
	return false;
}

static unsigned bits_of(uint8_t type)
{
	switch (type) {
	case PTX_u32:
	case PTX_s32:
		return 32;
	case PTX_u64:
	case PTX_s64:
		return 64;
	default:
		return 0;
	}
}

static bool take_clock(const struct code_insn *c, struct spin_loop *loop)
{
	if (c->kind != CODE_CLOCK ||
		(c->count != PTXS_clock && c->count != PTXS_clock64) ||
		c->d.is_constant)
		return false;
	loop->bits = c->count == PTXS_clock ? 32 : 64;
	return true;
}

static bool take_sub(const struct code_insn *c, const struct row *clock,
	struct spin_loop *loop)
{
	if (c->insn->op != PTXO_SUB || bits_of(c->insn->type) != loop->bits ||
		has_words(c->insn, PTX_CLASS_COUNT) || c->d.is_constant ||
		!is_row(&c->s[0], clock) || is_row(&c->s[1], clock) ||
		is_row(&c->s[1], &c->d))
		return false;
	loop->has_start = true;
	loop->start = c->s[1];
	return true;
}

/* Whether it holds where the value is below, at and above the bound; false: it
   is no comparison of order. */
static bool holds_where(uint8_t word, bool holds[3])
{
	const bool less = word == PTXW_COMPARE_lt || word == PTXW_COMPARE_le ||
			  word == PTXW_COMPARE_lo || word == PTXW_COMPARE_ls;
	const bool more = word == PTXW_COMPARE_gt || word == PTXW_COMPARE_ge ||
			  word == PTXW_COMPARE_hi || word == PTXW_COMPARE_hs;

	holds[0] = less;
	holds[1] = word == PTXW_COMPARE_le || word == PTXW_COMPARE_ls ||
		   word == PTXW_COMPARE_ge || word == PTXW_COMPARE_hs;
	holds[2] = more;
	return less || more;
}

static bool take_compare(const struct code_insn *c,
	const struct code_insn *branch, const struct row *value,
	const struct row *clock, struct spin_loop *loop)
{
	const uint8_t word = c->insn->word[PTX_CLASS_COMPARE];
	const bool second = is_row(&c->s[1], value);
	bool holds[3];

	if (c->insn->op != PTXO_SETP || bits_of(c->insn->type) != loop->bits ||
		has_words(c->insn, PTX_CLASS_COMPARE) ||
		c->insn->second.kind == PTX_REGISTER || c->p.slot != NO_SLOT ||
		c->p_constant || c->sources != 2 || !holds_where(word, holds) ||
		is_row(&c->s[0], value) == second ||
		!is_row(&c->d, &branch->guard))
		return false;
	loop->bound = c->s[!second];
	loop->is_signed = ptx_types[c->insn->type].kind == 's';
	loop->until_wrap =
		(second ? holds[0] : holds[2]) != branch->guard_negated;
	loop->with_bound = holds[1] != branch->guard_negated;
	return !is_row(&loop->bound, clock) &&
	       (!loop->has_start || !is_row(&loop->start, value));
}

static bool is_plain(const struct code_insn *c)
{
	return !c->gathers && !c->idle && !c->guarded && !c->is_told;
}

bool spin_find(const struct code *code, uint32_t last, struct spin_loop *loop)
{
	const struct code_insn *branch = &code->insns[last], *clock, *c;
	const struct row *value;
	uint32_t i;

	if (branch->kind != CODE_BRANCH || !branch->guarded ||
		branch->is_told || !branch->slots || branch->gathers ||
		branch->target >= last ||
		last - branch->target >= SPIN_INSNS_MAX)
		return false;
	*loop = (struct spin_loop){.first = branch->target, .last = last};
	clock = c = &code->insns[loop->first];
	for (i = loop->first; i < last; i++)
		if (!is_plain(&code->insns[i]))
			return false;
	if (!take_clock(c++, loop))
		return false;
	value = &clock->d;
	if (take_sub(c, &clock->d, loop))
		value = &c++->d;
	return take_compare(c, branch, value, &clock->d, loop) &&
	       c + 1 == branch;
}

/* ---- how long ---- */

static uint64_t value_of(const struct grid *g, const struct kernel_warp *k,
	const struct spin_loop *loop, const struct row *r, unsigned lane)
{
	const uint8_t *row =
		(r->is_constant ? g->code.constants : kernel_rows(g, k)) +
		r->offset;

	return loop->bits == 64 ? ((const row_u64 *)(const void *)row)[lane]
				: ((const row_u32 *)(const void *)row)[lane];
}

/* Cycles behind `from` until the loop's condition can change, of values that
   grow by one a cycle from `value` on; 0: it does not hold there. */
static uint64_t stays(const struct spin_loop *loop, uint64_t value,
	uint64_t bound, uint64_t most)
{
	const uint64_t last = loop->until_wrap ? most : bound;

	if (value == bound ? !loop->with_bound
			   : (value > bound) != loop->until_wrap)
		return 0;
	if (last - value >= CORE_CYCLES_MAX)
		return CORE_CYCLES_MAX;
	return last - value + (loop->until_wrap || loop->with_bound);
}

uint64_t spin_until(const struct grid *g, const struct kernel_warp *k,
	const struct spin_loop *loop, uint64_t from)
{
	const uint64_t most = loop->bits == 64 ? UINT64_MAX : UINT32_MAX;
	const uint64_t sign = loop->is_signed ? most / 2 + 1 : 0;
	uint64_t least = CORE_CYCLES_MAX, cycles;
	uint32_t mask = k->paths[k->depth - 1].mask;

	for (; mask; mask &= mask - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(mask);
		uint64_t value = from;

		if (loop->has_start)
			value -= value_of(g, k, loop, &loop->start, lane);
		cycles = stays(loop, (value & most) ^ sign,
			value_of(g, k, loop, &loop->bound, lane) ^ sign, most);
		least = cycles < least ? cycles : least;
	}
	return from + least - 1;
}
