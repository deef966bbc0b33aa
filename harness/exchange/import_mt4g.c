/*
 * The JSON file of mt4g: the latency of L1, L2 and memory as chases, and what
 * else it says of them as facts.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/exchange/import_mt4g.h"
#include "harness/json/json_where.h"

/* A chase of nearfar has slots of 8 bytes and more. */
#define SLOTS_OF_4                                                             \
	"the tool's slots are 4 bytes, here 8: a line has half as many loads"

#define EACH_TIMED                                                             \
	"each load is timed by itself, which adds cycles to it; only the "     \
	"result's use orders the clock"

const struct mt4g_level mt4g_levels[MT4G_LEVELS] = {
	{"l1", "L1_Latency", 1024,
		{"op", "ld.ca", "slot", "8", "order", "sequential", "element",
			"4", "page-stride", "no", "samples", "yes", NULL},
		{EACH_TIMED, SLOTS_OF_4,
			"the chase goes through 8 lines of 128 bytes", NULL}},
	{"l2", "L2_Latency", 1024,
		{"op", "ld.cg", "slot", "8", "order", "sequential", "element",
			"4", "page-stride", "no", "samples", "yes", NULL},
		{EACH_TIMED, SLOTS_OF_4,
			"the chase touches 8 lines only: a few slices near or "
			"far of one SM, not the mean over L2",
			NULL}},
	{"main", "Main_Memory_Latency", 1073741824,
		{"op", "ld.cv", "slot", "1024", "order", "shuffle", "element",
			"4", "page-stride", "no", "samples", "yes", NULL},
		{EACH_TIMED, "each load has a membar.gl in its time",
			"footprint and slot are as the tool's source has them, "
			"not from the file",
			NULL}},
};

/* What else the file says, as facts: memory.LEVEL.QUANTITY.FIELD, or
   compute.FIELD, over `per`. */
static const struct {
	const char *fact, *field;
	double per;
} counts[] = {
	{"reported.sm_count", "multiProcessorCount", 1},
	{"reported.warps_per_sm", "maxThreadsPerMultiProcessor", 32},
	{"reported.blocks_per_sm", "maxBlocksPerMultiProcessor", 1},
	{"reported.registers_per_sm", "regsPerMultiProcessor", 1},
};

#define COUNTS (sizeof(counts) / sizeof(counts[0]))

static const struct {
	const char *fact, *level, *quantity, *field;
} reported[] = {
	{"reported.l1_bytes", "l1", "size", "size"},
	{"reported.l1_line_bytes", "l1", "lineSize", "size"},
	{"reported.l1_fetch_bytes", "l1", "fetchGranularity", "size"},
	{"reported.l2_bytes", "l2", "size", "value"},
	{"reported.l2_line_bytes", "l2", "lineSize", "size"},
	{"reported.l2_fetch_bytes", "l2", "fetchGranularity", "size"},
	{"reported.l2_segment_bytes", "l2", "segmentSize", "size"},
	{"reported.l2_persisting_max_bytes", "l2", "persistingL2CacheMaxSize",
		"value"},
	{"reported.l2_read_gib_per_s", "l2", "readBandwidth", "value"},
	{"reported.l2_write_gib_per_s", "l2", "writeBandwidth", "value"},
	{"reported.shared_reserved_bytes", "shared",
		"reservedSharedMemPerBlock", "value"},
	{"reported.memory_bytes", "main", "totalGlobalMem", "value"},
	{"reported.memory_read_gib_per_s", "main", "readBandwidth", "value"},
	{"reported.memory_write_gib_per_s", "main", "writeBandwidth", "value"},
};

#define REPORTED (sizeof(reported) / sizeof(reported[0]))

struct reader {
	const struct import_file *file;
	char where[JSON_WHERE_BYTES];
	const struct json_place *memory;
	struct json_place general, compute;
	const char *gpu;
	double clock_hz;
	struct error *error;
};

static struct json_place there(struct reader *r, const struct json_place *place)
{
	return json_where(place, r->file->text, r->file->source, r->where);
}

static int read_number(
	struct reader *r, const struct json_place *place, double *value)
{
	const struct json_place at = there(r, place);

	return place_number(&at, value);
}

static int read_positive(
	struct reader *r, const struct json_place *place, double *value)
{
	const struct json_place at = there(r, place);
	double number;
	int code = place_number(&at, &number);

	if (!code && number <= 0)
		code = place_fail(&at, "must be more than 0");
	if (!code)
		*value = number;
	return code;
}

/* "unit" must be what the quantity's name promises. */
static int check_unit(
	struct reader *r, const struct json_place *up, const char *unit)
{
	const struct json_place place = place_key(up, "unit");
	const struct json_place at = there(r, &place);
	const char *text;
	int code = place_string(&at, &text);

	if (!code && strcmp(text, unit) != 0)
		code = place_fail(&at, "must be '%s', not '%s'", unit, text);
	return code;
}

static int add_fact(
	struct reader *r, struct series *series, const char *fact, double value)
{
	return facts_add(&series->provenance, fact,
		       value == floor(value) ? "%.0f" : "%.10g", value)
		       ? error_set(r->error, ERR_FAILED, "out of memory")
		       : 0;
}

static int add_number(struct reader *r, struct series *series, const char *fact,
	const struct json_place *place, double per)
{
	double value;
	int code = read_number(r, place, &value);

	return code ? code : add_fact(r, series, fact, value / per);
}

static int add_arch(struct reader *r, struct series *series)
{
	const struct json_place arch =
		place_key(&r->general, "computeCapability");
	const struct json_place major = place_key(&arch, "major");
	const struct json_place minor = place_key(&arch, "minor");
	double high, low;
	int code;

	if (!arch.value)
		return 0;
	code = read_number(r, &major, &high);
	if (!code)
		code = read_number(r, &minor, &low);
	return code ? code
		    : add_fact(r, series, "reported.sm_arch", 10 * high + low);
}

static double fact_value(const struct series *series, const char *fact)
{
	const char *text = facts_find(&series->provenance, fact);

	return text ? strtod(text, NULL) : 0;
}

/* L2 over its segment's size, which the tool makes a whole number. */
static int add_partitions(struct reader *r, struct series *series)
{
	const double l2 = fact_value(series, "reported.l2_bytes");
	const double segment = fact_value(series, "reported.l2_segment_bytes");

	if (!(segment > 0))
		return 0;
	if (facts_add(&series->provenance, "bias",
		    "the segment size is rounded to L2's size over a whole "
		    "number"))
		return error_set(r->error, ERR_FAILED, "out of memory");
	return l2 > 0 ? add_fact(r, series, "reported.l2_partitions",
				round(l2 / segment))
		      : 0;
}

static int add_reported(struct reader *r, struct series *series)
{
	size_t i;
	int code = add_arch(r, series);

	for (i = 0; !code && i < COUNTS; i++) {
		const struct json_place field =
			place_key(&r->compute, counts[i].field);

		if (field.value)
			code = add_number(r, series, counts[i].fact, &field,
				counts[i].per);
	}
	for (i = 0; !code && i < REPORTED; i++) {
		const struct json_place level =
			place_key(r->memory, reported[i].level);
		const struct json_place quantity =
			place_key(&level, reported[i].quantity);
		const struct json_place field =
			place_key(&quantity, reported[i].field);

		if (quantity.value) /* it is measured */
			code = add_number(
				r, series, reported[i].fact, &field, 1);
	}
	return code ? code : add_partitions(r, series);
}

static int read_summary(struct reader *r, const struct json_place *latency,
	struct summary *summary)
{
	const struct json_place mean = place_key(latency, "mean");
	const struct json_place p50 = place_key(latency, "p50");
	const struct json_place p95 = place_key(latency, "p95");
	const struct json_place measurements =
		place_key(latency, "measurements");
	struct json_place at;
	uint64_t count;
	int code;

	summary_clear(summary);
	if ((code = check_unit(r, latency, "cycles")) ||
		(code = read_positive(r, &mean, &summary->mean)) ||
		(code = read_positive(r, &p50, &summary->median)) ||
		(code = read_positive(r, &p95, &summary->p95)))
		return code;
	at = there(r, &measurements);
	code = place_count(&at, UINT32_MAX, &count);
	if (!code)
		summary->count = (uint32_t)count;
	return code;
}

static void to_ns(
	const struct summary *cycles, double clock_hz, struct summary *ns)
{
	const double scale = 1e9 / clock_hz;

	*ns = *cycles;
	ns->mean *= scale;
	ns->median *= scale;
	ns->p95 *= scale;
}

static int read_level(struct reader *r, const struct mt4g_level *level,
	struct series_list *list)
{
	const struct json_place up = place_key(r->memory, level->json);
	const struct json_place latency = place_key(&up, "latency");
	const struct json_place at = there(r, &latency);
	const struct import_origin origin = {MT4G_TOOL,
		"unknown: the file does not say", MT4G_SOURCE, r->gpu,
		"the file", level->biases};
	const struct import_curve curve = {"pointer-chase", "footprint_bytes",
		1u << METRIC_LATENCY_CYCLES | 1u << METRIC_LATENCY_NS,
		level->options};
	struct metric_values *in_cycles, *in_ns;
	struct summary cycles;
	struct series *series;
	struct point *point;
	int code;

	if ((code = place_object(&at)) ||
		(code = read_summary(r, &latency, &cycles)))
		return code;
	series = import_series(r->file, &origin, &curve, list, r->error);
	if (!series)
		return ERR_FAILED;
	code = add_reported(r, series);
	if (code)
		return code;
	point = series_add_point(series, level->footprint_bytes);
	if (!point)
		return place_no_memory(&at);
	point->clock_hz = r->clock_hz;
	in_cycles = point_add_metric(point, METRIC_LATENCY_CYCLES);
	if (!in_cycles)
		return place_no_memory(&at);
	in_cycles->summary = cycles;
	in_ns = point_add_metric(point, METRIC_LATENCY_NS);
	if (!in_ns)
		return place_no_memory(&at);
	to_ns(&cycles, r->clock_hz, &in_ns->summary);
	return 0;
}

static int read_document(struct reader *r, const struct json_place *root,
	struct series_list *list)
{
	const struct json_place memory = place_key(root, "memory");
	const struct json_place general = place_key(root, "general");
	const struct json_place name = place_key(&general, "name");
	const struct json_place clock = place_key(&general, "clockRate");
	const struct json_place value = place_key(&clock, "value");
	struct json_place at = there(r, &memory);
	double clock_khz;
	int code = place_object(&at);
	size_t i;

	if (code)
		return code;
	at = there(r, &name);
	if ((code = place_string(&at, &r->gpu)) ||
		(code = read_positive(r, &value, &clock_khz)) ||
		(code = check_unit(r, &clock, "kHz")))
		return code;
	r->clock_hz = clock_khz * 1e3;
	r->memory = &memory;
	r->general = general;
	r->compute = place_key(root, "compute");
	for (i = 0; !code && i < MT4G_LEVELS; i++)
		code = read_level(r, &mt4g_levels[i], list);
	return code;
}

static int read_mt4g(const struct import_file *file, struct series_list *list,
	struct error *error)
{
	struct reader r = {.file = file, .error = error};
	struct json_place root;
	int code =
		place_load(file->text, file->bytes, file->source, &root, error);

	if (code)
		return code;
	code = read_document(&r, &root, list);
	json_decref(root.value);
	return code;
}

static bool detect(const struct import_file *file)
{
	return file->text[strspn(file->text, " \t\r\n")] == '{' &&
	       strstr(file->text, "\"general\"") &&
	       strstr(file->text, "\"memory\"");
}

const struct importer importer_mt4g = {
	.name = "mt4g",
	.what = "mt4g's JSON: latency of L1, L2 and memory",
	.detect = detect,
	.read = read_mt4g,
};
