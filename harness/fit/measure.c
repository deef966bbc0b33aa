/* The first half: the suite's rows, each into a file of its own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/output.h"
#include "harness/fit/search/search.h"
#include "harness/fit/device.h"
#include "harness/fit/fit.h"
#include "harness/fit/folder.h"
#include "harness/fit/known.h"
#include "harness/measures/rows.h"
#include "harness/run/provenance.h"
#include "harness/series/io.h"

struct measuring {
	const struct fit_config *config;
	struct opened opened;
	struct chip chip;
	struct model_parameters known;
	FILE *out;
	double begun_s;
	bool abandoned; /* a worker still uses what it was given */
	size_t done, left_out, failed;
	struct error *error;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- what a row needs ---- */

static int write_program(struct measuring *m, const struct measure *row,
	unsigned count, const char *path)
{
	struct output output;
	int code = output_open(&output, path, m->error);

	if (code)
		return code;
	code = row->program(&m->chip, count, output.stream, m->error);
	if (code) {
		output_abort(&output);
		return code;
	}
	return output_commit(&output, m->error);
}

/* What the rows behind need to know of this one. */
static int learn(struct measuring *m, const struct measure *row)
{
	return folder_learn(
		m->config->folder, row, &m->chip, &m->known, m->error);
}

/* ---- one row ---- */

#define MODEL_MOST 2 /* the model's repeats are alike */

/* "-r N" and "-w N" of the row's words, else the configuration's. */
static unsigned times(const struct measuring *m, const struct measure *row,
	const char *option, unsigned otherwise)
{
	const char *at = row->words ? strstr(row->words, option) : NULL;
	unsigned count = otherwise;

	if (at)
		count = (unsigned)strtoul(at + strlen(option), NULL, 10);
	if (at && m->config->ops->parallel && count > MODEL_MOST)
		count = MODEL_MOST;
	return count;
}

static int add_provenance(const struct run_config *config,
	const struct facts *facts, const struct measure *row,
	struct series_list *list, struct error *error)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (provenance_add(config, facts, &list->items[i].provenance) ||
			facts_add(&list->items[i].provenance, MEASURE_ROW, "%s",
				row->name))
			return error_set(error, ERR_FAILED, "out of memory");
	return 0;
}

/* Where the samples themselves are what is read. */
static bool needs_samples(const struct measure *row)
{
	return row->use == USE_BOTH ||
	       (row->use == USE_GEOMETRY && row->program != measure_write_gpcs);
}

#define PLANS_MAX 32

/* The plans of a row, one next to the other as the runner wants them. */
struct row_plans {
	struct measure_plan made[PLANS_MAX];
	struct plan list[PLANS_MAX];
	size_t count;
};

static int run_plans(struct measuring *m, const struct measure *row,
	struct row_plans *plans, const char *path)
{
	const struct fit_config *c = m->config;
	char label[64];
	struct run_config config = {
		.opened = &m->opened,
		.backend = c->backend,
		.jobs = c->jobs,
		.repeats = times(m, row, " -r ", c->repeats),
		.warmups = times(m, row, " -w ", c->warmups),
		.seed = c->seed,
		.without_samples = !needs_samples(row),
		.label = label,
		.stop = c->stop,
	};
	struct series_list list = {0};
	struct run_report report = {0};
	struct facts facts = {0};
	int code;

	snprintf(label, sizeof(label), "%zu/%zu %s", m->done + 1, measure_count,
		row->name);
	code = runner_run(&config, plans->list, plans->count, &list, &facts,
		&report, m->error);
	m->abandoned = report.abandoned;
	if (!code)
		code = add_provenance(&config, &facts, row, &list, m->error);
	if (!code)
		code = series_write_file(&list, FORMAT_JSON, path, m->error);
	series_list_free(&list);
	facts_free(&facts);
	return code;
}

static int add_plan(struct measuring *m, const struct measure *row,
	unsigned count, struct row_plans *plans)
{
	char name[64], path[FOLDER_PATH_BYTES];
	int code;

	snprintf(name, sizeof(name), row->counts ? "%s-%u" : "%s", row->name,
		count);
	code = folder_path(m->config->folder, name, ".txt", path, m->error);
	if (!code && row->program)
		code = write_program(m, row, count, path);
	if (!code)
		code = measure_plan_make(&plans->made[plans->count], row, path,
			&m->opened.device, m->error);
	if (code)
		return code;
	plans->list[plans->count] = plans->made[plans->count].plan;
	plans->count++;
	return 0;
}

/* What the device has no room for is left out, unless that is all. */
static int make_plans(
	struct measuring *m, const struct measure *row, struct row_plans *plans)
{
	const char *at = row->counts;
	char *end;
	int code = 0;

	if (!at)
		return add_plan(m, row, 0, plans);
	while (*at && plans->count < PLANS_MAX) {
		unsigned count = (unsigned)strtoul(at, &end, 10);

		code = add_plan(m, row, count, plans);
		if (code && code != ERR_SKIPPED)
			return code;
		at = end;
	}
	return plans->count ? 0 : code;
}

static int run_row(struct measuring *m, const struct measure *row)
{
	char series[FOLDER_PATH_BYTES];
	struct row_plans *plans;
	size_t i;
	int code = folder_path(
		m->config->folder, row->name, ".json.gz", series, m->error);

	if (code || !access(series, F_OK))
		return code;
	plans = calloc(1, sizeof(*plans));
	if (!plans)
		return error_set(m->error, ERR_FAILED, "out of memory");
	code = make_plans(m, row, plans);
	if (!code)
		code = run_plans(m, row, plans, series);
	if (m->abandoned)
		return code;
	for (i = 0; i < plans->count; i++)
		measure_plan_free(&plans->made[i]);
	free(plans);
	return code;
}

/* A row that the device or the chip cannot show is left out; so is one that
   fails, for the others may be well: the end of it all says so again. */
static int take_row(struct measuring *m, const struct measure *row)
{
	int code = run_row(m, row);

	if (!code)
		code = learn(m, row);
	if (code == ERR_SKIPPED || (code == ERR_FAILED && !m->abandoned)) {
		fprintf(m->out, "left out: %s, since %s\n", row->name,
			m->error->text);
		m->left_out++;
		m->failed += code == ERR_FAILED;
		code = 0;
	}
	m->done++;
	return code;
}

/* ---- all of them ---- */

static bool out_of_time(const struct measuring *m)
{
	const double seconds = m->config->seconds;

	return seconds > 0 && now_s() - m->begun_s > seconds;
}

static int take_rows(struct measuring *m)
{
	size_t i, late = 0;
	int code = 0;

	for (i = 0; !code && i < measure_count; i++) {
		if (!measure_wanted(&measures[i], m->config->rows))
			continue;
		/* A fit without anything held out could not be judged. */
		if (out_of_time(m) && measures[i].use != USE_HELD_OUT) {
			late++;
			continue;
		}
		code = take_row(m, &measures[i]);
	}
	if (!code && late)
		fprintf(m->out,
			"left out: %zu rows, for the time was over; the same "
			"command goes on with them\n",
			late);
	return code;
}

static int begin(struct measuring *m)
{
	const struct fit_config *c = m->config;
	char path[FOLDER_PATH_BYTES];
	int code = opened_open(&m->opened, c->ops, &c->backend, m->error);

	if (code)
		return code;
	if (mkdir(c->folder, 0777) && errno != EEXIST)
		return error_set(m->error, ERR_FAILED, "'%s': %s", c->folder,
			strerror(errno));
	code = folder_check_device(c->folder, &m->opened.device, m->error);
	if (!code)
		code = folder_path(
			c->folder, "device", ".json", path, m->error);
	if (!code)
		code = device_write(&m->opened.device, path, m->error);
	if (!code)
		code = known_nearest(c->model, c->nearest, &m->opened.device,
			NULL, &m->known, m->error);
	if (!code)
		chip_start(&m->chip, &m->opened.device, &m->known);
	return code;
}

int fit_measure(const struct fit_config *config, FILE *out, struct error *error)
{
	struct measuring *m = calloc(1, sizeof(*m));
	int code;

	if (!m)
		return error_set(error, ERR_FAILED, "out of memory");
	m->config = config;
	m->out = out;
	m->error = error;
	m->begun_s = now_s();
	code = begin(m);
	if (!code)
		code = take_rows(m);
	if (!code)
		fprintf(out, "measured: %s, %zu rows, in '%s'\n",
			m->opened.device.name, m->done - m->left_out,
			config->folder);
	if (!code && m->failed)
		code = error_set(error, ERR_FAILED,
			"%zu rows could not be measured; the same command "
			"tries them again, and --from '%s' fits to the others",
			m->failed, config->folder);
	model_parameters_free(&m->known);
	if (m->abandoned) /* until the process ends */
		return code;
	opened_close(&m->opened);
	free(m);
	return code;
}
