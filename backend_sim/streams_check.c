/* Accesses of launches that may begin before the end of another one. */
#include <inttypes.h>
#include <stdio.h>

#include "backend_sim/grid/cluster.h"
#include "backend_sim/streams_shade.h"

/* Whether any run of its stream need not wait for it, or it for one. */
static bool is_looked_at(const struct streams *s, const struct run *run)
{
	return run_is_programmatic(run) ||
	       (run->next != NO_RUN &&
		       run_is_programmatic(&s->runs[run->next]));
}

int streams_check_begin(struct streams *s, struct run *run)
{
	const uint32_t stream = run->launch->stream;

	if (s->wishes->unchecked || !is_looked_at(s, run))
		return 0;
	if (!s->shades[stream])
		s->shades[stream] = shade_make(s->space);
	if (!s->shades[stream])
		return error_set(s->error, ERR_FAILED, "out of memory");
	shade_begin(s->shades[stream], run->turn);
	run->shade = s->shades[stream];
	return 0;
}

void streams_check_end(struct streams *s)
{
	uint32_t i;

	for (i = 0; i < JOB_STREAMS_MAX; i++)
		shade_free(s->shades[i]);
}

void streams_waited(struct execution *x, uint32_t warp)
{
	struct grid *g = x->grid;
	const uint32_t first = cluster_first(g, x->warps[warp].block_index);
	uint32_t i;

	for (i = first; i < first + g->cluster_blocks; i++)
		g->blocks[i].waited = true;
}

/* How many runs before it may still have accesses to come, the one directly
   before it in any case. */
static uint32_t count_before(const struct streams *s, const struct run *run)
{
	uint32_t count = 0, i = run->before;

	if (!run_is_programmatic(run))
		return 0;
	for (; i != NO_RUN && (!count || s->runs[i].state != RUN_OVER);
		i = s->runs[i].before)
		count++;
	return count;
}

/* How many runs behind it have begun. */
static uint32_t count_after(const struct streams *s, const struct run *run)
{
	uint32_t count = 0, i = run->next;

	for (; i != NO_RUN && s->runs[i].state == RUN_ALIVE;
		i = s->runs[i].next)
		count++;
	return count;
}

/* The run that many turns from it. */
static struct run *run_at(struct streams *s, struct run *run, uint32_t turn)
{
	while (run->turn > turn)
		run = &s->runs[run->before];
	while (run->turn < turn)
		run = &s->runs[run->next];
	return run;
}

static void put_place(
	const struct space *space, uint64_t offset, char *text, size_t bytes)
{
	const struct space_region *r = space_find(space, offset, 1);

	if (r)
		snprintf(text, bytes, "'%s' at offset %" PRIu64, r->name,
			offset - r->first);
	else
		snprintf(text, bytes, "memory at offset %" PRIu64, offset);
}

/* The run `later` lacks a wait for `earlier`. */
static void fail(struct streams *s, struct run *earlier, struct run *later,
	const struct shade_conflict *c, const char *who)
{
	char place[96];

	put_place(s->space, c->offset, place, sizeof(place));
	streams_enter(s, later);
	grid_fail(&s->e->execution, NONE, c->pc,
		"%sa %s %s, which launch '%s' before it %s: no "
		"griddepcontrol.wait comes before this",
		who, c->writes ? "write of" : "read of", place,
		earlier->launch->entry, c->other_writes ? "writes" : "reads");
}

bool streams_touch(struct execution *x, uint32_t warp, uint32_t pc,
	const struct beside_access *access)
{
	struct streams *s = x->streams;
	struct run *run = x->grid->run;
	const struct warp *w = &x->warps[warp];
	struct kernel_block *b = &x->grid->blocks[w->block_index];
	struct shade_conflict found = {.turn = 0};
	struct shade_access a = {.turn = run->turn, .pc = pc};
	char who[64];

	if (!run->shade)
		return true;
	if (access->orders)
		streams_waited(x, warp);
	a.writes = access->writes;
	a.before = b->waited ? 0 : count_before(s, run);
	a.after = access->orders ? 0 : count_after(s, run);
	switch (shade_access(
		run->shade, &a, access->offset, access->bytes, &found)) {
	case SHADE_NOTHING:
		return true;
	case SHADE_EARLIER:
		snprintf(who, sizeof(who),
			"block %" PRIu64 ", thread %u: ", b->number,
			w->index * LANES + access->lane);
		fail(s, run_at(s, run, found.turn), run, &found, who);
		return false;
	case SHADE_LATER:
		fail(s, run, run_at(s, run, found.turn), &found, "");
		return false;
	default:
		grid_fail(x, warp, pc, "out of memory to look at its accesses");
		return false;
	}
}
