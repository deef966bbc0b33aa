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
	free(m->variables);
	free(m->files);
	free(m->pointers);
	free(m->text);
	*m = (struct ptx_module){0};
}

int ptx_find_function(const struct ptx_module *m, const struct ptx_name *name)
{
	uint32_t i;

	for (i = 0; i < m->function_count; i++)
		if (m->functions[i].name.length == name->length &&
			!memcmp(m->functions[i].name.text, name->text,
				name->length))
			return m->functions[i].alias
				       ? (int)m->functions[i].alias - 1
				       : (int)i;
	return -1;
}

const struct ptx_function *ptx_entry(
	const struct ptx_module *module, const char *name)
{
	const struct ptx_name wanted = {name, (uint32_t)strlen(name)};
	int i = ptx_find_function(module, &wanted);

	return i >= 0 && module->functions[i].is_entry ? &module->functions[i]
						       : NULL;
}

int ptx_find_callee(struct reader *r, const struct ptx_use *use)
{
	struct ptx_operand *o =
		&r->function->insns[use->insn].operands[use->operand];
	int i = ptx_find_function(r->module, &use->token.text);

	if (i < 0)
		return reader_refuse(r, &use->token.place,
			"there is no function '%.*s' in this module",
			(int)use->token.text.length, use->token.text.text);
	o->kind = PTX_FUNCTION;
	o->index = (uint32_t)i;
	return 0;
}

/* ---- functions ---- */

static int take_three(struct reader *r, uint32_t *three)
{
	uint64_t number = 0;
	bool more = true;
	uint32_t i;
	int code = 0;

	three[0] = three[1] = three[2] = 1;
	for (i = 0; !code && more && i < 3; i++) {
		code = reader_take_number(r, "a number of threads", &number);
		three[i] = (uint32_t)number;
		if (!code)
			code = reader_skip_mark(r, ',', &more);
	}
	return code;
}

static int take_limit(struct reader *r, uint32_t *limit)
{
	uint64_t number = 0;
	int code = reader_take_number(r, "a number", &number);

	*limit = (uint32_t)number;
	return code;
}

/* `.maxntid 256` and so on, up to the body. */
static int take_limits(struct reader *r, struct ptx_function *f)
{
	int code = 0;

	while (!code && r->token.kind == TOKEN_DOT) {
		struct token t = r->token;

		code = reader_next(r);
		if (code)
			return code;
		if (ptx_name_is(&t.text, "maxntid"))
			code = take_three(r, f->maxntid);
		else if (ptx_name_is(&t.text, "reqntid"))
			code = take_three(r, f->reqntid);
		else if (ptx_name_is(&t.text, "maxnreg"))
			code = take_limit(r, &f->maxnreg);
		else if (ptx_name_is(&t.text, "minnctapersm"))
			code = take_limit(r, &f->minnctapersm);
		else if (ptx_name_is(&t.text, "noreturn"))
			continue;
		else if (ptx_name_is(&t.text, "pragma"))
			while (!code && !reader_is_mark(r, ';'))
				code = reader_next(r);
		else
			code = reader_refuse(r, &t.place,
				"'.%.*s' of a function is not modelled",
				(int)t.text.length, t.text.text);
		if (!code && reader_is_mark(r, ';') &&
			ptx_name_is(&t.text, "pragma"))
			code = reader_next(r);
	}
	return code;
}

static int new_function(
	struct reader *r, const struct ptx_function *f, uint32_t *index)
{
	struct ptx_module *m = r->module;
	int known = ptx_find_function(m, &f->name), code;

	if (known >= 0 && !m->functions[known].has_body) {
		const bool is_pointed = m->functions[known].is_pointed;

		*index = (uint32_t)known;
		m->functions[known] = *f;
		m->functions[known].is_pointed = is_pointed;
		return 0;
	}
	if (known >= 0)
		return reader_refuse(r, &r->token.place,
			"there are two functions '%.*s'", (int)f->name.length,
			f->name.text);
	code = reader_grow(r, &m->functions, &m->function_capacity,
		m->function_count, sizeof(*m->functions));
	*index = m->function_count;
	if (!code)
		m->functions[m->function_count++] = *f;
	return code;
}

static int take_function(struct reader *r, bool is_entry)
{
	struct ptx_function f = {.is_entry = is_entry};
	uint32_t scope = r->symbol_count, index = 0;
	bool declared;
	int code = 0;

	/* Parameters are placed in it until it has its place. */
	r->function = &f;
	if (reader_is_mark(r, '('))
		code = reader_parameters(r, &f.return_first, &f.return_count);
	if (code)
		return code;
	if (r->token.kind != TOKEN_NAME)
		return reader_expected(r, "the name of a function");
	f.name = r->token.text;
	code = reader_next(r);
	if (!code && reader_is_mark(r, '('))
		code = reader_parameters(
			r, &f.parameter_first, &f.parameter_count);
	if (!code)
		code = take_limits(r, &f);
	if (code)
		return code;
	f.has_body = !reader_is_mark(r, ';');
	code = new_function(r, &f, &index);
	if (!code)
		code = reader_skip_mark(r, ';', &declared);
	if (!code && !declared) {
		r->function = &r->module->functions[index];
		code = reader_body(r);
	}
	names_leave(r, scope);
	r->function = NULL;
	return code;
}

/* ---- directives ---- */

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

static int take_version(struct reader *r)
{
	double value;

	if (r->token.kind != TOKEN_NUMBER || !r->token.is_float)
		return reader_expected(r, "a version as 8.0");
	memcpy(&value, &r->token.bits, sizeof(value));
	if (!(value >= 1 && value < 100))
		return reader_expected(r, "a version as 8.0");
	r->module->version = (uint32_t)(value * 10 + 0.5);
	return reader_next(r);
}

/* `.target sm_90a, texmode_independent` */
static int take_target(struct reader *r)
{
	bool more = true;
	int code = 0;

	while (!code && more) {
		const struct ptx_name *name = &r->token.text;

		if (r->token.kind != TOKEN_NAME)
			return reader_expected(r, "a target as sm_90");
		if (name->length > 3 && !memcmp(name->text, "sm_", 3))
			r->module->target =
				(uint32_t)strtoul(name->text + 3, NULL, 10);
		code = reader_next(r);
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
	size_t i;

	for (i = 0; i < sizeof(spaces) / sizeof(*spaces); i++)
		if (ptx_name_is(&t->text, spaces[i].text))
			return reader_variables(r, spaces[i].space, ext);
	return reader_refuse(r, &t->place, "'.%.*s' is not modelled",
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
		return take_function(r, true);
	if (ptx_name_is(&t.text, "func"))
		return take_function(r, false);
	return take_variables(r, &t, ext);
}

static int read_module(struct reader *r)
{
	int code = names_init(r);

	if (!code)
		code = reader_next(r);
	while (!code && r->token.kind != TOKEN_END)
		code = take_directive(r, false);
	if (!code && !r->module->version)
		code = reader_expected(r, "'.version'");
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
