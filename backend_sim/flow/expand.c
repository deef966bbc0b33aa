/* Calls are expanded in place; functions that call themselves as often as there
   is room. */
#include <stdlib.h>

#include "backend_sim/flow/dispatch.h"
#include "backend_sim/flow/expand.h"
#include "backend_sim/flow/recur.h"

#define DEPTH_MAX 160
/* Calls count, too: what is called may hold nothing else. */
#define CALLS_MAX     (1u << 16)
#define REGISTERS_MAX (1u << 20)
/* With functions that call themselves, as often as they may. */
#define CUT_INSNS_MAX     32768u
#define CUT_INSTANCES_MAX 8192u

static int expand(
	struct flat *f, uint32_t instance, unsigned depth, struct error *error);

/* How often the function is among the instance and those that called it. */
static uint32_t times_within(const struct flat *f, uint32_t instance,
	const struct ptx_function *function)
{
	uint32_t times = 0;

	for (;; instance = f->instances[instance].caller) {
		times += f->instances[instance].function == function;
		if (!f->instances[instance].call)
			return times;
	}
}

/* A variable's place is free again behind the call. */
static int expand_function(struct flat *f, const struct ptx_insn *call,
	const struct ptx_function *callee, uint32_t caller, unsigned depth,
	struct error *error)
{
	const uint64_t local = f->local_bytes, frame = f->frame_bytes;
	int code;

	if (f->instance_count > CALLS_MAX ||
		f->register_count + callee->register_count > REGISTERS_MAX)
		return flat_refuse(f, call, error,
			"expected at most %u calls and %u registers, with all "
			"calls expanded",
			CALLS_MAX, REGISTERS_MAX);
	code = flat_add_instance(f, callee, caller, call, error);
	if (!code)
		code = expand(f, f->instance_count - 1, depth + 1, error);
	f->local_bytes = local;
	f->frame_bytes = frame;
	return code;
}

static enum flat_builtin builtin_of(const struct ptx_function *function)
{
	static const struct {
		const char *name;
		uint8_t parameters;
	} builtins[] = {
		[FLAT_PRINT] = {"vprintf", 2},
		[FLAT_ASSERT] = {"__assertfail", 5},
	};
	uint32_t i;

	for (i = FLAT_PRINT; i <= FLAT_ASSERT; i++)
		if (ptx_name_is(&function->name, builtins[i].name) &&
			function->parameter_count == builtins[i].parameters)
			return (enum flat_builtin)i;
	return FLAT_NONE;
}

/* It stores to the driver's buffer. */
static int emit_builtin(struct flat *f, const struct ptx_insn *call,
	uint32_t caller, enum flat_builtin builtin, struct error *error)
{
	struct ptx_insn insn = *call;
	const struct ptx_insn *made;

	insn.guarded = false;
	insn.from = (uint8_t)builtin;
	insn.access = OP_ST;
	insn.space = PTX_GENERIC;
	made = flat_make_insn(f, &insn);
	return made ? flat_emit(f, made, caller, error)
		    : error_set(error, ERR_FAILED, "out of memory");
}

int flat_call(struct flat *f, const struct ptx_insn *call, uint32_t caller,
	unsigned depth, struct error *error)
{
	const struct ptx_function *callee =
		&f->module->functions[flat_callee(call)->index];
	uint32_t times;

	if (!callee->has_body && builtin_of(callee))
		return emit_builtin(f, call, caller, builtin_of(callee), error);
	if (!callee->has_body && (ptx_name_is(&callee->name, "malloc") ||
					 ptx_name_is(&callee->name, "free")))
		return flat_refuse(f, call, error,
			"'%.*s': memory that kernels allocate is not modelled",
			(int)callee->name.length, callee->name.text);
	if (!callee->has_body)
		return flat_refuse(f, call, error,
			"the function '%.*s' is not in this module",
			(int)callee->name.length, callee->name.text);
	if (f->keeps && recur_root(f, caller, callee) != UINT32_MAX)
		return recur_call(
			f, call, caller, recur_root(f, caller, callee), error);
	times = times_within(f, caller, callee);
	f->is_deep |= depth == DEPTH_MAX && !times;
	if (depth == DEPTH_MAX && !times)
		return flat_refuse(f, call, error,
			"calls are expanded at most %u deep", DEPTH_MAX);
	if (depth == DEPTH_MAX || times > f->recursion_max) {
		f->is_cut = true;
		return dispatch_trap(f, call, caller, FLAT_TRAP_DEEP, error);
	}
	return expand_function(f, call, callee, caller, depth, error);
}

/* Another depth may be less. */
static bool is_too_long(const struct flat *f)
{
	return f->is_cut && (f->count > CUT_INSNS_MAX ||
				    f->instance_count > CUT_INSTANCES_MAX);
}

static int expand_insn(struct flat *f, const struct ptx_insn *insn,
	uint32_t instance, unsigned depth, struct error *error)
{
	int code;

	switch (insn->op) {
	case PTXO_CALL:
		return dispatch_call(f, insn, instance, depth, error);
	case PTXO_BRX:
		return dispatch_table(f, insn, instance, error);
	default:
		code = flat_emit(f, insn, instance, error);
		if (!code && insn->op == PTXO_RET && depth)
			f->insns[f->count - 1].is_return = true;
		return code;
	}
}

/* Branches of the instance, from `first` on, to labels: the instruction of
   each is at[]. What dispatch.c made knows its target. */
static void resolve(
	struct flat *f, uint32_t first, uint32_t instance, const uint32_t *at)
{
	uint32_t i;

	for (i = first; i < f->count; i++) {
		struct flat_insn *flat = &f->insns[i];

		if (flat->instance != instance)
			continue;
		if (flat->insn->op == PTXO_BRA &&
			flat->insn->operands[0].kind == PTX_LABEL)
			flat->target = at[flat->insn->operands[0].index];
		else if (flat->is_return)
			flat->target = f->count;
	}
}

static int expand(
	struct flat *f, uint32_t instance, unsigned depth, struct error *error)
{
	const struct ptx_function *function = f->instances[instance].function;
	uint32_t first = f->count, i;
	uint32_t *at = malloc((function->insn_count + 1) * sizeof(*at));
	int code = at ? 0 : error_set(error, ERR_FAILED, "out of memory");

	f->instances[instance].first = first;
	if (!code && function->unmodelled)
		code = error_set(error, ERR_USAGE, "%s", function->unmodelled);
	for (i = 0; !code && i < function->insn_count; i++) {
		at[i] = f->count;
		code = expand_insn(
			f, &function->insns[i], instance, depth, error);
		if (!code && is_too_long(f))
			code = ERR_USAGE;
	}
	if (!code) {
		at[function->insn_count] = f->count;
		resolve(f, first, instance, at);
		code = recur_end(f, instance, error);
	}
	free(at);
	return code;
}

/* As deep as a module's functions call themselves here: the first depth of
   these with which the code is not too long. */
static const uint32_t recursions[] = {
	128, 64, 32, 24, 20, 16, 14, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1};

#define RECURSION_COUNT (sizeof(recursions) / sizeof(*recursions))

static int expand_all(
	struct flat *f, const struct ptx_function *entry, struct error *error)
{
	int code = flat_add_instance(f, entry, 0, NULL, error);

	f->local_most = f->local_bytes;
	f->frame_most = f->frame_bytes;
	return code ? code : expand(f, 0, 0, error);
}

/* Code that keeps what calls have, in which a function is there once: false, it
   can't be, or is nothing else. */
static bool expand_kept(struct flat *f, const char *file,
	const struct ptx_module *module, const struct ptx_function *entry)
{
	struct error error;

	*f = (struct flat){.file = file, .module = module, .keeps = true};
	if (!expand_all(f, entry, &error) && f->site_count)
		return true;
	flat_free(f);
	return false;
}

int expand_entry(struct flat *f, const char *file,
	const struct ptx_module *module, const struct ptx_function *entry,
	struct error *error)
{
	size_t i;
	int code = 0;

	for (i = 0; i < RECURSION_COUNT; i++) {
		*f = (struct flat){.file = file,
			.module = module,
			.recursion_max = recursions[i]};
		code = expand_all(f, entry, error);
		if (!(is_too_long(f) || f->is_deep) || i + 1 == RECURSION_COUNT)
			break;
		flat_free(f);
		if (!i && expand_kept(f, file, module, entry)) {
			code = 0;
			break;
		}
	}
	if (!code) {
		f->local_bytes = f->local_most;
		f->frame_bytes = f->frame_most;
	} else if (is_too_long(f)) {
		code = error_set(error, ERR_USAGE,
			"%s: functions that '%.*s' calls call themselves at "
			"too many places: recursion that is expanded to more "
			"than %u instructions is not modelled",
			file, (int)entry->name.length, entry->name.text,
			CUT_INSNS_MAX);
	}
	return code;
}
