#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/lives/parts.h"
#include "backend_sim/core/memory.h"

const char *const lives_requests[] = {
	[REQUEST_LOAD] = "load",
	[REQUEST_STORE] = "store",
	[REQUEST_ATOMIC] = "atomic",
	[REQUEST_REDUCTION] = "reduction",
	[REQUEST_PREFETCH] = "prefetch",
	[REQUEST_SECOND] = "second line",
	[REQUEST_WRITEBACK] = "write-back",
	[REQUEST_DISCARD] = "discard",
	[REQUEST_PRIORITY] = "priority",
};

_Static_assert((int)SERVER_COUNT <= (int)TIMELINE_KINDS_MAX, "kinds");

/* ---- life cycle ---- */

struct lives *lives_make(const struct core *core, struct timeline *timeline,
	lives_warp_fn warp_of, const void *warps)
{
	struct lives *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->all = calloc(core->request_count, sizeof(*l->all));
	if (!l->all) {
		free(l);
		return NULL;
	}
	l->core = core;
	l->timeline = timeline;
	l->warp_of = warp_of;
	l->warps = warps;
	l->all_selected = !timeline->some_sms && !timeline->line &&
			  timeline->warp == TIMELINE_NONE;
	l->launch_span = TIMELINE_NONE;
	return l;
}

void lives_free(struct lives *l)
{
	uint32_t i;

	if (!l)
		return;
	for (i = 0; i < SERVER_COUNT; i++)
		free(l->shown[i]);
	free(l->all);
	free(l->stays);
	free(l->lines);
	free(l);
}

bool lives_senders(struct lives *l, const uint32_t *lines, size_t count)
{
	uint32_t *copy = malloc((count + 1) * sizeof(*copy));

	if (!copy)
		return false;
	memcpy(copy, lines, count * sizeof(*copy));
	free(l->lines);
	l->lines = copy;
	l->line_count = count;
	return true;
}

static double now_of(const struct lives *l)
{
	return (double)core_now(l->core);
}

/* ---- requests ---- */

struct course *lives_of(const struct lives *l, uint32_t request)
{
	const struct request *r = &l->core->requests[request];
	struct course *life = &l->all[request];

	return life->recorded && life->line == r->line && life->kind == r->kind
		       ? life
		       : NULL;
}

struct timeline_span lives_span(const struct lives *l,
	const struct course *life, enum timeline_what what, double begin,
	double end)
{
	return (struct timeline_span){
		.begin = begin,
		.end = end,
		.name = lives_requests[life->kind],
		.address = (uint64_t)life->line << LINE_SHIFT,
		.what = what,
		.place = life->sm,
		.thread = life->span,
		.warp = life->warp,
		.line = life->ptx,
		.server = TIMELINE_NONE,
		.sectors = life->sectors,
		.launch = l->launch,
	};
}

/* It goes on until then. */
static void live_on(struct lives *l, struct course *life, double end)
{
	struct timeline_span span;

	if (end > life->over)
		life->over = end;
	if (life->span != TIMELINE_NONE) {
		timeline_extend(l->timeline, life->span, end);
	} else if (!life->asked && end > l->timeline->from) {
		span = lives_span(l, life, TIMELINE_REQUEST, life->begin, end);
		life->span = timeline_add(l->timeline, &span);
		life->asked = true;
		if (life->span != TIMELINE_NONE)
			l->timeline->spans[life->span].thread = life->span;
	}
}

void lives_show(struct lives *l, struct course *life, enum timeline_what what,
	const char *name, uint32_t server, double begin, double end)
{
	struct timeline_span span;

	begin = fmax(begin, life->over);
	if (end <= begin)
		return;
	live_on(l, life, end);
	span = lives_span(l, life, what, begin, end);
	span.name = name;
	span.server = server;
	timeline_add(l->timeline, &span);
}

void lives_sent(struct lives *l, uint32_t request)
{
	const struct request *r = &l->core->requests[request];
	const struct request_note *note = &l->core->notes[request];
	struct course *life = &l->all[request];
	const uint32_t line =
		note->sender < l->line_count ? l->lines[note->sender] : 0;
	const uint32_t warp = l->warp_of(l->warps, r);

	life->recorded = false;
	if (!timeline_has_sm(l->timeline, r->sm) ||
		!timeline_has_warp(l->timeline, warp) ||
		!timeline_has_line(l->timeline, line))
		return;
	*life = (struct course){
		.begin = (double)note->since,
		.over = (double)note->since,
		.line = r->line,
		.recorded = true,
		.span = TIMELINE_NONE,
		.warp = warp,
		.ptx = line,
		.queue = SERVER_COUNT,
		.sm = r->sm,
		.sectors = note->sectors,
		.kind = r->kind,
	};
}

/* ---- events ---- */

/* Its span stands before those of what happens in it: it is not left out. */
static void launch_on(struct lives *l, double end)
{
	const struct timeline_span span = {
		.begin = l->launch_begin,
		.end = end,
		.name = l->launch_name,
		.what = TIMELINE_LAUNCH,
		.warp = TIMELINE_NONE,
		.server = TIMELINE_NONE,
		.launch = l->launch,
	};

	if (l->launch_span != TIMELINE_NONE)
		timeline_extend(l->timeline, l->launch_span, end);
	else if (end > l->timeline->from && end > l->launch_begin)
		l->launch_span = timeline_add(l->timeline, &span);
}

static void come_back(struct lives *l, uint32_t request)
{
	struct course *life = lives_of(l, request);

	if (!life)
		return;
	lives_show(l, life, TIMELINE_WAY, "warp", TIMELINE_NONE, life->over,
		now_of(l));
	live_on(l, life, now_of(l));
}

/* What it has waited for its translation lies before it is there. */
static void come_translated(struct lives *l, uint32_t request)
{
	struct course *life = lives_of(l, request);
	const uint32_t late = l->core->notes[request].late;

	if (!life || !late)
		return;
	lives_show(l, life, TIMELINE_WAY, "gpc_port_out", SERVER_GPC_REQUEST,
		life->over, now_of(l) - late);
	lives_show(l, life, TIMELINE_QUEUE, "translation", TIMELINE_NONE,
		now_of(l) - late, now_of(l));
}

void lives_before(struct lives *l, uint64_t event)
{
	l->taken = l->core->books->log.next;
	if (l->launch_span == TIMELINE_NONE)
		launch_on(l, now_of(l));
	if (EVENT_STATION(event) == AT_DONE)
		come_back(l, EVENT_INDEX(event));
	else if (EVENT_STATION(event) == AT_GPC)
		come_translated(l, EVENT_INDEX(event));
}

/* ---- warps and launches ---- */

static struct stay *stay_of(struct lives *l, uint32_t place)
{
	size_t count = l->stay_count;
	struct stay *stays;

	if (place < count)
		return &l->stays[place];
	count = 2 * (size_t)place + 64;
	stays = reallocarray(l->stays, count, sizeof(*stays));
	if (!stays) {
		l->timeline->failed = true;
		return NULL;
	}
	l->stays = stays;
	for (; l->stay_count < count; l->stay_count++)
		stays[l->stay_count] = (struct stay){.span = TIMELINE_NONE};
	return &stays[place];
}

void lives_was(struct lives *l, const struct lives_state *state)
{
	struct timeline_span span = {
		.begin = state->begin,
		.end = state->end,
		.what = TIMELINE_WARP,
		.place = state->sm,
		.thread = state->place,
		.warp = state->warp,
		.server = TIMELINE_NONE,
		.launch = l->launch,
	};
	struct stay *stay;

	if (state->end <= state->begin ||
		!timeline_has_sm(l->timeline, state->sm) ||
		!timeline_has_warp(l->timeline, state->warp))
		return;
	stay = stay_of(l, state->place);
	if (stay && !stay->asked && state->end > l->timeline->from) {
		span.name = "warp";
		stay->span = timeline_add(l->timeline, &span);
		stay->asked = true;
	} else if (stay) {
		timeline_extend(l->timeline, stay->span, state->end);
	}
	if (!timeline_has_line(l->timeline, state->line))
		return;
	span.what = TIMELINE_WAIT;
	span.name = state->name;
	span.line = state->line;
	timeline_add(l->timeline, &span);
}

void lives_ended(struct lives *l, uint32_t place, double cycle)
{
	struct stay *stay = stay_of(l, place);

	if (!stay)
		return;
	timeline_extend(l->timeline, stay->span, cycle);
	*stay = (struct stay){.span = TIMELINE_NONE};
}

void lives_begin(
	struct lives *l, const char *name, uint32_t launch, double cycle)
{
	l->launch = launch;
	l->launch_name = timeline_text(l->timeline, name);
	l->launch_begin = cycle;
	l->launch_span = TIMELINE_NONE;
}

void lives_over(struct lives *l, double cycle)
{
	launch_on(l, cycle);
}
