#include <stdlib.h>

#include "backend_sim/passes/counted.h"
#include "backend_sim/flow/effect.h"
#include "backend_sim/flow/uses.h"
#include "backend_sim/rules/constants.h"

/* ---- what it costs ---- */

static bool is_sum_of_warp(const struct ptx_insn *insn)
{
	const uint8_t op = insn->qualifiers[Q_ATOMIC];

	return (insn->op == PTXO_ATOM || insn->op == PTXO_RED) &&
	       !ptx_is_real(insn->type) && ptx_types[insn->type].bytes == 4 &&
	       (op == QV_ATOMIC_add || op == QV_ATOMIC_min ||
		       op == QV_ATOMIC_max);
}

static uint32_t cost_of_real(const struct ptx_insn *insn)
{
	const bool flushes = insn->word[PTX_CLASS_FTZ] != 0;

	if (insn->type == PTX_f64 || !insn->word[PTX_CLASS_APPROX])
		return UNROLL_SEQUENCE_COST;
	return flushes ? 1 : UNROLL_APPROXIMATE_COST;
}

static uint32_t cost_of_operation(const struct ptx_insn *insn)
{
	switch (insn->op) {
	case PTXO_MOV:
		return insn->operands[1].kind == PTX_NUMBER;
	case PTXO_CVTA:
		return 0;
	case PTXO_MUL: /* one with the sum that takes it */
		return insn->word[PTX_CLASS_MODE] != PTXW_MODE_wide;
	case PTXO_DIV:
	case PTXO_REM:
		return ptx_types[insn->type].kind == 'f' ? cost_of_real(insn)
							 : UNROLL_SEQUENCE_COST;
	case PTXO_RCP:
	case PTXO_SQRT:
	case PTXO_RSQRT:
	case PTXO_LG2:
	case PTXO_EX2:
		return cost_of_real(insn);
	default:
		return 1;
	}
}

static uint32_t cost_of(const struct ptx_insn *insn)
{
	if (is_sum_of_warp(insn))
		return UNROLL_SUM_OF_WARP_COST;
	if (ptx_ops[insn->op].memory)
		return UNROLL_ACCESS_COST + insn->guarded;
	return cost_of_operation(insn) + insn->guarded;
}

static bool is_cheap(const struct flat *f, const struct counted *loop)
{
	uint32_t cost = 0, shared = 0, global = 0, i;

	for (i = loop->first; i + 1 < loop->end; i++) {
		const struct ptx_insn *insn = f->insns[i].insn;

		cost += cost_of(insn);
		if (insn->op != PTXO_LD)
			continue;
		shared += insn->space == PTX_SHARED;
		global += insn->space == PTX_GLOBAL;
	}
	if (global && cost <= UNROLL_GLOBAL_MOST)
		return true;
	return cost <= UNROLL_SHARED_MOST &&
	       cost - UNROLL_ACCESS_COST * (shared + global) <=
		       UNROLL_REST_MOST + UNROLL_REST_PER_SHARED * shared;
}

/* ---- what may be in it ---- */

/* A division of f32 with a rounding has a branch, one of 64 bits a call. */
static bool has_branch(const struct ptx_insn *insn)
{
	const bool divides = insn->op == PTXO_DIV || insn->op == PTXO_REM;

	if (!divides)
		return false;
	if (ptx_types[insn->type].kind == 'f')
		return insn->type == PTX_f32 && !insn->word[PTX_CLASS_APPROX];
	return ptx_types[insn->type].bytes == 8;
}

static bool may_be_inside(const struct ptx_insn *insn)
{
	switch (insn->op) {
	case PTXO_FENCE:
	case PTXO_MEMBAR:
	case PTXO_FENCE_PROXY:
	case PTXO_FENCE_ACQUIRE_SHARED:
	case PTXO_FENCE_RELEASE_SHARED:
	case PTXO_FENCE_MBARRIER:
	case PTXO_NANOSLEEP:
	case PTXO_DISCARD:
	case PTXO_RET:
		return false;
	default:
		return !insn->stays_rolled && effect_of(insn) != CLOCKS &&
		       !has_branch(insn);
	}
}

static bool is_plain(const struct flat *f, const struct counted *loop)
{
	const uint32_t instance = f->insns[loop->first].instance;
	uint32_t i;

	for (i = loop->first; i < loop->end; i++)
		if (f->insns[i].instance != instance ||
			!may_be_inside(f->insns[i].insn))
			return false;
	return !f->instances[instance].name_count;
}

/* Lanes talk to each other there, or wait for each other. */
static bool has_talk(const struct flat *f, const struct counted *loop)
{
	uint32_t i;

	for (i = loop->first; i < loop->end; i++)
		if (effect_gathers(f->insns[i].insn))
			return true;
	return false;
}

/* ---- how it counts ---- */

/* The only one of the loop that writes the register; `end`: there is none, or
   there are several. */
static uint32_t writer_of(
	const struct flat *f, const struct counted *loop, uint32_t reg)
{
	uint32_t found = loop->end, i, k;
	struct uses u;

	for (i = loop->first; i < loop->end; i++) {
		uses_of(f, i, &u);
		for (k = 0; k < u.write_count; k++) {
			if (u.writes[k] != reg)
				continue;
			if (found != loop->end)
				return loop->end;
			found = i;
		}
	}
	return found;
}

static bool is_written(
	const struct flat *f, const struct counted *loop, uint32_t reg)
{
	struct uses u;
	uint32_t i, k;

	for (i = loop->first; i < loop->end; i++) {
		uses_of(f, i, &u);
		for (k = 0; k < u.write_count; k++)
			if (u.writes[k] == reg)
				return true;
	}
	return false;
}

int64_t counted_step(const struct ptx_insn *insn)
{
	const struct ptx_operand *o = insn->operands;
	const uint8_t bytes = ptx_types[insn->type].bytes;
	int64_t step;

	if ((insn->op != PTXO_ADD && insn->op != PTXO_SUB) || insn->guarded ||
		insn->word[PTX_CLASS_CC] || insn->word[PTX_CLASS_SAT] ||
		ptx_types[insn->type].kind == 'f' || bytes < 4 ||
		o[0].kind != PTX_REGISTER || o[1].kind != PTX_REGISTER ||
		o[0].index != o[1].index || o[2].kind != PTX_NUMBER)
		return 0;
	step = bytes == 4 ? (int32_t)o[2].bits : (int64_t)o[2].bits;
	if (step > INT32_MAX || step < -INT32_MAX)
		return 0;
	return insn->op == PTXO_SUB ? -step : step;
}

static bool goes_towards(uint8_t compare, int64_t step)
{
	switch (compare) {
	case PTXW_COMPARE_ne:
		return step != 0;
	case PTXW_COMPARE_lt:
	case PTXW_COMPARE_le:
		return step > 0;
	case PTXW_COMPARE_gt:
	case PTXW_COMPARE_ge:
		return step < 0;
	default:
		return false;
	}
}

static bool is_test(const struct ptx_insn *insn)
{
	const struct ptx_type_info *type = &ptx_types[insn->type];

	return insn->op == PTXO_SETP && !insn->guarded &&
	       insn->operand_count == 3 && insn->second.kind == PTX_NOTHING &&
	       (type->kind == 'u' || type->kind == 's' || type->kind == 'b') &&
	       type->bytes >= 4 && insn->operands[1].kind == PTX_REGISTER;
}

static bool reads(const struct flat *f, uint32_t i, uint32_t reg)
{
	struct uses u;
	uint32_t k;

	uses_of(f, i, &u);
	for (k = 0; k < u.read_count; k++)
		if (u.reads[k] == reg)
			return true;
	return false;
}

/* Only the branch takes what the comparison says. */
static bool is_for_branch(
	const struct counted_of *of, const struct counted *loop, uint32_t guard)
{
	const struct graph_block *b = &of->g->blocks[loop->block];
	uint32_t i;

	for (i = loop->first; i + 1 < loop->end; i++)
		if (reads(of->f, i, guard))
			return false;
	return !liveness_has(of->live, of->live->in, b->successor[0], guard);
}

/* Three rounds are a distance that the type can hold. */
static bool is_short(const struct ptx_insn *test, int64_t step)
{
	const bool is_wide = ptx_types[test->type].bytes == 8;

	return llabs(step) <= (is_wide ? INT64_MAX : INT32_MAX) / 3;
}

/* Three rounds before the bound is still a number of the type. */
static bool has_room(const struct ptx_insn *test, int64_t step)
{
	const struct ptx_type_info *type = &ptx_types[test->type];
	const bool is_signed = type->kind == 's' ||
			       test->word[PTX_CLASS_COMPARE] == PTXW_COMPARE_ne;
	const __int128 bits = test->operands[2].bits;
	const unsigned width = type->bytes * 8;
	const __int128 whole = (__int128)1 << width;
	const __int128 low = is_signed ? -whole / 2 : 0;
	__int128 bound = bits & (whole - 1);

	bound -= is_signed && bound >= whole / 2 ? whole : 0;
	bound -= (__int128)step * 3;
	return bound >= low && bound < low + whole;
}

/* The bound stays as it is. */
static bool is_bound(const struct flat *f, const struct counted *loop)
{
	const struct flat_insn *test = &f->insns[loop->test];
	const struct ptx_operand *bound = &test->insn->operands[2];

	if (bound->kind == PTX_NUMBER)
		return has_room(test->insn, loop->step);
	return bound->kind == PTX_REGISTER &&
	       !is_written(
		       f, loop, flat_register(f, test->instance, bound->index));
}

/* One block that goes back to itself under a predicate. */
static bool is_loop(const struct flat *f, const struct graph_block *b)
{
	const struct flat_insn *branch = &f->insns[b->end - 1];

	return branch->insn->op == PTXO_BRA && branch->insn->guarded &&
	       !branch->insn->guard_negated && branch->target == b->first &&
	       b->successor[0] != NO_BLOCK;
}

/* Finds what counts, and how. */
static bool counts(const struct flat *f, struct counted *loop)
{
	const struct flat_insn *test = &f->insns[loop->test];
	const struct ptx_insn *add;

	loop->add = writer_of(f, loop,
		flat_register(
			f, test->instance, test->insn->operands[1].index));
	if (loop->add >= loop->test)
		return false;
	add = f->insns[loop->add].insn;
	loop->step = counted_step(add);
	return goes_towards(test->insn->word[PTX_CLASS_COMPARE], loop->step) &&
	       is_short(test->insn, loop->step);
}

bool counted_find(
	const struct counted_of *of, uint32_t block, struct counted *loop)
{
	const struct flat *f = of->f;
	const struct graph_block *b = &of->g->blocks[block];
	const struct flat_insn *branch = &f->insns[b->end - 1];
	uint32_t guard;

	*loop = (struct counted){block, b->first, b->end, 0, 0, 0};
	if (!is_loop(f, b) || !is_plain(f, loop))
		return false;
	guard = flat_register(f, branch->instance, branch->insn->guard);
	loop->test = writer_of(f, loop, guard);
	if (loop->test == loop->end || !is_test(f->insns[loop->test].insn) ||
		!is_for_branch(of, loop, guard))
		return false;
	return counts(f, loop) && is_bound(f, loop) && is_cheap(f, loop) &&
	       !(of->divided[block] && has_talk(f, loop));
}
