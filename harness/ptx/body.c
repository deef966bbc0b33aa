/* The body of a function: registers, variables, labels, instructions. */
#include <stdio.h>
#include <string.h>

#include "harness/ptx/declare.h"
#include "harness/ptx/reader.h"

#define REGISTERS_MAX 65536u
#define SCOPES_MAX    64u
/* Of all functions: a name each, which a few letters declare. */
#define MODULE_REGISTERS_MAX (1u << 22)

/* What a `.reg` declares: registers, or vectors of them. */
struct declared {
	enum ptx_type type;
	uint32_t vector; /* 1, 2, 4 */
	bool is_whole;   /* of 128 bits */
	struct ptx_place place;
};

static int too_many(struct reader *r)
{
	return reader_unmodelled(r, &r->token.place,
		"more than %u registers of a function, and %u of a module, are "
		"not modelled",
		REGISTERS_MAX, MODULE_REGISTERS_MAX);
}

int reader_register(struct reader *r, const struct ptx_name *name,
	enum ptx_type type, uint32_t *index)
{
	struct ptx_function *f = r->function;
	int code;

	if (f->register_count == REGISTERS_MAX ||
		r->register_count == MODULE_REGISTERS_MAX)
		return too_many(r);
	r->register_count++;
	code = reader_grow(r, &f->registers, &f->register_capacity,
		f->register_count, sizeof(*f->registers));
	*index = f->register_count;
	if (!code)
		f->registers[f->register_count++] =
			(struct ptx_register){*name, (uint8_t)type};
	return code;
}

/* A register, or the elements of a vector. */
static int add_register(
	struct reader *r, const struct ptx_name *name, const struct declared *d)
{
	uint32_t first = r->function->register_count, i, index;
	int code = 0;

	for (i = 0; !code && i < d->vector; i++)
		code = reader_register(r, name, d->type, &index);
	return code ? code
		    : names_add(r, name, &d->place,
			      d->is_whole      ? SYMBOL_WHOLE
			      : d->vector == 1 ? SYMBOL_REGISTER
			      : d->vector == 2 ? SYMBOL_PAIR
					       : SYMBOL_FOUR,
			      first);
}

int reader_numbered(struct reader *r, const struct ptx_name *stem,
	uint32_t number, struct ptx_name *name)
{
	char text[160];
	int length = snprintf(text, sizeof(text), "%.*s%u", (int)stem->length,
		stem->text, number);

	if (length < 0 || (size_t)length >= sizeof(text))
		return reader_expected(r, "a shorter name");
	name->text = ptx_keep(r->module, text, (size_t)length);
	name->length = (uint32_t)length;
	return name->text ? 0
			  : error_set(r->error, ERR_FAILED, "out of memory");
}

/* %r<60> stands for %r0 to %r59. */
static int add_numbered(struct reader *r, const struct ptx_name *stem,
	uint32_t number, const struct declared *d)
{
	struct ptx_name name;
	int code = reader_numbered(r, stem, number, &name);

	return code ? code : add_register(r, &name, d);
}

/* `%r<60>`, `%x` */
static int take_register(struct reader *r, struct declared *d)
{
	struct ptx_name name = r->token.text;
	uint64_t count;
	uint32_t i;
	bool many = false;
	int code;

	if (r->token.kind != TOKEN_NAME)
		return reader_expected(r, "the name of a register");
	d->place = r->token.place;
	code = reader_next(r);
	if (!code)
		code = reader_skip_mark(r, '<', &many);
	if (code || !many)
		return code ? code : add_register(r, &name, d);
	code = reader_take_count(r, "a number", &count);
	if (!code && count > REGISTERS_MAX)
		return too_many(r);
	for (i = 0; !code && i < count; i++)
		code = add_numbered(r, &name, i, d);
	return code ? code : reader_take_mark(r, '>');
}

/* `.align 8`, which says nothing of registers. */
static int take_register_align(struct reader *r)
{
	uint64_t align;
	struct ptx_place place;
	int code = reader_next(r);

	place = r->token.place;
	if (!code)
		code = reader_take_count(r, "an alignment", &align);
	if (!code && (!align || (align & (align - 1))))
		return reader_refuse(r, &place,
			"expected an alignment that is a power of two");
	return code;
}

/* `.v4 .f32` */
static int take_register_type(struct reader *r, struct declared *d)
{
	int code = 0;

	if (reader_is_dot(r, "align"))
		code = take_register_align(r);
	if (code)
		return code;
	d->vector = reader_is_dot(r, "v2") ? 2 : reader_is_dot(r, "v4") ? 4 : 1;
	if (d->vector > 1)
		code = reader_next(r);
	if (code)
		return code;
	d->type = r->token.kind == TOKEN_DOT ? reader_type(&r->token.text)
					     : PTX_UNTYPED;
	if (d->type == PTX_b128 && r->module->version < 83)
		return reader_expected(r, "a type of .version 8.2 or before");
	/* One of 128 bits is two of 64. */
	if (d->vector == 1 && d->type == PTX_b128) {
		d->type = PTX_b64;
		d->vector = 2;
		d->is_whole = true;
	}
	if (!d->type || !ptx_is_plain((uint8_t)d->type) ||
		d->type == PTX_bf16 || d->type == PTX_bf16x2)
		return reader_no_type(r, "registers");
	if (d->vector > 1 && (d->type == PTX_pred ||
				     ptx_types[d->type].bytes * d->vector > 16))
		return reader_expected(r, "a vector of at most 128 bits");
	return reader_next(r);
}

/* `.reg .b32 %r<60>, %x;` */
static int take_registers(struct reader *r)
{
	struct declared d = {0};
	int code = take_register_type(r, &d);
	/* None is one, too. */
	bool more = !reader_is_mark(r, ';');

	while (!code && more) {
		code = take_register(r, &d);
		if (!code)
			code = reader_skip_mark(r, ',', &more);
	}
	return code ? code : reader_take_mark(r, ';');
}

static int take_directive(struct reader *r)
{
	const struct token directive = r->token;
	int code;

	r->directive = reader_tell(r);
	if (reader_is_variable(r))
		return reader_variables(r);
	code = reader_next(r);
	if (code)
		return code;
	if (ptx_name_is(&directive.text, "reg"))
		return take_registers(r);
	if (ptx_name_is(&directive.text, "loc"))
		return reader_location(r);
	if (ptx_name_is(&directive.text, "pragma"))
		return reader_pragma(r, &r->stays_rolled);
	return reader_refuse(r, &directive.place,
		"'.%.*s' is not a directive of a function",
		(int)directive.text.length, directive.text.text);
}

static struct ptx_operand *used(const struct reader *r, const struct ptx_use *u)
{
	struct ptx_function *f = r->function;

	return u->is_item ? &f->items[u->operand]
			  : &f->insns[u->insn].operands[u->operand];
}

/* What is called is a function, whatever labels there are. */
static bool is_call(const struct reader *r, const struct ptx_use *u)
{
	return !u->is_item && r->function->insns[u->insn].op == PTXO_CALL;
}

/* Uses of labels since `use` that have been defined since `scope`; the others
   are looked for further out. */
static void resolve(struct reader *r, uint32_t scope, uint32_t use)
{
	for (; use < r->use_count; use++) {
		struct ptx_use *u = &r->uses[use];
		const struct symbol *s = names_find(r, &u->token.text);

		if (u->insn == UINT32_MAX || !s || s->kind != SYMBOL_LABEL ||
			s < r->symbols + scope || is_call(r, u))
			continue;
		used(r, u)->index = s->index;
		u->insn = UINT32_MAX;
	}
}

static int take_statement(struct reader *r);

/* `{ ... }`, whose names hold in it. */
static int take_scope(struct reader *r)
{
	const uint32_t scope = r->symbol_count, use = r->use_count;
	const uint32_t outer = r->scope;
	int code = reader_take_mark(r, '{');

	/* That of a function's body has the names of its head. */
	if (r->depth++)
		r->scope = scope;
	while (!code && !reader_is_mark(r, '}')) {
		if (r->token.kind == TOKEN_END)
			return reader_expected(r, "'}'");
		code = take_statement(r);
	}
	if (code)
		return code;
	r->depth--;
	r->scope = outer;
	resolve(r, scope, use);
	names_leave(r, scope);
	return reader_next(r);
}

/* `NAME:` */
static bool is_label(const struct reader *r)
{
	const char *at;

	if (r->token.kind != TOKEN_NAME)
		return false;
	at = r->token.text.text + r->token.text.length;
	while (at < r->end && (*at == ' ' || *at == '\t'))
		at++;
	return at < r->end && *at == ':';
}

/* `NAME:`, or a list that is called so. */
static int take_label(struct reader *r)
{
	const struct ptx_name name = r->token.text;
	const struct ptx_place place = r->token.place;
	int code = reader_next(r);

	if (!code)
		code = reader_take_mark(r, ':');
	if (code)
		return code;
	if (reader_is_list(r)) {
		r->directive = reader_tell(r);
		return reader_list(r, &name);
	}
	return names_add(
		r, &name, &place, SYMBOL_LABEL, r->function->insn_count);
}

static int take_statement(struct reader *r)
{
	if (reader_is_mark(r, '{') && r->depth == SCOPES_MAX) {
		r->directive = reader_tell(r);
		return reader_unmodelled(r, &r->token.place,
			"more than %u scopes in each other are not modelled",
			SCOPES_MAX);
	}
	if (reader_is_mark(r, '{'))
		return take_scope(r);
	if (r->token.kind == TOKEN_DOT)
		return take_directive(r);
	return is_label(r) ? take_label(r) : reader_insn(r);
}

/* From the directive on, which gives names to what is not modelled: they can't
   be told from wrong ones. */
static int skip_body(struct reader *r)
{
	int code = reader_keep_unmodelled(r, r->function);

	reader_go_back(r, &r->directive);
	r->use_count = 0;
	do {
		if (r->token.kind == TOKEN_END)
			return reader_expected(r, "'}'");
		if (reader_is_mark(r, '{'))
			r->depth++;
		if (reader_is_mark(r, '}'))
			r->depth--;
		code = code ? code : reader_next(r);
	} while (!code && r->depth);
	return code;
}

int reader_body(struct reader *r)
{
	uint32_t i;
	int code;

	r->use_count = r->depth = 0;
	r->where = IN_BODY;
	r->linkage = PTX_STATIC;
	r->directive = reader_tell(r);
	code = reader_enter(r);
	if (!code)
		code = take_scope(r);
	if (code == ERR_SKIPPED)
		code = skip_body(r);
	if (!code)
		code = reader_leave(
			r, &(struct ptx_insn){.place = r->token.place});
	for (i = 0; !code && i < r->use_count; i++) {
		struct ptx_use *u = &r->uses[i];

		if (u->insn == UINT32_MAX)
			continue;
		if (is_call(r, u))
			code = ptx_find_callee(r, u);
		else
			code = reader_refuse(r, &u->token.place,
				"there is no label '%.*s' in this function",
				(int)u->token.text.length, u->token.text.text);
	}
	return code;
}
