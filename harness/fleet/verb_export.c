/*
 * A fleet for other programs: a line of JSON a device and day, or the last day
 * of each device as OpenMetrics gauges, a family a figure, for a file that
 * Prometheus' node exporter takes.
 */
#include <math.h>
#include <stdlib.h>

#include "harness/base/emit.h"
#include "harness/fleet/verdicts.h"
#include "harness/fleet/verbs.h"

struct exporting {
	const struct fleet_words *words;
	struct fleet *fleet;
	struct fleet_devices devices;
	const struct fleet_device **chosen;
	size_t count;
	FILE *out;
	struct error *error;
};

/* The devices that are named, or all. */
static int choose(struct exporting *e)
{
	const size_t named = e->words->count;
	size_t i;
	int code = 0;

	e->count = named ? named : e->devices.count;
	e->chosen = calloc(e->count + 1, sizeof(*e->chosen));
	if (!e->chosen)
		return error_set(e->error, ERR_FAILED, "out of memory");
	for (i = 0; !code && i < e->count; i++) {
		if (named)
			code = fleet_find(&e->devices, e->words->arguments[i],
				&e->chosen[i], e->error);
		else
			e->chosen[i] = &e->devices.items[i];
	}
	return code;
}

/* ---- lines of JSON ---- */

struct lines {
	const struct fleet_device *device;
	FILE *out;
};

static int put_line(void *argument, const struct fleet_day *day)
{
	const struct lines *l = argument;
	char text[FLEET_DAY_BYTES];
	const char *gap = "";
	int id;

	fleet_day_format(day->day, text);
	fputs("{\"device\": ", l->out);
	emit_json_string(l->out, l->device->name);
	fputs(", \"sku\": ", l->out);
	emit_json_string(l->out, l->device->sku);
	fprintf(l->out, ", \"day\": \"%s\", \"figures\": {", text);
	for (id = 0; id < FIGURE_COUNT; id++) {
		if (!isfinite(day->value[id]))
			continue;
		fprintf(l->out, "%s\"%s\": [", gap, figure_about[id].name);
		emit_json_number(l->out, day->value[id]);
		fputs(", ", l->out);
		emit_json_number(l->out, day->half[id]);
		fputc(']', l->out);
		gap = ", ";
	}
	fputs("}}\n", l->out);
	return ferror(l->out);
}

static int put_jsonl(struct exporting *e)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < e->count; i++) {
		struct lines lines = {e->chosen[i], e->out};

		code = fleet_days(
			e->fleet, e->chosen[i], put_line, &lines, e->error);
	}
	return code;
}

/* ---- OpenMetrics ---- */

static void put_gauge(const char *name, const struct fleet_device *device,
	double value, FILE *out)
{
	char number[EMIT_NUMBER_BYTES];

	fprintf(out, "nearfar_fingerprint_%s{device=\"", name);
	emit_openmetrics_string(out, device->name);
	fputs("\",sku=\"", out);
	emit_openmetrics_string(out, device->sku);
	emit_format(value, number);
	fprintf(out, "\"} %s\n", number);
}

static void put_family(const struct exporting *e, int id)
{
	const char *name = figure_about[id].name;
	size_t i;

	fprintf(e->out,
		"# TYPE nearfar_fingerprint_%s gauge\n"
		"# HELP nearfar_fingerprint_%s %s (%s)\n",
		name, name, figure_about[id].sentence, figure_about[id].unit);
	for (i = 0; i < e->count; i++)
		if (isfinite(e->chosen[i]->last.value[id]))
			put_gauge(name, e->chosen[i],
				e->chosen[i]->last.value[id], e->out);
}

static int put_odd(const struct exporting *e, const struct verdicts *verdicts)
{
	bool *odd = calloc(e->devices.count + 1, sizeof(*odd));
	size_t i;

	if (!odd)
		return error_set(e->error, ERR_FAILED, "out of memory");
	for (i = 0; i < verdicts->count; i++)
		odd[verdicts->items[i].device - e->devices.items] |=
			!verdicts->items[i].border;
	fputs("# TYPE nearfar_fingerprint_odd gauge\n"
	      "# HELP nearfar_fingerprint_odd 1 if the device is not like the "
	      "others\n",
		e->out);
	for (i = 0; i < e->count; i++)
		put_gauge("odd", e->chosen[i],
			odd[e->chosen[i] - e->devices.items], e->out);
	free(odd);
	return 0;
}

static int put_openmetrics(struct exporting *e)
{
	struct verdicts verdicts;
	int id, code = verdicts_find(
			&e->devices, e->words->fdr, &verdicts, e->error);

	for (id = 0; !code && id < FIGURE_COUNT; id++)
		put_family(e, id);
	if (!code)
		code = put_odd(e, &verdicts);
	if (!code)
		fputs("# EOF\n", e->out);
	verdicts_free(&verdicts);
	return code;
}

int fleet_verb_export(
	const struct fleet_words *words, FILE *out, struct error *error)
{
	struct exporting e = {.words = words, .out = out, .error = error};
	int code = fleet_open(&e.fleet, words->store, false, error);

	if (code)
		return code;
	code = fleet_load(e.fleet, &e.devices, error);
	if (!code)
		code = choose(&e);
	if (!code)
		code = words->format == FLEET_OPENMETRICS ? put_openmetrics(&e)
							  : put_jsonl(&e);
	free(e.chosen);
	fleet_devices_free(&e.devices);
	fleet_close(e.fleet);
	return code;
}
