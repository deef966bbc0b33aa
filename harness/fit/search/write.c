/*
 * The machine file. What its format has no room for stands in comments that
 * can be parsed:
 *
 *   # target: FILE FNV1A64 [held out]
 *   # held out: every Nth point of each series
 *     NAME: {value: ..., ...} # interval LOW HIGH from FILE@FNV1A64 ...
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fit/search/parts.h"
#include "harness/base/emit.h"
#include "harness/base/output.h"

#define FILES_NAMED 3
#define TEXT_BYTES  192 /* of an origin, in the machine's reader */
#define NAME_BYTES  60  /* of a machine, at the most */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* In double quotes of YAML, which are those of JSON. */
static void put_text(const char *key, const char *text, FILE *out)
{
	fprintf(out, "%s: ", key);
	emit_json_string(out, text);
	fputc('\n', out);
}

/* "calibrated" of "machines/calibrated.yaml". */
static void put_name(const char *path, FILE *out)
{
	char name[NAME_MAX + 1];
	size_t length;

	snprintf(name, sizeof(name), "%s", base_name(path));
	length = strlen(name);
	if (length > 5 && !strcmp(name + length - 5, ".yaml"))
		name[length - 5] = '\0';
	name[NAME_BYTES] = '\0';
	put_text("name", name, out);
}

static void put_header(const struct search *c, FILE *out)
{
	const struct targets *t = &c->targets;
	char about[TEXT_BYTES];
	size_t i;

	fputs("schema: nearfar-machine/1\n", out);
	put_name(c->config->output, out);
	snprintf(about, sizeof(about),
		c->no_gain ? "%s, which nearfar fit %s did not better"
			   : "%s, fitted by nearfar fit %s",
		c->machine, NEARFAR_VERSION);
	put_text("about", about, out);
	fprintf(out, "# start: %s %s\n", c->machine, c->machine_digest);
	for (i = 0; i < t->series_count; i++)
		fprintf(out, "# target: %s %s%s\n", t->series[i].label,
			t->files[t->series[i].file].digest,
			t->series[i].held_out ? " held out" : "");
	if (c->config->hold_out_every)
		fprintf(out, "# held out: every %uth point of each series\n",
			c->config->hold_out_every);
	fputs("parameters:\n", out);
}

/* Training series that a parameter came from. */
static bool informs(
	const struct search *c, const struct tuned *t, size_t series)
{
	const struct target_series *s = &c->targets.series[series];

	return t->from && !s->held_out && pattern_matches(t->from, s->series);
}

static void make_origin(
	const struct search *c, const struct tuned *t, char *text)
{
	static const char *const words[] = {"", "measured: read off",
		"measured: chosen by", "fitted:", "measured: told by"};
	size_t i, count = 0, length;

	length = (size_t)snprintf(text, TEXT_BYTES, "%s", words[t->origin]);
	for (i = 0; i < c->targets.series_count; i++) {
		if (!informs(c, t, i) || count++ >= FILES_NAMED)
			continue;
		length += (size_t)snprintf(text + length, TEXT_BYTES - length,
			"%s%s", count > 1 ? ", " : " ",
			c->targets.series[i].label);
		if (length >= TEXT_BYTES)
			return;
	}
	if (count > FILES_NAMED)
		snprintf(text + length, TEXT_BYTES - length,
			" and %zu more series", count - FILES_NAMED);
}

static void put_sources(
	const struct search *c, const struct tuned *t, FILE *out)
{
	size_t i;

	fputs(" #", out);
	if (!t->judged)
		fputs(" no interval", out);
	else if (!t->constrained)
		fputs(" not constrained", out);
	else if (isfinite(t->known_low))
		fprintf(out, " interval %.5g %.5g", t->known_low,
			t->known_high);
	if (t->from)
		fputs(" from", out);
	for (i = 0; i < c->targets.series_count; i++)
		if (informs(c, t, i))
			fprintf(out, " %s@%s", c->targets.series[i].label,
				c->targets.files[c->targets.series[i].file]
					.digest);
}

static void put_parameter(const struct search *c, size_t index, FILE *out)
{
	const struct tuned *t = &c->tuning.items[index];
	char value[VALUE_BYTES], origin[TEXT_BYTES];

	tuning_format(&c->tuning, index, c->values[index], value);
	fprintf(out, "  %s: {value: %s, unit: %s, origin: ", t->name, value,
		t->unit);
	if (t->origin == ORIGIN_START) {
		emit_json_string(out, t->origin_text);
	} else {
		make_origin(c, t, origin);
		emit_json_string(out, origin);
	}
	fputc('}', out);
	if (t->free)
		put_sources(c, t, out);
	fputc('\n', out);
}

/* ---- what was written is what was fitted ---- */

static int check_written(const struct search *c, struct error *error)
{
	char found[17], wanted[17];
	int code = runs_digest(c, c->config->machine, c->values, wanted, error);

	if (!code)
		code = runs_digest(c, c->config->output, NULL, found, error);
	if (!code && strcmp(found, wanted))
		code = error_set(error, ERR_FAILED,
			"'%s' does not give back the values that were fitted",
			c->config->output);
	return code;
}

int machine_write(const struct search *c, struct error *error)
{
	struct output output;
	size_t i;
	int code = output_open(&output, c->config->output, error);

	if (code)
		return code;
	put_header(c, output.stream);
	for (i = 0; i < c->tuning.count; i++)
		put_parameter(c, i, output.stream);
	code = output_commit(&output, error);
	return code ? code : check_written(c, error);
}
