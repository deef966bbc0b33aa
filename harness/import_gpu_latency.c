/* gpu-latency: rows of iterations, MHz, kB, ms, cycles. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import_gpu_benches.h"

static const char *const latency_biases[] = {
	"each value is the least of 7 timings by the host's clock, launch and "
	"synchronisation included, times one reading of the SM clock",
	"footprints are cut to whole KiB",
	"64 threads of one block chase the same ring of 64-byte slots", NULL};

static const char *const latency_options[] = {"op", "ld.ca", "slot", "64",
	"order", "shuffle", "element", "8", "warps", "1", "lanes", "1",
	"page-stride", "no", "samples", "no", NULL};

/* The last column repeats what the others say, but for their rounding. */
static int check_row(struct import_scan *scan, const double row[5])
{
	const double cycles = row[3] * 1e3 * row[1] / row[0];
	const double rounding = cycles * 0.05 / row[3] + 0.05;

	if (fabs(cycles - row[4]) <= rounding + 0.005 * cycles)
		return 0;
	return import_scan_fail(scan,
		"expected about %.1f cycles: %g ms for %.0f loads at %g MHz",
		cycles, row[3], row[0], row[1]);
}

static int read_latency_row(struct import_scan *scan, struct series *series)
{
	static const char *const columns[] = {"the number of loads",
		"the SM clock in MHz", "the footprint in kB", "the time in ms",
		"the latency in cycles"};
	struct point *point;
	const char *last = scan->at;
	double row[5];
	int i, code = 0;

	for (i = 0; !code && i < 5; i++) {
		last = scan->at + strspn(scan->at, " \t");
		code = import_scan_positive(scan, columns[i], &row[i]);
	}
	if (!code)
		code = import_scan_end(scan);
	if (code)
		return code;
	scan->at = last;
	code = check_row(scan, row);
	if (code)
		return code;
	point = series_add_point(series, row[2] * 1024);
	if (!point)
		return error_set(scan->error, ERR_FAILED, "out of memory");
	point->clock_hz = row[1] * 1e6;
	import_single(point, METRIC_LATENCY_CYCLES, row[4]);
	import_single(point, METRIC_LATENCY_NS, row[4] / row[1] * 1e3);
	return 0;
}

static int read_latency(const struct import_file *file,
	struct series_list *list, struct error *error)
{
	static const struct import_curve curve = {"pointer-chase",
		"footprint_bytes",
		1u << METRIC_LATENCY_CYCLES | 1u << METRIC_LATENCY_NS,
		latency_options};
	struct series *series = gpu_benches_series(file,
		"gpu-benches gpu-latency", latency_biases, &curve, list, error);
	struct import_scan scan;
	double clock_mhz;
	int code = series ? 0 : ERR_FAILED;

	import_scan_init(&scan, file, error);
	while (!code && import_scan_line(&scan))
		code = import_scan_try(&scan, "clock:")
			       ? gpu_benches_clock(&scan, &clock_mhz)
			       : read_latency_row(&scan, series);
	if (!code && !series->point_count)
		code = import_scan_fail(
			&scan, "expected rows of loads, MHz, kB, ms, cycles");
	return code;
}

static bool detect_latency(const struct import_file *file)
{
	double loads, clock, footprint, ms, cycles;
	char rest;

	return sscanf(gpu_benches_rows(file), "%lf%lf%lf%lf%lf%*[ \t\r]%c",
		       &loads, &clock, &footprint, &ms, &cycles, &rest) >= 5 &&
	       loads > 1000 && clock > 100;
}

const struct importer importer_gpu_benches_latency = {
	.name = "gpu-benches-latency",
	.what = "gpu-benches, gpu-latency: latency against footprint",
	.detect = detect_latency,
	.read = read_latency,
};
