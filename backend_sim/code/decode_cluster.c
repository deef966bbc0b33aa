/* What belongs to clusters, to dependent launches, and to registers that warps
   give each other. */
#include "backend_sim/code/decode.h"

/* Addresses of 32 bits are of .shared::cluster alone; those of variables, too.
 */
static int decode_mapped(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;

	if (insn->word[PTX_CLASS_SPACE])
		return decode_value(d, flat, c);
	if (ptx_types[insn->type].bytes < 8)
		return flat_refuse(d->flat, insn, d->error,
			"addresses of 32 bits are not modelled");
	if (insn->operands[1].kind == PTX_VARIABLE)
		return flat_refuse(d->flat, insn, d->error,
			"the address of a variable without .shared::cluster is "
			"not modelled");
	return decode_value(d, flat, c);
}

int decode_cluster(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	switch (flat->insn->op) {
	case PTXO_MAPA:
	case PTXO_GETCTARANK:
		return decode_mapped(d, flat, c);
	case PTXO_CLUSTER_ARRIVE:
	case PTXO_CLUSTER_WAIT:
		c->kind = CODE_CLUSTER;
		c->only_arrives = flat->insn->op == PTXO_CLUSTER_ARRIVE;
		return 0;
	case PTXO_REGISTERS_INC:
	case PTXO_REGISTERS_DEC:
		c->kind = CODE_REGISTERS;
		c->offset = flat->insn->operands[0].bits;
		return 0;
	default:
		c->kind = CODE_DEPENDENT;
		return 0;
	}
}
