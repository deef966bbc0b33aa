/* Whether operands are of the types that a form says. */
#include <string.h>

#include "harness/ptx/forms/form.h"

#define BARRIERS 16u

static uint8_t twice(uint8_t type)
{
	switch (type) {
	case PTX_u16:
		return PTX_u32;
	case PTX_s16:
		return PTX_s32;
	case PTX_u32:
		return PTX_u64;
	default:
		return PTX_s64;
	}
}

static struct wanted wanted_of(const struct ptx_insn *insn, char letter)
{
	/* The second type, if there are two. */
	const uint8_t last = insn->from ? insn->from : insn->type;
	struct wanted w = {.is_register = letter >= 'A' && letter <= 'Z'};

	w.letter = (char)(w.is_register ? letter + 'a' - 'A' : letter);
	switch (w.letter) {
	case 't':
	case 'i':
	case 'e':
	case 'm':
	case 'v':
		w.type = last;
		break;
	case 'f':
		w.type = insn->type;
		break;
	case 'w':
		w.type = twice(last);
		break;
	case 'u':
	case 'b':
	case 'n':
		w.type = PTX_u32;
		break;
	case 'p':
		w.type = PTX_pred;
		break;
	case 'l':
		w.is_at_least = true;
		/* fall through */
	case 'k':
		w.type = PTX_b32;
		break;
	case 'o':
		w.type = PTX_u32;
		w.is_at_least = true;
		break;
	case 'h':
	case 'y':
	case 'z':
		w.type = w.letter == 'h' ? PTX_b16 : PTX_b32;
		w.is_register = true;
		break;
	case 'a':
		w.type = last;
		w.is_at_least = true;
		break;
	case 'c':
		w.type = insn->type;
		w.is_at_least = true;
		break;
	default:
		break;
	}
	return w;
}

bool form_is_whole(uint8_t type)
{
	const char kind = ptx_types[type].kind;

	return kind == 'u' || kind == 's' || kind == 'b';
}

/* As the assembler matches a register's type to an instruction's. */
bool form_agrees(const struct wanted *w, uint8_t type)
{
	const struct ptx_type_info *has = &ptx_types[type];
	const struct ptx_type_info *want = &ptx_types[w->type];
	const bool wider = w->is_at_least && has->bytes > want->bytes &&
			   want->kind != 't' && want->kind != 'T';

	if (want->kind == 'p' || has->kind == 'p')
		return want->kind == has->kind;
	if (has->bytes != want->bytes && !wider)
		return false;
	if (strchr("hyz", w->letter))
		return has->kind == 'b' ||
		       (w->letter == 'y' && has->kind == 'H');
	if (w->letter == 'i')
		return form_is_whole(type);
	if (want->kind == 'b' || has->kind == 'b')
		return true;
	if (form_is_whole(w->type))
		return form_is_whole(type);
	return want->kind == has->kind && !wider;
}

/* Numbers have no half precision; bits are those of a float of the size. */
static bool fits_number(const struct wanted *w, const struct ptx_operand *o)
{
	const struct ptx_type_info *want = &ptx_types[w->type];

	if (w->is_register)
		return false;
	switch (want->kind) {
	case 'f':
		return o->is_float;
	case 'b':
		return !o->is_float ||
		       (w->letter != 'i' &&
			       want->bytes == (o->is_single ? 4u : 8u));
	default:
		return !o->is_float &&
		       (form_is_whole(w->type) || want->kind == 'p');
	}
}

/* Those of blocks and threads have 16 bits in old modules, and the grid's
   number 32. */
static bool fits_special(
	const struct ptx_insn *insn, const struct wanted *w, uint32_t special)
{
	const uint8_t bytes = ptx_types[w->type].bytes;

	if (special == PTXS_is_explicit_cluster)
		return insn->op == PTXO_MOV && insn->type == PTX_pred;
	if (!form_is_whole(w->type) || !form_is_whole(insn->type))
		return false;
	return bytes * 8u == ptx_specials[special].bits ||
	       (w->is_at_least && bytes * 8u < ptx_specials[special].bits) ||
	       (bytes == 2 &&
		       (special <= PTXS_nctaid_z || special == PTXS_tid_w)) ||
	       (bytes == 4 && special == PTXS_gridid);
}

static bool is_parameter(const struct ptx_function *f, uint32_t index)
{
	return index - f->parameter_first < f->parameter_count ||
	       index - f->return_first < f->return_count;
}

/* The address of a variable is a value of mov and of cvta alone; what a call
   takes has none, and 32 bits hold none of global memory. */
static bool fits_variable(const struct reader *r, const struct ptx_insn *insn,
	const struct wanted *w, const struct ptx_operand *o)
{
	const uint8_t space = r->module->variables[o->index].space;
	static const uint8_t words[PTX_SPACE_COUNT] = {
		[PTX_GLOBAL] = PTXW_SPACE_global,
		[PTX_SHARED] = PTXW_SPACE_shared,
		[PTX_LOCAL] = PTXW_SPACE_local,
		[PTX_CONST] = PTXW_SPACE_const,
		[PTX_PARAM] = PTXW_SPACE_param,
	};
	const uint8_t word = insn->word[PTX_CLASS_SPACE];

	if (space == PTX_PARAM && r->module->variables[o->index].of_function &&
		!is_parameter(r->function, o->index))
		return false;
	if (w->letter == 'm')
		return form_is_whole(w->type) &&
		       (space != PTX_GLOBAL || (o->bits && !o->is_element) ||
			       ptx_types[w->type].bytes == 8);
	if (w->letter != 'v' || insn->word[PTX_CLASS_TO])
		return false;
	if (insn->op == PTXO_MAPA || insn->op == PTXO_GETCTARANK)
		return space == PTX_SHARED;
	return word == words[space] ||
	       (space == PTX_SHARED &&
		       (word == PTXW_SPACE_shared_cta ||
			       word == PTXW_SPACE_shared_cluster));
}

/* `_`, for what is not wanted. */
static bool fits_nothing(const struct ptx_insn *insn)
{
	return insn->op == PTXO_ATOM || insn->op == PTXO_SETP ||
	       insn->op == PTXO_ELECT || insn->op == PTXO_MBARRIER_ARRIVE ||
	       insn->op == PTXO_MBARRIER_DROP ||
	       insn->word[PTX_CLASS_VOTE] == PTXW_VOTE_all;
}

static bool fits_barrier(const struct wanted *w, const struct ptx_operand *o)
{
	if (o->is_float)
		return false;
	return w->letter == 'b' ? o->bits < BARRIERS
				: o->bits % PROGRAM_WARP_LANES == 0;
}

static bool is_address(const struct ptx_operand *o)
{
	return o->kind == PTX_ADDRESS || o->kind == PTX_PLACED;
}

/* A letter that says more than a type. */
static bool fits_letter(const struct reader *r, const struct wanted *w,
	const struct ptx_operand *o)
{
	uint8_t type;

	switch (w->letter) {
	case '#':
		return o->kind == PTX_NUMBER && !o->is_float;
	case '@':
		return is_address(o);
	case '_':
		return o->kind == PTX_NOTHING;
	case 'x':
		if (o->kind != PTX_REGISTER)
			return o->kind == PTX_NUMBER && !o->is_float;
		type = r->function->registers[o->index].type;
		return form_is_whole(type) && ptx_types[type].bytes >= 4;
	default:
		return true;
	}
}

bool form_fits(const struct reader *r, const struct ptx_insn *insn,
	const struct wanted *w, const struct ptx_operand *o)
{
	if (!w->type)
		return fits_letter(r, w, o);
	if (w->is_register && o->kind != PTX_REGISTER && o->kind != PTX_NOTHING)
		return false;
	switch (o->kind) {
	case PTX_REGISTER:
		return form_agrees(w, r->function->registers[o->index].type);
	case PTX_NUMBER:
		if (w->letter == 'b' || w->letter == 'n')
			return fits_barrier(w, o);
		return fits_number(w, o);
	case PTX_SPECIAL:
		return fits_special(insn, w, o->index);
	case PTX_VARIABLE:
		return fits_variable(r, insn, w, o);
	case PTX_NOTHING:
		return w->letter == 'n' || fits_nothing(insn);
	default:
		return o->kind == PTX_FUNCTION;
	}
}

/* ---- sentences ---- */

static const char *what(const struct wanted *w)
{
	switch (w->letter) {
	case '#':
		return "a whole number";
	case '@':
		return "an address";
	case '_':
		return "'_'";
	case 'x':
		return "a register of 32 or 64 bits";
	case 'b':
		return "the number of a barrier, 0 to 15";
	case 'n':
		return "a number of threads that is a multiple of 32";
	default:
		return NULL;
	}
}

int form_refuse(struct reader *r, const struct spelling *s,
	const struct wanted *w, const struct ptx_operand *o, uint32_t place)
{
	const char *type = ptx_types[w->type].name;

	if (what(w) && !(w->type && o->kind == PTX_REGISTER))
		return reader_refuse(r, &s->place,
			"expected %s as operand %u of '%.*s'", what(w), place,
			(int)s->all.length, s->all.text);
	if (o->kind == PTX_REGISTER)
		return reader_refuse(r, &s->place,
			"operand %u of '%.*s' is a register of type .%s, "
			"expected .%s%s",
			place, (int)s->all.length, s->all.text,
			ptx_types[r->function->registers[o->index].type].name,
			type, w->is_at_least ? " or wider" : "");
	return reader_refuse(r, &s->place,
		"expected a register%s of type .%s as operand %u of '%.*s'",
		w->is_register ? "" : " or a number", type, place,
		(int)s->all.length, s->all.text);
}

/* ---- all operands ---- */

static bool is_written(const struct ptx_insn *insn)
{
	const char letter = ptx_ops[insn->op].operands[0];

	return letter && strchr(PTX_WRITTEN, letter);
}

static int check(struct reader *r, const struct ptx_insn *insn,
	const struct spelling *s, char letter, uint32_t place)
{
	const struct wanted w = wanted_of(insn, letter);
	const struct ptx_operand *o = &insn->operands[place - 1];

	if (place == 1 && o->kind != PTX_REGISTER && o->kind != PTX_VECTOR &&
		o->kind != PTX_NOTHING && is_written(insn))
		return reader_refuse(r, &s->place,
			"expected a register that is written as operand 1 of "
			"'%.*s'",
			(int)s->all.length, s->all.text);
	if (letter == '.')
		return 0;
	if (w.letter == 'e')
		return form_check_moved(r, insn, s, &w, place);
	if (o->kind == PTX_VECTOR && w.type && o->count)
		return form_check_vector(r, insn, s, &w, place);
	if (!form_fits(r, insn, &w, o))
		return form_refuse(r, s, &w, o, place);
	return w.letter == '@' ? form_check_address(r, insn, s, o) : 0;
}

int form_check(struct reader *r, const struct ptx_insn *insn,
	const struct spelling *s, const char *operands)
{
	/* A policy is the last one, of which access.c sees to. */
	const uint32_t count = insn->operand_count - ptx_has_policy(insn);
	bool optional = false;
	uint32_t i = 0;
	int code = 0;

	if (!operands)
		return 0;
	for (; !code && *operands; operands++) {
		if (*operands == '?') {
			optional = true;
			continue;
		}
		if (i == count && optional)
			break;
		if (i == count)
			return reader_refuse(r, &s->place,
				"expected more operands of '%.*s' than %u",
				(int)s->all.length, s->all.text, i);
		code = check(r, insn, s, *operands, ++i);
	}
	if (!code && i < count)
		return reader_refuse(r, &s->place,
			"expected %u operands of '%.*s', not %u", i,
			(int)s->all.length, s->all.text, insn->operand_count);
	return code ? code : form_check_rules(r, insn, s);
}
