#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/chart/scale.h"
#include "harness/base/units.h"

#define LOG_SPAN 16
/* Beyond these differences and steps are no numbers any more. */
#define VALUE_MOST 1e300
#define SPAN_LEAST 1e-290

double chart_scale_unit(const struct chart_scale *scale, double value)
{
	if (scale->log2)
		return (log2(value) - log2(scale->low)) /
		       (log2(scale->high) - log2(scale->low));
	return (value - scale->low) / (scale->high - scale->low);
}

static void find_range(
	const struct chart *chart, bool is_y, double *low, double *high)
{
	size_t i, k;

	*low = INFINITY;
	*high = -INFINITY;
	for (i = 0; i < chart->line_count; i++) {
		const struct chart_line *line = &chart->lines[i];
		const double *values = is_y ? line->y : line->x;

		for (k = 0; k < line->count; k++) {
			const double value =
				fmax(fmin(values[k], VALUE_MOST), -VALUE_MOST);

			*low = fmin(*low, value);
			*high = fmax(*high, value);
		}
	}
}

/* Whether there is room for steps between the two. */
static bool is_flat(double low, double high)
{
	return high - low < fmax(SPAN_LEAST, fabs(high) * 1e-12);
}

/* What a flat range is widened by. */
static double margin_of(double value)
{
	return fmax(1, fabs(value) / 2);
}

/* Curves that hardly differ look flat, as they are. */
#define SPAN_SHARE 0.05

static void widen(double *low, double *high)
{
	const double least = SPAN_SHARE * fmax(fabs(*low), fabs(*high));
	const double lacks = least - (*high - *low);

	if (lacks <= 0)
		return;
	*low -= lacks / 2;
	*high += lacks / 2;
}

static void add_tick(struct chart_scale *scale, double value, bool bytes)
{
	char *label;

	if (scale->tick_count == CHART_TICKS_MAX)
		return;
	label = scale->labels[scale->tick_count];
	scale->ticks[scale->tick_count++] = value;
	if (bytes && value >= 0 && value < 0x1p63 && value == floor(value))
		units_format_bytes((uint64_t)value, label, CHART_LABEL_BYTES);
	else
		snprintf(label, CHART_LABEL_BYTES, "%.6g", value);
}

/* 1, 2 or 5 times a power of ten, so that at most `room` steps fit. */
static double nice_step(double span, size_t room)
{
	const double least = span / (double)(room ? room : 1);
	const double power = pow(10, floor(log10(least)));
	const double lead = least / power;

	return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

static void put_linear_ticks(struct chart_scale *scale, double step, bool bytes)
{
	const double first = ceil(scale->low / step - 1e-9);
	size_t i;

	for (i = 0; i < CHART_TICKS_MAX; i++) {
		const double value = (first + (double)i) * step;

		if (value > scale->high + step * 1e-9)
			return;
		add_tick(scale, value == 0 ? 0 : value, bytes);
	}
}

static void put_log_ticks(struct chart_scale *scale, size_t room, bool bytes)
{
	const int first = (int)ceil(log2(scale->low) - 1e-9);
	const int last = (int)floor(log2(scale->high) + 1e-9);
	const int fits = room > 1 ? (int)room : 1;
	const int stride = (last - first) / fits + 1;
	int exponent;

	for (exponent = first; exponent <= last; exponent += stride)
		add_tick(scale, ldexp(1, exponent), bytes);
}

void chart_scale_x(
	const struct chart *chart, size_t room, struct chart_scale *scale)
{
	double low, high;

	find_range(chart, false, &low, &high);
	*scale = (struct chart_scale){
		.log2 = low > 0 &&
			(chart->x_is_bytes || high > LOG_SPAN * low)};
	if (is_flat(low, high)) {
		low = scale->log2 ? low / 2 : low - margin_of(low);
		high = scale->log2 ? high * 2 : high + margin_of(high);
	}
	scale->low = low;
	scale->high = high;
	if (scale->log2)
		put_log_ticks(scale, room, chart->x_is_bytes);
	else
		put_linear_ticks(
			scale, nice_step(high - low, room), chart->x_is_bytes);
}

void chart_scale_y(
	const struct chart *chart, size_t room, struct chart_scale *scale)
{
	double low, high, step;

	find_range(chart, true, &low, &high);
	if (low >= 0 && (low < high / 2 || is_flat(low, high)))
		low = 0;
	if (is_flat(low, high))
		high = low + margin_of(low);
	widen(&low, &high);
	step = nice_step(high - low, room);
	*scale = (struct chart_scale){.low = floor(low / step + 1e-9) * step,
		.high = ceil(high / step - 1e-9) * step};
	put_linear_ticks(scale, step, false);
}
