/* gpu-latency: rows of iterations, MHz, kB, ms, cycles, and the
   cycles of further repeats, if there were any. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/exchange/import_gpu_benches.h"
#include "harness/stats/values.h"

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

/* The latency that the row's time gives, then the further repeats'. */
static int read_repeats(
	struct import_scan *scan, double first, struct values *cycles)
{
	double repeat;
	int code = values_add(cycles, first);

	while (!code && !import_scan_at_end(scan)) {
		code = import_scan_positive(
			scan, "the latency of a repeat in cycles", &repeat);
		if (!code && values_add(cycles, repeat))
			code = error_set(
				scan->error, ERR_FAILED, "out of memory");
	}
	return code;
}

static int add_latency(struct import_scan *scan, struct series *series,
	const double row[5], struct values *cycles)
{
	struct point *point = series_add_point(series, row[2] * 1024);
	size_t i;
	int code;

	if (!point)
		return error_set(scan->error, ERR_FAILED, "out of memory");
	point->clock_hz = row[1] * 1e6;
	code = import_repeats(
		point, METRIC_LATENCY_CYCLES, cycles, scan->error);
	for (i = 0; i < cycles->count; i++)
		cycles->items[i] *= 1e3 / row[1];
	return code ? code
		    : import_repeats(
			      point, METRIC_LATENCY_NS, cycles, scan->error);
}

static int read_latency_row(struct import_scan *scan, struct series *series)
{
	static const char *const columns[] = {"the number of loads",
		"the SM clock in MHz", "the footprint in kB", "the time in ms",
		"the latency in cycles"};
	struct values cycles = {0};
	const char *last = scan->at;
	struct import_scan at_latency;
	double row[5];
	int i, code = 0;

	for (i = 0; !code && i < 5; i++) {
		last = scan->at + strspn(scan->at, " \t");
		code = import_scan_positive(scan, columns[i], &row[i]);
	}
	if (code)
		return code;
	at_latency = *scan;
	at_latency.at = last;
	code = read_repeats(scan, row[4], &cycles);
	if (!code)
		code = check_row(&at_latency, row);
	if (!code)
		code = add_latency(scan, series, row, &cycles);
	values_free(&cycles);
	return code;
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
