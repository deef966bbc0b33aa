/* What the fit says of itself. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fit/search/parts.h"
#include "harness/base/emit.h"
#include "harness/base/output.h"
#include "harness/base/text_table.h"

int report_write_points(const struct search *c, struct error *error)
{
	const struct point_errors *errors = &c->after;
	struct output output;
	size_t i;
	int code = output_open(&output, c->config->points, error);

	if (code)
		return code;
	fputs("series,x,what,held_out,target,model,error_percent\n",
		output.stream);
	for (i = 0; i < errors->count; i++) {
		const struct point_error *e = &errors->items[i];
		const struct target_point *p = &c->targets.points[e->point];

		emit_csv_string(
			output.stream, c->targets.series[p->series].label);
		fputc(',', output.stream);
		emit_csv_number(output.stream, p->point->x);
		fprintf(output.stream, ",%s,%d,",
			e->metric < 0 ? "distribution"
				      : metric_columns[e->metric],
			p->held_out);
		emit_csv_number(output.stream, e->target);
		fputc(',', output.stream);
		emit_csv_number(output.stream, e->model);
		fputc(',', output.stream);
		emit_csv_number(output.stream, e->percent);
		fputc('\n', output.stream);
	}
	return output_commit(&output, error);
}

/* ---- tables ---- */

enum kind { KIND_VALUE, KIND_SHARE, KIND_DISTRIBUTION, KIND_COUNT };

static const char *const kind_names[KIND_COUNT] = {
	"", "shares (difference)", "distribution"};

static enum kind kind_of(const struct point_error *e)
{
	if (e->metric < 0)
		return KIND_DISTRIBUTION;
	return metric_is_share(e->metric) ? KIND_SHARE : KIND_VALUE;
}

/* What has a row of its own: a series, or, where a file is a row of a suite,
   all series of the file. */
static size_t owner_of(const struct search *c, size_t series)
{
	const struct target_series *list = c->targets.series;

	while (c->config->rounds && series > 0 &&
		list[series - 1].file == list[series].file)
		series--;
	return series;
}

static const char *label_of(
	const struct search *c, size_t series, char *text, size_t bytes)
{
	snprintf(text, bytes, "%s", c->targets.series[series].label);
	if (c->config->rounds)
		text[strcspn(text, "#")] = '\0';
	return text;
}

#define WORSE_PERCENT 0.05 /* less is not seen in the table */

/* What a row of the table is about. */
struct share {
	long series; /* -1: all */
	bool held_out;
	enum kind kind;
};

/* The errors of a share, ascending, and how many. */
static size_t sizes_of(const struct search *c,
	const struct point_errors *errors, const struct share *share,
	double *sizes)
{
	size_t i, count = 0;

	for (i = 0; i < errors->count; i++) {
		const struct point_error *e = &errors->items[i];
		const struct target_point *p = &c->targets.points[e->point];

		if ((share->series < 0 ||
			    owner_of(c, p->series) == (size_t)share->series) &&
			p->held_out == share->held_out &&
			kind_of(e) == share->kind)
			sizes[count++] = fabs(e->percent);
	}
	stats_sort(sizes, count);
	return count;
}

/* A row, if there are such errors; `sizes` is scratch. */
static void put_share(const struct search *c, const struct point_errors *before,
	const struct point_errors *errors, const struct share *share,
	struct text_table *table, double *sizes)
{
	char label[128];
	size_t count = sizes_of(c, before, share, sizes);
	const double was = count ? stats_quantile(sizes, count, 0.5) : NAN;
	const double was_90 = count ? stats_quantile(sizes, count, 0.9) : NAN;
	const double worst = count ? sizes[count - 1] : NAN;

	count = sizes_of(c, errors, share, sizes);
	if (!count)
		return;
	text_table_row(table);
	text_table_add(table, "%s%s%s",
		share->series < 0 ? "all"
				  : label_of(c, (size_t)share->series, label,
					    sizeof(label)),
		share->kind ? ", " : "", kind_names[share->kind]);
	text_table_add(table, "%s", share->held_out ? "held out" : "fitted");
	text_table_add(table, "%zu", count);
	text_table_add(table, "%.1f", was);
	text_table_add(table, "%.1f", was_90);
	text_table_add(table, "%.1f", worst);
	text_table_add(table, "%.1f", stats_quantile(sizes, count, 0.5));
	text_table_add(table, "%.1f", stats_quantile(sizes, count, 0.9));
	text_table_add(table, "%.1f", sizes[count - 1]);
	text_table_add(table, "%s",
		sizes[count - 1] > worst + WORSE_PERCENT ? "worse" : "-");
}

static int put_error_table(const struct search *c,
	const struct point_errors *before, const struct point_errors *errors,
	FILE *out)
{
	static const char *const head[] = {"series", "points are", "errors",
		"before: median_%", "p90_%", "worst_%", "after: median_%",
		"p90_%", "worst_%", "the worst is"};
	const size_t most =
		before->count > errors->count ? before->count : errors->count;
	struct text_table table = {.left = true};
	double *sizes = calloc(most + 1, sizeof(*sizes));
	const long last = (long)c->targets.series_count;
	struct share share;
	size_t i;
	int kind, held_out;

	if (!sizes)
		return ERR_FAILED;
	text_table_row(&table);
	for (i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		text_table_add(&table, "%s", head[i]);
	for (share.series = 0; share.series <= last; share.series++) {
		if (share.series == last)
			share.series = -1;
		for (held_out = 0; held_out < 2; held_out++)
			for (kind = 0; kind < KIND_COUNT; kind++) {
				share.held_out = held_out;
				share.kind = (enum kind)kind;
				put_share(c, before, errors, &share, &table,
					sizes);
			}
		if (share.series < 0)
			break;
	}
	text_table_put(&table, out);
	text_table_free(&table);
	free(sizes);
	return 0;
}

/* The same error of the start; NULL: it has none. Both ascend in points. */
static const struct point_error *partner_of(
	const struct point_errors *before, const struct point_error *e)
{
	size_t i;

	for (i = 0; i < before->count && before->items[i].point <= e->point;
		i++)
		if (before->items[i].point == e->point &&
			before->items[i].metric == e->metric)
			return &before->items[i];
	return NULL;
}

/* How many errors the fit makes worse, and the one that rises most. */
static void put_worse(const struct search *c, const struct point_errors *before,
	const struct point_errors *errors, FILE *out)
{
	const struct point_error *worst = NULL, *worst_was = NULL;
	const struct target_point *p;
	double most = WORSE_PERCENT;
	size_t i, worse = 0;

	for (i = 0; i < errors->count; i++) {
		const struct point_error *e = &errors->items[i];
		const struct point_error *was = partner_of(before, e);
		const double rise =
			was ? fabs(e->percent) - fabs(was->percent) : 0;

		worse += rise > WORSE_PERCENT;
		if (!(rise > most))
			continue;
		most = rise;
		worst = e;
		worst_was = was;
	}
	if (!worst)
		return;
	p = &c->targets.points[worst->point];
	fprintf(out,
		"the fit makes %zu of %zu errors worse, most of all %s at "
		"%.10g: %.1f %% before, %.1f %% after\n",
		worse, errors->count, c->targets.series[p->series].label,
		p->point->x, worst_was->percent, worst->percent);
}

static const char *const origin_names[] = {
	"-", "read off", "chosen", "fitted", "told"};

static void put_parameters(const struct search *c, FILE *out)
{
	static const char *const head[] = {
		"parameter", "start", "value", "low", "high", "unit", "how"};
	struct text_table table = {.left = true};
	size_t i;

	text_table_row(&table);
	for (i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		text_table_add(&table, "%s", head[i]);
	for (i = 0; i < c->tuning.count; i++) {
		const struct tuned *t = &c->tuning.items[i];
		char start[VALUE_BYTES], value[VALUE_BYTES];

		if (!t->free || (t->judged && !t->constrained))
			continue;
		tuning_format(&c->tuning, i, t->start, start);
		tuning_format(&c->tuning, i, c->values[i], value);
		text_table_row(&table);
		text_table_add(&table, "%s", t->name);
		text_table_add(&table, "%s", start);
		text_table_add(&table, "%s", value);
		text_table_number(&table, t->known_low);
		text_table_number(&table, t->known_high);
		text_table_add(&table, "%s", t->unit);
		text_table_add(&table, "%s", origin_names[t->origin]);
	}
	text_table_put(&table, out);
	text_table_free(&table);
}

static void put_unconstrained(const struct search *c, FILE *out)
{
	size_t i, count = 0;

	for (i = 0; i < c->tuning.count; i++) {
		const struct tuned *t = &c->tuning.items[i];

		if (!t->free || !t->judged || t->constrained)
			continue;
		fprintf(out, "%s%s",
			count++ ? ", " : "not constrained: ", t->name);
	}
	fputs(count ? "\n" : "", out);
	if (count && !c->config->next && !c->config->rounds)
		fputs("(--next says what to measure for them)\n", out);
}

/* What a group has, and no row was made for. */
static void put_taken_over(const struct search *c, FILE *out)
{
	size_t i, count = 0;

	for (i = 0; c->config->rounds && i < c->tuning.count; i++)
		if (!c->tuning.items[i].free &&
			group_of(c->tuning.items[i].name))
			fprintf(out, "%s%s",
				count++ ? ", "
					: "taken over, for no row shows them: ",
				c->tuning.items[i].name);
	fputs(count ? "\n" : "", out);
}

/* Those whose interval is wide are named, too. */
#define WELL_KNOWN 0.1

bool tuned_is_loose(const struct search *c, size_t index)
{
	const struct tuned *t = &c->tuning.items[index];
	const double value = fabs(c->values[index]);

	return t->free && t->constrained && isfinite(t->known_low) &&
	       fmax(t->known_high - c->values[index],
		       c->values[index] - t->known_low) > WELL_KNOWN * value;
}

static void put_loose(const struct search *c, FILE *out)
{
	size_t i, count = 0;

	for (i = 0; i < c->tuning.count; i++)
		if (tuned_is_loose(c, i))
			fprintf(out, "%s%s",
				count++ ? ", "
					: "known to no better than 10 %: ",
				c->tuning.items[i].name);
	fputs(count ? "\n" : "", out);
}

static void put_split(const struct search *c, FILE *out)
{
	const struct targets *t = &c->targets;
	size_t i, held_out = 0;

	for (i = 0; i < t->count; i++)
		held_out += t->points[i].held_out;
	fprintf(out,
		"%s fitted to %zu points of %zu series; %zu points held "
		"out\n",
		c->machine, t->count - held_out, t->series_count, held_out);
	for (i = 0; i < t->series_count; i++)
		if (t->series[i].held_out)
			fprintf(out, "held out: %s\n", t->series[i].label);
	if (c->config->hold_out_every)
		fprintf(out, "held out: every %uth point of each series\n",
			c->config->hold_out_every);
	if (t->left_out)
		fprintf(out, "left out: %zu points, the first since %s\n",
			t->left_out, t->why);
	for (i = 0; i < c->note_count; i++)
		fprintf(out, "%s\n", c->notes[i]);
	if (c->config->seconds > 0)
		fputs("the budget is in seconds: another run may give another "
		      "result\n",
			out);
}

static void put_stats(const struct search *c)
{
	const double seconds = search_now_s() - c->begun_s;
	double sum = 0;
	size_t i;

	for (i = 0; i < c->targets.series_count; i++)
		sum += c->series_s[i];
	fprintf(stderr,
		"%zu evaluations, %zu runs of a point in %.1f s; %.1f s of "
		"processor time in the model\n",
		c->evaluations, c->runs, seconds, sum);
	for (i = 0; i < c->targets.series_count; i++)
		if (c->series_s[i] > 0)
			fprintf(stderr, "%8.2f s  %s\n", c->series_s[i],
				c->targets.series[i].label);
}

int report_put(const struct search *c, FILE *out, struct error *error)
{
	put_split(c, out);
	put_parameters(c, out);
	put_loose(c, out);
	put_unconstrained(c, out);
	put_taken_over(c, out);
	if (put_error_table(c, &c->before, &c->after, out))
		return error_set(error, ERR_FAILED, "out of memory");
	put_worse(c, &c->before, &c->after, out);
	if (c->config->stats)
		put_stats(c);
	return 0;
}
