/* Whose events are, of launches that overlap. */
#include "backend_sim/core/events.h"
#include "backend_sim/sm/bulk.h"
#include "backend_sim/streams.h"

/* Events are counted by the loop now and then: here up to this one. */
static void count_events(struct core *core)
{
	core->counts.events += core->look_up - core->left;
	core->look_up = core->left;
}

void streams_keep_counts(struct streams *s)
{
	const struct counts *now = &s->e->core.counts;
	struct counts *to = s->owner         ? &s->owner->counts
			    : s->alive_count ? &s->runs[s->alive[0]].counts
					     : &s->runs[s->last].counts;

	count_events(&s->e->core);
#define COUNTER(field, ...) to->field += now->field - s->since.field;
#include "harness/contract/counters.def"
	s->since = *now;
}

void streams_enter(struct streams *s, struct run *run)
{
	if (run == s->owner)
		return;
	streams_keep_counts(s);
	s->owner = run;
	if (!run)
		return;
	s->e->execution.grid = &run->grid;
	s->e->execution.window = run->window;
}

static struct run *of_warp(struct streams *s, uint32_t warp)
{
	uint32_t i;

	for (i = 0; i < s->alive_count; i++) {
		struct run *run = &s->runs[s->alive[i]];
		const struct grid *g = &run->grid;

		if (warp >= g->first_slot * g->block_warps &&
			warp < g->end_slot * g->block_warps)
			return run;
	}
	return NULL;
}

static struct run *of_request(struct streams *s, const struct request *r)
{
	if (r->warp == NONE)
		return NULL;
	if (r->warp & BULK_OWNER)
		return s->places[(r->warp & ~BULK_OWNER) >> GRID_BULK_SHIFT];
	return of_warp(s, r->warp);
}

bool streams_before(struct streams *s, uint64_t event)
{
	const uint32_t index = EVENT_INDEX(event);
	struct run *run;

	switch (EVENT_STATION(event)) {
	case AT_WARP:
	case AT_NAP:
		run = of_warp(s, index);
		break;
	case AT_COPY:
	case AT_COPIED:
		run = s->places[EVENT_DATUM(event) >> GRID_NUMBER_SHIFT];
		break;
	case AT_STREAM:
	case AT_DEAL:
		streams_enter(s, NULL);
		return true;
	default:
		streams_enter(s, of_request(s, &s->e->core.requests[index]));
		return true;
	}
	if (run)
		streams_enter(s, run);
	return run != NULL;
}

/* ---- the sequencer: warps of one run may let those of another go on ---- */

static void run_warp(struct execution *x, uint32_t warp)
{
	struct streams *s = x->streams;
	struct run *was = s->owner;

	streams_enter(s, of_warp(s, warp));
	sequencer_kernel.run(x, warp);
	streams_enter(s, was);
}

static void take_answer(struct execution *x, const struct request *r)
{
	struct streams *s = x->streams;
	struct run *was = s->owner, *run = of_request(s, r);

	/* It left the chip, and its run may be over. */
	if (!run)
		return;
	streams_enter(s, run);
	if (run->drains && !(r->warp & BULK_OWNER) && kernel_is_loose(r))
		run->loose--;
	sequencer_kernel.answered(x, r);
	streams_enter(s, was);
}

static void foresee(const struct execution *x, uint32_t warp)
{
	(void)x;
	(void)warp;
}

static void refill(struct execution *x, uint32_t block, uint64_t earliest)
{
	(void)x;
	(void)block;
	(void)earliest;
}

/* Places are dealt by streams_deal(): deal.h knows of none. */
const struct sequencer sequencer_streams = {
	.run = run_warp,
	.answered = take_answer,
	.foresee = foresee,
	.foresee_next = foresee,
	.refill = refill,
};
