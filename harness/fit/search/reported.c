/* What tools say of the device outright, beside their curves. */
#include <stdlib.h>
#include <string.h>

#include "harness/fit/search/parts.h"

/* A fact of a series' provenance, and what it is in the machine; NULL: the
   model has no other value than this. */
static const struct report {
	const char *fact, *parameter;
	double only;
} reports[] = {
	{"reported.sm_count", "sm_count", 0},
	{"reported.sm_arch", "sm_arch", 0},
	{"reported.warps_per_sm", "warps_per_sm", 0},
	{"reported.blocks_per_sm", "blocks_per_sm", 0},
	{"reported.registers_per_sm", "registers_per_sm", 0},
	{"reported.shared_reserved_bytes", "shared_reserved_bytes", 0},
	{"reported.memory_bytes", "memory_bytes", 0},
	{"reported.l1_bytes", "l1_cache_bytes", 0},
	{"reported.l2_bytes", "l2_bytes", 0},
	{"reported.l2_partitions", "l2_partitions", 0},
	{"reported.l2_persisting_max_bytes", "l2_persisting_max_bytes", 0},
	{"reported.l1_line_bytes", NULL, 128},
	{"reported.l1_fetch_bytes", NULL, 32},
	{"reported.l2_line_bytes", NULL, 128},
};

#define REPORTS (sizeof(reports) / sizeof(reports[0]))

/* Of the first series that says it; held-out ones are not asked. */
static bool find(const struct search *c, const char *fact, double *value)
{
	const struct targets *t = &c->targets;
	const char *text;
	size_t i;

	for (i = 0; i < t->series_count; i++) {
		text = t->series[i].held_out
			       ? NULL
			       : facts_find(&t->series[i].series->provenance,
					 fact);
		if (!text)
			continue;
		*value = strtod(text, NULL);
		return true;
	}
	return false;
}

static int take(
	struct search *c, struct tuned *t, double value, struct error *error)
{
	const size_t index = (size_t)(t - c->tuning.items);
	const double before = c->values[index];
	char text[VALUE_BYTES];
	bool accepted;
	int code;

	c->values[index] = tuning_round(&c->tuning, c->values, index, value);
	/* What no curve shows stays as it was reported. */
	if (!readoff_of(t->name))
		t->low = t->high = c->values[index];
	t->free = t->judged = t->constrained = true;
	if (c->values[index] == before)
		return 0;
	code = runs_accepted(c, c->values, &accepted, error);
	if (code)
		return code;
	if (accepted) {
		t->origin = ORIGIN_TOLD;
		t->from = "*";
		return 0;
	}
	c->values[index] = before;
	t->judged = t->constrained = false;
	tuning_format(&c->tuning, index, value, text);
	return search_note(c,
		"%s: the targets say %s, which the model does not take beside "
		"the other values",
		t->name, text);
}

int reported_read(struct search *c, struct error *error)
{
	size_t i;
	int code = 0, parameter;
	double value;

	for (i = 0; !code && i < REPORTS; i++) {
		if (!find(c, reports[i].fact, &value))
			continue;
		if (!reports[i].parameter) {
			if (value != reports[i].only)
				code = search_note(c,
					"%s: the targets say %.0f, the model "
					"knows %.0f only",
					reports[i].fact, value,
					reports[i].only);
			continue;
		}
		parameter = tuning_find(&c->tuning, reports[i].parameter);
		if (parameter >= 0 && (!c->config->free_count ||
					      c->tuning.items[parameter].free))
			code = take(
				c, &c->tuning.items[parameter], value, error);
	}
	return code;
}
