/* Calls of what registers hold, and branches through tables. */
#include "backend_sim/flow/dispatch.h"

#define DISPATCH_MAX 256u

/* ---- instructions that no text has ---- */

static struct ptx_insn made_like(const struct ptx_insn *like, uint8_t op)
{
	return (struct ptx_insn){
		.op = op,
		.vector = 1,
		.place = like->place,
		.source_file = like->source_file,
		.source_line = like->source_line,
	};
}

static int emit(struct flat *f, const struct ptx_insn *insn, uint32_t instance,
	struct error *error)
{
	const struct ptx_insn *made = flat_make_insn(f, insn);

	return made ? flat_emit(f, made, instance, error)
		    : error_set(error, ERR_FAILED, "out of memory");
}

/* The predicate: `a` compared with `b`. */
static int emit_comparison(struct flat *f, const struct ptx_insn *like,
	uint32_t instance, uint8_t compare, uint8_t type,
	const struct ptx_operand *b, struct error *error)
{
	struct ptx_insn insn = made_like(like, PTXO_SETP);
	const struct ptx_operand *a = like->operands;

	if (a->kind == PTX_VECTOR)
		a++;
	insn.type = type;
	insn.word[PTX_CLASS_COMPARE] = compare;
	insn.operand_count = 3;
	insn.operands[0] = like->second;
	insn.operands[1] = *a;
	insn.operands[2] = *b;
	return emit(f, &insn, instance, error);
}

int dispatch_branch(struct flat *f, const struct ptx_insn *like,
	uint32_t instance, uint32_t predicate, bool negated, uint32_t *at,
	struct error *error)
{
	struct ptx_insn insn = made_like(like, PTXO_BRA);

	insn.operand_count = 1;
	insn.guarded = predicate != UINT32_MAX;
	insn.guard = insn.guarded ? predicate : 0;
	insn.guard_negated = negated;
	insn.access = !insn.guarded;
	*at = f->count;
	return emit(f, &insn, instance, error);
}

int dispatch_trap(struct flat *f, const struct ptx_insn *like,
	uint32_t instance, enum flat_trap why, struct error *error)
{
	struct ptx_insn insn = made_like(like, PTXO_TRAP);

	insn.access = (uint8_t)why;
	return emit(f, &insn, instance, error);
}

/* Lanes without the guard go by: `*at` is the branch, if there is one. */
static int emit_guard(struct flat *f, const struct ptx_insn *like,
	uint32_t instance, uint32_t *at, struct error *error)
{
	*at = UINT32_MAX;
	return like->guarded ? dispatch_branch(f, like, instance, like->guard,
				       !like->guard_negated, at, error)
			     : 0;
}

static void go_here(struct flat *f, uint32_t branch)
{
	if (branch != UINT32_MAX)
		f->insns[branch].target = f->count;
}

/* ---- calls ---- */

static const struct ptx_operand *called(const struct ptx_insn *call)
{
	return &call->operands[call->operands[0].kind == PTX_VECTOR];
}

static uint64_t bytes_of(const struct ptx_module *m,
	const struct ptx_function *caller, const struct ptx_operand *list,
	uint32_t i)
{
	const struct ptx_operand *o = &caller->items[list->index + i];

	return o->kind == PTX_VARIABLE ? m->variables[o->index].bytes : 0;
}

/* Whether a list of the call has as many bytes as the function's variables. */
static bool fits_list(const struct ptx_module *m,
	const struct ptx_function *caller, const struct ptx_operand *list,
	uint32_t first, uint32_t count)
{
	uint32_t i;

	if ((list ? list->count : 0u) != count)
		return false;
	for (i = 0; i < count; i++)
		if (bytes_of(m, caller, list, i) !=
			m->variables[first + i].bytes)
			return false;
	return true;
}

static bool fits(const struct flat *f, const struct ptx_insn *call,
	const struct ptx_function *caller, const struct ptx_function *callee)
{
	const struct ptx_operand *name = called(call), *taken = name + 1;
	const struct ptx_operand *returned =
		name == call->operands ? NULL : call->operands;

	if (taken->kind != PTX_VECTOR || ptx_is_targets(caller, taken))
		taken = NULL;
	return !callee->is_entry && callee->has_body &&
	       fits_list(f->module, caller, returned, callee->return_first,
		       callee->return_count) &&
	       fits_list(f->module, caller, taken, callee->parameter_first,
		       callee->parameter_count);
}

/* What the register holds is compared with the function's address. */
static int emit_candidate(struct flat *f, const struct ptx_insn *call,
	uint32_t caller, unsigned depth, uint32_t function, uint32_t *end,
	struct error *error)
{
	const struct ptx_operand address = {
		.kind = PTX_FUNCTION, .index = function};
	struct ptx_insn direct = *call;
	const struct ptx_insn *made;
	uint32_t other = 0;
	int code = emit_comparison(
		f, call, caller, PTXW_COMPARE_ne, PTX_u64, &address, error);

	if (!code)
		code = dispatch_branch(f, call, caller, call->second.index,
			false, &other, error);
	direct.operands[called(call) - call->operands] = address;
	direct.guarded = false;
	made = flat_make_insn(f, &direct);
	if (!made)
		return error_set(error, ERR_FAILED, "out of memory");
	if (!code)
		code = flat_call(f, made, caller, depth, error);
	if (!code)
		code = dispatch_branch(
			f, call, caller, UINT32_MAX, false, end, error);
	if (!code)
		go_here(f, other);
	return code;
}

/* The `i`th function that the call may be of; NULL: there are no more. `*fit`:
   whether it is one, in fact. */
static bool candidate(const struct flat *f, const struct ptx_insn *call,
	const struct ptx_function *caller, uint32_t i, uint32_t *function)
{
	const struct ptx_operand *last =
		&call->operands[call->operand_count - 1];
	const struct ptx_module *m = f->module;

	if (ptx_is_targets(caller, last)) {
		*function = i < last->count
				    ? caller->items[last->index + i].index
				    : UINT32_MAX;
		return i < last->count;
	}
	*function = i < m->function_count ? i : UINT32_MAX;
	return i < m->function_count && m->functions[i].is_pointed;
}

static int emit_candidates(struct flat *f, const struct ptx_insn *call,
	uint32_t caller, unsigned depth, uint32_t *ends, uint32_t *count,
	struct error *error)
{
	const struct ptx_function *within = f->instances[caller].function;
	uint32_t function, i;
	int code = 0;

	*count = 0;
	for (i = 0; !code; i++) {
		const bool is_one = candidate(f, call, within, i, &function);

		if (function == UINT32_MAX)
			break;
		if (!is_one ||
			!fits(f, call, within, &f->module->functions[function]))
			continue;
		if (*count == DISPATCH_MAX)
			return flat_refuse(f, call, error,
				"a call of one of more than %u functions is "
				"not modelled",
				DISPATCH_MAX);
		code = emit_candidate(f, call, caller, depth, function,
			&ends[(*count)++], error);
	}
	return code;
}

static int call_register(struct flat *f, const struct ptx_insn *call,
	uint32_t caller, unsigned depth, struct error *error)
{
	uint32_t ends[DISPATCH_MAX], count, i;
	int code = emit_candidates(f, call, caller, depth, ends, &count, error);

	if (!code && !count)
		return flat_refuse(f, call, error,
			"no function of this module whose address is taken "
			"takes and returns what the call does");
	if (!code)
		code = dispatch_trap(f, call, caller, FLAT_TRAP_POINTER, error);
	for (i = 0; !code && i < count; i++)
		go_here(f, ends[i]);
	return code;
}

int dispatch_call(struct flat *f, const struct ptx_insn *call, uint32_t caller,
	unsigned depth, struct error *error)
{
	uint32_t around;
	int code = emit_guard(f, call, caller, &around, error);

	if (!code)
		code = called(call)->kind == PTX_REGISTER
			       ? call_register(f, call, caller, depth, error)
			       : flat_call(f, call, caller, depth, error);
	if (!code)
		go_here(f, around);
	return code;
}

/* ---- tables ---- */

static int emit_label(struct flat *f, const struct ptx_insn *insn,
	uint32_t instance, uint32_t label, struct error *error)
{
	const struct ptx_function *within = f->instances[instance].function;
	struct ptx_insn bra = made_like(insn, PTXO_BRA);

	bra.operand_count = 1;
	bra.operands[0] = within->items[insn->operands[1].index + label];
	return emit(f, &bra, instance, error);
}

/* Labels `first` to before `end`. */
static int emit_tree(struct flat *f, const struct ptx_insn *insn,
	uint32_t instance, uint32_t first, uint32_t end, struct error *error)
{
	const uint32_t middle = first + (end - first) / 2;
	const struct ptx_operand number = {.kind = PTX_NUMBER, .bits = middle};
	uint32_t above = 0;
	int code;

	if (end - first == 1)
		return emit_label(f, insn, instance, first, error);
	code = emit_comparison(
		f, insn, instance, PTXW_COMPARE_lt, PTX_u32, &number, error);
	if (!code)
		code = dispatch_branch(f, insn, instance, insn->second.index,
			true, &above, error);
	if (!code)
		code = emit_tree(f, insn, instance, first, middle, error);
	if (!code)
		go_here(f, above);
	return code ? code : emit_tree(f, insn, instance, middle, end, error);
}

int dispatch_table(struct flat *f, const struct ptx_insn *insn,
	uint32_t instance, struct error *error)
{
	uint32_t around;
	int code = emit_guard(f, insn, instance, &around, error);

	if (!code)
		code = emit_tree(
			f, insn, instance, 0, insn->operands[1].count, error);
	if (!code)
		go_here(f, around);
	return code;
}
