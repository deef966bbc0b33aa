/* Samples as histograms: places on an axis, and at each who has samples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/emit.h"
#include "harness/page/parts.h"
#include "harness/series/identity.h"

#define MODES_SEED 1

/* Samples before they are counted; borrowed. */
struct source {
	const double *values;
	size_t count;
	double x;
	const char *label;
	enum page_role role;
};

struct sources {
	struct source *items;
	size_t count;
};

static int add_source(struct sources *sources, struct source source)
{
	struct source *items = reallocarray(
		sources->items, sources->count + 1, sizeof(*items));

	if (!items)
		return ERR_FAILED;
	sources->items = items;
	items[sources->count++] = source;
	return 0;
}

/* ---- counting ---- */

static void free_spread(struct page_spread *spread)
{
	free(spread->label);
	histogram_free(&spread->bins);
}

static int make_spread(const struct source *source,
	struct histogram_range range, struct page_spread *spread,
	struct error *error)
{
	int code = modes_find(source->values, source->count, MODES_SEED,
		&spread->modes, error);

	if (code)
		return code;
	spread->role = source->role;
	spread->label = strdup(source->label);
	if (spread->label && !histogram_make(source->values, source->count,
				     range, PAGE_BINS_MOST, &spread->bins))
		return 0;
	return error_set(error, ERR_FAILED, "out of memory");
}

static bool same_place(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/* All samples of one place, in bins of their own range. */
static int make_place(const struct sources *sources, double x,
	struct page_place *place, struct error *error)
{
	struct histogram_range range = {NAN, NAN, false};
	size_t i;
	int code = 0;

	place->x = x;
	place->items = calloc(sources->count, sizeof(*place->items));
	if (!place->items)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < sources->count; i++)
		if (same_place(sources->items[i].x, x))
			range = histogram_range_join(range,
				histogram_range_of(sources->items[i].values,
					sources->items[i].count));
	for (i = 0; !code && i < sources->count; i++)
		if (same_place(sources->items[i].x, x))
			code = make_spread(&sources->items[i], range,
				&place->items[place->count++], error);
	return code;
}

static bool is_first_place(const struct sources *sources, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++)
		if (same_place(sources->items[i].x, sources->items[index].x))
			return false;
	return true;
}

/* Adds the histogram of the sources; none without any. */
static int add_histogram(struct page_histograms *histograms,
	const struct page_histogram *about, const struct sources *sources,
	struct error *error)
{
	struct page_histogram *items, *added;
	size_t i;
	int code = 0;

	if (!sources->count)
		return 0;
	items = reallocarray(
		histograms->items, histograms->count + 1, sizeof(*items));
	if (!items)
		return error_set(error, ERR_FAILED, "out of memory");
	histograms->items = items;
	added = &items[histograms->count++];
	*added = (struct page_histogram){.series = about->series,
		.title = strdup(about->title),
		.axis = about->axis,
		.places = calloc(sources->count, sizeof(*added->places))};
	if (!added->title || !added->places)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; !code && i < sources->count; i++)
		if (is_first_place(sources, i))
			code = make_place(sources, sources->items[i].x,
				&added->places[added->count++], error);
	return code;
}

/* ---- which samples go together ---- */

static bool is_distribution(
	const struct series *series, const struct point *point)
{
	const char *samples = facts_find(&series->options, "samples");
	const size_t count =
		point_metric(point, METRIC_LATENCY_CYCLES)->value_count;

	return count >= (samples && !strcmp(samples, "yes")
					? PAGE_SAMPLES_LEAST
					: PAGE_VALUES_LEAST);
}

static int collect(const struct page_series *from, const char *label,
	struct sources *sources, struct error *error)
{
	const struct series *series = from->series;
	size_t i;

	for (i = 0; i < series->point_count; i++) {
		const struct point *point = &series->points[i];
		const struct metric_values *latency =
			point_metric(point, METRIC_LATENCY_CYCLES);

		if (!is_distribution(series, point))
			continue;
		if (add_source(sources, (struct source){latency->values,
						latency->value_count, point->x,
						label, from->role}))
			return error_set(error, ERR_FAILED, "out of memory");
	}
	return 0;
}

/* "pointer-chase op=ld.cg": the options in which the series with samples
   differ; with those of the model, which is judged, at its side. */
static int add_series(const struct page_input *input, size_t index, char *title,
	struct page_histograms *histograms, struct error *error)
{
	const struct page_series *base = &input->series[index];
	const struct page_histogram about = {
		base->series, title, base->series->axis, NULL, 0};
	const struct comparison *c = page_judging(input, base->series);
	struct sources sources = {0};
	int code = collect(base, page_who(base->series), &sources, error);

	if (!code && c) {
		const struct page_series *new =
			&input->series[page_index(input, c->pair.new)];

		code = collect(new, page_who(new->series), &sources, error);
	}
	if (!code)
		code = add_histogram(histograms, &about, &sources, error);
	free(sources.items);
	return code;
}

static bool has_samples(const struct series *series)
{
	size_t i;

	for (i = 0; i < series->point_count; i++)
		if (is_distribution(series, &series->points[i]))
			return true;
	return false;
}

/* A series that is judged is drawn with the one that judges it. */
static bool is_drawn_alone(const struct page_input *input, size_t index)
{
	const struct series *series = input->series[index].series;
	const struct comparison *c = page_judged(input, series);

	return has_samples(series) && !(c && has_samples(c->pair.base));
}

/* "pointer-chase op=ld.cg": the bench, and what tells the series from the
   others of that bench which are drawn. NULL without memory. */
static char *make_title(const struct series *series, const char *label)
{
	char *title;

	if (!strcmp(label, series->bench))
		return strdup(label);
	return asprintf(&title, "%s %s", series->bench, label) < 0 ? NULL
								   : title;
}

static int add_bench(const struct page_input *input, const char *bench,
	const struct series **drawn, size_t *indices,
	struct page_histograms *histograms, struct error *error)
{
	struct identity identity;
	size_t i, count = 0;
	int code;

	for (i = 0; i < input->count; i++)
		if (is_drawn_alone(input, i) &&
			!strcmp(input->series[i].series->bench, bench)) {
			drawn[count] = input->series[i].series;
			indices[count++] = i;
		}
	code = identity_make(drawn, count, &identity, error);
	for (i = 0; !code && i < count; i++) {
		char *title = make_title(drawn[i], identity.labels[i]);

		code = title ? add_series(input, indices[i], title, histograms,
				       error)
			     : error_set(error, ERR_FAILED, "out of memory");
		free(title);
	}
	identity_free(&identity);
	return code;
}

/* Whether the series is the first of its bench that is drawn. */
static bool begins_bench(const struct page_input *input, size_t index)
{
	const char *bench = input->series[index].series->bench;
	size_t i;

	for (i = 0; i < index; i++)
		if (!strcmp(input->series[i].series->bench, bench) &&
			is_drawn_alone(input, i))
			return false;
	return is_drawn_alone(input, index);
}

static int add_all_series(const struct page_input *input,
	const struct series **drawn, size_t *indices,
	struct page_histograms *histograms, struct error *error)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < input->count; i++)
		if (begins_bench(input, i))
			code = add_bench(input, input->series[i].series->bench,
				drawn, indices, histograms, error);
	return code;
}

static int add_file(const struct page_samples *samples,
	struct page_histograms *histograms, struct error *error)
{
	struct sources sources = {0};
	char *title = strdup(samples->path);
	const char *axis = NULL;
	size_t i;
	int code = title ? 0 : error_set(error, ERR_FAILED, "out of memory");

	for (i = 0; !code && i < samples->sets.count; i++) {
		const struct sample_set *set = &samples->sets.items[i];

		axis = axis ? axis : set->axis;
		if (set->count &&
			add_source(&sources,
				(struct source){set->cycles, set->count, set->x,
					set->bench ? set->bench : "samples",
					ROLE_SILICON}))
			code = error_set(error, ERR_FAILED, "out of memory");
	}
	if (!code)
		code = add_histogram(histograms,
			&(struct page_histogram){
				.title = title, .axis = axis ? axis : "x"},
			&sources, error);
	free(title);
	free(sources.items);
	return code;
}

int page_histograms_make(const struct page_input *input,
	struct page_histograms *histograms, struct error *error)
{
	struct page_histograms made = {0};
	const struct series **drawn =
		calloc(input->count + 1, sizeof(struct series *));
	size_t *indices = calloc(input->count + 1, sizeof(*indices)), i;
	int code = 0;

	if (!drawn || !indices)
		code = error_set(error, ERR_FAILED, "out of memory");
	if (!code)
		code = add_all_series(input, drawn, indices, &made, error);
	for (i = 0; !code && i < input->sample_count; i++)
		code = add_file(&input->samples[i], &made, error);
	free(drawn);
	free(indices);
	if (code)
		page_histograms_free(&made);
	*histograms = made;
	return code;
}

void page_histograms_free(struct page_histograms *histograms)
{
	size_t i, k, n;

	for (i = 0; i < histograms->count; i++) {
		struct page_histogram *h = &histograms->items[i];

		for (k = 0; k < h->count; k++) {
			for (n = 0; n < h->places[k].count; n++)
				free_spread(&h->places[k].items[n]);
			free(h->places[k].items);
		}
		free(h->places);
		free(h->title);
	}
	free(histograms->items);
	*histograms = (struct page_histograms){0};
}
