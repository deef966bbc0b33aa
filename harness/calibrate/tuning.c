/* The parameters of the machine that is fitted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/calibrate/parts.h"

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

/* "name value unit description [origin]" */
static int read_line(const char *line, struct tuned *t)
{
	const char *text, *origin = strrchr(line, '[');
	char value[VALUE_BYTES];
	int at = 0;
	const char *end = line + strlen(line);

	if (sscanf(line, "%63s %63s %15s %n", t->name, value, t->unit, &at) !=
			3 ||
		!origin || end == line || end[-1] != ']')
		return ERR_FAILED;
	text = line + at;
	/* an origin may hold brackets of its own, a description does not */
	origin = strchr(text, '[');
	t->start = strtod(value, NULL);
	t->text = strndup(text, (size_t)(origin - text));
	t->origin_text = strndup(origin + 1, (size_t)(end - origin) - 2);
	t->known_low = t->known_high = NAN;
	return t->text && t->origin_text ? 0 : ERR_FAILED;
}

static int read_list(char *list, struct tuning *tuning, struct error *error)
{
	char *rest, *line;

	for (line = strtok_r(list, "\n", &rest); line;
		line = strtok_r(NULL, "\n", &rest)) {
		struct tuned *items = reallocarray(
			tuning->items, tuning->count + 1, sizeof(*items));

		if (!items)
			return error_set(error, ERR_FAILED, "out of memory");
		tuning->items = items;
		items[tuning->count++] = (struct tuned){.from = NULL};
		if (read_line(line, &items[tuning->count - 1]))
			return error_set(error, ERR_FAILED,
				"the list of parameters has a line that "
				"cannot be read: '%s'",
				line);
	}
	return 0;
}

int tuning_read(const struct backend_ops *ops, const char *machine,
	struct tuning *tuning, struct error *error)
{
	struct tuning read = {0};
	char *list = NULL;
	size_t bytes;
	FILE *stream = open_memstream(&list, &bytes);
	int code;

	if (!stream)
		return error_set(error, ERR_FAILED, "out of memory");
	code = ops->list("parameters", machine, stream, error);
	if (fclose(stream) && !code)
		code = error_set(error, ERR_FAILED, "out of memory");
	if (!code)
		code = read_list(list, &read, error);
	free(list);
	if (code)
		tuning_free(&read);
	else
		*tuning = read;
	return code;
}

void tuning_free(struct tuning *tuning)
{
	size_t i;

	for (i = 0; i < tuning->count; i++) {
		free(tuning->items[i].text);
		free(tuning->items[i].origin_text);
	}
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
	const char *unit = tuning->items[index].unit;

	if (!strcmp(unit, "mask"))
		snprintf(
			text, VALUE_BYTES, "0x%llx", (unsigned long long)value);
	else if (!strcmp(unit, "bytes") || !strcmp(unit, "count"))
		snprintf(text, VALUE_BYTES, "%.0f", value);
	else
		snprintf(text, VALUE_BYTES, "%.10g", value);
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
