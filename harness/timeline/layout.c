#include <stdlib.h>

#include "harness/timeline/layout.h"

/* ---- the order ---- */

struct place {
	double begin, end;
	uint32_t what, index;
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	if (a->what != b->what)
		return a->what < b->what ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

static int sort_spans(struct layout *l, const struct timeline *t)
{
	struct place *places = malloc((t->count + 1) * sizeof(*places));
	size_t i;

	if (!places)
		return -1;
	for (i = 0; i < t->count; i++)
		places[i] = (struct place){t->spans[i].begin, t->spans[i].end,
			t->spans[i].what, (uint32_t)i};
	qsort(places, t->count, sizeof(*places), compare_places);
	for (i = 0; i < t->count; i++)
		l->order[i] = places[i].index;
	free(places);
	return 0;
}

/* ---- requests side by side ---- */

/* Of an SM: until when each of its lanes is taken. */
struct lanes {
	double *over;
	uint32_t count;
};

/* The first that is free; less than 0 without memory. */
static int take_lane(
	struct lanes *lanes, const struct timeline_span *s, uint32_t *lane)
{
	double *over;
	uint32_t i;

	for (i = 0; i < lanes->count && lanes->over[i] > s->begin; i++)
		;
	if (i == lanes->count) {
		over = reallocarray(lanes->over, i + 1, sizeof(*over));
		if (!over)
			return -1;
		lanes->over = over;
		lanes->count++;
	}
	lanes->over[i] = s->end;
	*lane = i;
	return 0;
}

static int give_lanes(struct layout *l, const struct timeline *t)
{
	struct lanes *sms = calloc(TIMELINE_SMS_MAX, sizeof(*sms));
	int code = sms ? 0 : -1;
	size_t i;

	for (i = 0; !code && i < t->count; i++) {
		const struct timeline_span *s = &t->spans[l->order[i]];

		if (s->what == TIMELINE_REQUEST)
			code = take_lane(&sms[s->place % TIMELINE_SMS_MAX], s,
				&l->lanes[l->order[i]]);
	}
	for (i = 0; sms && i < TIMELINE_SMS_MAX; i++)
		free(sms[i].over);
	free(sms);
	return code;
}

/* ---- processes and threads ---- */

uint32_t layout_process(const struct timeline_span *s)
{
	static const uint32_t first[TIMELINE_SPAN_COUNT] = {
#define LAUNCHES                 LAYOUT_LAUNCHES
#define SM                       LAYOUT_SMS
#define SERVER                   LAYOUT_SERVERS
#define FIRST(name, text, where) [TIMELINE_##name] = where,
		TIMELINE_SPANS(FIRST)
#undef FIRST
	};

	if (first[s->what] == SM)
		return SM + s->place;
	return first[s->what] == SERVER ? SERVER + s->server : LAUNCHES;
#undef LAUNCHES
#undef SM
#undef SERVER
}

uint32_t layout_thread(
	const struct layout *l, const struct timeline *t, size_t span)
{
	const struct timeline_span *s = &t->spans[span];

	switch (s->what) {
	case TIMELINE_LAUNCH:
		return 1;
	case TIMELINE_REQUEST:
	case TIMELINE_WAY:
	case TIMELINE_QUEUE:
	case TIMELINE_SERVICE:
		return LAYOUT_REQUESTS + l->lanes[s->thread];
	default:
		return 1 + s->thread;
	}
}

static int compare_threads(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void name_threads(struct layout *l, const struct timeline *t)
{
	size_t i;

	for (i = 0; i < t->count; i++)
		l->threads[i] = (uint64_t)layout_process(&t->spans[i]) << 32 |
				layout_thread(l, t, i);
	qsort(l->threads, t->count, sizeof(*l->threads), compare_threads);
	for (i = 0; i < t->count; i++)
		if (!i || l->threads[i] != l->threads[l->thread_count - 1])
			l->threads[l->thread_count++] = l->threads[i];
}

int layout_make(struct layout *l, const struct timeline *t)
{
	*l = (struct layout){
		.order = malloc((t->count + 1) * sizeof(*l->order)),
		.lanes = calloc(t->count + 1, sizeof(*l->lanes)),
		.threads = malloc((t->count + 1) * sizeof(*l->threads)),
	};
	if (!l->order || !l->lanes || !l->threads || sort_spans(l, t) ||
		give_lanes(l, t))
		return -1;
	name_threads(l, t);
	return 0;
}

void layout_free(struct layout *l)
{
	free(l->order);
	free(l->lanes);
	free(l->threads);
	*l = (struct layout){0};
}
