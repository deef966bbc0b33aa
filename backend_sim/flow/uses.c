#include <string.h>

#include "backend_sim/flow/uses.h"

static void add(const struct flat *f, uint32_t instance,
	const struct ptx_operand *o, uint32_t *list, uint32_t *count)
{
	const struct ptx_function *fn = f->instances[instance].function;
	uint32_t i;

	if ((o->kind == PTX_REGISTER ||
		    (o->kind == PTX_ADDRESS && !o->is_absolute)) &&
		*count < USES_MAX)
		list[(*count)++] = flat_register(f, instance, o->index);
	for (i = 0; o->kind == PTX_VECTOR && i < o->count; i++)
		add(f, instance, &fn->items[o->index + i], list, count);
}

void uses_of(const struct flat *f, uint32_t index, struct uses *u)
{
	const struct flat_insn *flat = &f->insns[index];
	const struct ptx_insn *insn = flat->insn;
	const char *letter = ptx_ops[insn->op].operands;
	uint32_t i;

	u->read_count = u->write_count = 0;
	u->partial = insn->guarded && !flat->stays;
	if (insn->guarded)
		u->reads[u->read_count++] =
			flat_register(f, flat->instance, insn->guard);
	/* Of a call there are more operands than letters. */
	for (i = 0; i < insn->operand_count; i++, letter += *letter != 0) {
		bool writes;

		letter += *letter == '?';
		writes = *letter && strchr(PTX_WRITTEN, *letter);
		add(f, flat->instance, &insn->operands[i],
			writes ? u->writes : u->reads,
			writes ? &u->write_count : &u->read_count);
		if (writes && strchr(PTX_READ_WRITTEN, *letter))
			add(f, flat->instance, &insn->operands[i], u->reads,
				&u->read_count);
	}
	add(f, flat->instance, &insn->second, u->writes, &u->write_count);
}
