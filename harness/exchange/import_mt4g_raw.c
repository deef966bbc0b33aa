/*
 * The raw samples of mt4g, in cycles: a latency has one number a line; a sweep
 * has a line for each size (or stride), which begins with it. What was measured
 * stands in the file's name only, the GPU in that of its folder.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/exchange/import_mt4g.h"

static const char *const sweep_biases[] = {
	"each load is timed by itself, which adds cycles to it; only the "
	"result's use orders the clock",
	"only the first loads of a chase in the order of addresses are timed, "
	"so neighbours that a fetch brings along count as hits",
	NULL};

static const struct sweep {
	const char *raw;
	struct import_curve curve;
} sweeps[] = {
#define CHASE(op, slot)                                                        \
	{                                                                      \
		"pointer-chase", "footprint_bytes",                            \
			1u << METRIC_LATENCY_CYCLES, (const char *const[])     \
		{                                                              \
			"op", op, "slot", slot, "order", "sequential",         \
				"element", "4", "page-stride", "no",           \
				"samples", "yes", NULL                         \
		}                                                              \
	}
	{"L1_Size", CHASE("ld.ca", "32")},
	{"L2_Segment_Size", CHASE("ld.cg", "32")},
	{"L2_Fetch_Granularity", {"mt4g-fetch-granularity", "stride_bytes",
					 1u << METRIC_LATENCY_CYCLES, NULL}},
#undef CHASE
};

#define SWEEPS (sizeof(sweeps) / sizeof(sweeps[0]))

static struct series *begin(const struct import_file *file,
	const struct import_curve *curve, const char *const *biases,
	struct series_list *list, struct error *error)
{
	char folder[64];
	const struct import_origin origin = {MT4G_TOOL,
		"unknown: the file does not say", MT4G_SOURCE, folder,
		"the folder's name", biases};

	import_name(file, 1, folder, sizeof(folder));
	return import_series(file, &origin, curve, list, error);
}

static struct point *add_point(struct series *series, double x)
{
	struct point *point = series_add_point(series, x);

	if (!point)
		return NULL;
	point->regions = calloc(1, sizeof(*point->regions));
	if (!point->regions)
		return NULL;
	point->region_count = 1;
	point->regions[0] = strdup("measure");
	return point->regions[0] ? point : NULL;
}

static int add_sample(struct point *point, double cycles)
{
	const struct sample sample = {
		.cycles = cycles, .iteration = (uint32_t)point->samples.count};

	return sample_table_add(&point->samples, 0, &sample);
}

/* The values and their summary, once all samples are there. */
static int finish(struct point *point, struct error *error)
{
	const size_t count = point->samples.count;
	struct metric_values *reading =
		point_add_metric(point, METRIC_LATENCY_CYCLES);
	double *values = reading ? calloc(count + 1, sizeof(*values)) : NULL;

	if (!values)
		return error_set(error, ERR_FAILED, "out of memory");
	memcpy(values, point->samples.cycles, count * sizeof(*values));
	reading->values = values;
	reading->value_count = count;
	if (stats_summarize(values, count, 1, &reading->summary))
		return error_set(error, ERR_FAILED, "out of memory");
	return 0;
}

static int read_sample(struct import_scan *scan, struct point *point)
{
	double cycles;
	int code = import_scan_positive(scan, "the cycles of a load", &cycles);

	if (!code && add_sample(point, cycles))
		code = error_set(scan->error, ERR_FAILED, "out of memory");
	return code;
}

static int read_latency(const struct import_file *file,
	const struct mt4g_level *level, struct series_list *list,
	struct error *error)
{
	const struct import_curve curve = {"pointer-chase", "footprint_bytes",
		1u << METRIC_LATENCY_CYCLES, level->options};
	struct series *series = begin(file, &curve, level->biases, list, error);
	struct point *point =
		series ? add_point(series, level->footprint_bytes) : NULL;
	struct import_scan scan;
	int code = point ? 0 : error_set(error, ERR_FAILED, "out of memory");

	import_scan_init(&scan, file, error);
	while (!code && import_scan_line(&scan)) {
		code = read_sample(&scan, point);
		if (!code)
			code = import_scan_end(&scan);
	}
	if (!code && !point->samples.count)
		code = import_scan_fail(
			&scan, "expected lines of one number, in cycles");
	return code ? code : finish(point, error);
}

static int read_row(struct import_scan *scan, struct series *series)
{
	struct point *point;
	double x;
	int code = import_scan_positive(scan, "a size in bytes", &x);

	if (!code)
		code = import_scan_word(scan, ",");
	if (code)
		return code;
	point = add_point(series, x);
	if (!point)
		return error_set(scan->error, ERR_FAILED, "out of memory");
	do
		code = read_sample(scan, point);
	while (!code && import_scan_try(scan, ","));
	if (!code)
		code = import_scan_end(scan);
	return code ? code : finish(point, scan->error);
}

/* As many loads of each chase are timed as the first row has. */
static int add_loads(struct series *series, struct error *error)
{
	return series->point_count && series->options.count &&
			       facts_add(&series->options, "loads", "%zu",
				       series->points[0].samples.count)
		       ? error_set(error, ERR_FAILED, "out of memory")
		       : 0;
}

static int read_sweep(const struct import_file *file, const struct sweep *sweep,
	struct series_list *list, struct error *error)
{
	struct series *series =
		begin(file, &sweep->curve, sweep_biases, list, error);
	struct import_scan scan;
	int code = series ? 0 : ERR_FAILED;

	import_scan_init(&scan, file, error);
	while (!code && import_scan_line(&scan))
		code = read_row(&scan, series);
	if (!code && !series->point_count)
		code = import_scan_fail(
			&scan, "expected lines of a size and cycles");
	return code ? code : add_loads(series, error);
}

static int read_raw(const struct import_file *file, struct series_list *list,
	struct error *error)
{
	char name[64];
	size_t i;

	import_name(file, 0, name, sizeof(name));
	for (i = 0; i < MT4G_LEVELS; i++)
		if (!strcmp(mt4g_levels[i].raw, name))
			return read_latency(file, &mt4g_levels[i], list, error);
	for (i = 0; i < SWEEPS; i++)
		if (!strcmp(sweeps[i].raw, name))
			return read_sweep(file, &sweeps[i], list, error);
	return error_set(error, ERR_USAGE,
		"%s:1:1: raw samples of mt4g are told by the file's name; "
		"expected L1_Latency, L2_Latency, Main_Memory_Latency, "
		"L1_Size, "
		"L2_Segment_Size or L2_Fetch_Granularity, with .txt",
		file->source);
}

/* One number alone on its line, or two with a comma between them. */
static bool detect(const struct import_file *file)
{
	const char *text = file->text + strspn(file->text, " \t\r\n");
	const size_t digits = strspn(text, "0123456789");

	text += digits;
	return digits && (*text == ',' || *text == '\r' || *text == '\n' ||
				 *text == '\0');
}

const struct importer importer_mt4g_raw = {
	.name = "mt4g-raw",
	.what = "mt4g's raw samples: cycles of each load",
	.detect = detect,
	.read = read_raw,
};
