/* Bulk copies, as threads issue them, their groups, and fences of proxies. */
#include <inttypes.h>

#include "backend_sim/core/events.h"
#include "backend_sim/grid/cluster.h"
#include "backend_sim/grid/order.h"
#include "backend_sim/bulk/bulk_parts.h"
#include "backend_sim/idle/needed.h"
#include "backend_sim/sm/qualifiers.h"
#include "backend_sim/rules/constants.h"

/* ---- copies ---- */

static enum copy_kind kind_of(const struct ptx_insn *insn)
{
	if (insn->op == PTXO_CP_BULK_PREFETCH)
		return COPY_PREFETCH;
	if (insn->word[PTX_CLASS_FROM] == PTXW_FROM_global)
		return COPY_LOAD;
	if (insn->word[PTX_CLASS_SPACE] != PTXW_SPACE_global)
		return COPY_ACROSS;
	return insn->op == PTXO_CP_BULK_REDUCE ? COPY_REDUCE : COPY_STORE;
}

/* What lies in no buffer is left alone, as an H100 does. */
static bool find_prefetched(
	const struct bulk_issue *s, uint64_t address, struct copy_run *run)
{
	if (address % BULK_UNIT == 0 &&
		(address < SPACE_BASE ||
			!space_find(s->x->grid->space, address - SPACE_BASE,
				s->bytes))) {
		run->bytes = 0;
		return true;
	}
	return bulk_find_global(s, address, &run->global);
}

/* The addresses in both memories, and whose shared memory it is. */
static bool find_run(
	const struct bulk_issue *s, struct copy_order *o, struct copy_run *run)
{
	const struct code_insn *c = s->c;
	const uint64_t to = bulk_address(s, &c->s[TO], c->offset, TO);
	const uint64_t from =
		bulk_address(s, &c->s[FROM], c->second_offset, FROM);
	uint32_t offset;

	run->bytes = s->bytes;
	switch (o->kind) {
	case COPY_PREFETCH:
		return find_prefetched(s, from, run);
	case COPY_LOAD:
		return bulk_find_global(s, from, &run->global) &&
		       bulk_find_shared(s, to, BULK_UNIT, s->bytes,
			       &o->blocks[0], &run->shared);
	case COPY_ACROSS:
		if (!bulk_find_own(s, from, &offset))
			return false;
		run->global = offset;
		return bulk_find_shared(s, to, BULK_UNIT, s->bytes,
			&o->blocks[0], &run->shared);
	default:
		return bulk_find_global(s, to, &run->global) &&
		       bulk_find_own(s, from, &run->shared);
	}
}

/* The barrier is in the block to which the copy goes. */
static bool find_barrier(const struct bulk_issue *s, struct copy_order *o)
{
	const uint64_t address =
		bulk_address(s, &s->c->rows[0], s->c->third_offset, BARRIER);
	uint32_t slot;

	if (o->kind != COPY_LOAD && o->kind != COPY_ACROSS)
		return true;
	if (!bulk_find_shared(s, address, 8, 8, &slot, &o->barrier))
		return false;
	return slot == o->blocks[0] ||
	       bulk_fails(s,
		       "has its barrier in another block than it goes to, at",
		       address);
}

bool bulk_spread(const struct bulk_issue *s, const struct row *ranks,
	struct copy_order *o)
{
	const struct grid *g = s->x->grid;
	const uint32_t first = cluster_first(g, o->blocks[0]);
	const row_u32 *masks;
	uint32_t mask, i;

	if (!s->c->insn->word[PTX_CLASS_MULTICAST])
		return true;
	masks = kernel_row(g, &g->warps[s->warp], ranks);
	mask = masks[s->lane] & 0xffff;
	o->block_count = 0;
	for (i = 0; i < COPY_BLOCKS_MAX; i++) {
		if (!(mask >> i & 1))
			continue;
		if (i >= g->cluster_blocks)
			return bulk_fails(s,
				"goes to a rank that the cluster does not "
				"have:",
				i);
		if (!s->x->blocks[first + i].live)
			return bulk_fails(
				s, "goes to a rank whose block has ended:", i);
		o->blocks[o->block_count++] = first + i;
	}
	return true;
}

bool bulk_take_policy(struct bulk_issue *s, struct copy_order *o)
{
	const struct grid *g = s->x->grid;
	const row_u64 *row = kernel_row(g, &g->warps[s->warp], &s->c->s[3]);

	if (!s->c->has_policy)
		return true;
	o->has_policy = true;
	o->policy = row[s->lane];
	if (qualifiers_take_policy(&s->x->warps[s->warp], o->policy))
		return true;
	return bulk_fails(
		s, "has a policy that createpolicy does not make,", o->policy);
}

static bool start(struct bulk_issue *s)
{
	const struct code_insn *c = s->c;
	struct copy_run run = {.bytes = s->bytes};
	struct copy_order o = {
		.kind = (uint8_t)kind_of(c->insn),
		.lane = (uint8_t)s->lane,
		.warp = s->warp,
		.pc = s->pc,
		.runs = &run,
		.run_count = 1,
		.blocks = {s->x->warps[s->warp].block_index},
		.block_count = 1,
		.from = s->x->warps[s->warp].block_index,
		.barrier = COPY_NO_BARRIER,
		.reduces = atomic_of(c),
	};

	if (s->bytes % BULK_UNIT)
		return bulk_fails(s,
			"is no multiple of 16 bytes, which is not modelled; "
			"its "
			"address is",
			bulk_address(s, &c->s[FROM], c->second_offset, FROM));
	if (o.kind == COPY_ACROSS && !s->x->grid->is_explicit) {
		grid_fail(s->x, s->warp, s->pc,
			"a bulk copy from .shared::cta to .shared::cluster is "
			"an illegal instruction in a launch without clusters");
		return false;
	}
	if (!find_run(s, &o, &run) || !bulk_take_policy(s, &o) ||
		!find_barrier(s, &o) || !bulk_spread(s, &c->rows[1], &o))
		return false;
	return !run.bytes || (needed_copy(s->x, &o) && copies_start(s->x, &o));
}

static bool start_all(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask)
{
	const struct grid *g = x->grid;
	const row_u32 *bytes = kernel_row(g, &g->warps[warp], &c->s[BYTES]);

	for (; mask; mask &= mask - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(mask);
		struct bulk_issue s = {x, c, warp, pc, lane, bytes[lane]};

		if (!start(&s))
			return false;
	}
	return true;
}

/* ---- groups ---- */

static bool reads(const struct code_insn *c)
{
	return c->insn->word[PTX_CLASS_READ] == PTXW_READ_read;
}

/* The lanes of the warp's nap that still wait for their copies. */
static uint32_t waiting(const struct execution *x, uint32_t warp)
{
	const struct nap *nap = &x->grid->warps[warp].nap;
	const struct code_insn *c = &x->grid->code.insns[nap->pc];

	return copies_wait(x, warp, nap->lanes, c->offset, reads(c));
}

/* What the lanes know of their groups. */
static void waited(struct execution *x, uint32_t warp)
{
	const struct nap *nap = &x->grid->warps[warp].nap;
	const uint64_t left = x->grid->code.insns[nap->pc].offset;
	uint32_t rest, group;

	for (rest = nap->lanes; rest; rest &= rest - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(rest);

		group = copies_group(x, warp, lane);
		if (group > left)
			order_groups(x, warp, lane, group - (uint32_t)left);
	}
}

void bulk_wake(struct execution *x, uint32_t warp)
{
	if (x->warps[warp].state != WARP_COPIES || waiting(x, warp))
		return;
	waited(x, warp);
	x->warps[warp].state = WARP_READY;
	event_push(x->core, warp, AT_WARP, core_now(x->core));
}

static enum pace wait_group(
	struct execution *x, uint32_t warp, uint32_t pc, uint32_t mask)
{
	struct kernel_warp *k = &x->grid->warps[warp];

	paths_next(k);
	k->nap.pc = pc;
	k->nap.lanes = mask;
	if (!waiting(x, warp)) {
		waited(x, warp);
		return ON;
	}
	profile_why(k, JOB_WAIT_WRITE, pc);
	x->warps[warp].state = WARP_COPIES;
	return OFF;
}

enum pace run_bulk(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask)
{
	struct kernel_warp *k = &x->grid->warps[warp];

	if (c->insn->op == PTXO_CP_BULK_WAIT)
		return wait_group(x, warp, pc, mask);
	if (c->insn->op == PTXO_CP_BULK_COMMIT)
		copies_commit(x, warp, mask);
	else if (!(bulk_is_sent(c) ? bulk_send_all(x, warp, c, pc, mask)
				   : start_all(x, warp, c, pc, mask)))
		return OFF;
	paths_next(k);
	return ON;
}

/* ---- proxies ---- */

/* Of a fence of shared memory alone, measured on an H200 with eight in a row by
   one warp; 0: it is another one. */
static uint32_t shared_fence_cycles(const struct ptx_insn *insn)
{
	switch (insn->op) {
	case PTXO_FENCE_ACQUIRE_SHARED:
		return 16;
	case PTXO_FENCE_RELEASE_SHARED:
		return 32;
	default:
		if (insn->op != PTXO_FENCE_PROXY ||
			insn->word[PTX_CLASS_PROXY] != PTXW_PROXY_generic)
			return 0;
		return insn->word[PTX_CLASS_ORDER] == PTXW_ORDER_acquire ? 25
									 : 33;
	}
}

enum pace run_proxy(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask)
{
	const uint8_t *word = c->insn->word;
	struct warp *w = &x->warps[warp];
	enum pace pace;

	if (shared_fence_cycles(c->insn)) {
		order_fence(x, warp, false);
		w->ready = core_now(x->core) + shared_fence_cycles(c->insn);
		paths_next(&x->grid->warps[warp]);
		return ON;
	}
	if (c->insn->op == PTXO_FENCE_PROXY &&
		word[PTX_CLASS_PROXY] != PTXW_PROXY_async) {
		pace = run_fence(x, warp, c);
		if (pace == ON && word[PTX_CLASS_PROXY] == PTXW_PROXY_tensormap)
			map_acquire(x, warp, c, mask);
		return pace;
	}
	if (c->insn->op == PTXO_FENCE_PROXY &&
		word[PTX_CLASS_SPACE] != PTXW_SPACE_global)
		order_proxy(x, warp);
	if (c->insn->op == PTXO_FENCE_MBARRIER)
		order_initialised(x, warp);
	if (c->insn->op == PTXO_FENCE_PROXY)
		w->ready = core_now(x->core) +
			   (word[PTX_CLASS_SPACE] == PTXW_SPACE_shared_cta
					   ? PROXY_SHARED_CYCLES
					   : PROXY_CYCLES);
	paths_next(&x->grid->warps[warp]);
	return ON;
}
