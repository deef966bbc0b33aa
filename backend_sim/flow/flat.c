/* Calls are expanded in place. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend_sim/flow/dispatch.h"
#include "backend_sim/flow/flat.h"

#define DEPTH_MAX 160
#define INSNS_MAX (1u << 20)
/* With functions that call themselves, as often as they may. */
#define CUT_INSNS_MAX     32768u
#define CUT_INSTANCES_MAX 8192u

int flat_refuse(const struct flat *f, const struct ptx_insn *insn,
	struct error *error, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return error_set(error, ERR_USAGE, "%s:%" PRIu32 ":%" PRIu32 ": %s",
		f->file, insn->place.line, insn->place.column, text);
}

static int grow(void *items, uint32_t *capacity, uint32_t count, size_t size,
	struct error *error)
{
	void **at = items;
	uint32_t larger = *capacity ? *capacity * 2 : 64;
	void *grown;

	if (count < *capacity)
		return 0;
	grown = realloc(*at, larger * size);
	if (!grown)
		return error_set(error, ERR_FAILED, "out of memory");
	*at = grown;
	*capacity = larger;
	return 0;
}

static uint64_t aligned(uint64_t x)
{
	return (x + 15) & ~UINT64_C(15);
}

int64_t flat_new_register(struct flat *f, uint8_t type)
{
	struct error error;

	if (grow(&f->types, &f->type_capacity, f->register_count,
		    sizeof(*f->types), &error))
		return ERR_FAILED;
	f->types[f->register_count] = type;
	return f->register_count++;
}

static int add_registers(struct flat *f, const struct ptx_function *function,
	struct error *error)
{
	uint32_t i;

	for (i = 0; i < function->register_count; i++)
		if (flat_new_register(f, function->registers[i].type) < 0)
			return error_set(error, ERR_FAILED, "out of memory");
	return 0;
}

static int add_instance(struct flat *f, const struct ptx_function *function,
	uint32_t caller, const struct ptx_insn *call, struct error *error)
{
	const uint32_t register_base = f->register_count;
	int code = grow(&f->instances, &f->instance_capacity, f->instance_count,
		sizeof(*f->instances), error);

	if (!code)
		code = add_registers(f, function, error);
	if (code)
		return code;
	f->instances[f->instance_count++] = (struct flat_instance){
		.function = function,
		.register_base = register_base,
		.shared_base = aligned(f->shared_bytes),
		.local_base = aligned(f->local_bytes),
		.frame_base = aligned(f->frame_bytes),
		.caller = caller,
		.call = call,
	};
	f->shared_bytes = aligned(f->shared_bytes) + function->shared_bytes;
	f->local_bytes = aligned(f->local_bytes) + function->local_bytes;
	f->frame_bytes = aligned(f->frame_bytes) + function->param_bytes;
	if (f->local_bytes > f->local_most)
		f->local_most = f->local_bytes;
	if (f->frame_bytes > f->frame_most)
		f->frame_most = f->frame_bytes;
	return 0;
}

/* The operand of a call that names the function. */
const struct ptx_operand *flat_callee(const struct ptx_insn *call)
{
	uint32_t i;

	for (i = 0; i < call->operand_count; i++)
		if (call->operands[i].kind == PTX_FUNCTION)
			return &call->operands[i];
	return NULL;
}

int flat_emit(struct flat *f, const struct ptx_insn *insn, uint32_t instance,
	struct error *error)
{
	int code = grow(
		&f->insns, &f->capacity, f->count, sizeof(*f->insns), error);

	if (code)
		return code;
	if (f->count == INSNS_MAX)
		return flat_refuse(f, insn, error,
			"expected fewer than %u instructions, with all calls "
			"expanded",
			INSNS_MAX);
	f->insns[f->count++] =
		(struct flat_insn){.insn = insn, .instance = instance};
	return 0;
}

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
	int code = add_instance(f, callee, caller, call, error);

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
	if (!callee->has_body)
		return flat_refuse(f, call, error,
			"the function '%.*s' is not in this module",
			(int)callee->name.length, callee->name.text);
	times = times_within(f, caller, callee);
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
	}
	free(at);
	return code;
}

/* Shared variables of the module that the kernel names have a place behind its
   own; an array without a size begins behind all of them. */
static int place_shared(struct flat *f, struct error *error)
{
	const struct ptx_module *m = f->module;
	uint32_t i, k;

	f->module_shared =
		calloc(m->variable_count + 1, sizeof(*f->module_shared));
	if (!f->module_shared)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < f->count; i++)
		for (k = 0; k < f->insns[i].insn->operand_count; k++) {
			const struct ptx_operand *o =
				&f->insns[i].insn->operands[k];
			const struct ptx_variable *v = &m->variables[o->index];

			if ((o->kind != PTX_VARIABLE &&
				    o->kind != PTX_PLACED) ||
				v->space != PTX_SHARED || v->of_function ||
				!v->bytes || f->module_shared[o->index])
				continue;
			f->shared_bytes = (f->shared_bytes + v->align - 1) &
					  ~(uint64_t)(v->align - 1);
			/* + 1, so that 0 says that it has no place */
			f->module_shared[o->index] = f->shared_bytes + 1;
			f->shared_bytes += v->bytes;
		}
	return 0;
}

/* As deep as a module's functions call themselves here: the first depth of
   these with which the code is not too long. */
static const uint32_t recursions[] = {
	128, 64, 32, 24, 20, 16, 14, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1};

#define RECURSION_COUNT (sizeof(recursions) / sizeof(*recursions))

static int expand_all(
	struct flat *f, const struct ptx_function *entry, struct error *error)
{
	int code = add_instance(f, entry, 0, NULL, error);

	f->local_most = f->local_bytes;
	f->frame_most = f->frame_bytes;
	return code ? code : expand(f, 0, 0, error);
}

int flat_make(struct flat *f, const char *file, const struct ptx_module *module,
	const struct ptx_function *entry, struct error *error)
{
	size_t i;
	int code = 0;

	for (i = 0; i < RECURSION_COUNT; i++) {
		*f = (struct flat){.file = file,
			.module = module,
			.recursion_max = recursions[i]};
		code = expand_all(f, entry, error);
		if (!is_too_long(f) || i + 1 == RECURSION_COUNT)
			break;
		flat_free(f);
	}
	if (!code) {
		f->local_bytes = f->local_most;
		f->frame_bytes = f->frame_most;
		code = place_shared(f, error);
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

void flat_free_made(struct made_insn *made)
{
	struct made_insn *next;

	for (; made; made = next) {
		next = made->next;
		free(made);
	}
}

void flat_free(struct flat *f)
{
	uint32_t i;

	for (i = 0; i < f->instance_count; i++)
		free(f->instances[i].names);
	free(f->insns);
	free(f->instances);
	free(f->types);
	free(f->module_shared);
	flat_free_made(f->made);
}

/* ---- what the assembler adds ---- */

const struct ptx_insn *flat_make_insn(
	struct flat *f, const struct ptx_insn *insn)
{
	struct made_insn *made = malloc(sizeof(*made));

	if (!made)
		return NULL;
	*made = (struct made_insn){f->made, *insn};
	f->made = made;
	return &made->insn;
}

int64_t flat_copy_instance(struct flat *f, uint32_t instance, uint32_t more)
{
	const uint32_t count = f->instances[instance].function->register_count;
	struct error error;
	uint32_t *names, i;

	if (grow(&f->instances, &f->instance_capacity, f->instance_count,
		    sizeof(*f->instances), &error))
		return ERR_FAILED;
	names = calloc((size_t)count + more + 1, sizeof(*names));
	if (!names)
		return ERR_FAILED;
	for (i = 0; i < count; i++)
		names[i] = flat_register(f, instance, i);
	f->instances[f->instance_count] = f->instances[instance];
	f->instances[f->instance_count].names = names;
	return f->instance_count++;
}

/* ---- where variables are ---- */

/* Operand `number` of what the call takes or returns. */
static const struct ptx_operand *passed(const struct flat *f,
	const struct flat_instance *in, bool returns, uint32_t number)
{
	const struct ptx_function *caller = f->instances[in->caller].function;
	const struct ptx_operand *name = flat_callee(in->call);
	const struct ptx_operand *list = returns ? name - 1 : name + 1;

	if (list < in->call->operands ||
		list >= in->call->operands + in->call->operand_count ||
		list->kind != PTX_VECTOR || number >= list->count)
		return NULL;
	return &caller->items[list->index + number];
}

uint64_t flat_place(const struct flat *f, uint32_t instance, uint32_t variable,
	bool *is_launch)
{
	const struct flat_instance *in = &f->instances[instance];
	const struct ptx_variable *v = &f->module->variables[variable];
	const struct ptx_function *fn = in->function;
	uint32_t parameter = variable - fn->parameter_first;
	uint32_t result = variable - fn->return_first;
	const struct ptx_operand *o = NULL;

	*is_launch = false;
	if (v->space == PTX_SHARED && !v->of_function)
		return f->module_shared[variable]
			       ? f->module_shared[variable] - 1
			       : aligned(f->shared_bytes);
	if (v->space == PTX_SHARED)
		return in->shared_base + v->offset;
	if (v->space == PTX_LOCAL)
		return in->local_base + v->offset;
	if (parameter >= fn->parameter_count && result >= fn->return_count)
		return in->frame_base + v->offset;
	if (!in->call) {
		*is_launch = true;
		return v->offset;
	}
	o = parameter < fn->parameter_count ? passed(f, in, false, parameter)
					    : passed(f, in, true, result);
	if (!o || o->kind != PTX_VARIABLE)
		return in->frame_base + v->offset;
	return flat_place(f, in->caller, o->index, is_launch);
}
