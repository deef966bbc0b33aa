/* Variables and parameters. */
#include <stdlib.h>

#include "harness/ptx/declare.h"
#include "harness/ptx/reader.h"

#define BYTES_MAX       (UINT64_C(1) << 32)
#define CONST_BYTES_MAX 65536u

/* That of a parameter has 32 bits. */
static int take_size(struct reader *r, uint64_t *size)
{
	return r->where > IN_BODY || r->token.kind == TOKEN_NAME
		       ? reader_take_count(r, "a size", size)
		       : reader_take_number(r, "a size", size);
}

/* `[4][8]`, `[]` */
static int take_bounds(struct reader *r, struct shape *s)
{
	bool more;
	int code = reader_skip_mark(r, '[', &more);

	while (!code && more) {
		uint64_t number = 0;

		/* One more is a vector's. */
		if (s->depth + 1 == DIMENSIONS_MAX)
			return reader_unmodelled(r, &r->token.place,
				"more than %u dimensions are not modelled",
				DIMENSIONS_MAX - 1);
		if (!reader_is_mark(r, ']')) {
			code = take_size(r, &number);
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

int reader_skip_bounds(struct reader *r)
{
	struct shape shape = {0};

	return take_bounds(r, &shape);
}

/* The bytes of all elements. */
static int measure(struct reader *r, struct ptx_variable *v, struct shape *s)
{
	const uint32_t vector = v->vector ? v->vector : 1;
	uint32_t i;

	v->bytes = ptx_types[v->type].bytes;
	s->is_open = s->depth && !s->count[0];
	if (v->vector)
		s->count[s->depth++] = vector;
	for (i = s->depth; i-- > 0;) {
		s->stride[i] = v->bytes;
		if (s->count[i] && v->bytes > BYTES_MAX / s->count[i])
			return reader_unmodelled(r, &v->place,
				"a variable of 4 GiB and more is not modelled");
		v->bytes *= s->count[i];
	}
	/* As in C: a vector lies on a multiple of its size. */
	if (v->align < ptx_types[v->type].bytes * vector)
		v->align = ptx_types[v->type].bytes * vector;
	return 0;
}

/* Its place behind what the space has. */
static int give_place(struct reader *r, struct ptx_variable *v)
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
	if (v->space != PTX_CONST || *end <= CONST_BYTES_MAX)
		return 0;
	return reader_refuse(r, &v->place,
		"the module's constants take more than %u bytes",
		CONST_BYTES_MAX);
}

/* `[2] = {1, 2}`, behind its name. */
static int take_content(
	struct reader *r, struct ptx_variable *v, const struct shape *shape)
{
	const uint32_t dimensions = shape->depth - (v->vector > 0);
	bool has_values;
	int code = reader_skip_mark(r, '=', &has_values);

	if (!code)
		code = reader_check_variable(r, v, dimensions, shape->count[0]);
	if (code)
		return code;
	if (has_values && v->linkage == PTX_EXTERN)
		return reader_refuse(r, &v->place,
			"'%.*s' is .extern and has initial values",
			(int)v->name.length, v->name.text);
	if (has_values)
		return reader_initial(r, v, shape);
	if (shape->is_open && v->linkage != PTX_EXTERN && r->where <= IN_BODY)
		return reader_refuse(r, &v->place,
			"'%.*s' has no size: it is neither .extern nor has it "
			"initial values",
			(int)v->name.length, v->name.text);
	return 0;
}

/* One more variable, or the one that was declared .extern before. */
static int add(struct reader *r, struct ptx_variable *v,
	const struct ptx_place *place, uint32_t *index)
{
	struct ptx_module *m = r->module;
	const struct symbol *known = names_find(r, &v->name);
	const bool is_known = known && r->where == IN_MODULE &&
			      known->kind == SYMBOL_VARIABLE;
	int code = 0;

	*index = is_known ? known->index : m->variable_count;
	if (is_known)
		code = reader_check_redeclared(r, &m->variables[*index], v);
	else if (r->where == IN_MODULE && ptx_find_function(m, &v->name) >= 0)
		return reader_refuse(r, place,
			"'%.*s' is the name of a function, too",
			(int)v->name.length, v->name.text);
	if (!code && is_known && v->linkage == PTX_EXTERN && v->bytes == 0)
		return 0;
	if (!code && is_known && m->variables[*index].linkage != PTX_EXTERN)
		return 0;
	if (!code)
		code = give_place(r, v);
	if (!code && !is_known)
		code = reader_grow(r, &m->variables, &m->variable_capacity,
			m->variable_count, sizeof(*m->variables));
	if (!code && !is_known && r->where != OF_PROTOTYPE)
		code = names_add(r, &v->name, place, SYMBOL_VARIABLE, *index);
	if (code)
		return code;
	m->variable_count += !is_known;
	m->variables[*index] = *v;
	return 0;
}

/* From its name on. */
static int take_variable(
	struct reader *r, struct ptx_variable *v, uint32_t *index)
{
	struct ptx_module *m = r->module;
	const uint32_t pointers = m->pointer_count;
	struct shape shape = {0};
	struct ptx_place place = r->token.place;
	uint32_t i;
	int code;

	if (r->token.kind != TOKEN_NAME)
		return reader_expected(r, "a name");
	v->name = r->token.text;
	code = reader_next(r);
	if (!code)
		code = take_bounds(r, &shape);
	if (!code)
		code = measure(r, v, &shape);
	if (!code)
		code = take_content(r, v, &shape);
	if (!code)
		code = add(r, v, &place, index);
	for (i = pointers; !code && i < m->pointer_count; i++)
		m->pointers[i].owner = *index;
	if (code)
		free(v->initial);
	return code;
}

static struct ptx_variable begin(const struct reader *r)
{
	return (struct ptx_variable){
		.linkage = r->linkage,
		.of_function = r->function != NULL,
		.place = r->token.place,
	};
}

int reader_parameter(struct reader *r, bool is_register, uint32_t *index)
{
	struct ptx_variable v = begin(r);
	int code;

	v.is_register = is_register;
	v.space = is_register ? PTX_PARAM : PTX_GENERIC;
	code = reader_variable_type(r, &v);
	return code ? code : take_variable(r, &v, index);
}

static int take_all(struct reader *r)
{
	struct ptx_variable type = begin(r), v;
	uint32_t index;
	int code = reader_variable_type(r, &type);
	/* None is one, too. */
	bool more = !reader_is_mark(r, ';');

	while (!code && more) {
		v = type;
		v.place = r->token.place;
		code = take_variable(r, &v, &index);
		if (!code)
			code = reader_skip_mark(r, ',', &more);
	}
	return code ? code : reader_take_mark(r, ';');
}

int reader_variables(struct reader *r)
{
	const struct reader_place start = reader_tell(r);
	int code = take_all(r);

	if (code == ERR_SKIPPED)
		reader_go_back(r, &start);
	return code;
}
