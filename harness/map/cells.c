#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/map/map.h"

/* A Gaussian's deviation from the median of |a - b|. */
#define DIFFERENCE_SCALE (1.482602218505602 / 1.4142135623730951)

#define STRIDE_BYTES_MAX 0x1p40

static int region_index(const struct point *point, const char *name)
{
	size_t i;

	for (i = 0; i < point->region_count; i++)
		if (!strcmp(point->regions[i], name))
			return (int)i;
	return -1;
}

static bool counts(const struct sample_table *t, size_t row, int region)
{
	return t->region[row] == region && t->iteration[row] >= MAP_LEAD;
}

/* The axis of near-far. */
static int read_stride(
	const struct point *point, uint64_t *stride_bytes, struct error *error)
{
	if (!(point->x >= PROGRAM_LINE_BYTES && point->x <= STRIDE_BYTES_MAX))
		return error_set(error, ERR_USAGE,
			"the line stride of %g bytes is not between %d and %g",
			point->x, PROGRAM_LINE_BYTES, STRIDE_BYTES_MAX);
	*stride_bytes = (uint64_t)point->x;
	return 0;
}

/* How large the matrix is, and that there are as many samples. */
static int measure_shape(const struct point *point, int region,
	struct map_cells *cells, struct error *error)
{
	const struct sample_table *t = &point->samples;
	size_t row, found = 0;

	for (row = 0; region >= 0 && row < t->count; row++) {
		if (!counts(t, row, region))
			continue;
		found++;
		if (t->sm[row] >= cells->sms)
			cells->sms = t->sm[row] + 1u;
		if (t->iteration[row] > cells->lines)
			cells->lines = t->iteration[row];
		if (t->repeat[row] >= cells->repeats)
			cells->repeats = t->repeat[row] + 1u;
	}
	if (!found)
		return error_set(error, ERR_USAGE,
			"there are no samples of the region 'measure', which "
			"'run near-far -f json' writes");
	/* By division: the product of such numbers may not fit. */
	if (found / cells->sms / cells->lines != cells->repeats ||
		found % (cells->sms * cells->lines))
		return error_set(error, ERR_USAGE,
			"%zu samples do not give each of %zu SMs and %zu lines "
			"one a repeat",
			found, cells->sms, cells->lines);
	return 0;
}

/* `all` is [cell][repeat]; NaN where there is no sample. */
static int gather(const struct point *point, int region,
	const struct map_cells *cells, double *all, struct error *error)
{
	const struct sample_table *t = &point->samples;
	size_t count = cells->sms * cells->lines * cells->repeats, i;

	for (i = 0; i < count; i++)
		all[i] = NAN;
	for (i = 0; i < t->count; i++)
		if (counts(t, i, region))
			all[(t->sm[i] * cells->lines + t->iteration[i] -
				    MAP_LEAD) *
					cells->repeats +
				t->repeat[i]] = t->cycles[i];
	for (i = 0; i < count; i++)
		if (!isfinite(all[i]))
			return error_set(error, ERR_USAGE,
				"SM %zu has no sample of line %zu in repeat "
				"%zu",
				i / cells->repeats / cells->lines,
				i / cells->repeats % cells->lines,
				i % cells->repeats);
	return 0;
}

/* Medians of each cell; `all` is sorted cell by cell on the way. */
static void fold(struct map_cells *cells, double *all)
{
	size_t count = cells->sms * cells->lines, i;

	cells->noise_cycles = NAN;
	for (i = 0; cells->repeats > 1 && i < count; i++)
		cells->cycles[i] = fabs(
			all[i * cells->repeats] - all[i * cells->repeats + 1]);
	if (cells->repeats > 1)
		cells->noise_cycles =
			DIFFERENCE_SCALE * stats_median(cells->cycles, count);
	for (i = 0; i < count; i++)
		cells->cycles[i] =
			stats_median(all + i * cells->repeats, cells->repeats);
}

int map_cells_read(
	const struct point *point, struct map_cells *cells, struct error *error)
{
	struct map_cells read = {0};
	int region = region_index(point, "measure");
	double *all = NULL;
	size_t count;
	int code = read_stride(point, &read.stride_bytes, error);

	if (!code)
		code = measure_shape(point, region, &read, error);
	if (code)
		return code;
	count = read.sms * read.lines;
	all = calloc(count * read.repeats + 1, sizeof(*all));
	read.cycles = calloc(count + 1, sizeof(*read.cycles));
	if (!all || !read.cycles)
		code = error_set(error, ERR_FAILED, "out of memory for a map");
	if (!code)
		code = gather(point, region, &read, all, error);
	if (!code)
		fold(&read, all);
	free(all);
	if (code)
		map_cells_free(&read);
	else
		*cells = read;
	return code;
}

void map_cells_free(struct map_cells *cells)
{
	free(cells->cycles);
	*cells = (struct map_cells){0};
}
