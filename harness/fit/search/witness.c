/* What a read-off costs others: each sees the points of its own row alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fit/search/parts.h"

#define PARAMETERS 1 /* what the points may cost, in a group's parameters */

/* The points of the row and those of the group. */
struct hearing {
	struct search *c;
	size_t parameter;
	struct point_set set;
	double *values; /* scratch, all parameters */
	struct error *error;
};

static bool has(const struct point_set *set, size_t point)
{
	size_t i;

	for (i = 0; i < set->count; i++)
		if (set->items[i] == point)
			return true;
	return false;
}

/* All of the group, within its cost, and all of the row. */
static int find_points(struct hearing *h, const struct group *group)
{
	struct search *c = h->c;
	const struct readoff *row;
	struct point_set own;
	size_t i;
	int code =
		group_points(c, group->series, PARAMETERS, &h->set, h->error);

	if (code)
		return code;
	code = readoff_here(c, c->tuning.items[h->parameter].name, &row, &own,
		NULL, h->error);
	for (i = 0; !code && i < own.count; i++)
		if (!has(&h->set, own.items[i]))
			h->set.items[h->set.count++] = own.items[i];
	point_set_free(&own);
	return code;
}

static int sum_with(struct hearing *h, double value, double *sum)
{
	struct residuals residuals;
	int code;

	h->values[h->parameter] = value;
	code = residuals_make(h->c, h->values, &h->set, &residuals, h->error);
	if (code)
		return code;
	*sum = residuals_sum(&residuals);
	residuals_free(&residuals);
	return 0;
}

static int judge(struct hearing *h)
{
	struct search *c = h->c;
	struct tuned *t = &c->tuning.items[h->parameter];
	double as_read = 0, as_before = 0;
	int code = sum_with(h, c->values[h->parameter], &as_read);

	if (!code)
		code = sum_with(h, t->start, &as_before);
	if (code || as_read <= as_before)
		return code;
	c->values[h->parameter] = t->start;
	t->origin = ORIGIN_START;
	t->judged = true; /* its row says nothing of it */
	return search_note(c,
		"%s: left as it was, for other series lose what its own gains",
		t->name);
}

static int hear(struct search *c, size_t parameter, const struct group *group,
	struct error *error)
{
	struct hearing h = {.c = c, .parameter = parameter, .error = error};
	int code;

	h.values = malloc((c->tuning.count + 1) * sizeof(*h.values));
	if (!h.values)
		return error_set(error, ERR_FAILED, "out of memory");
	memcpy(h.values, c->values, c->tuning.count * sizeof(*h.values));
	code = find_points(&h, group);
	if (!code)
		code = judge(&h);
	free(h.values);
	point_set_free(&h.set);
	return code;
}

/* Its row says nothing of it. */
static int say_left(struct search *c, struct tuned *t)
{
	t->judged = true;
	return search_note(c, "%s: left as it was, for %s", t->name,
		t->needless ? "what it is read off is so without it"
			    : "no value of it gives what it is read off");
}

int witnesses_hear(struct search *c, struct error *error)
{
	size_t i;
	int code = 0;

	for (i = 0;
		!code && i < c->tuning.count && !search_late(c, SHARE_STAGES);
		i++) {
		struct tuned *t = &c->tuning.items[i];
		const struct group *group = group_of(t->name);

		if (t->free && (t->unmet || t->needless) &&
			t->origin == ORIGIN_START)
			code = say_left(c, t);
		else if (t->free && group && t->origin == ORIGIN_READ_OFF)
			code = hear(c, i, group, error);
	}
	return code;
}
