/* What is said of an access that is not behind what it needs. */
#include <inttypes.h>
#include <stdio.h>

#include "backend_sim/order/parts.h"

uint32_t order_line(const struct grid *g, uint32_t pc)
{
	return pc < g->code.count ? g->code.insns[pc].insn->place.line : 0;
}

/* Of whom the line is: a copy, or a thread; and what is missing. */
static const struct {
	bool is_copy;
	const char *missing;
} lacks[] = {
	[LACKS_LOAD] = {true,
		"fills: no wait for it, by its group or by an arrival behind "
		"it, comes between"},
	[LACKS_WAIT] = {true,
		"fills: no wait for the phase in which it completes comes "
		"between"},
	[LACKS_LANDING] = {true,
		"fills and has not completed: the phase that was waited for is "
		"not the one in which its bytes come"},
	[LACKS_READ] = {true,
		"reads: no cp.async.bulk.wait_group of its thread, behind its "
		"commit_group, comes between"},
	[LACKS_ORDER] = {false,
		"has written: nothing that this thread has waited for comes "
		"between"},
	[LACKS_FENCE] = {false,
		"has written: no fence.proxy.async comes between"},
	[LACKS_FENCE_OF_WORDS] = {true,
		"fills by the generic proxy: no fence.proxy.async comes "
		"between"},
	[LACKS_READER] = {false,
		"has read: nothing that this thread has waited for comes "
		"between"},
};

static const char *const whats[][2] = {
	[A_THREAD] = {"a read of shared memory", "a write of shared memory"},
	[A_COPY] = {"a copy from shared memory", "a copy to shared memory"},
	[A_PRODUCT] = {"a product of matrices in shared memory", ""},
};

bool order_accuse(const struct accessor *by, uint32_t offset, enum lack lack,
	uint32_t other_pc)
{
	const struct grid *g = by->x->grid;
	const struct warp *w = &by->x->warps[by->warp];

	grid_fail(by->x, by->warp, by->pc,
		"block %" PRIu64 ", thread %u: %s at offset %u, which %s line "
		"%u %s",
		g->blocks[w->block_index].number, w->index * LANES + by->lane,
		whats[by->who][by->writes], offset,
		lacks[lack].is_copy ? "the copy of" : "a thread at",
		order_line(g, other_pc), lacks[lack].missing);
	return false;
}

/* ---- threads ---- */

/* What would order the two, which are of one warp, one block or neither. */
static const char *missing_between(
	const struct grid *g, uint32_t slot, uint32_t other, bool same_warp)
{
	if (same_warp)
		return "no bar.warp.sync";
	return slot == other || g->order->ranks == 1
		       ? "no barrier that both pass, nor a release and an "
			 "acquire,"
		       : "no barrier.cluster";
}

bool order_accuse_thread(const struct accessor *by, uint32_t slot,
	uint32_t offset, uint32_t bytes, const struct seen *other, bool wrote)
{
	const struct grid *g = by->x->grid;
	const struct order *o = g->order;
	const struct warp *w = &by->x->warps[by->warp];
	const uint32_t own = w->block_index;
	const uint32_t first = own / o->ranks * o->ranks;
	const uint32_t whose = first + other->peer / o->warps;
	const bool same_warp = other->peer == peer_of(by->x, by->warp);
	const uint32_t lanes = other->lanes & ~(same_warp ? 1u << by->lane : 0);
	char where[40] = "";

	if (slot != own)
		snprintf(where, sizeof(where), " of block %" PRIu64,
			g->blocks[slot].number);
	grid_fail(by->x, by->warp, by->pc,
		"block %" PRIu64 ", thread %u: %s %u byte%s of shared "
		"memory at offset %u%s, which block %" PRIu64
		", thread %u has %s at line %u: %s comes between",
		g->blocks[own].number, w->index * LANES + by->lane,
		by->who == A_COPY ? "a copy to"
		: by->writes      ? "a write of"
				  : "a read of",
		bytes, bytes == 1 ? "" : "s", offset, where,
		g->blocks[whose].number,
		other->peer % o->warps * LANES +
			(lanes ? (uint32_t)__builtin_ctz(lanes) : 0),
		wrote ? "written" : "read", order_line(g, other->pc),
		missing_between(g, own, whose, same_warp));
	return false;
}

/* ---- asynchronous barriers, and other blocks ---- */

bool order_accuse_barrier(const struct accessor *by, uint32_t slot,
	uint32_t offset, const char *what)
{
	const struct grid *g = by->x->grid;
	const struct warp *w = &by->x->warps[by->warp];
	char where[40] = "";

	if (slot != w->block_index)
		snprintf(where, sizeof(where), " of block %" PRIu64,
			g->blocks[slot].number);
	grid_fail(by->x, by->warp, by->pc,
		"block %" PRIu64
		", thread %u: the barrier at offset %u of shared memory%s %s",
		g->blocks[w->block_index].number, w->index * LANES + by->lane,
		offset, where, what);
	return false;
}

bool order_accuse_block(
	const struct accessor *by, uint32_t slot, const char *what)
{
	const struct grid *g = by->x->grid;
	const struct warp *w = &by->x->warps[by->warp];

	grid_fail(by->x, by->warp, by->pc,
		"block %" PRIu64 ", thread %u: an access to shared memory of "
		"block %" PRIu64 ", rank %u of its cluster, %s",
		g->blocks[w->block_index].number, w->index * LANES + by->lane,
		g->blocks[slot].number, cluster_rank(g, slot), what);
	return false;
}

/* ---- copies that come too late ---- */

/* The bytes count in the phase that is not over: it is to be the one in which
   the copy was issued. */
static bool comes_late(
	struct execution *x, const struct copy_order *c, struct block_order *b)
{
	const struct granule *g = &b->granules[c->runs[0].shared / GRANULE];
	const struct barrier_seen *s = find_barrier(b, c->barrier);
	const struct warp *w = &x->warps[c->warp];

	if (!s || g->copy_pc != c->pc || g->phase == s->phases)
		return false;
	grid_fail(x, c->warp, c->pc,
		"block %" PRIu64
		", thread %u: the bytes of this copy come in a "
		"later phase of its barrier, at offset %u of shared memory, "
		"than the one in which it was issued: that one did not expect "
		"them",
		x->grid->blocks[w->block_index].number,
		w->index * LANES + c->lane, c->barrier);
	return true;
}

void order_landed(
	struct execution *x, const struct copy_order *c, uint32_t block)
{
	struct block_order *b;
	uint32_t i, at;

	if (!x->grid->order || c->barrier == COPY_NO_BARRIER)
		return;
	b = &x->grid->order->blocks[block];
	b->flying--;
	if (c->run_count && comes_late(x, c, b))
		return;
	for (i = 0; i < c->run_count; i++)
		for (at = c->runs[i].shared / GRANULE * GRANULE;
			at < c->runs[i].shared + c->runs[i].bytes;
			at += GRANULE)
			b->granules[at / GRANULE].flies = false;
}
