#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/contract/timeline.h"

#define COUNTERS_PART 4u /* of the limit: one in so many */
#define LAUNCHES_PART 64u

const char *const timeline_names[TIMELINE_SPAN_COUNT] = {
#define TIMELINE_NAME(name, text, where) [TIMELINE_##name] = (text),
	TIMELINE_SPANS(TIMELINE_NAME)
#undef TIMELINE_NAME
};

void timeline_init(struct timeline *t)
{
	*t = (struct timeline){
		.until = INFINITY,
		.warp = TIMELINE_NONE,
		.limit = TIMELINE_LIMIT,
	};
}

void timeline_free(struct timeline *t)
{
	size_t i;

	for (i = 0; i < TIMELINE_KINDS_MAX; i++) {
		free(t->servers[i].queued);
		free(t->servers[i].served);
	}
	for (i = 0; i < t->text_count; i++)
		free(t->texts[i]);
	free(t->texts);
	free(t->spans);
	*t = (struct timeline){0};
}

const char *timeline_text(struct timeline *t, const char *text)
{
	char **texts;
	size_t i;

	for (i = 0; i < t->text_count; i++)
		if (!strcmp(t->texts[i], text))
			return t->texts[i];
	texts = reallocarray(t->texts, t->text_count + 1, sizeof(*texts));
	if (texts) {
		t->texts = texts;
		texts[t->text_count] = strdup(text);
	}
	if (!texts || !texts[t->text_count]) {
		t->failed = true;
		return "";
	}
	return texts[t->text_count++];
}

/* ---- spans ---- */

/* Launches have places of their own: they say where to look. */
static uint32_t span_limit(const struct timeline *t, uint32_t what)
{
	const uint32_t spans = t->limit - t->limit / COUNTERS_PART;

	return what == TIMELINE_LAUNCH ? spans
				       : spans - t->limit / LAUNCHES_PART;
}

static bool make_room(struct timeline *t)
{
	const size_t capacity = t->capacity ? 2 * t->capacity : 1024;
	struct timeline_span *spans;

	if (t->count < t->capacity)
		return true;
	spans = reallocarray(t->spans, capacity, sizeof(*spans));
	if (!spans) {
		t->failed = true;
		return false;
	}
	t->spans = spans;
	t->capacity = capacity;
	return true;
}

uint32_t timeline_add(struct timeline *t, const struct timeline_span *span)
{
	const double begin = fmax(span->begin, t->from);
	const double end = fmin(span->end, t->until);

	if (span->begin >= t->until || end < begin ||
		(span->begin < t->from && span->end <= t->from))
		return TIMELINE_NONE;
	if (t->count >= span_limit(t, span->what)) {
		t->left_out++;
		return TIMELINE_NONE;
	}
	if (!make_room(t))
		return TIMELINE_NONE;
	t->spans[t->count] = *span;
	t->spans[t->count].begin = begin;
	t->spans[t->count].end = end;
	return (uint32_t)t->count++;
}

void timeline_extend(struct timeline *t, uint32_t span, double end)
{
	if (span == TIMELINE_NONE)
		return;
	end = fmin(end, t->until);
	if (end > t->spans[span].end)
		t->spans[span].end = end;
}

/* ---- servers ---- */

void timeline_server(
	struct timeline *t, uint32_t server, const char *name, const char *of)
{
	struct timeline_servers *s = &t->servers[server];

	if (!t->steps_max) {
		t->steps_max = t->limit / COUNTERS_PART / TIMELINE_KINDS_MAX;
	}
	if (s->name)
		return;
	s->queued = calloc(t->steps_max, sizeof(*s->queued));
	s->served = calloc(t->steps_max, sizeof(*s->served));
	if (!s->queued || !s->served) {
		t->failed = true;
		return;
	}
	s->name = name;
	s->of = of;
}

/* Two steps are one. */
static void join_steps(float *steps, uint32_t count)
{
	uint32_t i;

	if (!steps)
		return;
	for (i = 0; i < count; i++)
		steps[i] = (2 * i < count ? steps[2 * i] : 0) +
			   (2 * i + 1 < count ? steps[2 * i + 1] : 0);
}

static void double_steps(struct timeline *t)
{
	uint32_t i;

	for (i = 0; i < TIMELINE_KINDS_MAX; i++) {
		join_steps(t->servers[i].queued, t->steps_max);
		join_steps(t->servers[i].served, t->steps_max);
	}
	t->step_cycles *= 2;
}

static void add_area(struct timeline *t, float *steps, uint32_t count,
	double begin, double end)
{
	uint32_t i;

	begin = fmax(begin, t->from);
	end = fmin(end, t->until);
	if (!steps || !count || begin >= end)
		return;
	if (t->step_cycles == 0) {
		t->origin = floor(begin);
		t->step_cycles = 1;
	}
	begin = fmax(begin, t->origin) - t->origin;
	end -= t->origin;
	while (end > t->step_cycles * t->steps_max)
		double_steps(t);
	i = (uint32_t)(begin / t->step_cycles);
	for (; begin < end; i++) {
		const double over = fmin(end, (i + 1) * t->step_cycles);

		steps[i] += (float)(count * (over - begin));
		begin = over;
	}
}

void timeline_queued(struct timeline *t, uint32_t server, uint32_t count,
	double begin, double end)
{
	add_area(t, t->servers[server].queued, count, begin, end);
}

void timeline_served(
	struct timeline *t, uint32_t server, double begin, double end)
{
	add_area(t, t->servers[server].served, 1, begin, end);
}
