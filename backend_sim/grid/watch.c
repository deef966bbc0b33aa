#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/grid/cluster.h"
#include "backend_sim/grid/watch.h"

#define WORD_BYTES 4u

/* An access, by a thread of a block of the cluster. */
struct seen {
	uint32_t cycle; /* of the launch, at most UINT32_MAX */
	uint32_t pc : 26, rank : 4, is_there : 1, is_strong : 1;
	uint16_t thread;
	uint16_t arrivals; /* of its warp before it, in 16 bits */
};

struct word {
	struct seen wrote, read, others; /* read by the block, by others */
};

struct watch {
	uint32_t words;     /* of a block */
	struct word *shade; /* [slot][word]; owned */
	struct seen
		*last; /* [slot]: of others, that of the last phase; owned */
};

static bool maps(const struct code *code)
{
	uint32_t i;

	for (i = 0; i < code->count; i++)
		if (code->insns[i].insn->op == PTXO_MAPA ||
			code->insns[i].insn->is_cluster)
			return true;
	return false;
}

int watch_make(struct grid *g, struct error *error)
{
	struct watch *w;

	g->watch = NULL;
	if (g->cluster_blocks == 1 || !maps(&g->code))
		return 0;
	w = g->watch = calloc(1, sizeof(*w));
	if (w) {
		w->words = (uint32_t)((g->shared_bytes + WORD_BYTES - 1) /
				      WORD_BYTES);
		w->shade = calloc((size_t)g->slot_count * w->words + 1,
			sizeof(*w->shade));
		w->last = calloc(g->slot_count, sizeof(*w->last));
	}
	return w && w->shade && w->last
		       ? 0
		       : error_set(error, ERR_FAILED, "out of memory");
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	free(w->shade);
	free(w->last);
	free(w);
}

void watch_open(struct grid *g, uint32_t slot)
{
	struct watch *w = g->watch;

	if (!w)
		return;
	memset(w->shade + (size_t)slot * w->words, 0,
		w->words * sizeof(*w->shade));
	w->last[slot] = (struct seen){0};
}

/* ---- order ---- */

static uint32_t cycle_now(const struct execution *x)
{
	const uint64_t cycle = core_now(x->core) - x->grid->first_cycle;

	return cycle < UINT32_MAX ? (uint32_t)cycle : UINT32_MAX;
}

/* Whether the warp has waited for what the other one arrived at behind it, or
   has acquired since. */
static bool is_ordered(const struct seen *a, const struct kernel_warp *b)
{
	return (int16_t)(uint16_t)(a->arrivals - b->waits) < 0 ||
	       (b->acquired && a->cycle <= b->acquired);
}

static bool is_strong(const struct ptx_insn *insn)
{
	const uint8_t sem = insn->qualifiers[Q_SEM];

	return insn->op == PTXO_ATOM || insn->op == PTXO_RED ||
	       (sem && sem != QV_SEM_weak);
}

static bool is_race(const struct seen *a, const struct seen *b,
	const struct kernel_warp *warp)
{
	return a->is_there && a->rank != b->rank &&
	       !(a->is_strong && b->is_strong) && !is_ordered(a, warp);
}

/* ---- sentences ---- */

static uint32_t line_of(const struct grid *g, const struct seen *s)
{
	return g->code.insns[s->pc].insn->place.line;
}

static uint64_t block_of(const struct grid *g, uint32_t slot, uint32_t rank)
{
	return g->blocks[cluster_first(g, slot) + rank].number;
}

static bool fail_pair(struct access_of *a, const struct seen *before,
	const struct seen *now, bool wrote, bool writes)
{
	const uint32_t slot = a->x->warps[a->warp].block_index;

	grid_fail(a->x, a->warp, a->pc,
		"block %" PRIu64 ", thread %u %s shared memory of a cluster "
		"that block %" PRIu64 ", thread %u %s at line %u: no "
		"barrier.cluster stands between",
		a->g->blocks[slot].number, now->thread,
		writes ? "writes" : "reads", block_of(a->g, slot, before->rank),
		before->thread, wrote ? "wrote" : "read",
		line_of(a->g, before));
	return false;
}

static bool fail_early(
	struct access_of *a, const struct seen *now, uint32_t target)
{
	grid_fail(a->x, a->warp, a->pc,
		"block %" PRIu64 ", thread %u: an access to shared memory of "
		"block %" PRIu64 ", rank %u of its cluster, which may not have "
		"begun: no barrier.cluster stands before",
		a->g->blocks[a->x->warps[a->warp].block_index].number,
		now->thread, a->g->blocks[target].number,
		cluster_rank(a->g, target));
	return false;
}

/* ---- accesses ---- */

static bool look(struct access_of *a, struct word *word, const struct seen *now,
	bool writes, bool is_own)
{
	a->is_told |= word->wrote.is_there && word->wrote.is_strong &&
		      word->wrote.rank != now->rank;
	if (is_race(&word->wrote, now, a->k))
		return fail_pair(a, &word->wrote, now, true, writes);
	if (!writes) {
		*(is_own ? &word->read : &word->others) = *now;
		return true;
	}
	if (is_race(&word->read, now, a->k))
		return fail_pair(a, &word->read, now, false, writes);
	if (is_race(&word->others, now, a->k))
		return fail_pair(a, &word->others, now, false, writes);
	*word = (struct word){.wrote = *now};
	return true;
}

/* In which block's memory the lane's place is. */
static uint32_t target_of(
	const struct access_of *a, unsigned lane, uint32_t slot)
{
	uint32_t first = cluster_first(a->g, slot), i;

	for (i = first; i < first + a->g->cluster_blocks; i++)
		if (a->place[lane] >= a->g->blocks[i].shared &&
			a->place[lane] <
				a->g->blocks[i].shared + a->g->shared_bytes)
			return i;
	return slot;
}

static bool look_lane(struct access_of *a, unsigned lane, uint32_t bytes)
{
	const struct warp *w = &a->x->warps[a->warp];
	struct watch *watch = a->g->watch;
	const uint32_t slot = w->block_index;
	const uint32_t target =
		a->remote >> lane & 1 ? target_of(a, lane, slot) : slot;
	const struct seen now = {
		.cycle = cycle_now(a->x),
		.pc = a->pc & ((1u << 26) - 1),
		.rank = cluster_rank(a->g, slot) & 15,
		.is_there = 1,
		.is_strong = is_strong(a->c->insn),
		.thread = (uint16_t)(w->index * LANES + lane),
		.arrivals = (uint16_t)a->k->arrivals,
	};
	const bool writes = a->c->insn->op != PTXO_LD;
	uint64_t at = (uint64_t)(a->place[lane] - a->g->blocks[target].shared);
	const uint64_t end = at + bytes;

	if (target != slot) {
		if (!a->k->waits && !a->k->acquired)
			return fail_early(a, &now, target);
		watch->last[target] = now;
	}
	for (at = at / WORD_BYTES; at * WORD_BYTES < end; at++)
		if (!look(a, &watch->shade[(size_t)target * watch->words + at],
			    &now, writes, target == slot))
			return false;
	return true;
}

bool watch_access(struct access_of *a, uint32_t bytes)
{
	uint32_t rest = a->shared | a->remote;

	for (; rest; rest &= rest - 1)
		if (!look_lane(a, (unsigned)__builtin_ctz(rest), bytes))
			return false;
	return true;
}

/* ---- what orders ---- */

static void acquire(struct execution *x, struct kernel_warp *k)
{
	const uint32_t now = cycle_now(x);

	k->acquired = now ? now : 1;
}

void watch_reads(struct access_of *a, bool polls, bool acquires)
{
	if (polls && (a->global || a->is_told))
		a->k->told_others = true;
	if (acquires && (a->global || a->is_told))
		acquire(a->x, a->k);
}

void watch_told(struct execution *x, uint32_t warp, bool acquires)
{
	struct kernel_warp *k = &x->grid->warps[warp];

	if (!x->grid->watch)
		return;
	k->told_others = true;
	if (acquires)
		acquire(x, k);
}

void watch_fence(struct execution *x, uint32_t warp)
{
	struct kernel_warp *k = &x->grid->warps[warp];

	if (x->grid->watch && k->told_others)
		acquire(x, k);
}

void watch_meet(struct execution *x, uint32_t warp)
{
	uint32_t waits = 0, acquired = 0, i;
	struct kernel_warp *k;

	if (!x->grid->watch)
		return;
	for (i = warp; i != NONE; i = x->warps[i].next) {
		k = &x->grid->warps[i];
		waits = k->waits > waits ? k->waits : waits;
		acquired = k->acquired > acquired ? k->acquired : acquired;
	}
	for (i = warp; i != NONE; i = x->warps[i].next) {
		x->grid->warps[i].waits = waits;
		x->grid->warps[i].acquired = acquired;
	}
}

/* Does a warp of the block know that the access is over? */
static bool is_awaited(
	const struct grid *g, uint32_t slot, const struct seen *last)
{
	uint32_t i;

	for (i = 0; i < g->block_warps; i++)
		if (is_ordered(last, &g->warps[slot * g->block_warps + i]))
			return true;
	return false;
}

void watch_ends(struct execution *x, uint32_t warp)
{
	struct grid *g = x->grid;
	const uint32_t slot = x->warps[warp].block_index;
	const struct seen *last;

	if (!g->watch || x->blocks[slot].live > 1)
		return;
	last = &g->watch->last[slot];
	if (!last->is_there || is_awaited(g, slot, last))
		return;
	grid_fail(x, warp, last->pc,
		"block %" PRIu64 ", thread %u: an access to shared memory of "
		"block %" PRIu64 ", rank %u of its cluster, which may have "
		"ended: it waits at no barrier.cluster behind",
		block_of(g, slot, last->rank), last->thread,
		g->blocks[slot].number, cluster_rank(g, slot));
}
