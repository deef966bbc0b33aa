/* Policies: what createpolicy leaves in a register. */
#include "backend_sim/values/value.h"
#include "harness/program/policy.h"

static uint64_t of_fraction(const struct value *v, float fraction)
{
	const uint8_t *q = v->insn->qualifiers;

	return policy_of_fraction(q[Q_L2], q[Q_SECONDARY], fraction);
}

static uint64_t of_range(const struct value *v, uint64_t address,
	uint32_t primary_bytes, uint32_t total_bytes)
{
	const uint8_t *q = v->insn->qualifiers;

	return policy_of_range(
		q[Q_L2], q[Q_SECONDARY], address, primary_bytes, total_bytes);
}

/* What is added to the register that an address has; a row without one has the
   sum. */
static uint64_t beside(const struct value *v)
{
	const struct ptx_operand *o = &v->insn->operands[1];

	return o->kind == PTX_ADDRESS && !o->is_absolute ? o->bits : 0;
}

VALUE64(fractional, of_fraction(v, IN_f32(0)))
VALUE64(range, of_range(v, IN_u64(0) + beside(v), IN_u32(1), IN_u32(2)))
VALUE64(convert, IN_u64(0))

value_fn value_policy(const struct ptx_insn *insn)
{
	switch (insn->op) {
	case PTXO_CREATEPOLICY_FRACTIONAL:
		return fractional;
	case PTXO_CREATEPOLICY_RANGE:
		return range;
	case PTXO_CREATEPOLICY_CVT:
		return convert;
	default:
		return NULL;
	}
}
