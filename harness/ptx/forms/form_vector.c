/* Vectors of a form: their elements. */
#include "harness/ptx/forms/form.h"

static unsigned item_bytes(const struct reader *r, const struct ptx_operand *o)
{
	if (o->kind == PTX_SPECIAL)
		return ptx_specials[o->index].bits / 8;
	return o->kind == PTX_REGISTER
		       ? ptx_types[r->function->registers[o->index].type].bytes
		       : 0;
}

/* The elements are of one size, that of `bytes` if it is not 0, and not all of
   them left out. */
static bool is_even(
	const struct reader *r, const struct ptx_operand *o, unsigned bytes)
{
	const struct ptx_operand *items = &r->function->items[o->index];
	bool any = false;
	uint32_t i;

	for (i = 0; i < o->count; i++) {
		const unsigned has = item_bytes(r, &items[i]);

		if (has && bytes && has != bytes)
			return false;
		bytes = has ? has : bytes;
		any = any || items[i].kind != PTX_NOTHING;
	}
	return any;
}

static bool is_loaded(const struct ptx_insn *insn, const struct wanted *w)
{
	return w->letter == 'a' || w->letter == 'e' || insn->op == PTXO_ATOM ||
	       insn->op == PTXO_RED;
}

/* Whole numbers in a vector are loaded and stored as floats, too. */
static bool fits_item(const struct reader *r, const struct ptx_insn *insn,
	const struct wanted *w, const struct ptx_operand *o)
{
	uint8_t type;

	if (o->kind != PTX_REGISTER || !is_loaded(insn, w) ||
		ptx_types[w->type].kind != 'f')
		return form_fits(r, insn, w, o);
	type = r->function->registers[o->index].type;
	return form_is_whole(type)
		       ? ptx_types[type].bytes >= ptx_types[w->type].bytes
		       : form_agrees(w, type);
}

/* Reals and whole numbers are not loaded or stored together. */
static bool is_mixed(const struct reader *r, const struct ptx_operand *o)
{
	const struct ptx_operand *items = &r->function->items[o->index];
	bool real = false, whole = false;
	uint32_t i;

	for (i = 0; i < o->count; i++) {
		uint8_t type = PTX_UNTYPED;

		if (items[i].kind == PTX_REGISTER)
			type = r->function->registers[items[i].index].type;
		real = real || ptx_types[type].kind == 'f';
		whole = whole || ptx_types[type].kind == 'u' ||
			ptx_types[type].kind == 's';
	}
	return real && whole;
}

int form_check_vector(struct reader *r, const struct ptx_insn *insn,
	const struct spelling *s, const struct wanted *w, uint32_t place)
{
	const struct ptx_operand *o = &insn->operands[place - 1];
	const bool moves = w->letter == 'm';
	uint32_t i;

	for (i = 0; !moves && i < o->count; i++) {
		const struct ptx_operand *item =
			&r->function->items[o->index + i];

		if (item->kind != PTX_NOTHING && !fits_item(r, insn, w, item))
			return form_refuse(r, s, w, item, place);
	}
	if (is_even(r, o, moves ? ptx_types[w->type].bytes / o->count : 0) &&
		(!moves || ptx_types[w->type].kind == 'b') &&
		(w->letter != 'a' || !is_mixed(r, o)))
		return 0;
	return reader_refuse(r, &s->place,
		"the elements of the vector of '%.*s' are not of its size",
		(int)s->all.length, s->all.text);
}

/* Of a mov of vectors. */
int form_check_moved(struct reader *r, const struct ptx_insn *insn,
	const struct spelling *s, const struct wanted *w, uint32_t place)
{
	const uint32_t count =
		insn->word[PTX_CLASS_VECTOR] == PTXW_VECTOR_v2 ? 2 : 4;
	const struct ptx_operand *o = &insn->operands[place - 1];

	if (place == 2 && o->kind != PTX_VECTOR && form_fits(r, insn, w, o))
		return reader_unmodelled(r, &s->place,
			"one value for all elements of '%.*s' is not modelled",
			(int)s->all.length, s->all.text);
	if (o->kind != PTX_VECTOR || o->count != count ||
		count * ptx_types[w->type].bytes > 16)
		return reader_refuse(r, &s->place,
			"expected a vector of %u elements, of 128 bits at "
			"most, as operand %u of '%.*s'",
			count, place, (int)s->all.length, s->all.text);
	return form_check_vector(r, insn, s, w, place);
}
