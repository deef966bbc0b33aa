/* Initial values: numbers and addresses. */
#include <stdlib.h>
#include <string.h>

#include "harness/ptx/reader.h"

struct filling {
	struct ptx_variable *v;
	const struct shape *shape;
	uint64_t capacity; /* bytes that v->initial has room for */
};

/* An open array grows by the value. */
static int make_room(struct reader *r, struct filling *f, uint64_t end)
{
	uint64_t larger = f->capacity * 2;
	uint8_t *grown;

	if (end <= f->capacity)
		return 0;
	larger = larger < end ? end : larger;
	grown = realloc(f->v->initial, larger);
	if (!grown)
		return error_set(r->error, ERR_FAILED, "out of memory");
	memset(grown + f->capacity, 0, larger - f->capacity);
	f->v->initial = grown;
	f->capacity = larger;
	return 0;
}

/* ---- numbers ---- */

static uint64_t bits_of(const struct ptx_operand *o, uint8_t type)
{
	double value;
	float single;
	uint32_t narrow;

	if (!o->is_float || o->is_single || type != PTX_f32)
		return o->bits;
	memcpy(&value, &o->bits, sizeof(value));
	single = (float)value;
	memcpy(&narrow, &single, sizeof(narrow));
	return narrow;
}

static int take_number(struct reader *r, struct filling *f, uint64_t at)
{
	const struct ptx_place place = r->token.place;
	const uint8_t type = f->v->type;
	struct ptx_operand o = {0};
	uint64_t bits;
	int code;

	if (!reader_is_expression(r))
		return reader_expected(r, "a number or an address");
	code = reader_expression(r, &o);
	if (!code && ptx_types[type].kind == 'f' && !o.is_float)
		return reader_refuse(r, &place,
			"expected a real number for '%.*s' of .%s",
			(int)f->v->name.length, f->v->name.text,
			ptx_types[type].name);
	if (!code && o.is_float && strchr("us", ptx_types[type].kind))
		return reader_refuse(r, &place,
			"expected a whole number for '%.*s' of .%s",
			(int)f->v->name.length, f->v->name.text,
			ptx_types[type].name);
	bits = bits_of(&o, type);
	if (!code)
		memcpy(f->v->initial + at, &bits,
			ptx_types[type].bytes < 8 ? ptx_types[type].bytes : 8);
	return code;
}

/* ---- addresses ---- */

static int find_pointed(struct reader *r, struct ptx_pointer *p)
{
	const struct ptx_name *name = &r->token.text;
	const struct symbol *s = names_find(r, name);
	int function;

	if (s && s->kind == SYMBOL_VARIABLE) {
		const uint8_t space = r->module->variables[s->index].space;

		p->index = s->index;
		if (space != PTX_GLOBAL && space != PTX_CONST)
			return reader_expected(
				r, "a variable of .global or .const");
		return reader_next(r);
	}
	function = ptx_find_function(r->module, name);
	if (function < 0)
		return reader_expected(
			r, "the name of a variable or a function before");
	if (p->is_generic)
		return reader_expected(r, "the name of a variable before");
	p->is_function = true;
	r->module->functions[function].is_pointed = true;
	p->index = (uint32_t)function;
	return reader_next(r);
}

/* `x`, `x+4`, `generic(x)+4`, `f` */
static int take_pointed(struct reader *r, struct ptx_pointer *p)
{
	bool plus = false;
	int code = 0;

	p->is_generic = ptx_name_is(&r->token.text, "generic") &&
			!names_find(r, &r->token.text);
	if (p->is_generic)
		code = reader_next(r);
	if (!code && p->is_generic)
		code = reader_take_mark(r, '(');
	if (!code)
		code = find_pointed(r, p);
	if (!code && p->is_generic)
		code = reader_take_mark(r, ')');
	if (!code && !p->is_function)
		code = reader_skip_mark(r, '+', &plus);
	return code || !plus ? code : reader_whole(r, &p->offset);
}

/* `0xff00(x)`: the byte of the address that the mask leaves. */
static int take_mask(struct reader *r, struct ptx_pointer *p)
{
	const struct ptx_place place = r->token.place;
	uint64_t mask;
	int code = reader_take_number(r, "a mask", &mask);

	while (!code && p->shift < 56 && mask >> p->shift != 0xff)
		p->shift += 8;
	if (!code && mask != UINT64_C(0xff) << p->shift)
		return reader_refuse(
			r, &place, "expected a mask of one byte, as 0xff00");
	if (!code)
		code = reader_take_mark(r, '(');
	if (!code)
		code = take_pointed(r, p);
	return code ? code : reader_take_mark(r, ')');
}

static int take_address(
	struct reader *r, struct filling *f, uint64_t at, bool is_masked)
{
	struct ptx_module *m = r->module;
	const struct ptx_place place = r->token.place;
	const uint8_t bytes = ptx_types[f->v->type].bytes;
	struct ptx_pointer p = {
		.owner = m->variable_count, .at = at, .bytes = bytes};
	int code = is_masked ? take_mask(r, &p) : take_pointed(r, &p);

	if (!code && (ptx_types[f->v->type].kind != 'u' ||
			     (is_masked ? bytes != 1 : bytes < 4)))
		return reader_refuse(r, &place,
			"expected an address in .u32 or .u64, its bytes in "
			".u8, not in .%s",
			ptx_types[f->v->type].name);
	if (!code)
		code = reader_grow(r, &m->pointers, &m->pointer_capacity,
			m->pointer_count, sizeof(*m->pointers));
	if (!code)
		m->pointers[m->pointer_count++] = p;
	return code;
}

static bool is_mask(const struct reader *r)
{
	const char *at = r->at;

	while (at < r->end && (*at == ' ' || *at == '\t'))
		at++;
	return r->token.kind == TOKEN_NUMBER && at < r->end && *at == '(';
}

/* ---- elements ---- */

static int take_element(struct reader *r, struct filling *f, uint64_t at)
{
	int code = make_room(r, f, at + ptx_types[f->v->type].bytes);

	if (code)
		return code;
	if (is_mask(r))
		return take_address(r, f, at, true);
	if (r->token.kind == TOKEN_NAME && !reader_is_expression(r))
		return take_address(r, f, at, false);
	return take_number(r, f, at);
}

static int take_level(
	struct reader *r, struct filling *f, uint32_t level, uint64_t at)
{
	const bool is_open = f->shape->is_open && !level;
	uint64_t i;
	bool more = true;
	int code;

	if (level == f->shape->depth)
		return take_element(r, f, at);
	code = reader_take_mark(r, '{');
	more = !code && !reader_is_mark(r, '}');
	for (i = 0; !code && more; i++) {
		if (!is_open && i == f->shape->count[level])
			return reader_refuse(r, &r->token.place,
				"expected no more initial values than '%.*s' "
				"has room for",
				(int)f->v->name.length, f->v->name.text);
		code = take_level(
			r, f, level + 1, at + i * f->shape->stride[level]);
		if (!code)
			code = reader_skip_mark(r, ',', &more);
	}
	if (is_open)
		f->v->bytes = i * f->shape->stride[0];
	return code ? code : reader_take_mark(r, '}');
}

int reader_initial(
	struct reader *r, struct ptx_variable *v, const struct shape *shape)
{
	struct filling f = {v, shape, v->bytes ? v->bytes : 1};
	int code;

	if (v->space != PTX_GLOBAL && v->space != PTX_CONST)
		return reader_refuse(r, &v->place,
			"'%.*s' has initial values: variables of .global and "
			".const alone have",
			(int)v->name.length, v->name.text);
	if (strchr("hHtT", ptx_types[v->type].kind))
		return reader_refuse(r, &v->place,
			"'%.*s' of .%s can have no initial value",
			(int)v->name.length, v->name.text,
			ptx_types[v->type].name);
	v->initial = calloc(1, f.capacity);
	if (!v->initial)
		return error_set(r->error, ERR_FAILED, "out of memory");
	code = take_level(r, &f, 0, 0);
	if (!code && v->bytes)
		code = make_room(r, &f, v->bytes);
	return code;
}
