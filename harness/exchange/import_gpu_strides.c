/* gpu-strides: rows of type, pattern, its argument twice, cycles, B/cycle and
   counters. */
#include <string.h>

#include "harness/exchange/import_gpu_benches.h"

static const char *const stride_biases[] = {
	"each value is the least of 11 timings by the host's clock, launch and "
	"synchronisation included, times one reading of the SM clock",
	"one block of 1024 threads on one SM; each lane loads 8 words, 4 words "
	"apart from 0 to 28, from its place",
	NULL};

/* One curve for each type and pattern. The strides are what coalescing
   measures on one SM, out of L1; nothing of ours is like the blocks. */
static const struct stride_kind {
	const char *type, *pattern;
	double width_bytes;
	const char *bench, *axis;
	const char *options[9];
} kinds[] = {
#define STRIDE(type, width)                                                    \
	{                                                                      \
		type, "stride", width, "coalescing", "lane_stride_bytes",      \
		{                                                              \
			"op", "ld.ca", "width", #width, "spread", "stride",    \
				"sms", "1", NULL                               \
		}                                                              \
	}
#define BLOCK(type, width)                                                     \
	{                                                                      \
		type, "block", width, "gpu-benches-block", "block_width",      \
		{                                                              \
			"op", "ld.ca", "width", #width, "sms", "1", NULL       \
		}                                                              \
	}
	STRIDE("float", 4),
	STRIDE("double", 8),
	BLOCK("float", 4),
	BLOCK("double", 8),
#undef STRIDE
#undef BLOCK
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static int scan_kind(struct import_scan *scan, const struct stride_kind **kind)
{
	const char *at = scan->at;
	size_t i;

	for (i = 0; i < KINDS; i++) {
		if (import_scan_try(scan, kinds[i].type) &&
			import_scan_try(scan, kinds[i].pattern)) {
			*kind = &kinds[i];
			return 0;
		}
		scan->at = at;
	}
	return import_scan_fail(
		scan, "expected float or double, then stride or block");
}

/* The curve that the file has begun last, or a new one. */
static struct series *curve_of(const struct import_file *file,
	const struct stride_kind *kind, const struct stride_kind **last,
	double clock_mhz, struct series_list *list, struct error *error)
{
	const struct import_curve curve = {kind->bench, kind->axis,
		(clock_mhz > 0 ? 1u << METRIC_USEFUL_GB_PER_S : 0u) |
			1u << METRIC_BYTES_PER_CYCLE,
		kind->options};

	if (*last == kind)
		return &list->items[list->count - 1];
	*last = kind;
	return gpu_benches_series(file, "gpu-benches gpu-strides",
		stride_biases, &curve, list, error);
}

struct stride_row {
	double argument, cycles, bytes_per_cycle;
};

static int read_stride_row(struct import_scan *scan, struct stride_row *row)
{
	double other;
	int code;

	if ((code = import_scan_number(scan, "the stride", &row->argument)) ||
		(code = import_scan_number(
			 scan, "the stride or pitch", &other)) ||
		(code = import_scan_positive(
			 scan, "the cycles of a warp's load", &row->cycles)) ||
		(code = import_scan_positive(
			 scan, "the bytes per cycle", &row->bytes_per_cycle)))
		return code;
	while (!code && !import_scan_at_end(scan))
		code = import_scan_number(scan, "a counter's value", &other);
	return code;
}

/* Strides are in elements; a block's argument is its width. */
static int add_stride(struct import_scan *scan, const struct stride_kind *kind,
	const struct stride_row *row, double clock_mhz, struct series *series)
{
	const bool stride = !strcmp(kind->pattern, "stride");
	struct point *point = series_add_point(series,
		stride ? row->argument * kind->width_bytes : row->argument);
	int code = 0;

	if (!point)
		return error_set(scan->error, ERR_FAILED, "out of memory");
	if (clock_mhz > 0) {
		point->clock_hz = clock_mhz * 1e6;
		code = import_single(point, METRIC_USEFUL_GB_PER_S,
			row->bytes_per_cycle * clock_mhz / 1e3, scan->error);
	}
	return code ? code
		    : import_single(point, METRIC_BYTES_PER_CYCLE,
			      row->bytes_per_cycle, scan->error);
}

static int read_strides(const struct import_file *file,
	struct series_list *list, struct error *error)
{
	const struct stride_kind *kind = NULL, *last = NULL;
	struct import_scan scan;
	struct series *series;
	struct stride_row row;
	double clock_mhz = 0;
	int code = 0;

	import_scan_init(&scan, file, error);
	while (!code && import_scan_line(&scan)) {
		if (import_scan_try(&scan, "clock:")) {
			code = gpu_benches_clock(&scan, &clock_mhz);
			continue;
		}
		if ((code = scan_kind(&scan, &kind)) ||
			(code = read_stride_row(&scan, &row)))
			break;
		series = curve_of(file, kind, &last, clock_mhz, list, error);
		code = series ? add_stride(&scan, kind, &row, clock_mhz, series)
			      : ERR_FAILED;
	}
	if (!code && !last)
		code = import_scan_fail(
			&scan, "expected rows of strides, cycles and bytes");
	return code;
}

static bool detect_strides(const struct import_file *file)
{
	const char *text = gpu_benches_rows(file);

	return !strncmp(text, "float ", 6) || !strncmp(text, "double ", 7);
}

const struct importer importer_gpu_benches_strides = {
	.name = "gpu-benches-strides",
	.what = "gpu-benches, gpu-strides: bandwidth of one SM's L1 by stride",
	.detect = detect_strides,
	.read = read_strides,
};
