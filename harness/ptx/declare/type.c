/* What stands before a variable's name, and where such a variable may be. */
#include <string.h>

#include "harness/ptx/declare.h"

#define ALIGN_MAX           4096u
#define ALIGN_PARAMETER_MAX 128u

static const struct {
	const char *text;
	enum ptx_space space;
} spaces[] = {
	{"global", PTX_GLOBAL},
	{"const", PTX_CONST},
	{"shared", PTX_SHARED},
	{"local", PTX_LOCAL},
	{"param", PTX_PARAM},
};

#define SPACES (sizeof(spaces) / sizeof(*spaces))

static enum ptx_space find_space(const struct reader *r)
{
	size_t i;

	for (i = 0; i < SPACES; i++)
		if (reader_is_dot(r, spaces[i].text))
			return spaces[i].space;
	return PTX_GENERIC;
}

static bool is_qualifier(const struct reader *r)
{
	return find_space(r) || reader_is_dot(r, "align") ||
	       reader_is_dot(r, "attribute");
}

bool reader_is_variable(const struct reader *r)
{
	return is_qualifier(r) ||
	       (r->token.kind == TOKEN_DOT && reader_type(&r->token.text));
}

enum ptx_type reader_type(const struct ptx_name *name)
{
	int type;

	for (type = 1; type < PTX_TYPE_COUNT; type++)
		if (ptx_name_is(name, ptx_types[type].name))
			return (enum ptx_type)type;
	return PTX_UNTYPED;
}

/* ---- textures ---- */

int reader_no_type(struct reader *r, const char *what)
{
	static const char *const others[] = {"texref", "samplerref", "surfref"};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (reader_is_dot(r, others[i]))
			break;
	if (i == sizeof(others) / sizeof(*others))
		return reader_expected(r, "a type");
	if ((r->where != IN_MODULE && r->where != OF_ENTRY) ||
		!strcmp(what, "registers"))
		return reader_refuse(r, &r->token.place,
			"'.%s' is of a variable of the module or of an entry's "
			"parameter",
			others[i]);
	return reader_unmodelled(r, &r->token.place,
		"'.%s' of %s is not modelled", others[i], what);
}

/* Behind its type, where it is not modelled. */
static int no_type(struct reader *r, const struct ptx_variable *v)
{
	int code;

	if (reader_is_dot(r, "samplerref") && !r->has_samplers)
		return reader_refuse(r, &r->token.place,
			"'.samplerref' needs .target texmode_independent");
	if (reader_is_dot(r, "texref") || reader_is_dot(r, "surfref") ||
		reader_is_dot(r, "samplerref")) {
		if (v->space != PTX_GLOBAL && v->space != PTX_PARAM)
			return reader_refuse(r, &r->token.place,
				"'.%.*s' is of a variable of .global",
				(int)r->token.text.length, r->token.text.text);
	}
	code = reader_no_type(r, "a variable");
	if (code == ERR_SKIPPED && reader_next(r))
		return ERR_USAGE;
	return r->token.kind == TOKEN_DOT ? reader_expected(r, "a name") : code;
}

/* ---- attributes ---- */

/* `.attribute(.managed)`: what a driver does about it is not modelled. */
static int take_attribute(struct reader *r, bool *is_managed)
{
	bool more = true;
	int code = reader_take_mark(r, '(');

	while (!code && more) {
		if (!reader_is_dot(r, "managed"))
			return reader_expected(r, "'.managed'");
		code = reader_next(r);
		if (!code)
			code = reader_skip_mark(r, ',', &more);
	}
	*is_managed = true;
	return code ? code : reader_take_mark(r, ')');
}

static int take_align(struct reader *r, uint32_t *align)
{
	const struct ptx_place place = r->token.place;
	uint64_t number;
	int code = reader_take_count(r, "an alignment", &number);

	if (!code && (!number || (number & (number - 1))))
		return reader_refuse(r, &place,
			"expected an alignment that is a power of two");
	if (!code && number > ALIGN_MAX)
		return reader_unmodelled(r, &place,
			"an alignment above %u is not modelled", ALIGN_MAX);
	*align = code ? 0 : (uint32_t)number;
	return code;
}

/* `.align 4 .attribute(.managed) .global`, in any order. */
static int take_qualifiers(
	struct reader *r, struct ptx_variable *v, bool *is_managed)
{
	int code = 0;

	while (!code && is_qualifier(r)) {
		const bool aligns = reader_is_dot(r, "align");
		const bool attributes = reader_is_dot(r, "attribute");
		const enum ptx_space space = find_space(r);

		if (space && v->space)
			return reader_expected(r, "one state space");
		if (space)
			v->space = (uint8_t)space;
		code = reader_next(r);
		if (!code && aligns)
			code = take_align(r, &v->align);
		if (!code && attributes)
			code = take_attribute(r, is_managed);
	}
	return code;
}

/* `.ptr .global .align 16` of what an entry takes: where a pointer leads to. */
static int take_pointed(struct reader *r)
{
	uint32_t align;
	int code = 0;

	if (r->where != OF_ENTRY && r->where != OF_PROTOTYPE)
		return 0;
	if (reader_is_dot(r, "ptr")) {
		code = reader_next(r);
		if (!code && find_space(r) && find_space(r) != PTX_PARAM)
			code = reader_next(r);
	}
	if (code || !reader_is_dot(r, "align"))
		return code;
	code = reader_next(r);
	return code ? code : take_align(r, &align);
}

/* ---- types ---- */

/* `.v4 .f32` */
static int take_type(struct reader *r, struct ptx_variable *v)
{
	const struct ptx_place place = r->token.place;
	int code = 0;

	v->vector = reader_is_dot(r, "v2") ? 2 : reader_is_dot(r, "v4") ? 4 : 0;
	if (v->vector)
		code = reader_next(r);
	if (code)
		return code;
	v->type = r->token.kind == TOKEN_DOT
			  ? (uint8_t)reader_type(&r->token.text)
			  : PTX_UNTYPED;
	if (!v->type || !ptx_is_plain(v->type) ||
		ptx_types[v->type].kind == 't' ||
		ptx_types[v->type].kind == 'T')
		return no_type(r, v);
	if (v->vector * ptx_types[v->type].bytes > 16)
		return reader_refuse(
			r, &place, "expected a vector of at most 128 bits");
	return reader_next(r);
}

int reader_variable_type(struct reader *r, struct ptx_variable *v)
{
	const struct ptx_place place = r->token.place;
	bool is_managed = false;
	int code = take_qualifiers(r, v, &is_managed);

	if (!code && v->space == PTX_PARAM && r->where == IN_MODULE)
		return reader_refuse(r, &place,
			"a variable of .param is a parameter or stands in a "
			"function");
	if (!code && is_managed &&
		(v->space != PTX_GLOBAL || r->where > IN_BODY))
		return reader_refuse(
			r, &place, "'.managed' is of variables of .global");
	if (!code && r->linkage == PTX_COMMON && v->space != PTX_GLOBAL)
		return reader_refuse(
			r, &place, "'.common' is of variables of .global");
	if (!code && v->space == PTX_LOCAL && r->where == IN_MODULE)
		return reader_refuse(
			r, &place, "a variable of .local stands in a function");
	if (!code && r->where > IN_BODY && v->space != PTX_PARAM)
		return reader_refuse(r, &place, "expected '.param' or '.reg'");
	if (!code)
		code = take_type(r, v);
	/* A type alone declares nothing. */
	if (!code && !v->space && !reader_is_mark(r, ';'))
		return reader_refuse(r, &place, "expected a state space");
	return code ? code : take_pointed(r);
}

/* ---- parameters ---- */

/* One that is a register. */
static int check_register(
	struct reader *r, const struct ptx_variable *v, uint32_t dimensions)
{
	if (dimensions)
		return reader_refuse(r, &v->place,
			"'%.*s' is a register, which no array is",
			(int)v->name.length, v->name.text);
	if (v->vector || v->type == PTX_pred)
		return reader_unmodelled(r, &v->place,
			"a parameter that is a vector of registers or a "
			"predicate is not modelled");
	return 0;
}

static const char *parameter_fault(const struct reader *r,
	const struct ptx_variable *v, uint32_t dimensions, uint64_t outermost)
{
	if (v->vector || ptx_types[v->type].kind == 'H')
		return "is of a type that parameters cannot be";
	if (dimensions > 1 && r->where != IN_BODY)
		return "is an array of several dimensions, which parameters "
		       "cannot be";
	if (r->where != OF_ENTRY && v->align > ALIGN_PARAMETER_MAX)
		return "has an alignment above 128";
	if (dimensions && !outermost && r->where == RETURNED)
		return "is returned and has no size";
	if (dimensions && !outermost && r->where == OF_ENTRY)
		return "is an entry's parameter and has no size";
	return NULL;
}

int reader_check_variable(struct reader *r, const struct ptx_variable *v,
	uint32_t dimensions, uint64_t outermost)
{
	const char *fault = NULL;

	/* As ptxas has it, of single ones. */
	if (v->type == PTX_b128 && !dimensions && r->module->version < 83)
		return reader_refuse(r, &v->place,
			"'.b128' needs .version 8.3, the module has %u.%u",
			r->module->version / 10, r->module->version % 10);
	if (v->is_register)
		return check_register(r, v, dimensions);
	if (v->type == PTX_pred)
		fault = "is a predicate, which registers alone hold";
	else if (v->space == PTX_PARAM)
		fault = parameter_fault(r, v, dimensions, outermost);
	return fault ? reader_refuse(r, &v->place, "'%.*s' %s",
			       (int)v->name.length, v->name.text, fault)
		     : 0;
}
