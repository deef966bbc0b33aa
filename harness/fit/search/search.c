/* The search from one end to the other. */
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "harness/run/opened.h"
#include "harness/fit/search/parts.h"

#define BOUND_FACTOR 4 /* around the start */
#define BOUND_STEPS  12
#define TIMING_MOST  64 /* tools read the clock in ways of their own */

/* ---- notes and time ---- */

int search_note(struct search *c, const char *format, ...)
{
	char **items =
		reallocarray(c->notes, c->note_count + 1, sizeof(*items));
	va_list arguments;
	char *text;
	int length;

	if (!items)
		return ERR_FAILED;
	c->notes = items;
	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return ERR_FAILED;
	items[c->note_count++] = text;
	return 0;
}

double search_until(
	const struct search *c, double share, size_t part, size_t whole)
{
	const double now = search_now_s();
	const double end = c->begun_s + share * c->config->seconds;

	if (!(c->config->seconds > 0))
		return INFINITY;
	return part < whole ? now + (end - now) * (double)part / (double)whole
			    : end;
}

bool search_late(const struct search *c, double share)
{
	return search_now_s() > search_until(c, share, 1, 1);
}

/* ---- which parameters may move, and how far ---- */

/* A pattern chooses among the tables' parameters; a name needs no table. */
static bool is_free(const struct search_config *config, const char *name)
{
	const bool known = readoff_of(name) ||
			   (config->rounds ? choice_of(name) != NULL
					   : group_of(name) != NULL) ||
			   !strcmp(name, "home_hash_mask") ||
			   !strcmp(name, "clock_hz");
	size_t i;

	if (!config->free_count)
		return known;
	for (i = 0; i < config->free_count; i++)
		if (!strcmp(config->free[i], name) ||
			(known && !fnmatch(config->free[i], name, 0)))
			return true;
	return false;
}

static int check_patterns(const struct search *c, struct error *error)
{
	size_t i, k;

	for (i = 0; i < c->config->free_count; i++) {
		const char *pattern = c->config->free[i];
		struct search_config one = *c->config;
		bool found = false;

		one.free = &pattern;
		one.free_count = 1;
		for (k = 0; k < c->tuning.count; k++)
			found |= is_free(&one, c->tuning.items[k].name);
		if (!found)
			return error_set(error, ERR_USAGE,
				"--free: no parameter that can be fitted is "
				"'%s' (`nearfar list parameters` shows all)",
				pattern);
	}
	return 0;
}

/* The bound next to `wanted` that the model takes; `start` it does take. */
static int find_bound(const struct search *c, double *values, size_t index,
	double wanted, double *bound, struct error *error)
{
	const double start = values[index];
	double good = start, bad = wanted, next;
	bool whole = false, taken = false;
	int step, code;

	next = tuning_round(&c->tuning, values, index, wanted);
	values[index] = next;
	code = runs_accepted(c, values, &whole, error);
	if (whole)
		good = next;
	for (step = 0; !code && !whole && step < BOUND_STEPS; step++) {
		next = tuning_round(
			&c->tuning, values, index, (good + bad) / 2);
		if (next == good || next == bad)
			break;
		values[index] = next;
		code = runs_accepted(c, values, &taken, error);
		*(taken ? &good : &bad) = next;
	}
	values[index] = start;
	*bound = good;
	return code;
}

static int find_bounds(struct search *c, struct error *error)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < c->tuning.count; i++) {
		struct tuned *t = &c->tuning.items[i];
		double low = t->start / BOUND_FACTOR;
		double high = t->start * BOUND_FACTOR;

		t->free = is_free(c->config, t->name);
		t->low = t->high = t->start;
		if (!t->free || !strcmp(t->unit, "mask") ||
			!strcmp(t->unit, "Hz"))
			continue;
		if (!strcmp(t->unit, "fraction")) {
			low = 0;
			high = 1;
		} else if (!strcmp(t->name, "timing_cycles")) {
			high = TIMING_MOST;
		} else if (t->start == 0) {
			high = 16;
		}
		code = find_bound(c, c->values, i, low, &t->low, error);
		if (!code)
			code = find_bound(
				c, c->values, i, high, &t->high, error);
	}
	return code;
}

/* ---- life ---- */

static int open_machine(struct search *c, struct error *error)
{
	const struct backend_config config = {c->config->machine, NULL, 0, 0};
	struct opened opened;
	const char *fact;
	int code = opened_open(&opened, c->config->ops, &config, error);

	if (code)
		return code;
	c->device = opened.device;
	fact = facts_find(&opened.facts, "machine");
	snprintf(c->machine, sizeof(c->machine), "%s", fact ? fact : "");
	fact = facts_find(&opened.facts, "machine.digest");
	snprintf(c->machine_digest, sizeof(c->machine_digest), "%s",
		fact ? fact : "");
	opened_close(&opened);
	return 0;
}

static int prepare(struct search *c, struct error *error)
{
	size_t i;
	int code = open_machine(c, error);

	if (!code)
		code = tuning_read(
			c->config->ops, c->config->machine, &c->tuning, error);
	if (!code)
		code = check_patterns(c, error);
	if (!code)
		code = targets_read(c->config, &c->device, &c->targets, error);
	if (code)
		return code;
	c->values = calloc(c->tuning.count + 1, sizeof(*c->values));
	c->series_s = calloc(c->targets.series_count + 1, sizeof(double));
	if (!c->values || !c->series_s)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < c->tuning.count; i++)
		c->values[i] = c->tuning.items[i].start;
	code = find_bounds(c, error);
	if (code)
		return code;
	code = memo_open(
		&c->memo, c->config, &c->targets, c->machine_digest, error);
	return code ? code
		    : others_open(&c->others, c->config, &c->memo, error);
}

static void finish(struct search *c)
{
	size_t i;

	for (i = 0; i < c->note_count; i++)
		free(c->notes[i]);
	free(c->notes);
	free(c->values);
	free(c->series_s);
	point_errors_free(&c->before);
	point_errors_free(&c->after);
	others_close(&c->others);
	memo_close(&c->memo);
	tuning_free(&c->tuning);
	targets_free(&c->targets);
}

static int write_all(struct search *c, FILE *out, struct error *error)
{
	int code = machine_write(c, error);

	if (!code && c->config->points)
		code = report_write_points(c, error);
	if (!code)
		code = report_put(c, out, error);
	if (!code && c->config->next)
		code = next_put(c, out, error);
	return code;
}

/* The errors of all points with the start's values, and with the fit's. */
static int compare(struct search *c, struct error *error)
{
	double *start = calloc(c->tuning.count + 1, sizeof(*start));
	size_t i;
	int code = start ? 0 : error_set(error, ERR_FAILED, "out of memory");

	for (i = 0; start && i < c->tuning.count; i++)
		start[i] = c->tuning.items[i].start;
	if (!code)
		code = point_errors_make(
			c, start, "the start's errors", &c->before, error);
	if (!code)
		code = point_errors_make(
			c, c->values, "all points", &c->after, error);
	if (!code)
		code = gain_check(c, start, error);
	free(start);
	return code;
}

/* What is read off takes the rest as given, so it is done again when the rest
   has moved: until nothing moves, or as often as is asked for. */
static int read_rounds(struct search *c, struct error *error)
{
	const size_t bytes = c->tuning.count * sizeof(*c->values);
	double *before = malloc(bytes + 1);
	unsigned round = 0;
	int code = before ? 0 : error_set(error, ERR_FAILED, "out of memory");

	while (!code) {
		memcpy(before, c->values, bytes);
		code = readoffs_make(c, round, error);
		if (!code && c->config->rounds)
			code = choices_make(c, round, error);
		if (++round >= c->config->rounds ||
			!memcmp(before, c->values, bytes))
			break;
	}
	free(before);
	if (!code && c->config->rounds)
		code = witnesses_hear(c, error);
	return code;
}

int search_run(
	const struct search_config *config, FILE *out, struct error *error)
{
	struct search c = {.config = config, .begun_s = search_now_s()};
	int code = prepare(&c, error);

	if (!code)
		code = reported_read(&c, error);
	if (!code)
		code = clock_read(&c, error);
	if (!code)
		code = home_read(&c, error);
	if (!code)
		code = read_rounds(&c, error);
	if (!code && !config->rounds)
		code = fits_make(&c, error);
	if (!code)
		code = compare(&c, error);
	if (!code && !c.no_gain)
		code = intervals_make(&c, error);
	if (!code && config->output)
		code = write_all(&c, out, error);
	finish(&c);
	return code;
}

int search_look(
	const struct search_config *config, size_t *points, struct error *error)
{
	struct search c = {.config = config};
	int code = prepare(&c, error);

	if (!code)
		*points = c.targets.count;
	finish(&c);
	return code;
}
