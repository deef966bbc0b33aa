/* The operands of an instruction. */
#include <string.h>

#include "harness/ptx/reader.h"

static int find_special(const struct ptx_name *name)
{
	int i;

	for (i = 0; i < PTXS_COUNT; i++)
		if (ptx_name_is(name, ptx_specials[i].name))
			return i;
	return -1;
}

/* Those that PTX has besides, up to their numbers. */
static const char *const unmodelled_specials[] = {"%clusterid.x",
	"%clusterid.y", "%clusterid.z", "%nclusterid.x", "%nclusterid.y",
	"%nclusterid.z", "%cluster_ctaid.x", "%cluster_ctaid.y",
	"%cluster_ctaid.z", "%cluster_nctaid.x", "%cluster_nctaid.y",
	"%cluster_nctaid.z", "%cluster_ctarank", "%cluster_nctarank",
	"%is_explicit_cluster", "%aggr_smem_size", "%current_graph_exec",
	"%reserved_smem_offset_begin", "%reserved_smem_offset_end",
	"%reserved_smem_offset_cap", "%reserved_smem_offset_0",
	"%reserved_smem_offset_1", "%pm0", "%pm1", "%pm2", "%pm3", "%pm4",
	"%pm5", "%pm6", "%pm7", "%pm0_64", "%pm1_64", "%pm2_64", "%pm3_64",
	"%pm4_64", "%pm5_64", "%pm6_64", "%pm7_64"};

static int refuse_special(struct reader *r, const struct ptx_name *name,
	const struct ptx_place *place)
{
	size_t i;

	for (i = 0;
		i < sizeof(unmodelled_specials) / sizeof(*unmodelled_specials);
		i++)
		if (ptx_name_is(name, unmodelled_specials[i]))
			return reader_unmodelled(r, place,
				"the special register '%.*s' is not modelled",
				(int)name->length, name->text);
	return reader_refuse(r, place,
		"'%.*s' is neither a register of this function nor a special "
		"register",
		(int)name->length, name->text);
}

/* %tid.x is a name and what stands behind its dot. */
static int take_special(struct reader *r, struct ptx_operand *o, bool *was)
{
	struct ptx_name name = r->token.text;
	struct ptx_place place = r->token.place;
	const char *after = name.text + name.length;
	int special;

	*was = false;
	if (name.text[0] != '%')
		return 0;
	if (r->end - after >= 2 && after[0] == '.' && after[1] >= 'x' &&
		after[1] <= 'z')
		name.length += 2;
	special = find_special(&name);
	if (special < 0)
		return refuse_special(r, &name, &place);
	*was = true;
	o->kind = PTX_SPECIAL;
	o->index = (uint32_t)special;
	if (name.length > r->token.text.length && reader_next(r))
		return ERR_USAGE;
	return reader_next(r);
}

static int take_name(struct reader *r, struct ptx_operand *o)
{
	const struct ptx_name name = r->token.text;
	const struct symbol *s = names_find(r, &name);
	bool was = false;
	int code;

	if (ptx_name_is(&name, "_")) {
		o->kind = PTX_NOTHING;
		return reader_next(r);
	}
	if (ptx_name_is(&name, "WARP_SZ")) {
		o->kind = PTX_NUMBER;
		o->bits = PROGRAM_WARP_LANES;
		return reader_next(r);
	}
	if (s && s->kind == SYMBOL_REGISTER) {
		o->kind = PTX_REGISTER;
		o->index = s->index;
		return reader_next(r);
	}
	if (s && s->kind == SYMBOL_UNMODELLED)
		return reader_unmodelled(r, &r->token.place,
			"the variable '%.*s' is of a kind that is not modelled",
			(int)name.length, name.text);
	if (s && s->kind == SYMBOL_VARIABLE) {
		o->kind = PTX_VARIABLE;
		o->index = s->index;
		code = reader_next(r);
		if (!code)
			code = reader_skip_mark(r, '+', &was);
		return code || !was
			       ? code
			       : reader_take_number(r, "an offset", &o->bits);
	}
	code = take_special(r, o, &was);
	if (code || was)
		return code;
	/* A label, which may stand further down. */
	code = reader_grow(
		r, &r->uses, &r->use_capacity, r->use_count, sizeof(*r->uses));
	if (code)
		return code;
	r->uses[r->use_count++] =
		(struct ptx_use){.token = r->token, .insn = UINT32_MAX};
	o->kind = PTX_LABEL;
	return reader_next(r);
}

static int take_value(struct reader *r, struct ptx_operand *o, bool negative)
{
	const struct token t = r->token;
	double value;

	if (t.kind == TOKEN_NAME)
		return negative ? reader_expected(r, "a number")
				: take_name(r, o);
	if (t.kind != TOKEN_NUMBER)
		return reader_expected(r, "an operand");
	o->kind = PTX_NUMBER;
	o->is_float = t.is_float;
	o->is_single = t.is_single;
	o->bits = t.bits;
	if (negative && t.is_single) {
		o->bits ^= UINT64_C(1) << 31;
	} else if (negative && t.is_float) {
		memcpy(&value, &t.bits, sizeof(value));
		value = -value;
		memcpy(&o->bits, &value, sizeof(value));
	} else if (negative) {
		o->bits = -o->bits;
	}
	return reader_next(r);
}

/* [%rd1+8], [name], [name+-4] */
static int take_address(struct reader *r, struct ptx_operand *o)
{
	struct ptx_operand base = {0};
	bool plus = false, minus = false;
	uint64_t offset = 0;
	int code = reader_next(r);

	if (!code)
		code = take_value(r, &base, false);
	if (code)
		return code;
	if (base.kind == PTX_REGISTER) {
		*o = base;
		o->kind = PTX_ADDRESS;
	} else if (base.kind == PTX_VARIABLE) {
		*o = base;
		o->kind = PTX_PLACED;
	} else if (base.kind == PTX_NUMBER && !base.is_float) {
		*o = base;
		o->kind = PTX_ADDRESS;
		o->is_absolute = true;
	} else {
		return reader_expected(r, "a register, a variable or a number "
					  "in an address");
	}
	code = reader_skip_mark(r, '+', &plus);
	if (!code && plus)
		code = reader_skip_mark(r, '-', &minus);
	if (!code && plus)
		code = reader_take_number(r, "an offset", &offset);
	o->bits += minus ? -offset : offset;
	return code ? code : reader_take_mark(r, ']');
}

static int add_item(struct reader *r, const struct ptx_operand *o)
{
	struct ptx_function *f = r->function;
	int code = reader_grow(r, &f->items, &f->item_capacity, f->item_count,
		sizeof(*f->items));

	if (!code)
		f->items[f->item_count++] = *o;
	return code;
}

/* {%r1, %r2}, and (a, b) of a call */
static int take_list(struct reader *r, struct ptx_operand *o, char close)
{
	struct ptx_operand item;
	uint32_t first = r->function->item_count;
	bool more = true;
	int code = reader_next(r);

	if (!code && reader_is_mark(r, close))
		more = false;
	while (!code && more) {
		bool negative;

		item = (struct ptx_operand){0};
		code = reader_skip_mark(r, '-', &negative);
		if (!code)
			code = take_value(r, &item, negative);
		if (!code && item.kind == PTX_LABEL)
			code = reader_refuse(r,
				&r->uses[r->use_count - 1].token.place,
				"'%.*s' is not the name of a register",
				(int)r->uses[r->use_count - 1]
					.token.text.length,
				r->uses[r->use_count - 1].token.text.text);
		if (!code)
			code = add_item(r, &item);
		if (!code)
			code = reader_skip_mark(r, ',', &more);
	}
	if (!code && r->function->item_count - first > 255)
		return reader_expected(r, "fewer operands");
	o->kind = PTX_VECTOR;
	o->index = first;
	o->count = (uint8_t)(r->function->item_count - first);
	return code ? code : reader_take_mark(r, close);
}

int reader_operand(struct reader *r, struct ptx_operand *operand)
{
	bool minus;
	int code;

	*operand = (struct ptx_operand){0};
	if (reader_is_mark(r, '['))
		return take_address(r, operand);
	if (reader_is_mark(r, '{'))
		return take_list(r, operand, '}');
	if (reader_is_mark(r, '('))
		return take_list(r, operand, ')');
	code = reader_skip_mark(r, '!', &operand->negated);
	if (code || operand->negated) {
		bool negated = operand->negated;

		code = code ? code : take_value(r, operand, false);
		operand->negated = negated;
		return code;
	}
	code = reader_skip_mark(r, '-', &minus);
	return code ? code : take_value(r, operand, minus);
}
