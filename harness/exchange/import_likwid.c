/*
 * likwid-bench's text, one output or several in one file: the bandwidth of a
 * host's kernel, a point an output. Lines that are not known are passed over.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/exchange/import.h"

static const char *const likwid_biases[] = {
	"the bandwidth is what the kernel asks for: lines that stores read "
	"first are not counted",
	"the time is that of the slowest thread, from all iterations at once: "
	"no spread",
	NULL};

/* The fields of an output; each stands once in it. */
enum field { CYCLES, CLOCK, TIME, SIZE, VOLUME, RATE, FIELDS };

static const struct {
	const char *key, *what;
} fields[FIELDS] = {
	[CYCLES] = {"Cycles:", "the cycles"},
	[CLOCK] = {"CPU Clock:", "the clock in Hz"},
	[TIME] = {"Time:", "the time in seconds"},
	[SIZE] = {"Size (Byte):", "the data set in bytes"},
	[VOLUME] = {"Data volume (Byte):", "the bytes moved"},
	[RATE] = {"MByte/s:", "the bandwidth in MB/s"},
};

struct output {
	char test[64], threads[24];
	double values[FIELDS];
	unsigned seen; /* bit set of fields */
	bool begun;
};

static int read_test(struct import_scan *scan, struct output *output)
{
	const size_t length =
		strcspn(scan->at + strspn(scan->at, " \t"), " \t\r\n");

	scan->at += strspn(scan->at, " \t");
	if (!length || length >= sizeof(output->test))
		return import_scan_fail(scan, "expected the kernel's name");
	*output = (struct output){.begun = true};
	memcpy(output->test, scan->at, length);
	scan->at += length;
	return 0;
}

static int read_threads(struct import_scan *scan, struct output *output)
{
	double count;
	int code = import_scan_positive(scan, "a count", &count);

	if (!code && import_scan_try(scan, "threads"))
		snprintf(output->threads, sizeof(output->threads), "%.0f",
			count);
	return code;
}

static int read_field(struct import_scan *scan, struct output *output)
{
	size_t i;
	int code;

	for (i = 0; i < FIELDS; i++) {
		if (!import_scan_try(scan, fields[i].key))
			continue;
		code = import_scan_positive(
			scan, fields[i].what, &output->values[i]);
		if (!code && output->seen >> i & 1)
			code = import_scan_fail(scan,
				"'%s' stands twice in this output",
				fields[i].key);
		output->seen |= 1u << i;
		return code;
	}
	return 0;
}

static struct series *find_series(const struct import_file *file,
	const struct output *output, struct series_list *list,
	struct error *error)
{
	const char *const options[] = {"test", output->test, "threads",
		*output->threads ? output->threads : "1", NULL};
	const struct import_origin origin = {.tool = "likwid-bench",
		.version = "unknown: the output does not say",
		.source = "RRZE-HPC/likwid (GPL-3.0)",
		.biases = likwid_biases};
	const struct import_curve curve = {"likwid-bench", "footprint_bytes",
		1u << METRIC_USEFUL_GB_PER_S | 1u << METRIC_BYTES_PER_CYCLE,
		options};
	size_t i;

	for (i = 0; i < list->count; i++) {
		const struct facts *known = &list->items[i].options;

		if (!strcmp(facts_find(known, "test"), options[1]) &&
			!strcmp(facts_find(known, "threads"), options[3]))
			return &list->items[i];
	}
	return import_series(file, &origin, &curve, list, error);
}

/* The last line of an output has been read. */
static int finish(struct import_scan *scan, const struct output *output,
	struct series_list *list)
{
	const double *v = output->values;
	struct series *series;
	struct point *point;
	size_t i;
	int code;

	for (i = 0; i < FIELDS; i++)
		if (!(output->seen >> i & 1))
			return import_scan_fail(scan,
				"expected '%s' in the output of '%s' before "
				"this",
				fields[i].key, output->test);
	if (fabs(v[VOLUME] / v[TIME] / 1e6 - v[RATE]) > 0.01 * v[RATE])
		return import_scan_fail(scan,
			"expected about %.2f MB/s of '%s': %.0f bytes in %g s",
			v[VOLUME] / v[TIME] / 1e6, output->test, v[VOLUME],
			v[TIME]);
	series = find_series(scan->file, output, list, scan->error);
	if (!series)
		return ERR_FAILED;
	point = series_add_point(series, v[SIZE]);
	if (!point)
		return error_set(scan->error, ERR_FAILED, "out of memory");
	point->clock_hz = v[CLOCK];
	code = import_single(
		point, METRIC_USEFUL_GB_PER_S, v[RATE] / 1e3, scan->error);
	if (code)
		return code;
	return import_single(point, METRIC_BYTES_PER_CYCLE,
		v[VOLUME] / v[CYCLES], scan->error);
}

static int read_line(struct import_scan *scan, struct output *output,
	struct series_list *list)
{
	int code;

	if (import_scan_try(scan, "Test:")) {
		code = output->begun ? finish(scan, output, list) : 0;
		return code ? code : read_test(scan, output);
	}
	if (output->begun && import_scan_try(scan, "Using "))
		return read_threads(scan, output);
	return output->begun ? read_field(scan, output) : 0;
}

static int read_likwid(const struct import_file *file, struct series_list *list,
	struct error *error)
{
	struct output output = {.begun = false};
	struct import_scan scan;
	int code = 0;

	import_scan_init(&scan, file, error);
	while (!code && import_scan_line(&scan))
		code = read_line(&scan, &output, list);
	if (code)
		return code;
	return output.begun ? finish(&scan, &output, list)
			    : import_scan_fail(&scan, "expected 'Test:'");
}

/* The heading stands in the first lines, behind those about allocation. */
static bool detect(const struct import_file *file)
{
	static const char heading[] = "LIKWID MICRO BENCHMARK";
	const size_t most = file->bytes < 8192 ? file->bytes : 8192;

	return memmem(file->text, most, heading, strlen(heading)) != NULL;
}

const struct importer importer_likwid = {
	.name = "likwid-bench",
	.what = "likwid-bench: bandwidth of a host's kernel by data set",
	.detect = detect,
	.read = read_likwid,
};
