/* Variables and parameters. */
#include <stdlib.h>
#include <string.h>

#include "harness/ptx/reader.h"

#define BYTES_MAX (UINT64_C(1) << 32)

enum ptx_type reader_type(const struct ptx_name *name)
{
	int type;

	for (type = 1; type < PTX_TYPE_COUNT; type++)
		if (ptx_name_is(name, ptx_types[type].name))
			return (enum ptx_type)type;
	return PTX_UNTYPED;
}

int reader_no_type(struct reader *r, const char *what)
{
	static const char *const others[] = {
		"b128", "v2", "v4", "texref", "samplerref", "surfref"};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (reader_is_dot(r, others[i]))
			return reader_unmodelled(r, &r->token.place,
				"'.%s' of %s is not modelled", others[i], what);
	return reader_expected(r, "a type");
}

/* `.align 8 .v4 .ptr .global .align 16 .f32`, up to the name. */
static int take_type(struct reader *r, struct ptx_variable *v, uint32_t *vector)
{
	uint64_t number;
	int code = 0;

	*vector = 1;
	for (; !code && r->token.kind == TOKEN_DOT;) {
		enum ptx_type type = reader_type(&r->token.text);
		bool aligns = reader_is_dot(r, "align");

		if (type) {
			v->type = (uint8_t)type;
		} else if (reader_is_dot(r, "v2")) {
			*vector = 2;
		} else if (reader_is_dot(r, "v4")) {
			*vector = 4;
		} else if (!aligns && !reader_is_dot(r, "ptr") &&
			   !reader_is_dot(r, "global") &&
			   !reader_is_dot(r, "const") &&
			   !reader_is_dot(r, "shared") &&
			   !reader_is_dot(r, "local")) {
			return reader_no_type(r, "a variable");
		}
		code = reader_next(r);
		if (code || !aligns)
			continue;
		code = reader_take_number(r, "an alignment", &number);
		if (!code &&
			(!number || number > 4096 || (number & (number - 1))))
			return reader_refuse(r, &v->place,
				"expected an alignment of 1 to 4096 that is a "
				"power of two");
		/* That of what a pointer points to does not count. */
		if (!v->type)
			v->align = (uint32_t)number;
	}
	return code ? code : v->type ? 0 : reader_expected(r, "a type");
}

/* `[4][8]`, `[]` */
static int take_bounds(struct reader *r, struct ptx_variable *v)
{
	uint64_t number;
	bool more;
	int code = reader_skip_mark(r, '[', &more);

	while (!code && more) {
		if (reader_is_mark(r, ']')) {
			v->bytes = 0;
		} else {
			code = reader_take_number(r, "a size", &number);
			if (!code && number > BYTES_MAX / (v->bytes + 1))
				return reader_refuse(r, &v->place,
					"expected a variable of less than "
					"4 GiB");
			v->bytes *= number;
		}
		if (!code)
			code = reader_take_mark(r, ']');
		if (!code)
			code = reader_skip_mark(r, '[', &more);
	}
	return code;
}

static int put(struct reader *r, struct ptx_variable *v, uint64_t *at,
	const struct token *t, bool negative)
{
	uint32_t bytes = ptx_types[v->type].bytes;
	uint64_t bits = negative ? -t->bits : t->bits;
	double value;
	float single;

	if (t->is_float && !t->is_single) {
		memcpy(&value, &t->bits, sizeof(value));
		value = negative ? -value : value;
		single = (float)value;
		if (v->type == PTX_f32)
			memcpy(&bits, &single, sizeof(single));
		else
			memcpy(&bits, &value, sizeof(value));
	}
	if (ptx_types[v->type].kind == 'f' && !t->is_float)
		return reader_refuse(r, &t->place,
			"expected a floating-point number for '%.*s'",
			(int)v->name.length, v->name.text);
	if (*at + bytes > v->bytes)
		return reader_refuse(r, &t->place,
			"expected no more initial values than '%.*s' has room "
			"for",
			(int)v->name.length, v->name.text);
	memcpy(v->initial + *at, &bits, bytes);
	*at += bytes;
	return 0;
}

/* `= {1, 2, {3, 4}}`, `= 5` */
static int take_initial(struct reader *r, struct ptx_variable *v)
{
	unsigned depth = 0;
	uint64_t at = 0;
	int code = 0;

	v->initial = calloc(1, v->bytes ? v->bytes : 1);
	if (!v->initial)
		return error_set(r->error, ERR_FAILED, "out of memory");
	do {
		bool negative = false, was;

		code = reader_skip_mark(r, '{', &was);
		if (was) {
			depth++;
			continue;
		}
		if (!code)
			code = reader_skip_mark(r, '-', &negative);
		if (!code && r->token.kind != TOKEN_NUMBER)
			return reader_expected(r, "a number");
		if (!code)
			code = put(r, v, &at, &r->token, negative);
		if (!code)
			code = reader_next(r);
		for (was = true; !code && depth && was;) {
			code = reader_skip_mark(r, '}', &was);
			depth -= was;
		}
		if (!code && depth)
			code = reader_take_mark(r, ',');
	} while (!code && depth);
	return code;
}

/* Its place behind what the space has. */
static void give_place(struct reader *r, struct ptx_variable *v)
{
	struct ptx_module *m = r->module;
	struct ptx_function *f = r->function;
	uint64_t none = 0;
	uint64_t *end = v->space == PTX_GLOBAL   ? &m->global_bytes
			: v->space == PTX_CONST  ? &m->const_bytes
			: !f                     ? &none
			: v->space == PTX_SHARED ? &f->shared_bytes
			: v->space == PTX_LOCAL  ? &f->local_bytes
						 : &f->param_bytes;

	v->offset = (*end + v->align - 1) & ~(uint64_t)(v->align - 1);
	*end = v->offset + v->bytes;
}

static int check_variable(
	struct reader *r, const struct ptx_variable *v, bool has_initial)
{
	const char *fault = NULL;

	if (v->type == PTX_pred)
		fault = "is a predicate, which registers alone hold";
	else if (has_initial && v->space != PTX_GLOBAL && v->space != PTX_CONST)
		fault = "has an initial value, which .global and .const alone "
			"have";
	else if (!v->bytes && !v->is_extern && !has_initial &&
		 v->space != PTX_PARAM)
		fault = "has no size, as .extern alone has";
	return fault ? reader_refuse(r, &v->place, "'%.*s' %s",
			       (int)v->name.length, v->name.text, fault)
		     : 0;
}

int reader_variable(
	struct reader *r, enum ptx_space space, bool is_extern, uint32_t *index)
{
	struct ptx_variable v = {
		.space = (uint8_t)space,
		.is_extern = is_extern,
		.of_function = r->function != NULL,
		.place = r->token.place,
	};
	struct ptx_module *m = r->module;
	struct ptx_place place;
	uint32_t vector;
	bool more;
	int code = take_type(r, &v, &vector);

	if (code)
		return code;
	if (r->token.kind != TOKEN_NAME)
		return reader_expected(r, "a name");
	v.name = r->token.text;
	place = r->token.place;
	v.bytes = (uint64_t)ptx_types[v.type].bytes * vector;
	if (v.align < ptx_types[v.type].bytes)
		v.align = ptx_types[v.type].bytes;
	code = reader_next(r);
	if (!code)
		code = take_bounds(r, &v);
	if (!code)
		code = reader_skip_mark(r, '=', &more);
	if (!code)
		code = check_variable(r, &v, more);
	if (!code && more)
		code = take_initial(r, &v);
	if (!code)
		code = reader_grow(r, &m->variables, &m->variable_capacity,
			m->variable_count, sizeof(*m->variables));
	if (!code)
		code = names_add(
			r, &v.name, &place, SYMBOL_VARIABLE, m->variable_count);
	if (code) {
		free(v.initial);
		return code;
	}
	give_place(r, &v);
	*index = m->variable_count;
	m->variables[m->variable_count++] = v;
	return 0;
}

int reader_variables(struct reader *r, enum ptx_space space, bool is_extern)
{
	uint32_t index;
	int code;

	r->is_extern = is_extern;
	code = reader_variable(r, space, is_extern, &index);
	r->is_extern = false;
	return code ? code : reader_take_mark(r, ';');
}
