/* A fingerprint as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/content.h"
#include "harness/base/emit.h"
#include "harness/json/json_where.h"
#include "harness/base/output.h"
#include "harness/fingerprint/fingerprint.h"

#define MAP_DIGITS 9

/* ---- writing ---- */

static void put_figure(const struct figure *f, int id, FILE *out)
{
	fprintf(out, "    \"%s\": {\"value\": ", figure_about[id].name);
	emit_json_number(out, f->value);
	fputs(", \"low\": ", out);
	emit_json_number(out, f->low);
	fputs(", \"high\": ", out);
	emit_json_number(out, f->high);
	fputs(", \"unit\": ", out);
	emit_json_string(out, figure_about[id].unit);
	if (f->reason) {
		fputs(", \"reason\": ", out);
		emit_json_string(out, f->reason);
	}
	fprintf(out, "}%s\n", id + 1 < FIGURE_COUNT ? "," : "");
}

static int put(const struct fingerprint *f, FILE *out, struct error *error)
{
	int id, failed = 0;

	fputs("{\n  \"schema\": \"" FINGERPRINT_SCHEMA "\",\n  \"device\": ",
		out);
	emit_json_string(out, f->device);
	fputs(",\n  \"sku\": ", out);
	emit_json_string(out, f->sku);
	fputs(",\n  \"identity\": ", out);
	emit_json_facts(out, &f->identity, "\n    ");
	fputs(",\n  \"figures\": {\n", out);
	for (id = 0; id < FIGURE_COUNT; id++)
		put_figure(&f->figures[id], id, out);
	fputs("  },\n  \"map\": ", out);
	if (f->map)
		failed = json_dumpf(
			f->map, out, JSON_REAL_PRECISION(MAP_DIGITS));
	else
		fputs("null", out);
	fputs("\n}\n", out);
	return failed || ferror(out) ? error_set(error, ERR_FAILED,
					       "the fingerprint cannot be "
					       "written")
				     : 0;
}

int fingerprint_write(const struct fingerprint *fingerprint, const char *path,
	FILE *out, struct error *error)
{
	struct output output;
	int code;

	if (!path || !strcmp(path, "-"))
		return put(fingerprint, out, error);
	code = output_open(&output, path, error);
	if (code)
		return code;
	code = put(fingerprint, output.stream, error);
	if (code) {
		output_abort(&output);
		return code;
	}
	return output_commit(&output, error);
}

/* ---- reading ---- */

struct reader {
	const struct content *content;
	char where[JSON_WHERE_BYTES];
	struct fingerprint *fingerprint;
};

static struct json_place there(struct reader *r, const struct json_place *place)
{
	return json_where(
		place, r->content->text, r->content->source, r->where);
}

static int read_text(struct reader *r, const struct json_place *up,
	const char *key, char text[FINGERPRINT_KEY])
{
	const struct json_place place = place_key(up, key);
	const struct json_place at = there(r, &place);
	const char *found;
	int code = place_string(&at, &found);

	if (!code && (!*found || strlen(found) >= FINGERPRINT_KEY))
		code = place_fail(
			&at, "must have 1 to %d bytes", FINGERPRINT_KEY - 1);
	if (!code)
		strcpy(text, found);
	return code;
}

static int read_bound(struct reader *r, const struct json_place *up,
	const char *key, double *value)
{
	const struct json_place place = place_key(up, key);
	const struct json_place at = there(r, &place);

	return place_number_or_null(&at, value);
}

static int read_reason(
	struct reader *r, const struct json_place *up, char **reason)
{
	const struct json_place place = place_key(up, "reason");
	const struct json_place at = there(r, &place);

	return place.value ? place_copy(&at, reason) : 0;
}

static int read_figure(struct reader *r, const struct json_place *place)
{
	const struct json_place at = there(r, place);
	const int id = figure_find(place->key);
	struct figure *f;
	int code;

	if (id < 0)
		return place_fail(&at, "is no figure of a fingerprint");
	f = &r->fingerprint->figures[id];
	code = place_object(&at);
	if (!code)
		code = read_bound(r, place, "value", &f->value);
	if (!code)
		code = read_bound(r, place, "low", &f->low);
	if (!code)
		code = read_bound(r, place, "high", &f->high);
	if (!code)
		code = read_reason(r, place, &f->reason);
	if (!code && isfinite(f->value) &&
		!(f->low <= f->value && f->value <= f->high))
		code = place_fail(
			&at, "must have its value between low and high");
	return code;
}

static int read_figures(struct reader *r, const struct json_place *root)
{
	const struct json_place place = place_key(root, "figures");
	const struct json_place at = there(r, &place);
	const char *key;
	json_t *value;
	int code = place_object(&at);

	if (code)
		return code;
	json_object_foreach(place.value, key, value)
	{
		const struct json_place one = place_key(&place, key);

		code = read_figure(r, &one);
		if (code)
			return code;
	}
	return 0;
}

static int read_fact(
	struct reader *r, const struct json_place *place, const char *key)
{
	const struct json_place at = there(r, place);
	const char *text;
	int code = place_string(&at, &text);

	if (!code && facts_add(&r->fingerprint->identity, key, "%s", text))
		code = place_no_memory(&at);
	return code;
}

/* A key that occurs more than once is an array. */
static int read_facts(
	struct reader *r, const struct json_place *place, const char *key)
{
	size_t i;
	int code = 0;

	if (!json_is_array(place->value))
		return read_fact(r, place, key);
	for (i = 0; !code && i < json_array_size(place->value); i++) {
		const struct json_place one = place_index(place, i);

		code = read_fact(r, &one, key);
	}
	return code;
}

static int read_identity(struct reader *r, const struct json_place *root)
{
	const struct json_place place = place_key(root, "identity");
	const struct json_place at = there(r, &place);
	const char *key;
	json_t *value;
	int code = place_object(&at);

	if (code)
		return code;
	json_object_foreach(place.value, key, value)
	{
		const struct json_place one = place_key(&place, key);

		code = read_facts(r, &one, key);
		if (code)
			return code;
	}
	return 0;
}

static int read_map(struct reader *r, const struct json_place *root)
{
	const struct json_place place = place_key(root, "map");
	const struct json_place at = there(r, &place);
	int code;

	if (!place.value || json_is_null(place.value))
		return 0;
	code = place_object(&at);
	if (!code)
		r->fingerprint->map = json_incref(place.value);
	return code;
}

static int read_schema(struct reader *r, const struct json_place *root)
{
	const struct json_place place = place_key(root, "schema");
	const struct json_place at = there(r, &place);
	const char *schema;
	int code = place_string(&at, &schema);

	return code || !strcmp(schema, FINGERPRINT_SCHEMA)
		       ? code
		       : place_fail(&at, "must be '" FINGERPRINT_SCHEMA "'");
}

static int read_document(struct reader *r, const struct json_place *root)
{
	int code = place_object(root);

	if (!code)
		code = read_schema(r, root);
	if (!code)
		code = read_text(r, root, "device", r->fingerprint->device);
	if (!code)
		code = read_text(r, root, "sku", r->fingerprint->sku);
	if (!code)
		code = read_identity(r, root);
	if (!code)
		code = read_figures(r, root);
	if (!code)
		code = read_map(r, root);
	return code;
}

int fingerprint_read(
	const char *path, struct fingerprint *fingerprint, struct error *error)
{
	struct reader r = {.fingerprint = fingerprint};
	struct content content;
	struct json_place root;
	int code = content_read(path, CONTENT_WRITTEN_MOST, &content, error);

	fingerprint_init(fingerprint);
	if (code)
		return code;
	r.content = &content;
	code = place_load(
		content.text, content.bytes, content.source, &root, error);
	if (!code) {
		code = read_document(&r, &root);
		json_decref(root.value);
	}
	if (code)
		fingerprint_free(fingerprint);
	content_free(&content);
	return code;
}
