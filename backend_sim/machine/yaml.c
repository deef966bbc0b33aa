/* Machine files: YAML with line and column in every error. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "backend_sim/machine/machine.h"
#include "backend_sim/machine/yaml_check.h"
#include "harness/base/content.h"

#define MACHINE_DEFAULT   "h200-sxm"
#define MACHINE_DEPTH_MAX 8 /* of bases */

/* A document being read: where it came from and what has been set. */
struct reader {
	const char *source;
	yaml_document_t *document;
	struct machine *machine;
	unsigned depth; /* of bases */
	struct error *error;
};

static int load(const char *name, struct machine *m, unsigned depth,
	struct error *error);

static int fail_at(
	const struct reader *r, const yaml_node_t *node, const char *sentence)
{
	return error_set(r->error, ERR_USAGE, "%s:%zu:%zu: %s", r->source,
		node->start_mark.line + 1, node->start_mark.column + 1,
		sentence);
}

static const char *scalar(const yaml_node_t *node)
{
	return node && node->type == YAML_SCALAR_NODE
		       ? (const char *)node->data.scalar.value
		       : NULL;
}

const char *const machine_keys[] = {
	"schema", "name", "base", "about", "parameters", NULL};
const char *const machine_fields[] = {"value", "unit", "origin", NULL};
const char *const machine_origins[] = {
	"measured", "published", "fitted", "assumed", NULL};

#define KEY_COUNT   (sizeof(machine_keys) / sizeof(machine_keys[0]) - 1)
#define FIELD_COUNT (sizeof(machine_fields) / sizeof(machine_fields[0]) - 1)

static bool known_origin(const char *text)
{
	size_t i, length;

	for (i = 0; machine_origins[i]; i++) {
		length = strlen(machine_origins[i]);
		if (!strncmp(text, machine_origins[i], length) &&
			(!text[length] || text[length] == ':'))
			return true;
	}
	return false;
}

/* `seen`: a bit for each name that was given. */
static bool is_repeated(const char *name, unsigned *seen)
{
	unsigned i, before = *seen;

	for (i = 0; i < FIELD_COUNT; i++)
		if (!strcmp(name, machine_fields[i])) {
			*seen |= 1u << i;
			return before >> i & 1;
		}
	return false;
}

/* One of value, unit and origin of a parameter. */
static int read_field(struct reader *r, enum parameter p,
	const yaml_node_t *key, const yaml_node_t *node, unsigned *seen)
{
	const char *name = scalar(key), *text = scalar(node);
	struct error inner;

	if (!name || !text)
		return fail_at(r, key, "expected value, unit or origin");
	if (is_repeated(name, seen))
		return fail_at(r, key, "this is given twice");
	if (!strcmp(name, "value")) {
		if (machine_parse_value(p, text, &r->machine->value[p], &inner))
			return fail_at(r, node, inner.text);
	} else if (!strcmp(name, "unit")) {
		if (strcmp(text, parameters[p].unit)) {
			error_set(&inner, ERR_USAGE,
				"the unit of %s is %s, not '%s'",
				parameters[p].name, parameters[p].unit, text);
			return fail_at(r, node, inner.text);
		}
	} else if (!strcmp(name, "origin")) {
		if (!known_origin(text))
			return fail_at(r, node,
				"an origin begins with measured, published, "
				"fitted or assumed");
		snprintf(r->machine->origin[p], MACHINE_TEXT_BYTES, "%s", text);
	} else {
		return fail_at(r, key, "expected value, unit or origin");
	}
	return 0;
}

static int read_parameter(struct reader *r, const yaml_node_t *key,
	const yaml_node_t *node, bool *given)
{
	const char *name = scalar(key);
	enum parameter p = name ? machine_parameter(name) : PARAMETER_COUNT;
	yaml_node_pair_t *pair;
	struct error inner;
	unsigned seen = 0, i;

	if (p == PARAMETER_COUNT) {
		error_set(&inner, ERR_USAGE,
			"there is no parameter '%s' (`nearfar list "
			"parameters` shows all)",
			name ? name : "?");
		return fail_at(r, key, inner.text);
	}
	if (given[p])
		return fail_at(r, key, "this parameter is given twice");
	given[p] = true;
	if (node->type != YAML_MAPPING_NODE)
		return fail_at(r, node,
			"expected {value: ..., unit: ..., origin: ...}");
	for (pair = node->data.mapping.pairs.start;
		pair < node->data.mapping.pairs.top; pair++)
		if (read_field(r, p,
			    yaml_document_get_node(r->document, pair->key),
			    yaml_document_get_node(r->document, pair->value),
			    &seen))
			return ERR_USAGE;
	for (i = 0; i < FIELD_COUNT; i++)
		if (!(seen & (1u << i))) {
			error_set(&inner, ERR_USAGE, "%s has no %s", name,
				machine_fields[i]);
			return fail_at(r, key, inner.text);
		}
	return 0;
}

static int read_parameters(
	struct reader *r, const yaml_node_t *node, bool *given)
{
	yaml_node_pair_t *pair;

	if (node->type != YAML_MAPPING_NODE)
		return fail_at(r, node, "expected a mapping of parameters");
	for (pair = node->data.mapping.pairs.start;
		pair < node->data.mapping.pairs.top; pair++)
		if (read_parameter(r,
			    yaml_document_get_node(r->document, pair->key),
			    yaml_document_get_node(r->document, pair->value),
			    given))
			return ERR_USAGE;
	return 0;
}

/* The header keys; `base` replaces everything, so it is read first. */
static const yaml_node_t *find_key(
	const struct reader *r, const yaml_node_t *root, const char *name)
{
	yaml_node_pair_t *pair;

	for (pair = root->data.mapping.pairs.start;
		pair < root->data.mapping.pairs.top; pair++) {
		const char *key =
			scalar(yaml_document_get_node(r->document, pair->key));

		if (key && !strcmp(key, name))
			return yaml_document_get_node(r->document, pair->value);
	}
	return NULL;
}

static int check_keys(const struct reader *r, const yaml_node_t *root)
{
	bool given[KEY_COUNT] = {false};
	yaml_node_pair_t *pair;
	size_t i;

	for (pair = root->data.mapping.pairs.start;
		pair < root->data.mapping.pairs.top; pair++) {
		const yaml_node_t *node =
			yaml_document_get_node(r->document, pair->key);
		const char *key = scalar(node);

		for (i = 0; key && i < KEY_COUNT; i++)
			if (!strcmp(key, machine_keys[i]))
				break;
		if (!key || i == KEY_COUNT)
			return fail_at(r, node,
				"expected schema, name, base, about or "
				"parameters");
		if (given[i])
			return fail_at(r, node, "this is given twice");
		given[i] = true;
	}
	return 0;
}

/* What a machine takes over was not learnt on it: the origin says of whom it
   speaks. */
static void name_base(struct machine *m)
{
	char text[MACHINE_TEXT_BYTES];
	int i;

	for (i = 0; i < PARAMETER_COUNT; i++) {
		const char *mark = strchr(m->origin[i], ':') ? "," : ":";
		const int room = MACHINE_TEXT_BYTES - (int)strlen(mark) -
				 (int)strlen(m->name) - 5;

		snprintf(text, sizeof(text), "%.*s%s of %s", room, m->origin[i],
			mark, m->name);
		snprintf(m->origin[i], MACHINE_TEXT_BYTES, "%s", text);
	}
}

static int read_header(struct reader *r, const yaml_node_t *root)
{
	const yaml_node_t *schema = find_key(r, root, "schema");
	const yaml_node_t *name = find_key(r, root, "name");
	const yaml_node_t *base = find_key(r, root, "base");
	const yaml_node_t *about = find_key(r, root, "about");
	struct machine *m = r->machine;
	int code;

	if (!scalar(schema) || strcmp(scalar(schema), "nearfar-machine/1"))
		return fail_at(r, schema ? schema : root,
			"expected `schema: nearfar-machine/1`");
	if (!scalar(name) || !*scalar(name))
		return fail_at(r, name ? name : root, "expected a name");
	if (base) {
		if (!scalar(base) || r->depth == MACHINE_DEPTH_MAX)
			return fail_at(r, base,
				"expected the name of a base (at most 8 deep)");
		code = load(scalar(base), m, r->depth + 1, r->error);
		if (code)
			return error_prefix(r->error, code,
				"%s:%zu:%zu: base: ", r->source,
				base->start_mark.line + 1,
				base->start_mark.column + 1);
		name_base(m);
	}
	snprintf(m->name, sizeof(m->name), "%s", scalar(name));
	snprintf(m->about, sizeof(m->about), "%s",
		scalar(about) ? scalar(about) : "");
	return 0;
}

/* What a file without a base leaves out. */
static int set_default(struct machine *m, enum parameter p)
{
	if (isnan(parameters[p].fallback))
		return ERR_USAGE;
	m->value[p] = parameters[p].fallback;
	snprintf(m->origin[p], MACHINE_TEXT_BYTES, "assumed: the default");
	return 0;
}

static int read_document(struct reader *r)
{
	const yaml_node_t *root = yaml_document_get_root_node(r->document);
	const yaml_node_t *list;
	bool given[PARAMETER_COUNT] = {false};
	struct error inner;
	int i, code;

	if (!root || root->type != YAML_MAPPING_NODE)
		return error_set(r->error, ERR_USAGE,
			"%s:1:1: expected a machine (a mapping)", r->source);
	if (check_keys(r, root))
		return ERR_USAGE;
	code = read_header(r, root);
	if (code)
		return code;
	list = find_key(r, root, "parameters");
	if (list && read_parameters(r, list, given))
		return ERR_USAGE;
	for (i = 0; !find_key(r, root, "base") && i < PARAMETER_COUNT; i++)
		if (!given[i] && set_default(r->machine, (enum parameter)i)) {
			error_set(&inner, ERR_USAGE,
				"parameter %s is missing and there is no base",
				parameters[i].name);
			return fail_at(r, list ? list : root, inner.text);
		}
	return machine_check(r->machine, r->source, r->error);
}

static int read_text(const char *text, size_t length, const char *source,
	struct machine *m, unsigned depth, struct error *error)
{
	yaml_parser_t parser;
	yaml_document_t document;
	struct reader r = {source, &document, m, depth, error};
	int result;

	result = yaml_check(text, length, source, error);
	if (result)
		return result;
	if (!yaml_parser_initialize(&parser))
		return error_set(error, ERR_FAILED, "out of memory");
	yaml_parser_set_input_string(
		&parser, (const unsigned char *)text, length);
	if (!yaml_parser_load(&parser, &document)) {
		result = yaml_fail(&parser, source, error);
		yaml_parser_delete(&parser);
		return result;
	}
	result = read_document(&r);
	yaml_document_delete(&document);
	yaml_parser_delete(&parser);
	return result;
}

static int read_file(const char *path, struct machine *m, unsigned depth,
	struct error *error)
{
	struct content content;
	int code = content_read_written(path, &content, error);

	if (code)
		return error_prefix(error, code, "machine file: ");
	code = read_text(content.text, content.bytes, path, m, depth, error);
	content_free(&content);
	return code;
}

static int load(const char *name, struct machine *m, unsigned depth,
	struct error *error)
{
	const struct machine_file *file;
	size_t length = strlen(name);

	if (strchr(name, '/') ||
		(length > 5 && !strcmp(name + length - 5, ".yaml")))
		return read_file(name, m, depth, error);
	for (file = machine_files; file->name; file++)
		if (!strcmp(file->name, name))
			return read_text(file->text,
				(size_t)(file->end - file->text), name, m,
				depth, error);
	return error_set(error, ERR_USAGE,
		"there is no machine '%s' (`nearfar list machines` shows all; "
		"a file's name ends in .yaml)",
		name);
}

int machine_load(const char *name, struct machine *machine, struct error *error)
{
	struct machine loaded = {0};
	int result = load(name ? name : MACHINE_DEFAULT, &loaded, 0, error);

	if (!result)
		*machine = loaded;
	return result;
}
