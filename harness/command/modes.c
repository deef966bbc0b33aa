#include <argp.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "harness/command/command.h"
#include "harness/base/emit.h"
#include "harness/stats/modes.h"
#include "harness/series/sample_sets.h"

#define MODES_SCHEMA "nearfar-modes/1"
#define SEED         1

enum { KEY_REGION = 0x100 };

struct options {
	const char *file;
	const char *region; /* NULL: the default */
	bool json;
};

static const struct argp_option argp_options[] = {
	{"region", KEY_REGION, "NAME", 0,
		"take the samples of this region as they are (default: the "
		"values of latency_cycles, or else the samples of each "
		"iteration of " REGION_DEFAULT ")",
		0},
	{"format", 'f', "FORMAT", 0, "table or json", 0},
	{0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case KEY_REGION:
		options->region = argument;
		return 0;
	case 'f':
		options->json = strcmp(argument, "json") == 0;
		if (!options->json && strcmp(argument, "table") != 0)
			argp_error(state,
				"the format '%s' is neither table nor json",
				argument);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "one file is read, no more");
		options->file = argument;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "a file is needed");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* "pointer-chase footprint_bytes 8388608: " or nothing. */
static void put_name(const struct sample_set *set, FILE *out)
{
	char x[EMIT_NUMBER_BYTES];

	if (!isfinite(set->x))
		return;
	emit_format(set->x, x);
	if (set->bench)
		fprintf(out, "%s ", set->bench);
	else
		fprintf(out, "series %zu ", set->series);
	fprintf(out, "%s %s: ", set->axis ? set->axis : "x", x);
}

static void put_table_mode(const struct mode *mode, FILE *out)
{
	char interval[64], weights[64], range[64];

	snprintf(interval, sizeof(interval), "%.1f .. %.1f", mode->low,
		mode->high);
	snprintf(weights, sizeof(weights), "%.3f .. %.3f", mode->weight_low,
		mode->weight_high);
	snprintf(range, sizeof(range), "%.1f .. %.1f", mode->first, mode->last);
	fprintf(out, "%17.1f  %16s  %6.3f  %14s  %13.1f  %16s  %8zu\n",
		mode->position, interval, mode->weight, weights, mode->spread,
		range, mode->count);
}

static void put_table(
	const struct sample_set *set, const struct modes *modes, FILE *out)
{
	size_t i;

	put_name(set, out);
	if (modes->count == 0) {
		fprintf(out, "no samples%s%s\n", set->skipped ? ": " : "",
			set->skipped ? set->skipped : "");
		return;
	}
	if (modes->count == 1)
		fputs("one mode", out);
	else
		fprintf(out, "%zu modes", modes->count);
	fprintf(out,
		" in %zu samples\n%17s  %16s  %6s  %14s  %13s  %16s  %8s\n",
		set->count, "position_cycles", "95 % interval", "weight",
		"95 % interval", "spread_cycles", "range_cycles", "count");
	for (i = 0; i < modes->count; i++)
		put_table_mode(modes->items + i, out);
}

static void put_json_mode(const struct mode *mode, FILE *out)
{
	const struct {
		const char *key;
		double value;
	} fields[] = {
		{"position_cycles", mode->position},
		{"position_cycles_low", mode->low},
		{"position_cycles_high", mode->high},
		{"weight", mode->weight},
		{"weight_low", mode->weight_low},
		{"weight_high", mode->weight_high},
		{"spread_cycles", mode->spread},
		{"first_cycles", mode->first},
		{"last_cycles", mode->last},
		{"count", (double)mode->count},
	};
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		fprintf(out, "%s\"%s\": ", i ? ", " : "{", fields[i].key);
		emit_json_number(out, fields[i].value);
	}
	fputc('}', out);
}

static void put_json_text(FILE *out, const char *key, const char *text)
{
	fprintf(out, ", \"%s\": ", key);
	if (text)
		emit_json_string(out, text);
	else
		fputs("null", out);
}

static void put_json(
	const struct sample_set *set, const struct modes *modes, FILE *out)
{
	size_t i;

	fprintf(out, "    {\"series\": %zu", set->series);
	put_json_text(out, "bench", set->bench);
	put_json_text(out, "axis", set->axis);
	fputs(", \"x\": ", out);
	emit_json_number(out, set->x);
	put_json_text(out, "skipped", set->skipped);
	fprintf(out, ", \"samples\": %zu, \"components\": %zu, \"bic\": [",
		set->count, modes->components);
	for (i = 0; i < MODES_MAX; i++) {
		fputs(i ? ", " : "", out);
		emit_json_number(out, modes->bic[i]);
	}
	fputs("],\n     \"modes\": [", out);
	for (i = 0; i < modes->count; i++) {
		fputs(i ? ",\n               " : "", out);
		put_json_mode(modes->items + i, out);
	}
	fputs("]}", out);
}

static int put_sets(const struct sample_sets *sets, bool json, FILE *out,
	struct error *error)
{
	struct modes modes;
	size_t i;
	int result;

	if (json)
		fputs("{\"schema\": \"" MODES_SCHEMA "\",\n  \"sets\": [\n",
			out);
	for (i = 0; i < sets->count; i++) {
		const struct sample_set *set = sets->items + i;

		result = modes_find(
			set->cycles, set->count, SEED, &modes, error);
		if (result)
			return result;
		(json ? put_json : put_table)(set, &modes, out);
		fputs(json && i + 1 < sets->count ? ",\n" : "\n", out);
	}
	if (json)
		fputs("  ]}\n", out);
	if (fflush(out) || ferror(out))
		return error_set(
			error, ERR_FAILED, "cannot write: %s", strerror(errno));
	return 0;
}

int command_modes(int argc, char **argv, FILE *out, struct error *error)
{
	static const struct argp argp = {argp_options, parse, "FILE",
		"Find the modes of latencies: of each point of a series, of "
		"a file that 'run --raw' wrote, or of plain numbers, one a "
		"line; '-' is standard input.",
		NULL, NULL, NULL};
	struct options options = {0};
	struct sample_sets sets;
	int result;

	if (argp_parse(&argp, argc, argv, 0, NULL, &options))
		return error_set(error, ERR_USAGE,
			"the options of modes cannot be read");
	result = sample_sets_read(options.file, options.region, &sets, error);
	if (result)
		return result;
	result = put_sets(&sets, options.json, out, error);
	sample_sets_free(&sets);
	return result;
}
