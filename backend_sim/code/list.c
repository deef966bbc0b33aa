/* The tables of operations and of timing, row by row, for people. */
#include <stdio.h>
#include <string.h>

#include "backend_sim/code/decode.h"
#include "backend_sim/code/code.h"
#include "harness/program/qualifiers.h"

static const struct {
	const char *name, *what;
} pipes[] = {
	[PIPE_NONE] = {"none", "nothing is left of it after the assembler"},
	[PIPE_ALU] = {"alu", "comparisons, logic, shifts"},
	[PIPE_HEAVY] = {"fma-heavy", "the one of two that multiplies integers"},
	[PIPE_LITE] = {"fma-lite", "the one of two for f32 alone"},
	[PIPE_F64] = {"fp64", "f64"},
	[PIPE_SPECIAL] = {"special", "roots, sines, conversions, bit counts"},
	[PIPE_CONTROL] = {"control", "branches, barriers, fences"},
	[PIPE_TENSOR] = {"tensor", "products of matrices"},
	[PIPE_MEMORY] = {"load/store", "of the whole SM; memory adds its own"},
	[PIPE_FMA] = {"fma", "fma-heavy or fma-lite, which is free first"},
	[PIPE_QUEUE] = {"queue",
		"the load/store unit's, while the warp goes on"},
	[PIPE_SUM] = {"alu/fma-heavy", "alu or fma-heavy, which is free first"},
};

/* Modifiers that change what a real number's operation costs. */
static const struct form {
	const char *text;
	uint8_t round, approx, ftz;
} forms[] = {
	{"", 0, 0, 0},
	{".rn", PTXW_ROUND_rn, 0, 0},
	{".approx", 0, PTXW_APPROX_approx, 0},
	{".approx.ftz", 0, PTXW_APPROX_approx, PTXW_FTZ_ftz},
};

#define FORM_COUNT (sizeof(forms) / sizeof(*forms))

static bool takes(uint8_t op, enum ptx_class class)
{
	return ptx_ops[op].classes >> class & 1;
}

/* An operation that approximates has either a rounding or `.approx`; of f64
   only where it has no rounding. */
static bool form_exists(uint8_t op, uint8_t type, const struct form *form)
{
	const bool rounds = takes(op, PTX_CLASS_ROUND);

	if (!takes(op, PTX_CLASS_APPROX) || ptx_types[type].kind != 'f')
		return form == forms;
	if (!form->approx)
		return form->round && rounds;
	if (form->ftz)
		return takes(op, PTX_CLASS_FTZ) && type == PTX_f32;
	return type == PTX_f32 || !rounds;
}

/* ---- which types an operation has ---- */

static bool memory_takes(uint8_t op, uint8_t type)
{
	unsigned value, access;

	for (access = 0; access < OP_COUNT; access++)
		if (op_names[access] &&
			!strcmp(op_names[access], ptx_ops[op].text))
			break;
	for (value = 1; access < OP_COUNT && value < QV_COUNT; value++)
		if (qualifiers[value].class == Q_TYPE &&
			qualifiers[value].ops >> access & 1 &&
			!strcmp(qualifiers[value].text, ptx_types[type].name))
			return true;
	return false;
}

static bool multiplies(uint8_t op)
{
	return op == PTXO_MMA || op == PTXO_WMMA_MMA || op == PTXO_WGMMA;
}

/* Sums have types of their own, by which a product is not listed. */
static bool is_of_sums(uint8_t op, uint8_t type)
{
	return multiplies(op) && (type == PTX_f32 || type == PTX_s32);
}

static bool has_type(uint8_t op, uint8_t type)
{
	if (type == PTX_UNTYPED || is_of_sums(op, type))
		return false;
	if (ptx_ops[op].memory)
		return memory_takes(op, type);
	return ptx_takes_kind(ptx_ops[op].kinds, type);
}

/* tf32 is made of f32, two reals of 8 bits of f32 or f16x2, which is made of
   them. */
static bool small_converts(uint8_t to, uint8_t from)
{
	if (to == PTX_tf32)
		return from == PTX_f32;
	if (ptx_types[to].kind == 'e')
		return from == PTX_f32 || from == PTX_f16x2;
	return ptx_types[from].kind == 'e' && to == PTX_f16x2;
}

/* Bits have no value that could be converted; a pair of narrow reals is made of
   f32 alone; bf16 and integers of a byte have no conversion; the same type is a
   rounding to whole numbers. */
static bool converts(uint8_t to, uint8_t from)
{
	const struct ptx_type_info *t = &ptx_types[to], *f = &ptx_types[from];

	if (!ptx_is_plain(to) || !ptx_is_plain(from))
		return small_converts(to, from);
	if (!has_type(PTXO_CVT, to) || !has_type(PTXO_CVT, from) ||
		t->kind == 'b' || f->kind == 'b' || ptx_is_pair(from))
		return false;
	if (ptx_is_pair(to))
		return from == PTX_f32;
	if ((to == PTX_bf16 && f->bytes == 1) ||
		(from == PTX_bf16 && t->bytes == 1))
		return false;
	return to != from || f->kind == 'f' || f->kind == 'h' || f->kind == 't';
}

/* ---- rows ---- */

/* The instructions of a row cost the same. */
static void fill(struct model_instruction *row, const struct ptx_insn *insn)
{
	struct code_insn c = {0};

	row->sm = ptx_ops[insn->op].sm;
	if (insn->op == PTXO_CALL) {
		row->pipe = pipes[PIPE_NONE].name;
		row->note = "the function's body stands in its place";
		return;
	}
	timing_of(insn, &c);
	row->pipe = pipes[c.pipe].name;
	row->note = c.time_assumed ? "its time is not fitted yet"
				   : pipes[c.pipe].what;
	row->slots = c.slots;
	row->pipe_cycles = c.pipe_cycles;
	row->latency_cycles = c.latency_cycles;
}

static bool costs_the_same(
	const struct model_instruction *a, const struct model_instruction *b)
{
	return a->pipe == b->pipe && a->slots == b->slots &&
	       a->pipe_cycles == b->pipe_cycles &&
	       a->latency_cycles == b->latency_cycles &&
	       !strcmp(a->operation, b->operation);
}

/* Into the row from `first` on that costs the same, or one of its own. */
static int add(struct model_instructions *list, size_t first,
	const struct model_instruction *row, uint8_t type)
{
	struct model_instruction *to = NULL;
	size_t i, used;

	for (i = first; i < list->count && !to; i++)
		if (costs_the_same(&list->items[i], row))
			to = &list->items[i];
	if (!to) {
		if (model_instructions_add(list, row))
			return ERR_FAILED;
		to = &list->items[list->count - 1];
	}
	used = strlen(to->types);
	snprintf(to->types + used, sizeof(to->types) - used, "%s%s",
		used ? " " : "", ptx_types[type].name);
	return 0;
}

static int list_conversions(struct model_instructions *list)
{
	const size_t first = list->count;
	unsigned to, from;

	for (to = 1; to < PTX_TYPE_COUNT; to++)
		for (from = 1; from < PTX_TYPE_COUNT; from++) {
			const struct ptx_insn insn = {.op = PTXO_CVT,
				.type = (uint8_t)to,
				.from = (uint8_t)from};
			struct model_instruction row = {0};

			if (!converts((uint8_t)to, (uint8_t)from))
				continue;
			snprintf(row.operation, sizeof(row.operation), "cvt.%s",
				ptx_types[to].name);
			fill(&row, &insn);
			if (add(list, first, &row, (uint8_t)from))
				return ERR_FAILED;
		}
	return 0;
}

/* Its types that the form has. */
static int list_form(
	struct model_instructions *list, uint8_t op, const struct form *form)
{
	const size_t first = list->count;
	unsigned type;

	for (type = 0; type < PTX_TYPE_COUNT; type++) {
		struct ptx_insn insn = {.op = op,
			.type = (uint8_t)type,
			.from = multiplies(op) ? (uint8_t)type : 0};
		struct model_instruction row = {0};

		if (!has_type(op, insn.type) ||
			!form_exists(op, insn.type, form))
			continue;
		insn.word[PTX_CLASS_ROUND] = form->round;
		insn.word[PTX_CLASS_APPROX] = form->approx;
		insn.word[PTX_CLASS_FTZ] = form->ftz;
		snprintf(row.operation, sizeof(row.operation), "%s%s",
			ptx_ops[op].text, form->text);
		fill(&row, &insn);
		if (add(list, first, &row, insn.type))
			return ERR_FAILED;
	}
	return 0;
}

static int list_untyped(
	struct model_instructions *list, uint8_t op, const char *name)
{
	const struct ptx_insn insn = {.op = op};
	struct model_instruction row = {0};

	snprintf(row.operation, sizeof(row.operation), "%s", name);
	fill(&row, &insn);
	return model_instructions_add(list, &row);
}

static int list_op(struct model_instructions *list, uint8_t op)
{
	const size_t before = list->count;
	size_t i;

	if (op == PTXO_CVT)
		return list_conversions(list);
	for (i = 0; i < FORM_COUNT; i++)
		if (list_form(list, op, &forms[i]))
			return ERR_FAILED;
	return list->count == before ? list_untyped(list, op, ptx_ops[op].text)
				     : 0;
}

/* Operations of PTX that are words of another one, or another name of it. */
static const struct {
	const char *name;
	uint8_t op;
} names[] = {
	{"ldu", PTXO_LD},
	{"cp.async.commit_group", PTXO_CP_ASYNC},
	{"cp.async.wait_group", PTXO_CP_ASYNC},
	{"cp.async.wait_all", PTXO_CP_ASYNC},
};

static int list_names(struct model_instructions *list)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (list_untyped(list, names[i].op, names[i].name))
			return ERR_FAILED;
	return 0;
}

static int list_refusals(struct model_instructions *list)
{
	const struct ptx_refusal *r;

	for (r = ptx_refusals; r->text; r++) {
		struct model_instruction row = {.sm = r->sm, .note = r->reason};

		snprintf(row.operation, sizeof(row.operation), "%s", r->text);
		if (model_instructions_add(list, &row))
			return ERR_FAILED;
	}
	return 0;
}

int code_list(struct model_instructions *list, struct error *error)
{
	uint8_t op;
	int code = 0;

	for (op = 0; !code && op < PTXO_COUNT; op++)
		if (!ptx_ops[op].reason)
			code = list_op(list, op);
	if (!code)
		code = list_names(list);
	if (!code)
		code = list_refusals(list);
	return code ? error_set(error, ERR_FAILED, "out of memory") : 0;
}
