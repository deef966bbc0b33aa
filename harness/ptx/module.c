/* A module: directives, variables, functions. */
#include <stdlib.h>
#include <string.h>

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

static int take_file(struct reader *r)
{
	struct ptx_module *m = r->module;
	uint32_t line = r->token.place.line;
	uint64_t number;
	int code = reader_take_number(r, "the number of a file", &number);

	if (!code && r->token.kind != TOKEN_STRING)
		return reader_expected(r, "the name of a file");
	if (!code)
		code = reader_grow(r, &m->files, &m->file_capacity,
			m->file_count, sizeof(*m->files));
	if (!code)
		m->files[m->file_count++] =
			(struct ptx_file_name){(uint32_t)number, r->token.text};
	while (!code && r->token.place.line == line &&
		r->token.kind != TOKEN_END)
		code = reader_next(r);
	return code;
}

/* `.section .debug_info { ... }` */
static int skip_section(struct reader *r)
{
	int code = 0;

	while (!code && !reader_is_mark(r, '}') && r->token.kind != TOKEN_END)
		code = reader_next(r);
	return code ? code : reader_take_mark(r, '}');
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
	for (i = 0; i < VERSIONS; i++)
		if ((uint32_t)(value * 10 + 0.5) == versions[i])
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

	while (!code && r->token.kind == TOKEN_DOT)
		code = reader_next(r);
	if (!code && r->token.kind != TOKEN_NAME)
		return reader_expected(r, "a name");
	if (!code)
		code = names_add(r, &r->token.text, &r->token.place,
			SYMBOL_UNMODELLED, 0);
	return code ? code : reader_skip_statement(r);
}

static int take_variables(struct reader *r, const struct token *t, bool ext)
{
	static const struct {
		const char *text;
		enum ptx_space space;
	} spaces[] = {
		{"global", PTX_GLOBAL},
		{"const", PTX_CONST},
		{"shared", PTX_SHARED},
		{"local", PTX_LOCAL},
	};
	const struct reader_place start = reader_tell(r);
	size_t i;
	int code;

	for (i = 0; i < sizeof(spaces) / sizeof(*spaces); i++) {
		if (!ptx_name_is(&t->text, spaces[i].text))
			continue;
		code = reader_variables(r, spaces[i].space, ext);
		if (code != ERR_SKIPPED)
			return code;
		reader_go_back(r, &start);
		return skip_variable(r);
	}
	return reader_refuse(r, &t->place, "'.%.*s' is not a directive of PTX",
		(int)t->text.length, t->text.text);
}

static int take_directive(struct reader *r, bool ext)
{
	struct token t = r->token;
	int code;

	if (t.kind != TOKEN_DOT)
		return reader_expected(r, "a directive");
	code = reader_next(r);
	if (code)
		return code;
	if (ptx_name_is(&t.text, "version"))
		return take_version(r);
	if (ptx_name_is(&t.text, "target"))
		return take_target(r);
	if (ptx_name_is(&t.text, "address_size"))
		return take_address_size(r);
	if (ptx_name_is(&t.text, "file"))
		return take_file(r);
	if (ptx_name_is(&t.text, "section"))
		return skip_section(r);
	if (ptx_name_is(&t.text, "extern"))
		return take_directive(r, true);
	if (ptx_name_is(&t.text, "visible") || ptx_name_is(&t.text, "weak") ||
		ptx_name_is(&t.text, "common"))
		return take_directive(r, false);
	if (ptx_name_is(&t.text, "alias"))
		return reader_alias(r);
	if (ptx_name_is(&t.text, "entry"))
		return reader_function(r, true);
	if (ptx_name_is(&t.text, "func"))
		return reader_function(r, false);
	return take_variables(r, &t, ext);
}

/* `.version 8.0 .target sm_90`, before all else. */
static int take_head(struct reader *r)
{
	int code;

	if (!reader_is_dot(r, "version"))
		return reader_expected(r, "'.version'");
	code = take_directive(r, false);
	if (code)
		return code;
	return reader_is_dot(r, "target") ? take_directive(r, false)
					  : reader_expected(r, "'.target'");
}

static int read_module(struct reader *r)
{
	int code = names_init(r);

	if (!code)
		code = reader_next(r);
	if (!code)
		code = take_head(r);
	while (!code && r->token.kind != TOKEN_END)
		code = take_directive(r, false);
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
	names_free(&r);
	if (code)
		ptx_free(&m);
	else
		*module = m;
	return code;
}
