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

/* `.attribute(.managed)`: what a driver does about it is not modelled. */
static int take_attribute(struct reader *r)
{
	int code = reader_take_mark(r, '(');

	if (code)
		return code;
	if (!reader_is_dot(r, "managed"))
		return reader_expected(r, "'.managed'");
	code = reader_next(r);
	return code ? code : reader_take_mark(r, ')');
}

static int take_align(struct reader *r, struct ptx_variable *v)
{
	uint64_t number;
	int code = reader_take_number(r, "an alignment", &number);

	if (!code && (!number || number > 4096 || (number & (number - 1))))
		return reader_refuse(r, &v->place,
			"expected an alignment of 1 to 4096 that is a "
			"power of two");
	/* That of what a pointer points to does not count. */
	if (!v->type)
		v->align = (uint32_t)number;
	return code;
}

/* A word of a type that has nothing behind it. */
static int take_type_word(
	struct reader *r, struct ptx_variable *v, uint32_t *vector)
{
	static const char *const spaces[] = {
		"ptr", "global", "const", "shared", "local"};
	enum ptx_type type = reader_type(&r->token.text);
	size_t i;

	if (type && ptx_is_plain((uint8_t)type)) {
		v->type = (uint8_t)type;
		return 0;
	}
	if (reader_is_dot(r, "v2") || reader_is_dot(r, "v4")) {
		*vector = r->token.text.text[1] == '2' ? 2 : 4;
		return 0;
	}
	for (i = 0; i < sizeof(spaces) / sizeof(*spaces); i++)
		if (reader_is_dot(r, spaces[i]))
			return 0;
	return reader_no_type(r, "a variable");
}

/* `.align 8 .v4 .ptr .global .align 16 .f32`, up to the name. */
static int take_type(struct reader *r, struct ptx_variable *v, uint32_t *vector)
{
	int code = 0;

	*vector = 1;
	while (!code && r->token.kind == TOKEN_DOT) {
		const bool aligns = reader_is_dot(r, "align");
		const bool attributes = reader_is_dot(r, "attribute");

		if (!aligns && !attributes)
			code = take_type_word(r, v, vector);
		if (!code)
			code = reader_next(r);
		if (!code && aligns)
			code = take_align(r, v);
		if (!code && attributes)
			code = take_attribute(r);
	}
	return code ? code : v->type ? 0 : reader_expected(r, "a type");
}

/* `[4][8]`, `[]` */
static int take_bounds(struct reader *r, struct shape *s)
{
	bool more;
	int code = reader_skip_mark(r, '[', &more);

	while (!code && more) {
		uint64_t number = 0;

		if (s->depth == DIMENSIONS_MAX)
			return reader_expected(r, "fewer dimensions");
		if (!reader_is_mark(r, ']')) {
			code = reader_take_number(r, "a size", &number);
		} else if (s->depth) {
			return reader_expected(r, "a size");
		}
		s->count[s->depth++] = number;
		if (!code)
			code = reader_take_mark(r, ']');
		if (!code)
			code = reader_skip_mark(r, '[', &more);
	}
	return code;
}

/* The bytes of all elements. */
static int measure(struct reader *r, struct ptx_variable *v, struct shape *s,
	uint32_t vector)
{
	uint32_t i;

	v->bytes = ptx_types[v->type].bytes;
	s->is_open = s->depth && !s->count[0];
	if (vector > 1)
		s->count[s->depth++] = vector;
	for (i = s->depth; i-- > 0;) {
		s->stride[i] = v->bytes;
		if (s->count[i] && v->bytes > BYTES_MAX / s->count[i])
			return reader_refuse(r, &v->place,
				"expected a variable of less than 4 GiB");
		v->bytes *= s->count[i];
	}
	/* As in C: a vector lies on a multiple of its size. */
	if (v->align < ptx_types[v->type].bytes * vector)
		v->align = ptx_types[v->type].bytes * vector;
	return 0;
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

/* From its name on. */
static int take_variable(struct reader *r, struct ptx_variable *v,
	uint32_t vector, uint32_t *index)
{
	struct ptx_module *m = r->module;
	struct shape shape = {0};
	struct ptx_place place;
	bool more;
	int code;

	if (r->token.kind != TOKEN_NAME)
		return reader_expected(r, "a name");
	v->name = r->token.text;
	place = r->token.place;
	code = reader_next(r);
	if (!code)
		code = take_bounds(r, &shape);
	if (!code)
		code = measure(r, v, &shape, vector);
	if (!code)
		code = reader_skip_mark(r, '=', &more);
	if (!code && v->type == PTX_pred)
		return reader_refuse(r, &v->place,
			"'%.*s' is a predicate, which registers alone hold",
			(int)v->name.length, v->name.text);
	if (!code && more)
		code = reader_initial(r, v, &shape);
	if (!code && shape.is_open && !more && !v->is_extern &&
		v->space != PTX_PARAM)
		return reader_refuse(r, &v->place,
			"'%.*s' has no size: it is neither .extern nor has it "
			"initial values",
			(int)v->name.length, v->name.text);
	if (!code)
		code = reader_grow(r, &m->variables, &m->variable_capacity,
			m->variable_count, sizeof(*m->variables));
	if (!code)
		code = names_add(r, &v->name, &place, SYMBOL_VARIABLE,
			m->variable_count);
	if (code) {
		free(v->initial);
		return code;
	}
	give_place(r, v);
	*index = m->variable_count;
	m->variables[m->variable_count++] = *v;
	return 0;
}

static void begin(
	const struct reader *r, enum ptx_space space, struct ptx_variable *v)
{
	*v = (struct ptx_variable){
		.space = (uint8_t)space,
		.of_function = r->function != NULL,
		.place = r->token.place,
	};
}

int reader_variable(
	struct reader *r, enum ptx_space space, bool is_extern, uint32_t *index)
{
	struct ptx_variable v;
	uint32_t vector;
	int code;

	begin(r, space, &v);
	v.is_extern = is_extern;
	code = take_type(r, &v, &vector);
	return code ? code : take_variable(r, &v, vector, index);
}

int reader_variables(struct reader *r, enum ptx_space space, bool is_extern)
{
	struct ptx_variable type, v;
	uint32_t vector, index;
	bool more = true;
	int code;

	begin(r, space, &type);
	r->is_extern = type.is_extern = is_extern;
	code = take_type(r, &type, &vector);
	while (!code && more) {
		v = type;
		v.place = r->token.place;
		code = take_variable(r, &v, vector, &index);
		if (!code)
			code = reader_skip_mark(r, ',', &more);
	}
	r->is_extern = false;
	return code ? code : reader_take_mark(r, ';');
}
