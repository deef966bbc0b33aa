#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/odd.h"
#include "harness/series/identity.h"
#include "harness/visible/visible.h"

struct finding {
	const struct series_list *list;
	int metric;
	struct odd *odd;
	size_t *device; /* of each series: index among the devices */
	double *values, *sorted, *distances; /* of a place, by device */
	double **all;                        /* distances of a device */
	struct error *error;
};

static const char *key_of(const struct series *series)
{
	const char *uuid = facts_find(&series->provenance, "device.uuid");

	return uuid ? uuid : facts_find(&series->provenance, "device.name");
}

/* ---- devices ---- */

static void find_devices(struct finding *f)
{
	size_t i, k;

	for (i = 0; i < f->list->count; i++) {
		const struct series *series = &f->list->items[i];
		const char *key = key_of(series);

		for (k = 0; key && k < f->odd->count; k++)
			if (!strcmp(f->odd->items[k].key, key))
				break;
		f->device[i] = key ? k : SIZE_MAX;
		if (key && k == f->odd->count)
			f->odd->items[f->odd->count++] = (struct odd_device){
				key,
				facts_find(&series->provenance, "device.name"),
				NAN, 0};
	}
}

/* ---- places ---- */

static double value_at(
	const struct finding *f, const struct series *series, double x)
{
	const int metric = f->metric < 0 ? series_primary(series) : f->metric;
	size_t i;

	if (metric < 0 || !(series->metrics >> metric & 1))
		return NAN;
	for (i = 0; i < series->point_count; i++)
		if (series->points[i].x == x && !series->points[i].skipped)
			return point_summary(&series->points[i], metric)
				->median;
	return NAN;
}

static bool equal(const struct series *a, const struct series *b)
{
	return series_same_kind(a, b) && !series_options_apart(a, b);
}

/* The value of each device at a place; how many have one. */
static size_t gather(
	const struct finding *f, const struct series *series, double x)
{
	size_t i, count = 0;

	for (i = 0; i < f->odd->count; i++)
		f->values[i] = NAN;
	for (i = 0; i < f->list->count; i++) {
		const struct series *other = &f->list->items[i];
		const size_t device = f->device[i];

		if (device == SIZE_MAX || !isnan(f->values[device]) ||
			!equal(series, other))
			continue;
		f->values[device] = value_at(f, other, x);
		count += !isnan(f->values[device]);
	}
	return count;
}

/* Of what is a number. */
static double median(const struct finding *f, const double *values)
{
	size_t i, count = 0;

	for (i = 0; i < f->odd->count; i++)
		if (!isnan(values[i]))
			f->sorted[count++] = values[i];
	return stats_median(f->sorted, count);
}

static int add_distance(struct finding *f, size_t device, double distance)
{
	struct odd_device *to = &f->odd->items[device];
	double *all =
		reallocarray(f->all[device], to->place_count + 1, sizeof(*all));

	if (!all)
		return error_set(f->error, ERR_FAILED, "out of memory");
	f->all[device] = all;
	all[to->place_count++] = distance;
	return 0;
}

static int judge_place(struct finding *f, const struct series *series, double x)
{
	double middle, mad;
	size_t i;
	int code = 0;

	if (gather(f, series, x) < ODD_DEVICES)
		return 0;
	middle = median(f, f->values);
	for (i = 0; i < f->odd->count; i++)
		f->distances[i] = fabs(f->values[i] - middle);
	mad = fmax(median(f, f->distances), ODD_SHARE * fabs(middle));
	for (i = 0; !code && mad > 0 && i < f->odd->count; i++)
		if (!isnan(f->distances[i]))
			code = add_distance(f, i, f->distances[i] / mad);
	return code;
}

/* Of series that are equal the first one has the places. */
static bool is_first(const struct finding *f, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++)
		if (f->device[i] != SIZE_MAX &&
			equal(&f->list->items[i], &f->list->items[index]))
			return false;
	return f->device[index] != SIZE_MAX;
}

static int judge_places(struct finding *f)
{
	size_t i, k;
	int code = 0;

	for (i = 0; i < f->list->count; i++) {
		const struct series *series = &f->list->items[i];

		if (!is_first(f, i))
			continue;
		for (k = 0; !code && k < series->point_count; k++)
			code = judge_place(f, series, series->points[k].x);
	}
	return code;
}

/* ---- all ---- */

static int farthest_first(const void *a, const void *b)
{
	const struct odd_device *x = a, *y = b;

	if (isnan(x->mads) || isnan(y->mads))
		return isnan(x->mads) - isnan(y->mads);
	return (x->mads < y->mads) - (x->mads > y->mads);
}

static int judge_devices(struct finding *f)
{
	size_t i, places = 0;
	int code = judge_places(f);

	for (i = 0; i < f->odd->count; i++) {
		struct odd_device *device = &f->odd->items[i];

		places += device->place_count;
		stats_sort(f->all[i], device->place_count);
		device->mads = device->place_count
				       ? stats_quantile(f->all[i],
						 device->place_count, 0.5)
				       : NAN;
	}
	if (!code && !places)
		code = error_set(f->error, ERR_USAGE,
			"no point is there of %d devices: their series have "
			"no bench, options and place in common",
			ODD_DEVICES);
	qsort(f->odd->items, f->odd->count, sizeof(*f->odd->items),
		farthest_first);
	return code;
}

static int judge(struct finding *f)
{
	const size_t count = f->odd->count;
	size_t i;
	int code = 0;

	if (count < ODD_DEVICES)
		return error_set(f->error, ERR_USAGE,
			"the odd one is found among %d devices or more, and "
			"the series are of %zu",
			ODD_DEVICES, count);
	f->values = calloc(3 * count, sizeof(*f->values));
	f->all = calloc(count, sizeof(*f->all));
	if (!f->values || !f->all) {
		code = error_set(f->error, ERR_FAILED, "out of memory");
	} else {
		f->sorted = f->values + count;
		f->distances = f->sorted + count;
		code = judge_devices(f);
	}
	for (i = 0; f->all && i < count; i++)
		free(f->all[i]);
	free(f->all);
	free(f->values);
	return code;
}

int odd_find(const struct series_list *list, int metric, struct odd *odd,
	struct error *error)
{
	struct finding f = {
		.list = list, .metric = metric, .odd = odd, .error = error};
	int code;

	*odd = (struct odd){0};
	odd->items = calloc(list->count + 1, sizeof(*odd->items));
	f.device = calloc(list->count + 1, sizeof(*f.device));
	if (!odd->items || !f.device) {
		code = error_set(error, ERR_FAILED, "out of memory");
	} else {
		find_devices(&f);
		code = judge(&f);
	}
	free(f.device);
	if (code)
		odd_free(odd);
	return code;
}

void odd_free(struct odd *odd)
{
	free(odd->items);
	*odd = (struct odd){0};
}

void odd_put(const struct odd *odd, FILE *out)
{
	size_t i;

	fprintf(out,
		"\ndevices by their distance from the median of %zu, in MAD:\n",
		odd->count);
	for (i = 0; i < odd->count; i++) {
		const struct odd_device *device = &odd->items[i];

		fputs("  ", out);
		visible_put_md(out, device->key);
		if (device->name && device->name != device->key) {
			fputs(", ", out);
			visible_put_md(out, device->name);
		}
		if (isnan(device->mads))
			fputs(": no place that others have\n", out);
		else
			fprintf(out, ": %.1f, median over %zu places%s\n",
				device->mads, device->place_count,
				i ? "" : ": the odd one");
	}
}
