/* What is said of an access that is not behind what it needs. */
#include <inttypes.h>

#include "backend_sim/grid/order_parts.h"

static uint32_t line_of(const struct grid *g, uint32_t pc)
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
		line_of(g, other_pc), lacks[lack].missing);
	return false;
}
