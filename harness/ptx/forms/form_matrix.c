/* The operands of matrix instructions: vectors of as many registers as hold
   their matrices. */
#include <stdio.h>
#include <string.h>

#include "harness/ptx/reader.h"

/* What an operand of registers is to be. */
struct part {
	uint32_t operand, count;
	uint8_t bytes;      /* of a register */
	const char *kinds;  /* of their types */
	bool takes_numbers; /* or `_`, where it is written */
};

static bool fits_item(const struct reader *r, const struct part *part,
	const struct ptx_operand *o)
{
	const struct ptx_type_info *t;

	if (o->kind != PTX_REGISTER)
		return part->takes_numbers &&
		       (o->kind == PTX_NUMBER || o->kind == PTX_NOTHING);
	t = &ptx_types[r->function->registers[o->index].type];
	return t->bytes == part->bytes && strchr(part->kinds, t->kind);
}

/* The types that registers of 32 bits may have. */
static void name_kinds(const char *kinds, char *to, size_t size)
{
	static const struct {
		char kind;
		const char *name;
	} names[] = {{'b', ".b32"}, {'u', ".u32"}, {'s', ".s32"}, {'f', ".f32"},
		{'H', ".f16x2"}};
	size_t i, at = 0;

	to[0] = '\0';
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strchr(kinds, names[i].kind))
			at += (size_t)snprintf(to + at, size - at, "%s%s",
				at ? " or " : "", names[i].name);
}

static int refuse_item(
	struct reader *r, const struct spelling *s, const struct part *part)
{
	const bool is_any = part->bytes == 8 || strchr(part->kinds, 'T');
	char types[64];

	snprintf(types, sizeof(types), "%u bits", part->bytes * 8u);
	if (!is_any)
		name_kinds(part->kinds, types, sizeof(types));
	return reader_refuse(r, &s->place,
		"expected registers of %s in operand %u of '%.*s'", types,
		part->operand + 1, (int)s->all.length, s->all.text);
}

static int check_vector(struct reader *r, const struct ptx_insn *insn,
	const struct spelling *s, const struct part *part)
{
	const struct ptx_operand *o = &insn->operands[part->operand];
	uint32_t i;

	if (o->kind != PTX_VECTOR || o->count != part->count)
		return reader_refuse(r, &s->place,
			"expected a vector of %u %s as operand %u of '%.*s'",
			part->count,
			part->count == 1 ? "register" : "registers",
			part->operand + 1, (int)s->all.length, s->all.text);
	for (i = 0; i < o->count; i++)
		if (!fits_item(r, part, &r->function->items[o->index + i]))
			return refuse_item(r, s, part);
	return 0;
}

/* Registers of sums: those of bits, or of the elements' type. */
static const char *kinds_of_sums(uint8_t type)
{
	switch (type) {
	case PTX_f32:
		return "bf";
	case PTX_f16:
		return "bH";
	case PTX_s32:
		return "bus";
	default:
		return "busf";
	}
}

/* Those of factors; what ptxas 13.0 takes. */
static const char *kinds_of_factors(uint8_t op, uint8_t type)
{
	const bool is_whole =
		ptx_types[type].kind == 's' || ptx_types[type].kind == 'u';

	if (ptx_types[type].bytes == 8)
		return "busf";
	if (ptx_types[type].bytes == 1 && op == PTXO_MMA)
		return "busfHT";
	if (is_whole)
		return op == PTXO_WGMMA ? "busfHT" : "bus";
	return type == PTX_f16 || op == PTXO_WGMMA ? "bH" : "b";
}

/* The eight rows of f16 alone have other layouts than .row.col. */
static bool has_layouts(const struct ptx_insn *insn)
{
	return insn->op != PTXO_MMA || insn->shape.columns == 2 ||
	       (insn->shape.m == 8 && insn->from == PTX_f16);
}

static int check_product(
	struct reader *r, const struct ptx_insn *insn, const struct spelling *s)
{
	const uint8_t types[] = {
		insn->type, insn->from, insn->more[0], insn->more[1]};
	uint32_t i;
	int code = 0;

	if (!has_layouts(insn))
		return reader_refuse(r, &s->place,
			"expected .row.col in '%.*s', rows of A and columns of "
			"B",
			(int)s->all.length, s->all.text);
	for (i = 0; !code && i < 4; i++) {
		const struct part part = {i, ptx_matrix_registers(insn, i),
			insn->from == PTX_f64 ? 8 : 4,
			i % 3 ? kinds_of_factors(insn->op, types[i])
			      : kinds_of_sums(types[i]),
			true};

		code = check_vector(r, insn, s, &part);
	}
	return code;
}

/* The registers, and the distance of rows or columns if it is there. */
static int check_fragment(
	struct reader *r, const struct ptx_insn *insn, const struct spelling *s)
{
	const bool stores = insn->op == PTXO_WMMA_STORE;
	const bool is_sum = stores || insn->op == PTXO_WMMA_LOAD_C;
	const struct part part = {stores, ptx_matrix_registers(insn, 0),
		insn->type == PTX_f64 ? 8 : 4,
		is_sum ? kinds_of_sums(insn->type)
		       : kinds_of_factors(insn->op, insn->type),
		false};
	const struct part distance = {2, 1, 4, "bus", true};
	const int code = check_vector(r, insn, s, &part);

	if (code || insn->operand_count < 3 ||
		(fits_item(r, &distance, &insn->operands[2]) &&
			insn->operands[2].kind != PTX_NOTHING))
		return code;
	return reader_refuse(r, &s->place,
		"expected a whole number of 32 bits as operand 3 of '%.*s'",
		(int)s->all.length, s->all.text);
}

static int check_move(
	struct reader *r, const struct ptx_insn *insn, const struct spelling *s)
{
	const struct part part = {0, 1, 4, "busfHT", false};
	uint32_t i;

	for (i = 0; i < 2; i++)
		if (!fits_item(r, &part, &insn->operands[i]))
			return reader_refuse(r, &s->place,
				"expected a register of 32 bits as operand %u "
				"of '%.*s'",
				i + 1, (int)s->all.length, s->all.text);
	return 0;
}

/* ---- wgmma ---- */

static int refuse_operand(struct reader *r, const struct spelling *s,
	const char *what, uint32_t operand)
{
	return reader_refuse(r, &s->place,
		"expected %s as operand %u of '%.*s'", what, operand + 1,
		(int)s->all.length, s->all.text);
}

static int check_descriptor(struct reader *r, const struct ptx_insn *insn,
	const struct spelling *s, uint32_t i)
{
	const struct ptx_operand *o = &insn->operands[i];
	const struct ptx_type_info *t;

	if (o->kind == PTX_NUMBER && !o->is_float)
		return 0;
	if (o->kind == PTX_REGISTER) {
		t = &ptx_types[r->function->registers[o->index].type];
		if (t->bytes == 8 && strchr("bus", t->kind))
			return 0;
	}
	return refuse_operand(r, s, "a descriptor of 64 bits", i);
}

/* 1 and -1 for the factors of reals, and for those of 16 bits in shared memory
   0 and 1. */
static int check_choices(
	struct reader *r, const struct ptx_insn *insn, const struct spelling *s)
{
	const bool is_whole = insn->type == PTX_s32;
	const bool has_layouts = ptx_types[insn->from].bytes == 2;
	const bool is_register = insn->operands[1].kind == PTX_VECTOR;
	const uint32_t count = 4u + (is_whole ? 0 : 2) +
			       (has_layouts ? is_register ? 1 : 2 : 0);
	uint32_t i;

	if (insn->operand_count != count)
		return reader_refuse(r, &s->place,
			"expected %u operands of '%.*s', not %u", count,
			(int)s->all.length, s->all.text, insn->operand_count);
	for (i = 4; i < count; i++) {
		const struct ptx_operand *o = &insn->operands[i];
		const int64_t value = (int64_t)o->bits;

		if (o->kind != PTX_NUMBER || o->is_float ||
			(i < 6 ? value != 1 && value != -1
			       : value != 0 && value != 1))
			return refuse_operand(
				r, s, i < 6 ? "1 or -1" : "0 or 1", i);
	}
	return 0;
}

static int check_group_product(
	struct reader *r, const struct ptx_insn *insn, const struct spelling *s)
{
	const struct part d = {0, ptx_matrix_registers(insn, 0), 4,
		kinds_of_sums(insn->type), false};
	const struct part a = {1, ptx_matrix_registers(insn, 1), 4,
		kinds_of_factors(insn->op, insn->from), true};
	int code = check_vector(r, insn, s, &d);

	if (!code)
		code = insn->operands[1].kind == PTX_VECTOR
			       ? check_vector(r, insn, s, &a)
			       : check_descriptor(r, insn, s, 1);
	if (!code)
		code = check_descriptor(r, insn, s, 2);
	return code ? code : check_choices(r, insn, s);
}

/* What sm_90a has, and no other. */
static int check_target(struct reader *r, const struct spelling *s)
{
	if (r->module->target_is_exact)
		return 0;
	return reader_refuse(r, &s->place,
		"'%.*s' needs .target sm_90a, the module has sm_%u",
		(int)s->all.length, s->all.text, r->module->target);
}

static int check_count(
	struct reader *r, const struct ptx_insn *insn, const struct spelling *s)
{
	const struct ptx_operand *o = &insn->operands[0];
	const bool is_number = o->kind == PTX_NUMBER && !o->is_float;

	return is_number && (int64_t)o->bits >= 0
		       ? 0
		       : refuse_operand(
				 r, s, "a whole number, 0 or greater,", 0);
}

static int check_group(
	struct reader *r, const struct ptx_insn *insn, const struct spelling *s)
{
	int code = check_target(r, s);

	if (code || insn->op == PTXO_WGMMA_FENCE ||
		insn->op == PTXO_WGMMA_COMMIT)
		return code;
	return insn->op == PTXO_WGMMA ? check_group_product(r, insn, s)
				      : check_count(r, insn, s);
}

/* Of types that are not modelled nobody knows how many registers hold them. */
static bool has_types(const struct ptx_insn *insn)
{
	struct ptx_insn copy = *insn;
	uint32_t i;

	for (i = 0; i < ptx_ops[insn->op].types; i++)
		if (!*reader_place_of_type(&copy, i))
			return false;
	return true;
}

int form_check_matrices(
	struct reader *r, const struct ptx_insn *insn, const struct spelling *s)
{
	const uint8_t num = insn->word[PTX_CLASS_NUM];
	const struct part part = {insn->op == PTXO_STMATRIX,
		num == PTXW_NUM_x4   ? 4
		: num == PTXW_NUM_x2 ? 2
				     : 1,
		4, "busfHT", false};

	if (!has_types(insn))
		return 0;
	switch (insn->op) {
	case PTXO_MMA:
	case PTXO_WMMA_MMA:
		return check_product(r, insn, s);
	case PTXO_WMMA_LOAD_A:
	case PTXO_WMMA_LOAD_B:
	case PTXO_WMMA_LOAD_C:
	case PTXO_WMMA_STORE:
		return check_fragment(r, insn, s);
	case PTXO_LDMATRIX:
	case PTXO_STMATRIX:
		return check_vector(r, insn, s, &part);
	case PTXO_MOVMATRIX:
		return check_move(r, insn, s);
	case PTXO_WGMMA:
	case PTXO_WGMMA_FENCE:
	case PTXO_WGMMA_COMMIT:
	case PTXO_WGMMA_WAIT:
		return check_group(r, insn, s);
	default:
		return 0;
	}
}
