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

/* With the loads and stores of registers around it. */
static int add_call(struct reader *r, struct ptx_insn *call, uint32_t use)
{
	int code = reader_pass(r, call);

	for (; use < r->use_count; use++)
		r->uses[use].insn = r->function->insn_count;
	if (!code && call->operands[call->operand_count > 1].kind != PTX_LABEL)
		code = add_predicate(r, call);
	if (!code)
		code = reader_add(r, call);
	return code ? code : reader_return(r, call);
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
	default:
		break;
	}
	return code ? code : reader_add(r, insn);
}
