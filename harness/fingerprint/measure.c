/* Runs the rows, all in one go, and reads the figures off. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fingerprint/fingerprint.h"
#include "harness/fingerprint/map.h"
#include "harness/measures/rows.h"
#include "harness/observe/readers.h"
#include "harness/run/provenance.h"

#define NO_FACT "the driver does not say"
#define NO_SHOW "the measurement does not show it"

static int (*const readers[FIGURE_COUNT])(
	const struct reading *, struct observed *) = {
#define FIGURE(name, noun, unit, worse, grain, repeat, chips, row, reader,     \
	argument, sentence)                                                    \
	read_##reader,
#include "harness/fingerprint/figures.def"
#undef FIGURE
};

static const int arguments[FIGURE_COUNT] = {
#define FIGURE(name, noun, unit, worse, grain, repeat, chips, row, reader,     \
	argument, sentence)                                                    \
	argument,
#include "harness/fingerprint/figures.def"
#undef FIGURE
};

#define ROWS_MAX 32

struct measuring {
	const struct fingerprint_config *config;
	struct opened opened;
	struct measure_plan made[ROWS_MAX];
	struct plan plans[ROWS_MAX];
	size_t plan_of[ROWS_MAX]; /* of a row; ROWS_MAX: it has none */
	size_t plan_count;
	char *reasons[ROWS_MAX]; /* why it has none */
	struct series_list list;
	struct map map;
	bool mapped, abandoned;
	struct fingerprint *fingerprint;
	struct error *error;
};

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory for a fingerprint");
}

/* ---- plans ---- */

static int make_plans(struct measuring *m)
{
	size_t i;
	int code;

	for (i = 0; i < quick_measure_count; i++) {
		const size_t at = m->plan_count;

		m->plan_of[i] = ROWS_MAX;
		code = measure_plan_make(&m->made[at], &quick_measures[i], NULL,
			&m->opened.device, m->error);
		if (code == ERR_SKIPPED) {
			m->reasons[i] = strdup(m->error->text);
			if (!m->reasons[i])
				return no_memory(m->error);
			continue;
		}
		if (code)
			return code;
		m->plans[at] = m->made[at].plan;
		m->plan_of[i] = m->plan_count++;
	}
	return 0;
}

static int run_plans(struct measuring *m)
{
	const struct fingerprint_config *c = m->config;
	const struct run_config config = {
		.opened = &m->opened,
		.backend = c->backend,
		.jobs = c->jobs,
		.repeats = c->repeats,
		.warmups = c->warmups,
		.seed = c->seed,
		.label = "fingerprint",
		.stop = c->stop,
	};
	struct run_report report = {0};
	struct facts facts = {0};
	int code = runner_run(&config, m->plans, m->plan_count, &m->list,
		&facts, &report, m->error);

	m->abandoned = report.abandoned;
	if (!code && provenance_add(&config, &facts, &m->fingerprint->identity))
		code = no_memory(m->error);
	facts_free(&facts);
	return code;
}

/* ---- figures ---- */

static const struct series *series_of(const struct measuring *m, size_t row)
{
	const size_t plan = m->plan_of[row];

	return plan < m->list.count ? &m->list.items[plan] : NULL;
}

static int make_map(struct measuring *m)
{
	const struct series *series =
		series_of(m, quick_measure_find("near-far"));
	int code;

	if (!series || !series->point_count || series->points[0].skipped)
		return 0;
	code = map_make(&series->points[0], 0, &m->map, m->error);
	if (code)
		return code;
	m->mapped = true;
	m->fingerprint->map = fingerprint_map(
		&m->map, series_of(m, quick_measure_find("rate-l2")));
	return m->fingerprint->map ? 0 : no_memory(m->error);
}

static const char *reason_of(const struct measuring *m, size_t row)
{
	const struct series *series;

	if (row == quick_measure_count)
		return NO_FACT;
	series = series_of(m, row);
	if (!series)
		return m->reasons[row] ? m->reasons[row] : NO_SHOW;
	return series->point_count && series->points[0].skipped
		       ? series->points[0].skipped
		       : NO_SHOW;
}

static int read_figure(struct measuring *m, int id)
{
	const char *name = figure_about[id].row;
	const size_t row =
		name ? quick_measure_find(name) : quick_measure_count;
	const struct reading reading = {
		.region_bytes = measure_region_bytes(&m->opened.device),
		.facts = &m->opened.facts,
		.series = name ? series_of(m, row) : NULL,
		.map = m->mapped ? &m->map : NULL,
		.argument = arguments[id],
		.error = m->error,
	};
	struct figure *figure = &m->fingerprint->figures[id];
	struct observed observed = {NAN, NAN, NAN};
	int code = readers[id](&reading, &observed);

	figure->value = observed.value;
	figure->low = observed.low;
	figure->high = observed.high;
	if (code || isfinite(figure->value))
		return code;
	figure->reason = strdup(reason_of(m, row));
	return figure->reason ? 0 : no_memory(m->error);
}

static int read_figures(struct measuring *m)
{
	size_t found = 0;
	int id, code = make_map(m);

	for (id = 0; !code && id < FIGURE_COUNT; id++) {
		code = read_figure(m, id);
		found += isfinite(m->fingerprint->figures[id].value) &&
			 figure_about[id].row;
	}
	if (!code && !found)
		code = error_set(m->error, ERR_SKIPPED,
			"device '%s' can show no figure of a fingerprint",
			m->opened.device.name);
	return code;
}

/* ---- all of it ---- */

static int name_device(struct measuring *m)
{
	struct fingerprint *f = m->fingerprint;
	const char *uuid = facts_find(&m->opened.facts, "device.uuid");
	const char *name = m->config->name ? m->config->name
			   : uuid          ? uuid
					   : m->opened.device.name;

	if (strlen(name) >= sizeof(f->device) || !*name)
		return error_set(m->error, ERR_USAGE,
			"a device's name has 1 to %zu bytes: '%s'",
			sizeof(f->device) - 1, name);
	snprintf(f->device, sizeof(f->device), "%s", name);
	snprintf(f->sku, sizeof(f->sku), "%.*s", (int)sizeof(f->sku) - 1,
		m->opened.device.name);
	return 0;
}

static void measuring_free(struct measuring *m)
{
	size_t i;

	for (i = 0; i < m->plan_count; i++)
		measure_plan_free(&m->made[i]);
	for (i = 0; i < ROWS_MAX; i++)
		free(m->reasons[i]);
	if (m->mapped)
		map_free(&m->map);
	series_list_free(&m->list);
	opened_close(&m->opened);
	free(m);
}

int fingerprint_measure(const struct fingerprint_config *config,
	struct fingerprint *fingerprint, struct error *error)
{
	struct measuring *m = calloc(1, sizeof(*m));
	int code;

	fingerprint_init(fingerprint);
	if (!m)
		return no_memory(error);
	m->config = config;
	m->fingerprint = fingerprint;
	m->error = error;
	code = opened_open(&m->opened, config->ops, &config->backend, error);
	if (!code)
		code = name_device(m);
	if (!code)
		code = make_plans(m);
	if (!code)
		code = run_plans(m);
	if (!code)
		code = read_figures(m);
	if (!m->abandoned) /* else until the process ends */
		measuring_free(m);
	return code;
}
