/* Files of series as points that can be run again. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/program/launch.h"
#include "harness/fit/search/parts.h"
#include "harness/base/content.h"
#include "harness/base/file_name.h"
#include "harness/program/legality/legality.h"
#include "harness/run/rebuild.h"
#include "harness/series/io.h"
#include "harness/program/text/text.h"

#define NOISE_SHARE      0.02 /* of a share, absolute */
#define DISTRIBUTION_MIN 64   /* samples */

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory for the targets");
}

/* ---- files ---- */

/* What others measured was done on a chip of which the file holds the shape at
   best: a bench of ours builds its programs for the machine that is fitted. */
static int rebuild(struct series_list *list, const struct device *device,
	struct error *error)
{
	size_t i, k;
	int code = 0;

	for (i = 0; !code && i < list->count; i++) {
		struct series_list one = {.items = &list->items[i], .count = 1};
		struct series *s = one.items;
		const char *backend = facts_find(&s->provenance, "backend");

		if (!backend || strcmp(backend, "import"))
			continue;
		for (k = 0; k < s->point_count; k++) {
			free(s->points[k].program);
			s->points[k].program = NULL;
		}
		code = rebuild_programs(&one, device, error);
	}
	return code;
}

static int read_file(const char *path, const struct device *device,
	struct target_file *file, struct error *error)
{
	uint64_t digest = UINT64_C(0xcbf29ce484222325);
	struct content content;
	size_t i;
	int code;

	if (!strcmp(path, "-"))
		return error_set(error, ERR_USAGE,
			"a target is a file, not standard input: the machine "
			"names it");
	code = content_read_text(path, CONTENT_MOST, &content, error);
	if (code)
		return code;
	for (i = 0; i < content.bytes; i++)
		digest = (digest ^ (unsigned char)content.text[i]) *
			 UINT64_C(0x100000001b3);
	file->path = path;
	snprintf(file->digest, sizeof(file->digest), "%016" PRIx64, digest);
	code = series_parse(&content, &file->list, error);
	content_free(&content);
	return code ? code : rebuild(&file->list, device, error);
}

/* ---- series ---- */

static char *make_label(const struct target_file *file, size_t number)
{
	char *label = file_name_label(file->path), *numbered;

	if (!label || file->list.count == 1)
		return label;
	if (asprintf(&numbered, "%s#%zu", label, number + 1) < 0)
		numbered = NULL;
	free(label);
	return numbered;
}

static int add_series(const struct search_config *config, size_t file,
	struct targets *t, struct error *error)
{
	const struct target_file *f = &t->files[file];
	size_t i, k;

	for (i = 0; i < f->list.count; i++) {
		struct target_series *items = reallocarray(
			t->series, t->series_count + 1, sizeof(*items));
		struct target_series *s;

		if (!items)
			return no_memory(error);
		t->series = items;
		s = &items[t->series_count++];
		*s = (struct target_series){
			.file = file,
			.series = &f->list.items[i],
			.label = make_label(f, i),
			.held_out = file >= config->target_count,
		};
		if (!s->label)
			return no_memory(error);
		target_metrics(s);
		for (k = 0; k < config->hold_out_count; k++)
			s->held_out |= pattern_matches(
				config->hold_outs[k], s->series);
	}
	return 0;
}

/* ---- points ---- */

/* Series carry the program of each point; CSV has no room for it. */
static int make_program(const struct targets *t, struct target_point *p,
	const struct device *device, struct error *error)
{
	const struct target_series *s = &t->series[p->series];
	int code;

	if (!p->point->program)
		return error_set(error, ERR_SKIPPED,
			"the points of '%s' hold no program; the JSON that "
			"`run` and `import` write does",
			t->files[s->file].path);
	code = program_parse(p->point->program, s->label, p->program, error);
	if (!code)
		code = program_check(p->program, error);
	return code ? code : program_fits(p->program, device, error);
}

/* What a store's line costs the model, for loads' lines: its way to DRAM, too,
   often read before. */
#define STORE_COST 4

/* Lines that one warp instruction touches, roughly. */
static double lines_of(const struct insn *insn, const struct role *role)
{
	const struct address *a = &insn->address;
	double lanes = insn->guard == GUARD_ALL ? role->lanes : 1;

	if (a->mode == ADDRESS_NONE)
		return 0;
	if (a->mode == ADDRESS_AFFINE)
		return fmin(lanes, 1 + (lanes - 1) * (double)a->lane_bytes /
						   PROGRAM_LINE_BYTES);
	return a->mode == ADDRESS_SHARED || a->per == DRAW_PER_WARP ? 1 : lanes;
}

/* The same on every machine, unlike seconds. */
static double cost_of(const struct program *p, const struct device *device)
{
	double sum = 0, times[PROGRAM_DEPTH_MAX + 1] = {1};
	uint32_t r, i, depth;

	for (r = 0; r < p->role_count; r++) {
		const struct role *role = &p->roles[r];
		double warps = role_blocks(p, role, device->sm_count) *
			       ceil(role->threads / (double)PROGRAM_WARP_LANES);

		depth = 0;
		for (i = 0; i < role->insn_count; i++) {
			const struct insn *insn =
				&p->insns[role->insn_first + i];

			if (insn->op == OP_REPEAT) {
				times[depth + 1] =
					times[depth] * (double)insn->count;
				depth++;
			} else if (insn->op == OP_END) {
				depth--;
			} else {
				sum += warps * times[depth] *
				       lines_of(insn, role) *
				       (insn->op == OP_ST ? STORE_COST : 1);
			}
		}
	}
	return sum;
}

static bool is_distribution(const struct target_series *s,
	const struct point *point, const struct program *program)
{
	struct region regions[PROGRAM_REGIONS_MAX];
	int region = program_region(program, "latency");

	if (region < 0)
		region = program_region(program, "measure");
	program_regions(program, regions);
	return region >= 0 && s->metrics[0] == METRIC_LATENCY_CYCLES &&
	       regions[region].repeat->timing == TIMING_EACH &&
	       point_metric(point, METRIC_LATENCY_CYCLES)->value_count >=
		       DISTRIBUTION_MIN;
}

static void find_noise(const struct target_series *s, struct target_point *p)
{
	size_t i;

	for (i = 0; i < s->metric_count; i++) {
		const struct summary *m =
			point_summary(p->point, s->metrics[i]);
		double half = p->distribution ? 2 * m->mad / sqrt(m->count)
					      : (m->high - m->low) / 2;
		double noise = half / (2 * fabs(p->target.field[i]));

		if (metric_is_share(s->metrics[i]))
			p->noise[i] = NOISE_SHARE;
		else
			p->noise[i] = isfinite(noise) ? noise : 0;
	}
}

/* Fills `p`, whose program is allocated. */
static int make_point(const struct targets *t, const struct device *device,
	struct target_point *p, struct error *error)
{
	const struct target_series *s = &t->series[p->series];
	int code = make_program(t, p, device, error);

	if (code)
		return code;
	p->cost = cost_of(p->program, device);
	p->distribution = is_distribution(s, p->point, p->program);
	p->map = !strcmp(s->series->bench, "near-far") &&
		 p->point->samples.count > 0;
	code = outcome_of_target(s, p, &p->target, error);
	if (!code)
		find_noise(s, p);
	return code;
}

static bool has_values(const struct target_series *s, const struct point *p)
{
	size_t i;

	for (i = 0; i < s->metric_count; i++)
		if (isfinite(point_summary(p, s->metrics[i])->median))
			return true;
	return false;
}

/* The ends stay: rates and plateaus are read off there. */
static bool held_out_by_number(
	const struct search_config *config, size_t i, size_t count)
{
	unsigned every = config->hold_out_every;

	return every && i % every == every - 1 && i > 0 && i + 1 < count;
}

static int add_points(const struct search_config *config, size_t series,
	const struct device *device, struct targets *t, struct error *error)
{
	const struct series *s = t->series[series].series;
	size_t i;

	for (i = 0; i < s->point_count; i++) {
		struct target_point p = {
			.series = series,
			.point = &s->points[i],
			.held_out =
				t->series[series].held_out ||
				held_out_by_number(config, i, s->point_count),
		};
		int code;

		if (p.point->skipped ||
			!has_values(&t->series[series], p.point))
			continue;
		p.program = malloc(sizeof(*p.program));
		if (!p.program)
			return no_memory(error);
		code = make_point(t, device, &p, error);
		if (!code) {
			t->points[t->count++] = p;
			continue;
		}
		free(p.program);
		if (code != ERR_SKIPPED)
			return error_prefix(error, code,
				"%s: ", t->files[t->series[series].file].path);
		if (!t->left_out++)
			snprintf(t->why, sizeof(t->why), "%.255s", error->text);
	}
	return 0;
}

static int add_all_points(const struct search_config *config,
	const struct device *device, struct targets *t, struct error *error)
{
	size_t i, most = 0, trained = 0;
	int code = 0;

	for (i = 0; i < t->series_count; i++)
		most += t->series[i].series->point_count;
	t->points = calloc(most + 1, sizeof(*t->points));
	if (!t->points)
		return no_memory(error);
	for (i = 0; !code && i < t->series_count; i++)
		code = add_points(config, i, device, t, error);
	for (i = 0; i < t->count; i++)
		trained += !t->points[i].held_out;
	if (!code && !trained)
		return error_set(error, ERR_USAGE,
			"the targets hold no point to fit%s%s",
			t->left_out ? ": " : "", t->why);
	return code;
}

static int check_hold_out(
	const struct targets *t, const char *pattern, struct error *error)
{
	size_t i;
	int code = pattern_check(pattern, error);

	for (i = 0; !code && i < t->series_count; i++)
		if (pattern_matches(pattern, t->series[i].series))
			return 0;
	return code ? code
		    : error_set(error, ERR_USAGE,
			      "no series of the targets is '%s', so it cannot "
			      "be held out",
			      pattern);
}

int targets_read(const struct search_config *config,
	const struct device *device, struct targets *targets,
	struct error *error)
{
	struct targets t = {0};
	const size_t first = config->target_count;
	const size_t count = first + config->held_out_target_count;
	size_t i;
	int code = 0;

	t.files = calloc(count + 1, sizeof(*t.files));
	if (!t.files)
		return no_memory(error);
	for (i = 0; !code && i < count; i++) {
		code = read_file(i < first
					 ? config->targets[i]
					 : config->held_out_targets[i - first],
			device, &t.files[i], error);
		t.file_count++;
	}
	for (i = 0; !code && i < t.file_count; i++)
		code = add_series(config, i, &t, error);
	for (i = 0; !code && i < config->hold_out_count; i++)
		code = check_hold_out(&t, config->hold_outs[i], error);
	if (!code)
		code = add_all_points(config, device, &t, error);
	if (code)
		targets_free(&t);
	else
		*targets = t;
	return code;
}

void targets_free(struct targets *t)
{
	size_t i;

	for (i = 0; i < t->count; i++)
		free(t->points[i].program);
	for (i = 0; i < t->series_count; i++)
		free(t->series[i].label);
	for (i = 0; i < t->file_count; i++)
		series_list_free(&t->files[i].list);
	free(t->points);
	free(t->series);
	free(t->files);
	*t = (struct targets){0};
}
