/* The code of a kernel, instruction by instruction. */
#include <stdlib.h>
#include <string.h>

#include "backend_sim/code/decode.h"
#include "backend_sim/flow/effect.h"
#include "backend_sim/rules/constants.h"

static bool is_predicate(const struct ptx_insn *insn)
{
	return insn->type == PTX_pred;
}

/* The result of a barrier and the predicate that it is of. */
static int decode_told(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_operand *p = &insn->operands[3];
	const uint8_t reduce = insn->word[PTX_CLASS_REDUCE];
	const bool counts = reduce == PTXW_REDUCE_popc;
	int code;

	if ((!counts && reduce != PTXW_REDUCE_and &&
		    reduce != PTXW_REDUCE_or) ||
		counts == (insn->type == PTX_pred))
		return flat_refuse(d->flat, insn, d->error,
			"expected .popc.u32, .and.pred or .or.pred");
	code = bind_operand(d, flat, &insn->operands[0], insn->type, &c->d);

	bind_write(c, &c->d);
	c->p_negated = p->negated;
	if (!code)
		code = p->kind == PTX_NUMBER
			       ? bind_constant(d, p->bits ? UINT32_MAX : 0,
					 false, &c->p)
			       : bind_operand(d, flat, p, PTX_pred, &c->p);
	bind_wait(c, &c->p);
	return code;
}

/* Which operands say the barrier, the threads and the predicate. */
static int decode_barrier(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const uint32_t first =
		insn->op == PTXO_BAR_RED || insn->op == PTXO_BARRIER_RED;
	const struct ptx_operand *o = &insn->operands[first];
	int code = 0;

	c->kind = CODE_BARRIER;
	c->is_reduction = first;
	c->only_arrives =
		insn->op == PTXO_BAR_ARRIVE || insn->op == PTXO_BARRIER_ARRIVE;
	if (o->kind == PTX_NUMBER && o->bits > 15)
		return flat_refuse(d->flat, insn, d->error,
			"expected the number of a barrier, 0 to 15");
	c->count = o->kind == PTX_NUMBER ? (uint8_t)o->bits : 16;
	if (c->count == 16)
		code = bind_operand(d, flat, o, PTX_u32, &c->s[1]);
	c->has_base = insn->operand_count > first + 1 &&
		      o[1].kind != PTX_NOTHING; /* threads, in s[0] */
	if (!code && c->has_base)
		code = bind_operand(d, flat, &o[1], PTX_u32, &c->s[0]);
	bind_wait(c, &c->s[0]);
	bind_wait(c, &c->s[1]);
	if (!code && first)
		code = decode_told(d, flat, c);
	return code ? code : decode_widths(d, flat);
}

/* ---- control ---- */

static int decode_control(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct graph_block *block;

	if (flat->insn->op != PTXO_BRA && !flat->is_return) {
		c->kind = flat->insn->op == PTXO_TRAP ? CODE_TRAP : CODE_EXIT;
		return 0;
	}
	c->kind = CODE_BRANCH;
	c->target = flat->target;
	block = &d->graph->blocks[d->graph->block_of[flat - d->flat->insns]];
	c->reconverge = block->meets == NO_BLOCK
				? d->flat->count
				: d->graph->blocks[block->meets].first;
	if (flat->insn->access)
		c->latency_cycles += CALL_CYCLES;
	if (flat->is_return) {
		c->slots = 0;
		c->pipe = PIPE_NONE;
	}
	return 0;
}

static int decode_sleep(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	int code = bind_operand(
		d, flat, &flat->insn->operands[0], PTX_u32, &c->s[0]);

	c->kind = CODE_SLEEP;
	return code ? code : decode_widths(d, flat);
}

/* ---- functions that the driver has: where a thread's local memory holds what
   they take and return ---- */

static uint32_t place_of(const struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o)
{
	bool is_launch;

	return (uint32_t)(d->code->frame +
			  bind_variable(d, flat, o->index, &is_launch));
}

/* Parameter i in rows[i], of 4 bytes where bit i of `bytes` is set; what is
   returned in `d`, if has_base. */
static int decode_print(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_function *within =
		d->flat->instances[flat->instance].function;
	const struct ptx_operand *name = flat_callee(insn);
	const struct ptx_operand *taken = name + 1;
	const struct ptx_function *callee =
		&d->flat->module->functions[name->index];
	uint32_t i;

	c->kind = CODE_PRINT;
	c->count = insn->from;
	c->bytes = 0;
	c->has_base = name > insn->operands && insn->operands[0].count == 1;
	if (c->has_base)
		c->d.offset = place_of(
			d, flat, &within->items[insn->operands[0].index]);
	if (name + 1 >= insn->operands + insn->operand_count ||
		taken->count != callee->parameter_count)
		return flat_refuse(d->flat, insn, d->error,
			"expected %u parameters of '%.*s'",
			callee->parameter_count, (int)callee->name.length,
			callee->name.text);
	for (i = 0; i < taken->count; i++) {
		const struct ptx_operand *o = &within->items[taken->index + i];
		const uint64_t bytes =
			o->kind == PTX_VARIABLE
				? d->flat->module->variables[o->index].bytes
				: 0;

		if (bytes != 4 && bytes != 8)
			return flat_refuse(d->flat, insn, d->error,
				"expected parameters of 4 or 8 bytes");
		c->rows[i].offset = place_of(d, flat, o);
		c->bytes |= (uint8_t)((bytes == 4) << i);
	}
	return 0;
}

/* What warps or threads wait at, and all that makes a value. */
static int decode_waiting(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	switch (flat->insn->op) {
	case PTXO_BAR:
	case PTXO_BAR_ARRIVE:
	case PTXO_BAR_RED:
	case PTXO_BARRIER:
	case PTXO_BARRIER_ARRIVE:
	case PTXO_BARRIER_RED:
		return decode_barrier(d, flat, c);
	case PTXO_BAR_WARP:
		return decode_bar_warp(d, flat, c);
	case PTXO_FENCE:
	case PTXO_MEMBAR:
		c->kind = CODE_FENCE;
		return 0;
	case PTXO_NANOSLEEP:
		return decode_sleep(d, flat, c);
	case PTXO_MAPA:
	case PTXO_GETCTARANK:
	case PTXO_CLUSTER_ARRIVE:
	case PTXO_CLUSTER_WAIT:
	case PTXO_GRIDDEP_WAIT:
	case PTXO_GRIDDEP_LAUNCH:
	case PTXO_REGISTERS_INC:
	case PTXO_REGISTERS_DEC:
		return decode_cluster(d, flat, c);
	default:
		return flat->insn->op >= PTXO_MBARRIER_INIT &&
				       flat->insn->op <= PTXO_FENCE_MBARRIER
			       ? decode_async(d, flat, c)
			       : decode_value(d, flat, c);
	}
}

/* Boxes of tensors and matrices. */
static int decode_boxes(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	switch (flat->insn->op) {
	case PTXO_CP_TENSOR:
	case PTXO_CP_TENSOR_REDUCE:
	case PTXO_CP_TENSOR_PREFETCH:
	case PTXO_MAP_PREFETCH:
	case PTXO_MAP_PREFETCH_PARAM:
	case PTXO_MAP_PREFETCH_CONST:
	case PTXO_MAP_REPLACE:
	case PTXO_MAP_COPY:
		return decode_tensor(d, flat, c);
	case PTXO_MMA:
	case PTXO_WMMA_MMA:
	case PTXO_MOVMATRIX:
		return decode_matrix(d, flat, c);
	case PTXO_WGMMA:
	case PTXO_WGMMA_FENCE:
	case PTXO_WGMMA_COMMIT:
	case PTXO_WGMMA_WAIT:
		return decode_group_product(d, flat, c);
	case PTXO_WMMA_LOAD_A:
	case PTXO_WMMA_LOAD_B:
	case PTXO_WMMA_LOAD_C:
	case PTXO_WMMA_STORE:
		return decode_fragment(d, flat, c);
	case PTXO_LDMATRIX:
	case PTXO_STMATRIX:
		return decode_tiles(d, flat, c);
	default:
		return decode_waiting(d, flat, c);
	}
}

static int decode_operation(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;

	switch (insn->op) {
	case PTXO_BRA:
	case PTXO_RET:
	case PTXO_EXIT:
	case PTXO_TRAP:
		return decode_control(d, flat, c);
	case PTXO_MOV:
		if (!is_predicate(insn))
			return decode_mov(d, flat, c);
		return decode_predicate(d, flat, c);
	case PTXO_AND:
	case PTXO_OR:
	case PTXO_XOR:
	case PTXO_NOT:
		return is_predicate(insn) ? decode_predicate(d, flat, c)
					  : decode_value(d, flat, c);
	case PTXO_CALL:
		return insn->from >= FLAT_ENTER ? decode_call(d, flat, c)
						: decode_print(d, flat, c);
	case PTXO_CVTA:
		return decode_cvta(d, flat, c);
	case PTXO_SHFL:
	case PTXO_VOTE:
	case PTXO_ACTIVEMASK:
	case PTXO_MATCH:
	case PTXO_REDUX:
	case PTXO_ELECT:
	case PTXO_ISSPACEP:
		return decode_warp(d, flat, c);
	case PTXO_LD:
	case PTXO_ST:
	case PTXO_ATOM:
	case PTXO_RED:
	case PTXO_PREFETCH:
	case PTXO_PREFETCHU:
	case PTXO_DISCARD:
	case PTXO_APPLYPRIORITY:
		return decode_memory(d, flat, c);
	case PTXO_CREATEPOLICY_FRACTIONAL:
	case PTXO_CREATEPOLICY_RANGE:
	case PTXO_CREATEPOLICY_CVT:
		return decode_policy(d, flat, c);
	case PTXO_CP_ASYNC:
		return decode_copy(d, flat, c);
	default:
		return decode_boxes(d, flat, c);
	}
}

static int decode_insn(struct decoder *d, uint32_t index)
{
	const struct flat_insn *flat = &d->flat->insns[index];
	struct code_insn *c = &d->code->insns[index];
	uint32_t i;

	*c = (struct code_insn){.insn = flat->insn, .reconverge = UINT32_MAX};
	c->guard.slot = c->d.slot = c->e.slot = c->p.slot = NO_SLOT;
	c->d.is_constant = c->e.is_constant = c->p.is_constant = true;
	for (i = 0; i < 4; i++)
		c->s[i] = (struct row){.slot = NO_SLOT, .is_constant = true};
	timing_of(flat->insn, c);
	if (flat->spare) {
		c->pipe = PIPE_NONE;
		c->slots = 0;
	}
	if (flat->is_half) {
		c->slots /= 2;
		c->pipe_cycles /= 2;
	}
	c->gathered = flat->gathered;
	c->idle = flat->idle;
	c->is_told = flat->is_told;
	c->rewrites = flat->rewrites && !flat->spare;
	c->gathers = effect_waits(flat->insn);
	if (c->gathered)
		c->slots +=
			GATHER_SLOTS +
			(flat->insn->op == PTXO_ATOM ? GATHER_RESULT_SLOTS : 0);
	if (flat->insn->guarded) {
		c->guarded = true;
		c->guard_negated = flat->insn->guard_negated;
		c->guard = d->live->rows[flat_register(
			d->flat, flat->instance, flat->insn->guard)];
		bind_wait(c, &c->guard);
	}
	return decode_operation(d, flat, c);
}

int decode(struct decoder *d)
{
	struct code *code = d->code;
	uint32_t i;
	int status = 0;

	code->insns = calloc(d->flat->count + 1, sizeof(*code->insns));
	if (!code->insns)
		return error_set(d->error, ERR_FAILED, "out of memory");
	code->count = d->flat->count;
	code->slot_count = d->live->slot_count;
	code->register_bytes = (d->live->bytes + 255) & ~255u;
	code->registers = d->live->registers;
	code->shared_bytes = d->flat->shared_bytes;
	code->frame = (d->flat->local_bytes + 15) & ~UINT64_C(15);
	code->local_bytes = code->frame + d->flat->frame_bytes;
	for (i = 0; !status && i < d->flat->count; i++)
		status = decode_insn(d, i);
	return status;
}

void code_free(struct code *code)
{
	free(code->insns);
	free(code->constants);
	free(code->fragments);
	free(code->homes);
	free(code->moved);
	free(code->kept);
	free(code->made);
	flat_free_made(code->assembled);
	*code = (struct code){0};
}
