/* The parameters of the machine that is fitted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fit/search/parts.h"

#define DIGITS 5

/* Values that must be multiples: of `bytes`, times another parameter if one is
   named. */
static const struct grain {
	const char *name, *times;
	double unit;
} grains[] = {
	{"l1_cache_bytes", NULL, 128},
	{"texture_cache_bytes", NULL, 128},
	{"tlb_entries", "tlb_ways", 1},
	{"tlb2_entries", "tlb2_ways", 1},
};

/* ---- the backend's list ---- */

static int add(struct tuning *tuning, const struct model_parameter *p)
{
	struct tuned *items =
		reallocarray(tuning->items, tuning->count + 1, sizeof(*items));

	if (!items)
		return ERR_FAILED;
	tuning->items = items;
	items[tuning->count] = (struct tuned){
		.name = p->name,
		.unit = p->unit,
		.start = p->value,
		.origin_text = strdup(p->origin),
		.slope = NAN,
		.known_low = NAN,
		.known_high = NAN,
	};
	return items[tuning->count++].origin_text ? 0 : ERR_FAILED;
}

int tuning_read(const struct backend_ops *ops, const char *machine,
	struct tuning *tuning, struct error *error)
{
	struct model_parameters list = {0};
	struct tuning read = {0};
	int code = ops->parameters(machine, &list, error);
	size_t i;

	for (i = 0; !code && i < list.count; i++)
		if (add(&read, &list.items[i]))
			code = error_set(error, ERR_FAILED, "out of memory");
	model_parameters_free(&list);
	if (code)
		tuning_free(&read);
	else
		*tuning = read;
	return code;
}

void tuning_free(struct tuning *tuning)
{
	size_t i;

	for (i = 0; i < tuning->count; i++)
		free(tuning->items[i].origin_text);
	free(tuning->items);
	*tuning = (struct tuning){0};
}

int tuning_find(const struct tuning *tuning, const char *name)
{
	size_t i;

	for (i = 0; i < tuning->count; i++)
		if (!strcmp(tuning->items[i].name, name))
			return (int)i;
	return -1;
}

/* ---- values ---- */

void tuning_format(
	const struct tuning *tuning, size_t index, double value, char *text)
{
	model_value_format(tuning->items[index].unit, value, text);
}

static double grain_of(const struct tuning *tuning, const double *values,
	const struct tuned *parameter)
{
	size_t i;

	for (i = 0; i < sizeof(grains) / sizeof(grains[0]); i++) {
		int times;

		if (strcmp(grains[i].name, parameter->name))
			continue;
		times = grains[i].times ? tuning_find(tuning, grains[i].times)
					: -1;
		return grains[i].unit * (times < 0 ? 1 : values[times]);
	}
	return 1;
}

double tuning_round(const struct tuning *tuning, const double *values,
	size_t index, double value)
{
	const struct tuned *t = &tuning->items[index];
	char text[VALUE_BYTES];

	if (!strcmp(t->unit, "bytes") || !strcmp(t->unit, "count")) {
		double grain = grain_of(tuning, values, t);

		return round(value / grain) * grain;
	}
	snprintf(text, sizeof(text), "%.*g", DIGITS, value);
	return strtod(text, NULL);
}
