/* Asynchronous barriers: arrivals, bytes, and warps that wait for a phase. */
#include <inttypes.h>

#include "backend_sim/values/mbarrier.h"
#include "backend_sim/grid/order.h"
#include "backend_sim/kernel/issue.h"
#include "backend_sim/kernel/nap.h"

#define BARRIER_BYTES 8u

/* ---- what lanes say ---- */

struct at_barriers {
	struct access_of a;
	const void *values; /* row of s[1] */
};

static uint64_t load(const struct access_of *a, unsigned lane)
{
	return access_bits(a->place[lane], BARRIER_BYTES);
}

static void store(
	const struct access_of *a, unsigned lane, const struct mbarrier *b)
{
	const uint64_t bits = mbarrier_bits(b);

	memcpy(a->place[lane], &bits, sizeof(bits));
}

static uint32_t word_of(
	const struct access_of *a, const struct row *row, unsigned lane)
{
	return ((const row_u32 *)kernel_row(a->g, a->k, row))[lane];
}

static bool fails(struct access_of *a, unsigned lane, const char *what)
{
	const struct warp *w = &a->x->warps[a->warp];

	grid_fail(a->x, a->warp, a->pc,
		"block %" PRIu64 ", thread %u: the barrier at offset %" PRIu64
		" of shared memory %s",
		a->g->blocks[w->block_index].number, w->index * LANES + lane,
		a->address[lane], what);
	return false;
}

static const char *const faults[] = {
	[MBARRIER_COUNT] = "is to take none, or more than 1048575 arrivals",
	[MBARRIER_ARRIVALS] = "gets an arrival too many",
	[MBARRIER_BYTES] = "counts more than 1048575 bytes",
};

/* All but mbarrier.init, which makes one of anything. */
static bool may_use(const struct access_of *a)
{
	uint32_t rest;

	if (!a->g->order || a->c->insn->op == PTXO_MBARRIER_INIT)
		return true;
	for (rest = a->shared | a->remote; rest; rest &= rest - 1)
		if (!order_uses(a, (unsigned)__builtin_ctz(rest)))
			return false;
	return true;
}

/* What can be done to a barrier of another block of the cluster. */
static bool is_for_others(const struct code_insn *c)
{
	return c->insn->is_cluster;
}

/* Finds the barriers of the lanes. */
static bool find(struct access_of *a, struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask)
{
	access_begin(a, x, warp, c, pc, mask);
	access_addresses(
		a, &c->s[0], c->s[0].slot != NO_SLOT, c->offset, c->count & 1);
	if (!access_places(a, c->space, BARRIER_BYTES))
		return false;
	if ((a->shared | (is_for_others(c) ? a->remote : 0)) == mask)
		return may_use(a);
	grid_fail(x, warp, pc,
		"an asynchronous barrier is in shared memory%s, and address "
		"0x%" PRIx64 " is not",
		is_for_others(c) ? "" : " of the block",
		a->address[__builtin_ctz(mask & ~a->shared)]);
	return false;
}

/* ---- one lane ---- */

static bool arrive(struct access_of *a, unsigned lane, struct mbarrier *b,
	uint32_t value, bool *over)
{
	const struct ptx_insn *insn = a->c->insn;
	const uint8_t how = insn->word[PTX_CLASS_ARRIVAL];
	uint32_t count = a->c->sources ? value : 1;
	enum mbarrier_fault fault = MBARRIER_FINE;

	*over = false;
	if (how == PTXW_ARRIVAL_expect_tx) {
		count = 1;
		fault = value > MBARRIER_MOST ? MBARRIER_BYTES
					      : mbarrier_expect(b, value, over);
	}
	if (!fault)
		fault = mbarrier_arrive(
			b, count, insn->op == PTXO_MBARRIER_DROP, over);
	if (fault)
		return fails(a, lane, faults[fault]);
	if (*over && how == PTXW_ARRIVAL_noComplete)
		return fails(a, lane,
			"ends its phase at an arrival with .noComplete, which "
			"PTX leaves undefined");
	return true;
}

static bool change(struct access_of *a, unsigned lane, struct mbarrier *b,
	uint32_t value, bool *over)
{
	enum mbarrier_fault fault = MBARRIER_FINE;

	switch (a->c->insn->op) {
	case PTXO_MBARRIER_INIT:
		fault = mbarrier_init(b, value);
		break;
	case PTXO_MBARRIER_INVAL:
		break;
	case PTXO_MBARRIER_EXPECT:
	case PTXO_MBARRIER_COMPLETE:
		fault = value > MBARRIER_MOST
				? MBARRIER_BYTES
				: mbarrier_expect(b,
					  a->c->insn->op == PTXO_MBARRIER_EXPECT
						  ? (int64_t)value
						  : -(int64_t)value,
					  over);
		break;
	default:
		return arrive(a, lane, b, value, over);
	}
	return fault ? fails(a, lane, faults[fault]) : true;
}

/* What an arrival returns is what was there before. */
static void give_state(
	const struct access_of *a, unsigned lane, const struct mbarrier *was)
{
	if (a->c->d.slot != NO_SLOT)
		((row_u64 *)kernel_row(a->g, a->k, &a->c->d))[lane] =
			mbarrier_state(was);
}

static void tell_order(const struct access_of *a, unsigned lane)
{
	const uint32_t offset = (uint32_t)a->address[lane];

	switch (a->c->insn->op) {
	case PTXO_MBARRIER_INIT:
		order_init(a->x, a->warp, offset);
		break;
	case PTXO_MBARRIER_INVAL:
		order_inval(a->x, a->warp, offset);
		break;
	case PTXO_MBARRIER_ARRIVE:
	case PTXO_MBARRIER_DROP:
		order_arrive_at(a->x, a->warp, access_block(a, lane), offset);
		break;
	default:
		break;
	}
}

static void end_phase(
	struct execution *x, uint32_t block, uint32_t offset, uint32_t line)
{
	order_phase_over(x->grid, block, offset);
	nap_wake(x, block, offset, line);
}

static bool change_all(struct access_of *a)
{
	struct mbarrier b, was;
	uint32_t rest, value;
	bool over;

	for (rest = a->mask; rest; rest &= rest - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(rest);

		b = was = mbarrier_read(load(a, lane));
		value = a->c->sources ? word_of(a, &a->c->s[1], lane) : 1;
		over = false;
		if (!change(a, lane, &b, value, &over))
			return false;
		store(a, lane, &b);
		give_state(a, lane, &was);
		if (a->g->order)
			tell_order(a, lane);
		if (over)
			end_phase(a->x, access_block(a, lane),
				(uint32_t)a->address[lane], a->pc);
	}
	return true;
}

void mbarrier_landed(struct execution *x, uint32_t block, uint32_t offset,
	uint32_t bytes, uint32_t warp, uint32_t pc)
{
	uint8_t *place = x->grid->blocks[block].shared + offset;
	struct mbarrier b = mbarrier_read(access_bits(place, BARRIER_BYTES));
	enum mbarrier_fault fault;
	uint64_t bits;
	bool over;

	fault = mbarrier_expect(&b, -(int64_t)bytes, &over);
	if (fault) {
		grid_fail(x, warp, pc,
			"block %" PRIu64 ": the barrier at offset %u of shared "
			"memory %s",
			x->grid->blocks[block].number, offset, faults[fault]);
		return;
	}
	bits = mbarrier_bits(&b);
	memcpy(place, &bits, sizeof(bits));
	if (over)
		end_phase(x, block, offset, pc);
}

/* ---- cp.async.mbarrier.arrive ---- */

/* An arrival for when the thread's copies so far have come: of .noinc one that
   the barrier counts already, else one more. Copies of cp.async are in shared
   memory when they are issued: it arrives when the last one has come. */
static bool arrive_behind(struct access_of *a)
{
	const bool counted =
		a->c->insn->word[PTX_CLASS_ARRIVAL] == PTXW_ARRIVAL_noinc;
	const uint32_t block = a->x->warps[a->warp].block_index;
	uint32_t rest;

	for (rest = a->mask; rest; rest &= rest - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(rest);
		struct mbarrier b = mbarrier_read(load(a, lane));
		bool over = false;

		order_loads_at(a->x, a->warp, (uint32_t)a->address[lane]);
		/* One more that is pending, and its arrival, change nothing. */
		if (!counted)
			continue;
		if (mbarrier_arrive(&b, 1, false, &over))
			return fails(a, lane, faults[MBARRIER_ARRIVALS]);
		store(a, lane, &b);
		order_arrive_at(
			a->x, a->warp, block, (uint32_t)a->address[lane]);
		if (over)
			end_phase(
				a->x, block, (uint32_t)a->address[lane], a->pc);
	}
	return true;
}

/* Its copies are under way. */
static bool has_copies(const struct kernel_warp *k)
{
	uint32_t i;

	for (i = 0; i < GROUPS; i++)
		if (k->copies[i])
			return true;
	return false;
}

/* ---- instructions ---- */

static void count_pending(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	const row_u64 *states = kernel_row(x->grid, k, &c->s[1]);
	row_u32 *counts = kernel_row(x->grid, k, &c->d);

	for (; mask; mask &= mask - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(mask);

		counts[lane] = mbarrier_pending(states[lane]);
	}
}

uint32_t mbarrier_over(struct execution *x, uint32_t warp, uint32_t pc,
	uint32_t lanes, uint32_t at)
{
	const struct code_insn *c = &x->grid->code.insns[pc];
	const bool has_state = c->insn->op == PTXO_MBARRIER_TEST ||
			       c->insn->op == PTXO_MBARRIER_TRY;
	struct access_of a;
	uint32_t over = 0, rest, parity;

	if (!find(&a, x, warp, c, pc, lanes))
		return 0;
	for (rest = lanes; rest; rest &= rest - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(rest);
		const struct mbarrier b = mbarrier_read(load(&a, lane));
		const void *row = kernel_row(a.g, a.k, &c->s[1]);

		if (at != NONE && a.address[lane] != at)
			continue;
		parity = has_state
				 ? mbarrier_parity(((const row_u64 *)row)[lane])
				 : ((const row_u32 *)row)[lane];
		over |= (uint32_t)mbarrier_is_over(&b, parity) << lane;
	}
	return over;
}

/* It acquires what other blocks did before they arrived. */
static bool acquires(const struct code_insn *c)
{
	const uint8_t *word = c->insn->word;

	return word[PTX_CLASS_SCOPE] == PTXW_SCOPE_cluster &&
	       word[PTX_CLASS_ORDER] != PTXW_ORDER_relaxed;
}

void mbarrier_waited(
	struct execution *x, uint32_t warp, uint32_t pc, uint32_t over)
{
	struct access_of a;
	uint32_t rest, last = NONE;

	if (!x->grid->order || !over ||
		!find(&a, x, warp, &x->grid->code.insns[pc], pc, over))
		return;
	for (rest = over; rest; rest &= rest - 1) {
		const uint32_t at = (uint32_t)a.address[__builtin_ctz(rest)];

		if (at != last)
			order_waited(x, warp, over, at, acquires(a.c));
		last = at;
	}
}

static bool tests(const struct code_insn *c)
{
	return c->insn->op == PTXO_MBARRIER_TEST ||
	       c->insn->op == PTXO_MBARRIER_TEST_PARITY;
}

static bool waits(const struct code_insn *c)
{
	return c->insn->op >= PTXO_MBARRIER_TEST &&
	       c->insn->op <= PTXO_MBARRIER_TRY_PARITY;
}

static enum pace wait(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask)
{
	const uint32_t over = mbarrier_over(x, warp, pc, mask, NONE);

	if (x->core->failed)
		return OFF;
	if (over != mask && !tests(c) && nap_can(x, warp)) {
		paths_next(&x->grid->warps[warp]);
		nap_begin(x, warp, pc, mask);
		return OFF;
	}
	nap_answer(x, warp, pc, mask, over);
	paths_next(&x->grid->warps[warp]);
	if (over != mask)
		nap_in_vain(x, warp, pc, mask, !over && tests(c));
	return x->core->failed ? OFF : ON;
}

enum pace run_mbarrier(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	struct access_of a;

	if (waits(c))
		return wait(x, warp, c, pc, mask);
	if (c->insn->op == PTXO_MBARRIER_PENDING) {
		count_pending(x, warp, c, mask);
	} else if (c->insn->op == PTXO_CP_ASYNC_ARRIVE && has_copies(k)) {
		return wait_for(x, warp, WARP_ANSWERED, JOB_WAIT_L1);
	} else {
		if (!find(&a, x, warp, c, pc, mask))
			return OFF;
		if (!(c->insn->op == PTXO_CP_ASYNC_ARRIVE ? arrive_behind(&a)
							  : change_all(&a)))
			return OFF;
	}
	write_later(k, c, core_now(x->core));
	paths_next(k);
	return ON;
}
