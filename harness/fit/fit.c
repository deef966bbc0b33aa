/* The second half: from a folder to a machine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/fit/search/search.h"
#include "harness/fit/device.h"
#include "harness/fit/fit.h"
#include "harness/fit/folder.h"
#include "harness/fit/known.h"
#include "harness/observe/rotation.h"
#include "harness/fit/start.h"
#include "harness/series/io.h"

struct fitting {
	const struct fit_config *config;
	struct chip chip;
	char *nearest;
	struct model_parameters known;
	double clock_hz;
	char start[FOLDER_PATH_BYTES], state[FOLDER_PATH_BYTES];
	char (*paths)[FOLDER_PATH_BYTES]; /* of targets, then of what is held
					     out; both in the suite's order */
	const char **targets, **held_out;
	size_t target_count, held_out_count;
	struct error *error;
};

/* ---- what the folder holds ---- */

static int add_file(struct fitting *f, size_t row)
{
	const enum measure_use use = measures[row].use;
	int code = folder_path(f->config->folder, measures[row].name,
		".json.gz", f->paths[row], f->error);

	if (code || access(f->paths[row], F_OK) ||
		!measure_wanted(&measures[row], f->config->rows))
		return code;
	if (use == USE_HELD_OUT)
		f->held_out[f->held_out_count++] = f->paths[row];
	else if (use != USE_GEOMETRY)
		f->targets[f->target_count++] = f->paths[row];
	return folder_learn(f->config->folder, &measures[row], &f->chip,
		&f->known, f->error);
}

static int find_files(struct fitting *f)
{
	size_t i;
	int code = 0;

	f->paths = calloc(measure_count, sizeof(*f->paths));
	f->targets = calloc(measure_count, sizeof(*f->targets));
	f->held_out = calloc(measure_count, sizeof(*f->held_out));
	if (!f->paths || !f->targets || !f->held_out)
		return error_set(f->error, ERR_FAILED, "out of memory");
	for (i = 0; !code && i < measure_count; i++)
		code = add_file(f, i);
	if (!code && !f->target_count)
		code = error_set(f->error, ERR_USAGE,
			"'%s' holds no series of a measurement; `nearfar fit "
			"--measure FOLDER` makes them",
			f->config->folder);
	return code;
}

/* The SM clock at which most was measured: the median over the points. */
static int find_clock(struct fitting *f)
{
	double *clocks = NULL, *more;
	size_t count = 0, i, k;
	int code = 0;

	for (i = 0; !code && i < f->target_count; i++) {
		struct series_list list = {0};
		const struct series *s;

		code = series_read(f->targets[i], &list, f->error);
		s = !code && list.count ? &list.items[0] : NULL;
		more = s ? realloc(clocks, (count + s->point_count + 1) *
						   sizeof(*clocks))
			 : NULL;
		clocks = more ? more : clocks;
		for (k = 0; more && k < s->point_count; k++)
			if (s->points[k].clock_hz > 0)
				clocks[count++] = s->points[k].clock_hz;
		series_list_free(&list);
	}
	f->clock_hz = code ? NAN : stats_median(clocks, count);
	free(clocks);
	return code;
}

/* ---- the machine ---- */

static int make_start(struct fitting *f, FILE *out)
{
	struct fit_start start;
	int code = folder_path(
		f->config->folder, "start", ".yaml", f->start, f->error);

	if (!code)
		code = folder_path(f->config->folder, "state", ".json",
			f->state, f->error);
	if (code)
		return code;
	start_make(&start, &f->chip, f->clock_hz, f->nearest, &f->known);
	start_put(&start, &f->chip, out);
	fputc('\n', out);
	return start_write(&start, f->start, f->error);
}

static int run_search(struct fitting *f, double seconds, FILE *out)
{
	const struct search_config config = {
		.ops = f->config->model,
		.machine = f->start,
		.targets = f->targets,
		.target_count = f->target_count,
		.held_out_targets = f->held_out,
		.held_out_target_count = f->held_out_count,
		.seconds = seconds,
		.seed = 1,
		.jobs = f->config->jobs,
		.state = f->state,
		.resume = true,
		.output = f->config->output,
		.points = f->config->points,
		.rounds = 3,
		.next = true,
		.stop = f->config->stop,
	};

	return search_run(&config, out, f->error);
}

static int begin(struct fitting *f)
{
	char path[FOLDER_PATH_BYTES];
	struct device device;
	int code = folder_path(
		f->config->folder, "device", ".json", path, f->error);

	if (!code)
		code = device_read(&device, path, f->error);
	if (!code)
		code = known_nearest(f->config->model, f->config->nearest,
			&device, &f->nearest, &f->known, f->error);
	if (!code)
		chip_start(&f->chip, &device, &f->known);
	return code;
}

int fit_machine(const struct fit_config *config, double seconds, FILE *out,
	struct error *error)
{
	struct fitting f = {.config = config, .error = error};
	int code = begin(&f);

	if (!code)
		code = find_files(&f);
	if (!code)
		code = find_clock(&f);
	if (!code)
		code = make_start(&f, out);
	if (!code)
		code = run_search(&f, seconds, out);
	model_parameters_free(&f.known);
	free(f.nearest);
	free(f.paths);
	free(f.targets);
	free(f.held_out);
	return code;
}
