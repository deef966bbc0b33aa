/* Functions: heads, and why one is of no use. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/ptx/declare.h"
#include "harness/ptx/reader.h"

#define FUNCTION_BUCKETS 4096u

static uint32_t *bucket_of(
	const struct ptx_module *m, const struct ptx_name *name)
{
	return &m->function_buckets[ptx_hash(name) % FUNCTION_BUCKETS];
}

int ptx_find_function(const struct ptx_module *m, const struct ptx_name *name)
{
	uint32_t at = m->function_buckets ? *bucket_of(m, name) : 0;

	for (; at; at = m->functions[at - 1].same_bucket) {
		const struct ptx_function *f = &m->functions[at - 1];

		if (f->name.length == name->length &&
			!memcmp(f->name.text, name->text, name->length))
			return f->alias ? (int)f->alias - 1 : (int)at - 1;
	}
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

int reader_keep_unmodelled(struct reader *r, struct ptx_function *f)
{
	const char *text = r->error->text;

	if (f->unmodelled)
		return 0;
	f->unmodelled = ptx_keep(r->module, text, strlen(text) + 1);
	return f->unmodelled ? 0
			     : error_set(r->error, ERR_FAILED, "out of memory");
}

int ptx_add_function(
	struct reader *r, const struct ptx_function *f, uint32_t *index)
{
	struct ptx_module *m = r->module;
	uint32_t *bucket;
	int code = reader_grow(r, &m->functions, &m->function_capacity,
		m->function_count, sizeof(*m->functions));

	if (!code && !m->function_buckets)
		m->function_buckets =
			calloc(FUNCTION_BUCKETS, sizeof(*m->function_buckets));
	if (!code && !m->function_buckets)
		code = error_set(r->error, ERR_FAILED, "out of memory");
	if (code)
		return code;
	bucket = bucket_of(m, &f->name);
	*index = m->function_count;
	m->functions[m->function_count++] = *f;
	m->functions[*index].same_bucket = *bucket;
	*bucket = *index + 1;
	return 0;
}

static int check_name(struct reader *r)
{
	const struct ptx_name *name = &r->token.text;
	const struct symbol *known = names_find(r, name);

	if (ptx_name_is(name, "_") || ptx_name_is(name, "WARP_SZ"))
		return reader_expected(r, "the name of a function");
	if (!known || known->kind == SYMBOL_SECTION ||
		known >= r->symbols + r->scope)
		return 0;
	return reader_refuse(r, &r->token.place,
		"'%.*s' is the name of a variable, too", (int)name->length,
		name->text);
}

/* Bytes of all that an entry takes. */
static int check_parameters(struct reader *r, const struct ptx_function *f)
{
	const uint32_t most = r->module->version < 81 ? 4352 : 32764;

	if (!f->is_entry || f->param_bytes <= most)
		return 0;
	return reader_refuse(r, &r->token.place,
		"the parameters of '%.*s' take %" PRIu64 " bytes, more than %u",
		(int)f->name.length, f->name.text, f->param_bytes, most);
}

static int take_manners(struct reader *r, struct ptx_function *f)
{
	f->is_noreturn = reader_is_dot(r, "noreturn");
	return reader_manners(r, f->return_count > 0);
}

/* `(.param .b32 result) name (.param .b32 a) .maxntid 32`, up to the body. */
static int take_head(struct reader *r, struct ptx_function *f)
{
	int code = 0;

	r->where = RETURNED;
	if (!f->is_entry && reader_is_mark(r, '('))
		code = reader_parameters(r, &f->return_first, &f->return_count);
	if (code)
		return code;
	if (r->token.kind != TOKEN_NAME)
		return reader_expected(r, "the name of a function");
	f->name = r->token.text;
	r->where = f->is_entry ? OF_ENTRY : OF_FUNCTION;
	code = check_name(r);
	if (!code)
		code = reader_next(r);
	if (!code && reader_is_mark(r, '('))
		code = reader_parameters(
			r, &f->parameter_first, &f->parameter_count);
	if (!code)
		code = check_parameters(r, f);
	if (!code)
		code = f->is_entry ? reader_limits(r, f) : take_manners(r, f);
	return code;
}

int reader_function(struct reader *r, bool is_entry)
{
	struct ptx_function f = {.is_entry = is_entry, .linkage = r->linkage};
	uint32_t scope = r->symbol_count, index = 0;
	bool declared = false;
	int code;

	/* Parameters are placed in it until it has its place. */
	r->function = &f;
	r->scope = scope;
	code = take_head(r, &f);
	f.has_body = !reader_is_mark(r, ';');
	if (!code)
		code = reader_new_function(r, &f, &index);
	if (!code)
		code = reader_skip_mark(r, ';', &declared);
	if (!code && !declared) {
		r->function = &r->module->functions[index];
		code = reader_body(r);
	}
	names_leave(r, scope);
	r->function = NULL;
	r->scope = 0;
	r->where = IN_MODULE;
	return code;
}
