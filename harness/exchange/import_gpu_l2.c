/* gpu-l2-cache: rows of block, data set, time, spread, bandwidths. */
#include <string.h>

#include "harness/exchange/import_gpu_benches.h"

static const char *const l2_biases[] = {
	"each value is from the least of 7 timings by the host's clock, launch "
	"and synchronisation included",
	"a data set of fewer blocks than run at once is read by several SMs at "
	"the same time, and a small one partly from L1",
	NULL};

/* The loads are plain, but what they stream does not stay in L1: which of
   bandwidth's --cop and --shared is nearest depends on the data set. */
static const char *const l2_options[] = {
	"over", "footprint", "access", "read", "sms", "0", NULL};

static int read_l2_row(struct import_scan *scan, struct series *series)
{
	double block, footprint, ms, spread, rate, other;
	struct point *point;
	int code;

	if ((code = import_scan_positive(
		     scan, "the data of a block in kB", &block)) ||
		(code = import_scan_word(scan, "kB")) ||
		(code = import_scan_positive(
			 scan, "the data set in kB", &footprint)) ||
		(code = import_scan_word(scan, "kB")) ||
		(code = import_scan_number(scan, "the time in ms", &ms)) ||
		(code = import_scan_word(scan, "ms")) ||
		(code = import_scan_number(scan, "the spread in %", &spread)) ||
		(code = import_scan_word(scan, "%")) ||
		(code = import_scan_positive(
			 scan, "the bandwidth in GB/s", &rate)) ||
		(code = import_scan_word(scan, "GB/s")))
		return code;
	/* As many rates of counters as the tool was built with. */
	while (!code && !import_scan_at_end(scan))
		if (!(code = import_scan_number(
			      scan, "a counter's rate in GB/s", &other)))
			code = import_scan_word(scan, "GB/s");
	if (code)
		return code;
	point = series_add_point(series, footprint * 1024);
	if (!point)
		return error_set(scan->error, ERR_FAILED, "out of memory");
	return import_single(point, METRIC_USEFUL_GB_PER_S, rate, scan->error);
}

static int read_l2(const struct import_file *file, struct series_list *list,
	struct error *error)
{
	static const struct import_curve curve = {"bandwidth",
		"footprint_bytes", 1u << METRIC_USEFUL_GB_PER_S, l2_options};
	struct series *series = gpu_benches_series(file,
		"gpu-benches gpu-l2-cache", l2_biases, &curve, list, error);
	struct import_scan scan;
	int code = series ? 0 : ERR_FAILED;

	import_scan_init(&scan, file, error);
	if (!code && import_scan_line(&scan) &&
		!(code = import_scan_word(&scan, "data set")) &&
		!(code = import_scan_word(&scan, "exec time")) &&
		!(code = import_scan_word(&scan, "spread")) &&
		!(code = import_scan_word(&scan, "Eff. bw")))
		code = import_scan_end(&scan);
	while (!code && import_scan_line(&scan))
		code = read_l2_row(&scan, series);
	if (!code && !series->point_count)
		code = import_scan_fail(&scan,
			"expected rows of kB, kB, ms, %% "
			"and GB/s below the heading");
	return code;
}

static bool detect_l2(const struct import_file *file)
{
	const char *text = file->text + strspn(file->text, " \t\r\n");

	return !strncmp(text, "data set", strlen("data set"));
}

const struct importer importer_gpu_benches_l2 = {
	.name = "gpu-benches-l2",
	.what = "gpu-benches, gpu-l2-cache: bandwidth against footprint",
	.detect = detect_l2,
	.read = read_l2,
};
