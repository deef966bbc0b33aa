/* A module: directives, variables, functions. */
#include <stdlib.h>
#include <string.h>

#include "harness/ptx/declare.h"
#include "harness/ptx/reader.h"

const char *ptx_keep(struct ptx_module *m, const char *text, size_t length)
{
	struct ptx_kept *k = malloc(sizeof(*k) + length);

	if (!k)
		return NULL;
	memcpy(k->text, text, length);
	k->next = m->kept;
	m->kept = k;
	return k->text;
}

void ptx_free(struct ptx_module *m)
{
	uint32_t i;

	for (i = 0; i < m->function_count; i++) {
		free(m->functions[i].registers);
		free(m->functions[i].insns);
		free(m->functions[i].items);
	}
	for (i = 0; i < m->variable_count; i++)
		free(m->variables[i].initial);
	while (m->kept) {
		struct ptx_kept *next = m->kept->next;

		free(m->kept);
		m->kept = next;
	}
	free(m->functions);
	free(m->function_buckets);
	free(m->variables);
	free(m->files);
	free(m->pointers);
	free(m->text);
	*m = (struct ptx_module){0};
}

static const uint32_t versions[] = {
#define PTX_VERSION(major, minor) 10 * (major) + (minor),
#include "harness/ptx/targets.def"
};

#define VERSIONS (sizeof(versions) / sizeof(*versions))

static int take_version(struct reader *r)
{
	double value;
	size_t i;

	if (r->token.kind != TOKEN_NUMBER || !r->token.is_float)
		return reader_expected(r, "a version as 8.0");
	memcpy(&value, &r->token.bits, sizeof(value));
	value = value * 10 + 0.5;
	for (i = 0; i < VERSIONS; i++)
		if (value >= versions[i] && value < versions[i] + 1)
			break;
	if (i == VERSIONS)
		return reader_refuse(r, &r->token.place,
			"'%.*s' is not a version of PTX that is known; the "
			"latest is %u.%u",
			(int)r->token.text.length, r->token.text.text,
			versions[VERSIONS - 1] / 10,
			versions[VERSIONS - 1] % 10);
	r->module->version = versions[i];
	return reader_next(r);
}

static const struct {
	const char *name;
	uint8_t sm, ptx;
} targets[] = {
#define PTX_TARGET(name, sm, ptx) {name, sm, ptx},
#include "harness/ptx/targets.def"
};

static int take_target_name(struct reader *r)
{
	const struct token *t = &r->token;
	struct ptx_module *m = r->module;
	size_t i;

	if (t->kind != TOKEN_NAME)
		return reader_expected(r, "a target as sm_90");
	for (i = 0; i < sizeof(targets) / sizeof(*targets); i++)
		if (ptx_name_is(&t->text, targets[i].name))
			break;
	if (i == sizeof(targets) / sizeof(*targets))
		return reader_expected(r, "a target as sm_90");
	if (targets[i].ptx > m->version)
		return reader_refuse(r, &t->place,
			"'%s' needs .version %u.%u, this is %u.%u",
			targets[i].name, targets[i].ptx / 10u,
			targets[i].ptx % 10u, m->version / 10, m->version % 10);
	if (ptx_name_is(&t->text, "texmode_independent"))
		r->has_samplers = true;
	if (targets[i].sm) {
		m->target = targets[i].sm;
		m->target_place = t->place;
		m->target_is_exact = t->text.text[t->text.length - 1] == 'a';
	}
	return reader_next(r);
}

/* `.target sm_90a, texmode_independent` */
static int take_target(struct reader *r)
{
	bool more = true;
	int code = 0;

	while (!code && more) {
		code = take_target_name(r);
		if (!code)
			code = reader_skip_mark(r, ',', &more);
	}
	return code;
}

static int take_address_size(struct reader *r)
{
	uint64_t bits;
	struct ptx_place place = r->token.place;
	int code = reader_take_number(r, "64", &bits);

	if (!code && bits != 64)
		return reader_refuse(r, &place,
			"addresses of %u bits are not modelled",
			(unsigned)bits);
	return code;
}

/* Whoever names it is refused. */
static int skip_variable(struct reader *r)
{
	int code = 0;

	while (!code && r->token.kind != TOKEN_NAME) {
		/* A type alone declares nothing. */
		if (reader_is_mark(r, ';'))
			return reader_next(r);
		if (r->token.kind == TOKEN_END)
			return reader_expected(r, "a name");
		code = reader_next(r);
	}
	if (!code)
		code = names_add(r, &r->token.text, &r->token.place,
			SYMBOL_UNMODELLED, 0);
	if (!code)
		code = reader_next(r);
	if (!code && r->token.kind == TOKEN_DOT)
		return reader_expected(r, "';'");
	return code ? code : reader_skip_statement(r);
}

static int take_variables(struct reader *r)
{
	int code = reader_variables(r);

	return code == ERR_SKIPPED ? skip_variable(r) : code;
}

/* `.visible` and its like. */
static enum ptx_linkage find_linkage(const struct reader *r)
{
	static const char *const words[] = {
		[PTX_STATIC] = "",
		[PTX_EXTERN] = "extern",
		[PTX_VISIBLE] = "visible",
		[PTX_WEAK] = "weak",
		[PTX_COMMON] = "common",
	};
	int i;

	for (i = PTX_EXTERN; i <= PTX_COMMON; i++)
		if (reader_is_dot(r, words[i]))
			return (enum ptx_linkage)i;
	return PTX_STATIC;
}

/* What may stand behind `.visible`: a variable, a function. */
static int take_linked(struct reader *r)
{
	const bool is_entry = reader_is_dot(r, "entry");
	int code;

	if (reader_is_variable(r))
		return take_variables(r);
	if ((!is_entry && !reader_is_dot(r, "func")) ||
		r->linkage == PTX_COMMON)
		return reader_expected(r, "a variable or a function");
	code = reader_next(r);
	if (!code)
		code = reader_function(r, is_entry);
	return code;
}

static int take_directive(struct reader *r)
{
	const struct token t = r->token;
	int code;

	if (t.kind != TOKEN_DOT)
		return reader_expected(r, "a directive");
	r->linkage = find_linkage(r);
	if (r->linkage) {
		code = reader_next(r);
		return code ? code : take_linked(r);
	}
	if (reader_is_variable(r) || reader_is_dot(r, "entry") ||
		reader_is_dot(r, "func"))
		return take_linked(r);
	code = reader_next(r);
	if (code)
		return code;
	if (ptx_name_is(&t.text, "file"))
		return reader_file(r);
	if (ptx_name_is(&t.text, "section"))
		return reader_section(r);
	if (ptx_name_is(&t.text, "pragma"))
		return reader_pragma(r, NULL);
	if (ptx_name_is(&t.text, "alias"))
		return reader_alias(r);
	return reader_refuse(r, &t.place,
		"'.%.*s' is not a directive of PTX that stands there",
		(int)t.text.length, t.text.text);
}

/* `.version 8.0 .target sm_90 .address_size 64`, before all else, and once. */
static int take_head(struct reader *r)
{
	int code;

	if (!reader_is_dot(r, "version"))
		return reader_expected(r, "'.version'");
	code = reader_next(r);
	if (!code)
		code = take_version(r);
	if (!code && !reader_is_dot(r, "target"))
		return reader_expected(r, "'.target'");
	if (!code)
		code = reader_next(r);
	if (!code)
		code = take_target(r);
	if (code || !reader_is_dot(r, "address_size"))
		return code;
	code = reader_next(r);
	return code ? code : take_address_size(r);
}

static int read_module(struct reader *r)
{
	int code = names_init(r);

	if (!code)
		code = reader_next(r);
	if (!code)
		code = take_head(r);
	while (!code && r->token.kind != TOKEN_END)
		code = take_directive(r);
	if (!code)
		code = reader_check_sources(r);
	if (!code && !r->module->target)
		code = reader_expected(r, "a target as sm_90");
	return code;
}

int ptx_parse(const char *name, const char *text, size_t length,
	struct ptx_module *module, struct error *error)
{
	struct ptx_module m = {.length = length};
	struct reader r = {
		.file = name, .place = {1, 1}, .error = error, .module = &m};
	int code;

	m.text = malloc(length + 1);
	if (!m.text)
		return error_set(error, ERR_FAILED, "out of memory");
	memcpy(m.text, text, length);
	m.text[length] = 0;
	r.at = m.text;
	r.end = m.text + length;
	code = read_module(&r);
	reader_free_sources(&r);
	names_free(&r);
	if (code)
		ptx_free(&m);
	else
		*module = m;
	return code;
}
