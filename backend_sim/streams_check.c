/* Accesses of launches that may begin before the end of another one. */
#include <inttypes.h>
#include <stdio.h>

#include "backend_sim/grid/cluster.h"
#include "backend_sim/streams_races.h"
#include "backend_sim/streams_shade.h"

/* Whether any run of its stream need not wait for it, or it for one. */
static bool is_looked_at(const struct streams *s, const struct run *run)
{
	return run_is_programmatic(run) ||
	       (run->next != NO_RUN &&
		       run_is_programmatic(&s->runs[run->next]));
}

/* How many runs of its stream, at most, follow each other without a wait. */
static uint32_t longest_row(const struct streams *s, const struct run *run)
{
	uint32_t longest = 0, row = 0;

	while (run->before != NO_RUN)
		run = &s->runs[run->before];
	for (;;) {
		row = run_is_programmatic(run) ? row + 1 : 0;
		longest = row > longest ? row : longest;
		if (run->next == NO_RUN)
			return longest;
		run = &s->runs[run->next];
	}
}

/* Runs of different streams are held against each other where races are looked
   for. */
static int begin_apart(struct streams *s)
{
	uint32_t i;

	if (s->races || !s->wishes->races)
		return 0;
	for (i = 1; i < s->run_count; i++)
		if (s->runs[i].launch->stream != s->runs[0].launch->stream)
			break;
	if (i >= s->run_count)
		return 0;
	s->races = races_make(s->space);
	return s->races ? 0 : error_set(s->error, ERR_FAILED, "out of memory");
}

int streams_check_begin(struct streams *s, struct run *run)
{
	const uint32_t stream = run->launch->stream;

	if (s->wishes->unchecked)
		return 0;
	if (begin_apart(s))
		return ERR_FAILED;
	if (!is_looked_at(s, run))
		return 0;
	if (!s->shades[stream])
		s->shades[stream] =
			shade_make(s->space, longest_row(s, run) + 1);
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
	races_free(s->races);
}

void streams_waited(struct execution *x, uint32_t warp)
{
	struct grid *g = x->grid;
	const uint32_t first = cluster_first(g, x->warps[warp].block_index);
	uint32_t i;

	for (i = first; i < first + g->cluster_blocks; i++)
		g->blocks[i].waited = true;
}

/* How many runs before it may still have accesses to come: as far back as each
   has let others begin before it had waited itself. */
static uint32_t count_before(const struct streams *s, const struct run *run)
{
	uint32_t count = 0;

	while (run_is_programmatic(run) && run->before != NO_RUN &&
		(!count || run->rushes)) {
		count++;
		run = &s->runs[run->before];
	}
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
		job_launch_name(earlier->launch),
		c->other_writes ? "writes" : "reads");
}

/* A cluster's blocks know what one of them knows. */
static void is_told(struct execution *x, uint32_t warp)
{
	struct grid *g = x->grid;
	const uint32_t first = cluster_first(g, x->warps[warp].block_index);
	uint32_t i;

	for (i = first; i < first + g->cluster_blocks; i++)
		g->blocks[i].is_told = true;
}

static bool fail_apart(struct execution *x, uint32_t warp, uint32_t pc,
	const struct beside_access *access, const struct races_access *other,
	uint64_t where)
{
	const struct streams *s = x->streams;
	const struct job_launch *l = s->runs[other->run].launch;
	const struct warp *w = &x->warps[warp];
	char place[96];

	put_place(s->space, where, place, sizeof(place));
	grid_fail(x, warp, pc,
		"block %" PRIu64 ", thread %u: a %s %s, which launch '%s' of "
		"stream %u %s at line %u: nothing orders the two streams",
		x->grid->blocks[w->block_index].number,
		w->index * LANES + access->lane,
		access->writes ? "write of" : "read of", place,
		job_launch_name(l), l->stream,
		other->writes ? "writes" : "reads", other->line);
	return false;
}

/* Held against other streams. */
static bool is_apart(struct execution *x, uint32_t warp, uint32_t pc,
	const struct beside_access *access)
{
	struct streams *s = x->streams;
	const struct grid *g = x->grid;
	const struct races_access now = {(uint32_t)(g->run - s->runs),
		g->code.insns[pc].insn->place.line, access->writes};
	struct races_access other;
	uint64_t where;

	if (access->orders)
		is_told(x, warp);
	if (g->blocks[x->warps[warp].block_index].is_told)
		return true;
	switch (races_touch(s->races, s, &now, access->offset, access->bytes,
		&other, &where)) {
	case RACES_NOTHING:
		return true;
	case RACES_RACE:
		return fail_apart(x, warp, pc, access, &other, where);
	default:
		grid_fail(x, warp, pc, "out of memory to look at its accesses");
		return false;
	}
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

	if (s->races && !is_apart(x, warp, pc, access))
		return false;
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
