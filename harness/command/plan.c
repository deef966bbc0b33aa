/* A suite in shards: the rows' points, what they cost, and who runs them. */
#include <argp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/units.h"
#include "harness/command/fit/fit_shards.h"
#include "harness/command/command.h"
#include "harness/command/run/run_row.h"
#include "harness/split/cost.h"
#include "harness/split/deal.h"
#include "harness/split/slurm.h"
#include "harness/split/suite.h"

enum { KEY_SLURM = 0x100, KEY_WHOLE, KEY_CALIBRATE };

#define SHARDS_USUAL 32

struct options {
	const char *suite, *folder;
	uint64_t shards;
	bool slurm, whole, calibrate;
	char **more; /* words for each row, or of the calibration */
	int more_count;
};

static const struct argp_option argp_options[] = {
	{"output", 'o', "DIR", 0, "the folder of the split; it is made", 0},
	{"shards", 'n', "N", 0,
		"as many shards, or fewer if there are fewer points (default "
		"32)",
		0},
	{"whole-series", KEY_WHOLE, NULL, 0,
		"keep the points of a series in one shard: on GPUs, a series "
		"is of one GPU",
		0},
	{"calibrate", KEY_CALIBRATE, NULL, 0,
		"no suite, but a calibration: the WORDs are those of 'nearfar "
		"calibrate'",
		0},
	{"slurm", KEY_SLURM, NULL, 0,
		"write DIR/slurm.sh, too: 'sbatch DIR/slurm.sh' runs all "
		"shards as a job array",
		0},
	{0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		o->folder = text;
		return 0;
	case 'n':
		if (units_parse_count(text, &o->shards, NULL) || !o->shards ||
			o->shards > SPLIT_SHARDS_MAX)
			argp_error(state,
				"-n %s: a number of shards from 1 to %d is "
				"needed",
				text, SPLIT_SHARDS_MAX);
		return 0;
	case KEY_WHOLE:
		o->whole = true;
		return 0;
	case KEY_SLURM:
		o->slurm = true;
		return 0;
	case KEY_CALIBRATE:
		o->calibrate = true;
		return 0;
	case ARGP_KEY_ARG:
		if (o->suite || o->calibrate)
			return ARGP_ERR_UNKNOWN; /* ARGS: all that follow */
		o->suite = text;
		return 0;
	case ARGP_KEY_ARGS:
		o->more = state->argv + state->next;
		o->more_count = state->argc - state->next;
		return 0;
	case ARGP_KEY_END:
		if (!o->suite && !o->calibrate)
			argp_error(state, "a suite is needed");
		if (o->whole && o->calibrate)
			argp_error(state, "--whole-series is of suites");
		if (!o->folder)
			argp_error(state, "the folder of the split is needed: "
					  "-o DIR");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- points ---- */

struct points {
	struct deal_point *items;
	size_t count;
};

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory");
}

static int add_point(struct points *points, size_t row, size_t series,
	size_t index, double cost, struct error *error)
{
	struct deal_point *items = points->items;

	if (!(points->count & (points->count - 1)))
		items = reallocarray(items,
			points->count ? 2 * points->count : 1, sizeof(*items));
	if (!items)
		return no_memory(error);
	points->items = items;
	items[points->count++] = (struct deal_point){row, series, index, cost};
	return 0;
}

/* Every point of a series: its program is made, so that one that is wrong is
   found now, and counted. One that the device lacks is skipped when it runs. */
static int add_points(const struct run_row *row, size_t index, size_t series,
	struct points *points, struct error *error)
{
	const struct run_options *o = &row->options;
	const struct plan *plan = &row->plans.items[series];
	const double runs = o->repeats + o->warmups;
	struct program program;
	size_t i;
	int code = 0;

	for (i = 0; !code && i < plan->sweep.count; i++) {
		const struct setting *setting = plan_setting(plan, i);
		const struct device *device =
			setting ? &setting->device
				: &row->opened.items[0].device;
		int built = plan_build(plan, device, plan->sweep.points[i],
			o->seed, &program, error);

		if (built && built != ERR_SKIPPED)
			return built;
		code = add_point(points, index, series, i,
			built ? COST_OF_A_RUN
			      : runs * cost_program(&program, device->sm_count),
			error);
	}
	return code;
}

static int describe_series(const struct plan *plan, struct split_series *series)
{
	series->bench = strdup(plan->name);
	series->axis = strdup(plan->axis);
	series->point_count = plan->sweep.count;
	return series->bench && series->axis ? 0 : ERR_FAILED;
}

static int describe_row(const struct run_row *row, struct split_row *planned,
	struct error *error)
{
	size_t i;
	int code = run_row_work(row, &planned->work, error);

	if (code)
		return code;
	planned->seed = row->options.seed;
	planned->series =
		calloc(row->plans.count + 1, sizeof(*planned->series));
	if (!planned->series)
		return no_memory(error);
	planned->series_count = row->plans.count;
	for (i = 0; i < row->plans.count; i++)
		if (describe_series(&row->plans.items[i], &planned->series[i]))
			return no_memory(error);
	return 0;
}

static int plan_row(const char *place, struct split *split, size_t index,
	struct points *points, struct error *error)
{
	struct split_row *planned = &split->rows[index];
	struct run_row row;
	size_t i;
	int code = run_row_make(&row, place, planned, true, NULL, error);

	if (!code)
		code = describe_row(&row, planned, error);
	for (i = 0; !code && i < row.plans.count; i++) {
		code = add_points(&row, index, i, points, error);
		if (code)
			error_prefix(error, code, "%s: ", place);
	}
	run_row_free(&row);
	return code;
}

/* ---- all ---- */

static int read_suite(const struct options *o, struct split *split,
	struct points *points, struct error *error)
{
	size_t *lines = NULL, i;
	char place[512];
	int code = suite_read(o->suite, (const char *const *)o->more,
		(size_t)o->more_count, split, &lines, error);

	for (i = 0; !code && i < split->row_count; i++) {
		snprintf(place, sizeof(place), "%s:%zu",
			strcmp(o->suite, "-") ? o->suite : "standard input",
			lines[i]);
		code = plan_row(place, split, i, points, error);
	}
	free(lines);
	return code;
}

/* How this program is started again. A launcher that knows says so by the name
   that it gives the program. */
static int find_program(char program[PATH_MAX])
{
	const char *name = program_invocation_name;
	ssize_t length;

	if (*name == '/' && strlen(name) < PATH_MAX) {
		strcpy(program, name);
		return 0;
	}
	length = readlink("/proc/self/exe", program, PATH_MAX - 1);
	if (length < 0)
		return ERR_FAILED;
	program[length] = '\0';
	return 0;
}

static int write_slurm(
	const struct options *o, const struct split *split, struct error *error)
{
	char program[PATH_MAX];

	if (find_program(program))
		return error_set(error, ERR_FAILED,
			"cannot find nearfar's own path in /proc");
	return slurm_write(o->folder, split->shard_count, program, error);
}

static void tell(const struct options *o, const struct split *split,
	size_t points, FILE *out)
{
	double cost = 0, most = 0;
	size_t i;

	for (i = 0; i < split->shard_count; i++) {
		cost += split->shards[i].cost;
		if (split->shards[i].cost > most)
			most = split->shards[i].cost;
	}
	if (o->calibrate) {
		fprintf(out,
			"a calibration to %zu points in %zu shards: %s/1 to "
			"%s/%zu\n",
			points, split->shard_count, o->folder, o->folder,
			split->shard_count);
		return;
	}
	fprintf(out,
		"%zu points in %zu shards: %s/1 to %s/%zu\n"
		"the dearest shard costs %.2f times the mean\n",
		points, split->shard_count, o->folder, o->folder,
		split->shard_count,
		cost > 0 ? most * (double)split->shard_count / cost : 1);
}

/* ---- a calibration ---- */

static int plan_calibration(const struct options *o, struct split *split,
	size_t *points, struct error *error)
{
	const size_t count = (size_t)o->more_count;

	split->calibrate = calloc(count + 1, sizeof(*split->calibrate));
	split->shards = calloc(o->shards, sizeof(*split->shards));
	if (!split->calibrate || !split->shards)
		return no_memory(error);
	split->shard_count = (size_t)o->shards;
	while (split->calibrate_count < count) {
		char *word = strdup(o->more[split->calibrate_count]);

		if (!word)
			return no_memory(error);
		split->calibrate[split->calibrate_count++] = word;
	}
	return calibrate_plan(split, points, error);
}

static int plan_suite(const struct options *o, struct split *split,
	size_t *count, struct error *error)
{
	struct points points = {0};
	int code = read_suite(o, split, &points, error);

	if (!code)
		code = deal(split, points.items, points.count,
			(size_t)o->shards, o->whole, error);
	*count = points.count;
	free(points.items);
	return code;
}

int command_plan(int argc, char **argv, FILE *out, struct error *error)
{
	static const struct argp argp = {argp_options, parse,
		"SUITE -o DIR [-- WORD...]\n--calibrate -o DIR -- WORD...",
		"Cut a suite into shards, which 'nearfar run --shard DIR/N' "
		"runs and 'nearfar merge DIR' joins. A suite has a line a row: "
		"a name and the words of 'nearfar run'. The WORDs are added to "
		"each row. SUITE '-' is standard input.",
		NULL, NULL, NULL};
	struct options o = {.shards = SHARDS_USUAL};
	struct split split = {0};
	size_t points = 0;
	int code;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return error_set(error, ERR_FAILED,
			"out of memory for the options of plan");
	fingerprint_build(split.build);
	code = o.calibrate ? plan_calibration(&o, &split, &points, error)
			   : plan_suite(&o, &split, &points, error);
	if (!code)
		split.suite = split_suite_digest(&split);
	if (!code)
		code = split_write(o.folder, &split, error);
	if (!code && o.slurm)
		code = write_slurm(&o, &split, error);
	if (!code)
		tell(&o, &split, points, out);
	split_free(&split);
	return code;
}
