/* Instructions go into their function, with what stands for them there. */
#include "harness/ptx/reader.h"

int reader_add(struct reader *r, const struct ptx_insn *insn)
{
	struct ptx_function *f = r->function;
	int code = reader_grow(r, &f->insns, &f->insn_capacity, f->insn_count,
		sizeof(*f->insns));

	if (!code)
		f->insns[f->insn_count++] = *insn;
	return code;
}

/* What is compared and branched takes a predicate. */
static int add_predicate(struct reader *r, struct ptx_insn *insn)
{
	static const struct ptx_name name = {"", 0};

	insn->second = (struct ptx_operand){.kind = PTX_REGISTER};
	return reader_register(r, &name, PTX_pred, &insn->second.index);
}

/* d, a, c of a barrier with a result has no number of threads. */
static void spread(struct ptx_insn *insn)
{
	if ((insn->op != PTXO_BAR_RED && insn->op != PTXO_BARRIER_RED) ||
		insn->operand_count != 3)
		return;
	insn->operands[3] = insn->operands[2];
	insn->operands[2] = (struct ptx_operand){.kind = PTX_NOTHING};
	insn->operand_count++;
}

/* ---- 128 bits: two of 64 ---- */

/* A number: its sign goes on. */
static int widen(struct reader *r, struct ptx_operand *o)
{
	const struct ptx_operand low = *o;
	struct ptx_operand high = low;
	int code;

	if (o->kind != PTX_NUMBER || o->is_float)
		return 0;
	high.bits = (int64_t)low.bits < 0 ? UINT64_MAX : 0;
	*o = (struct ptx_operand){.kind = PTX_VECTOR,
		.is_whole = true,
		.index = r->function->item_count,
		.count = 2};
	code = reader_item(r, &low);
	return code ? code : reader_item(r, &high);
}

/* What a bulk copy leaves of what was there, as an atomic does. */
static const uint8_t reductions[PTXW_COUNT] = {
	[PTXW_REDUCE_add] = QV_ATOMIC_add,
	[PTXW_REDUCE_min] = QV_ATOMIC_min,
	[PTXW_REDUCE_max] = QV_ATOMIC_max,
	[PTXW_REDUCE_inc] = QV_ATOMIC_inc,
	[PTXW_REDUCE_dec] = QV_ATOMIC_dec,
	[PTXW_REDUCE_and] = QV_ATOMIC_and,
	[PTXW_REDUCE_or] = QV_ATOMIC_or,
	[PTXW_REDUCE_xor] = QV_ATOMIC_xor,
};

/* A generic address of 32 bits, which this one takes, is of shared memory. */
static void find_space(const struct reader *r, struct ptx_insn *insn)
{
	const struct ptx_operand *o = &insn->operands[0];

	if (insn->op == PTXO_CP_ASYNC_ARRIVE && !insn->word[PTX_CLASS_SPACE] &&
		o->kind == PTX_ADDRESS && !o->is_absolute &&
		ptx_types[r->function->registers[o->index].type].bytes == 4)
		insn->word[PTX_CLASS_SPACE] = PTXW_SPACE_shared;
}

int reader_prepare(struct reader *r, struct ptx_insn *insn)
{
	uint32_t i;
	int code = 0;

	spread(insn);
	find_space(r, insn);
	if (insn->op == PTXO_MBARRIER_ARRIVE ||
		insn->op == PTXO_MBARRIER_DROP ||
		insn->op == PTXO_MBARRIER_EXPECT ||
		insn->op == PTXO_MBARRIER_COMPLETE)
		insn->is_cluster = insn->word[PTX_CLASS_SPACE] ==
				   PTXW_SPACE_shared_cluster;
	if (insn->op == PTXO_CP_BULK_REDUCE ||
		insn->op == PTXO_CP_TENSOR_REDUCE || insn->op == PTXO_RED_ASYNC)
		insn->qualifiers[Q_ATOMIC] =
			reductions[insn->word[PTX_CLASS_REDUCE]];
	if (insn->type != PTX_b128 || insn->vector > 1)
		return 0;
	for (i = 0; !code && i + ptx_has_policy(insn) < insn->operand_count;
		i++)
		code = widen(r, &insn->operands[i]);
	if (insn->op == PTXO_MOV)
		return code;
	insn->type = PTX_b64;
	insn->vector = 2;
	insn->qualifiers[Q_TYPE] = QV_TYPE_b64;
	if (insn->op == PTXO_LD || insn->op == PTXO_ST)
		insn->qualifiers[Q_VEC] = QV_VEC_v2;
	return code;
}

/* Half `i` of what a mov of 128 bits has: 64 bits, or two of 32. */
static bool half_of(const struct reader *r, const struct ptx_operand *o,
	uint32_t i, struct ptx_operand *half)
{
	if (o->kind != PTX_VECTOR || (o->count != 2 && o->count != 4))
		return false;
	*half = o->count == 2 ? r->function->items[o->index + i] : *o;
	if (o->count == 4) {
		half->count = 2;
		half->index += 2 * i;
	}
	return true;
}

static int add_halves(struct reader *r, const struct ptx_insn *mov)
{
	struct ptx_insn half = *mov;
	uint32_t i, k;
	int code = 0;

	half.type = PTX_b64;
	for (i = 0; !code && i < 2; i++) {
		for (k = 0; k < 2; k++)
			if (!half_of(
				    r, &mov->operands[k], i, &half.operands[k]))
				return reader_refuse(r, &mov->place,
					"expected registers of 128 bits, or "
					"vectors of two or four");
		if (half.operands[0].kind != PTX_NOTHING)
			code = reader_add(r, &half);
	}
	return code;
}

/* One after the other, through registers of its own: what is read may be
   written by one before. */
static int add_moves(struct reader *r, const struct ptx_insn *mov)
{
	static const struct ptx_name name = {"", 0};
	const struct ptx_operand *to = &mov->operands[0];
	const struct ptx_operand *from = &mov->operands[1];
	struct ptx_insn one = *mov;
	uint32_t i, first = r->function->register_count, index;
	int code = 0;

	one.word[PTX_CLASS_VECTOR] = 0;
	for (i = 0; !code && i < to->count; i++)
		code = reader_register(
			r, &name, (enum ptx_type)mov->type, &index);
	for (i = 0; !code && i < 2 * to->count; i++) {
		const uint32_t k = i % to->count;
		const struct ptx_operand own = {
			.kind = PTX_REGISTER, .index = first + k};
		const struct ptx_operand *item =
			&r->function->items[(i < to->count ? from : to)->index +
					    k];

		if (item->kind == PTX_NOTHING)
			continue;
		one.operands[0] = i < to->count ? own : *item;
		one.operands[1] = i < to->count ? *item : own;
		code = reader_add(r, &one);
	}
	return code;
}

/* With the loads and stores of registers around it. */
static int add_call(struct reader *r, struct ptx_insn *call, uint32_t use)
{
	const uint32_t at = call->operands[0].kind == PTX_VECTOR;
	int code = reader_pass(r, call);

	for (; use < r->use_count; use++)
		r->uses[use].insn = r->function->insn_count;
	if (!code && call->operands[at].kind != PTX_LABEL)
		code = add_predicate(r, call);
	if (!code)
		code = reader_add(r, call);
	if (!code)
		code = reader_return(r, call);
	return code || call->operands[at].kind == PTX_LABEL
		       ? code
		       : reader_check_pointed(r, call);
}

int reader_emit(struct reader *r, struct ptx_insn *insn, uint32_t use)
{
	int code = 0;

	switch (insn->op) {
	case PTXO_CALL:
		return add_call(r, insn, use);
	case PTXO_RET:
		code = reader_leave(r, insn);
		break;
	case PTXO_BRX:
		code = add_predicate(r, insn);
		break;
	case PTXO_MOV:
		if (insn->type == PTX_b128)
			return add_halves(r, insn);
		if (insn->word[PTX_CLASS_VECTOR])
			return add_moves(r, insn);
		break;
	default:
		break;
	}
	return code ? code : reader_add(r, insn);
}
