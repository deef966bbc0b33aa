/* Calls of functions by themselves. */
#include <stdlib.h>

#include "backend_sim/code/decode.h"
#include "backend_sim/flow/liveness.h"
#include "backend_sim/flow/recur.h"

/* What calls keep: each row that registers have. */
static int make_kept(struct decoder *d)
{
	static const uint8_t bytes[] = {0, 4, 8};
	struct code *code = d->code;
	uint32_t i;

	code->kept = calloc(d->live->slot_count + 1, sizeof(*code->kept));
	if (!code->kept)
		return error_set(d->error, ERR_FAILED, "out of memory");
	code->kept_count = d->live->slot_count;
	for (i = 0; i < d->flat->register_count; i++) {
		const struct row *row = &d->live->rows[i];

		if (row->slot < code->kept_count)
			code->kept[row->slot] = (struct code_kept){row->offset,
				bytes[liveness_kind(d->flat->types[i])]};
	}
	return 0;
}

static int add_moved(struct decoder *d, const struct flat_insn *flat,
	uint32_t from_instance, uint32_t from, uint32_t to_instance,
	uint32_t to)
{
	struct code *code = d->code;
	struct code_moved *moved = realloc(
		code->moved, (code->moved_count + 1) * sizeof(*code->moved));
	bool from_launch, to_launch;

	if (!moved)
		return error_set(d->error, ERR_FAILED, "out of memory");
	code->moved = moved;
	moved[code->moved_count++] = (struct code_moved){
		(uint32_t)(code->frame + flat_place(d->flat, from_instance,
						 from, &from_launch)),
		(uint32_t)(code->frame +
			   flat_place(d->flat, to_instance, to, &to_launch)),
		(uint32_t)d->flat->module->variables[from].bytes};
	if (!from_launch && !to_launch)
		return 0;
	return flat_refuse(d->flat, flat->insn, d->error,
		"a call that passes a parameter of the launch in its place is "
		"not modelled");
}

int decode_call(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct flat_site *site =
		&d->flat->sites[flat->insn->operands[0].bits];
	const struct ptx_function *fn = d->flat->instances[site->root].function;
	const bool leaves = flat->insn->from == FLAT_LEAVE;
	const uint32_t count = leaves ? fn->return_count : fn->parameter_count;
	uint32_t i;
	int code = d->code->kept ? 0 : make_kept(d);

	c->kind = CODE_CALL;
	c->count = flat->insn->from;
	c->offset = flat->insn->operands[0].bits;
	c->fragments = d->code->moved_count;
	c->tensor = count;
	for (i = 0; !code && i < count; i++) {
		const uint32_t its =
			recur_passed(d->flat, site, leaves, i)->index;

		code = leaves ? add_moved(d, flat, site->root,
					fn->return_first + i, site->caller, its)
			      : add_moved(d, flat, site->caller, its,
					site->root, fn->parameter_first + i);
	}
	c->p = d->live->rows[flat_register(
		d->flat, flat->instance, flat->insn->second.index)];
	bind_write(c, &c->p);
	return code;
}
