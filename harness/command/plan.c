/* A suite, looked at before it is run in parts: whether its rows and points can
   be run, and how alike the parts are. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/command/command.h"
#include "harness/command/fit/fit_parts.h"
#include "harness/command/suite/run_suite.h"
#include "harness/split/cost.h"
#include "harness/split/part.h"
#include "harness/split/slurm.h"
#include "harness/split/suite.h"

#define PARTS_USUAL 32

struct options {
	struct options_words words; /* the suite, and words for each row */
	const char *folder;
	unsigned parts;
	bool slurm, whole_series, rows;
};

static const struct options_row rows[] = {
	{"output", 'o', TAKES_TEXT, "DIR", "the folder of --slurm; it is made",
		OPTIONS_AT(struct options, folder), .values = VALUES_FOLDERS},
	{"parts", 'n', TAKES_COUNT, "N", "as many parts (default 32)",
		OPTIONS_AT(struct options, parts), .least = 1,
		.most = PARTS_MAX, .was = "shards"},
	{"rows", 0, TAKES_NOTHING, NULL,
		"print the rows alone, a name and its words in each line, and "
		"make no points",
		OPTIONS_AT(struct options, rows)},
	{"whole-series", 0, TAKES_NOTHING, NULL,
		"keep the points of a series in one part: on GPUs, a series "
		"is of one GPU",
		OPTIONS_AT(struct options, whole_series)},
	{"slurm", 0, TAKES_NOTHING, NULL,
		"write DIR/slurm.sh: 'sbatch DIR/slurm.sh' runs all parts as "
		"a job array",
		OPTIONS_AT(struct options, slurm)},
	{0},
};

static const char *const examples[] = {
	"nearfar plan default -n 32",
	"nearfar plan suite.txt -n 32 --slurm -o parts -- -r 1 -w 0",
	"seq 32 | parallel nearfar run --suite suite.txt --part {}/32 -o parts",
	NULL,
};

const struct options_table plan_options = {
	.name = "plan",
	.summary = "whether a suite can be run, and in how many parts",
	.operands = "SUITE [-- WORD...]",
	.about =
		"Look at a suite before 'nearfar run --suite SUITE --part "
		"K/N' runs it in parts and 'nearfar merge' joins them: every "
		"row and point is made, and what the parts cost is compared. "
		"A suite has a line a row: a name and the words of 'nearfar "
		"run', or 'fit' and those of 'nearfar fit'. The WORDs are "
		"added to each row. SUITE '-' is standard input, 'default' the "
		"suite that results/ is measured by.",
	.rows = rows,
	.words = offsetof(struct options, words),
	.least = 1,
	.most = SIZE_MAX,
	.needed = "a suite is needed",
	.first = {VALUES_FILES, NULL},
	.examples = examples,
};

/* ---- points ---- */

struct looking {
	const struct options *o;
	const struct split *split;
	double *costs; /* by part */
	size_t points;
};

/* Every point of a series: its program is made, so that one that is wrong is
   found now, and counted. One that the device lacks is skipped when it runs. */
static int add_points(struct looking *l, const struct run_row *row,
	size_t index, size_t series, struct error *error)
{
	const struct run_options *o = &row->options;
	const struct plan *plan = &row->plans.items[series];
	/* How many `auto` takes is not known: as few as it may. */
	const double runs =
		o->warmups + (o->repeats.within_percent > 0 ? REPEATS_LEAST
							    : o->repeats.count);
	struct program program;
	size_t i;

	for (i = 0; i < plan->sweep.count; i++) {
		const double x = plan->sweep.points[i];
		const struct setting *setting = plan_setting(plan, i);
		const struct device *device =
			setting ? &setting->device
				: &row->opened.items[0].device;
		const int built =
			plan_build(plan, device, x, o->seed, &program, error);

		if (built && built != ERR_SKIPPED)
			return built;
		l->points++;
		l->costs[part_owner(l->split->rows[index].name, series,
			l->o->whole_series ? NULL : &x, l->o->parts)] +=
			built ? COST_OF_A_RUN
			      : runs * cost_program(&program, device->sm_count);
	}
	return 0;
}

static int look(void *context, const struct run_row *row, size_t index,
	struct error *error)
{
	struct looking *l = context;
	size_t i;
	int code = 0;

	for (i = 0; !code && i < row->plans.count; i++)
		code = add_points(l, row, index, i, error);
	return code;
}

static void tell(const struct looking *l, FILE *out)
{
	double cost = 0, most = 0;
	size_t i, empty = 0;

	for (i = 0; i < l->o->parts; i++) {
		cost += l->costs[i];
		empty += l->costs[i] == 0;
		if (l->costs[i] > most)
			most = l->costs[i];
	}
	fprintf(out,
		"%zu points in %u parts, of which %zu have none\n"
		"the dearest part costs %.2f times the mean\n",
		l->points, l->o->parts, empty,
		cost > 0 ? most * l->o->parts / cost : 1);
}

static int look_at_fits(
	const struct split *split, FILE *out, struct error *error)
{
	size_t i, points = 0;
	int code = 0;

	for (i = 0; !code && i < split->row_count; i++) {
		if (!split_row_is_fit(&split->rows[i]))
			continue;
		code = fit_parts_look(&split->rows[i], &points, error);
		if (!code)
			fprintf(out, "%s: a fit to %zu points, by all parts\n",
				split->rows[i].name, points);
	}
	return code;
}

/* ---- a job array ---- */

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

static int write_slurm(const struct options *o, struct error *error)
{
	char program[PATH_MAX];
	const struct slurm slurm = {
		.folder = o->folder,
		.suite = o->words.items[0],
		.program = program,
		.part_count = o->parts,
		.whole_series = o->whole_series,
		.words = o->words.items + 1,
		.word_count = o->words.count - 1,
	};

	if (find_program(program))
		return error_set(error, ERR_FAILED,
			"cannot find nearfar's own path in /proc");
	if (mkdir(o->folder, 0777) && errno != EEXIST)
		return error_set(error, ERR_FAILED,
			"cannot make the folder '%s': %s", o->folder,
			strerror(errno));
	return slurm_write(&slurm, error);
}

/* The rows as they are read: what other programs make of a suite. */
static int put_rows(const char *suite, const struct options_words *more,
	FILE *out, struct error *error)
{
	struct split split = {0};
	size_t *lines = NULL, i, k;
	int code = suite_read(suite, (const char *const *)more->items,
		more->count, &split, &lines, error);

	for (i = 0; !code && i < split.row_count; i++) {
		const struct split_row *row = &split.rows[i];

		fputs(row->name, out);
		for (k = 0; k < row->word_count; k++)
			fprintf(out, " %s", row->words[k]);
		fputc('\n', out);
	}
	free(lines);
	split_free(&split);
	return code;
}

static int check(const struct options *o, struct error *error)
{
	if (o->slurm && o->rows)
		return error_set(error, ERR_USAGE,
			"--rows prints rows alone, without --slurm");
	if (o->slurm && !o->folder)
		return error_set(error, ERR_USAGE,
			"--slurm needs a folder for the parts: -o DIR");
	if (o->folder && !o->slurm)
		return error_set(error, ERR_USAGE,
			"-o is the folder of --slurm, and without it nothing "
			"is written");
	if (o->slurm && !strcmp(o->words.items[0], "-"))
		return error_set(error, ERR_USAGE,
			"--slurm needs a suite that each job can read, not "
			"standard input");
	return 0;
}

int command_plan(int argc, char **argv, FILE *out, struct error *error)
{
	struct options o = {.parts = PARTS_USUAL};
	struct split split = {0};
	struct looking l = {.o = &o, .split = &split};
	struct options_words more;
	int code = options_parse(&plan_options, argc, argv, NULL, &o, error);

	if (!code)
		code = check(&o, error);
	if (code)
		return code;
	more = (struct options_words){o.words.items + 1, o.words.count - 1};
	if (o.rows)
		return put_rows(o.words.items[0], &more, out, error);
	l.costs = calloc(o.parts, sizeof(*l.costs));
	code = l.costs ? run_suite_read(o.words.items[0], &more, look, &l,
				 &split, error)
		       : error_set(error, ERR_FAILED, "out of memory");
	if (!code && l.points)
		tell(&l, out);
	if (!code)
		code = look_at_fits(&split, out, error);
	if (!code && o.slurm)
		code = write_slurm(&o, error);
	free(l.costs);
	split_free(&split);
	return code;
}
