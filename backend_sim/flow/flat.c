/* An entry with what it calls: registers, variables, instructions. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/flow/expand.h"
#include "backend_sim/flow/flat.h"

#define INSNS_MAX (1u << 19)
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

/* A function's .shared variables have one place, wherever it is called from
   (ptxas 13.0): that of its first instance. */
static uint64_t shared_place(
	struct flat *f, const struct ptx_function *function)
{
	uint64_t *place = &f->function_shared[function - f->module->functions];

	if (!*place) {
		*place = aligned(f->shared_bytes) + 1;
		f->shared_bytes = *place - 1 + function->shared_bytes;
	}
	return *place - 1;
}

int flat_add_instance(struct flat *f, const struct ptx_function *function,
	uint32_t caller, const struct ptx_insn *call, struct error *error)
{
	const uint32_t register_base = f->register_count;
	int code = grow(&f->instances, &f->instance_capacity, f->instance_count,
		sizeof(*f->instances), error);

	if (!f->function_shared)
		f->function_shared =
			calloc((size_t)f->module->function_count + 1,
				sizeof(*f->function_shared));
	if (!f->function_shared)
		return error_set(error, ERR_FAILED, "out of memory");
	if (!code)
		code = add_registers(f, function, error);
	if (code)
		return code;
	f->instances[f->instance_count] = (struct flat_instance){
		.function = function,
		.register_base = register_base,
		.shared_base = shared_place(f, function),
		.local_base = aligned(f->local_bytes),
		.frame_base = aligned(f->frame_bytes),
		.caller = caller,
		.call = call,
	};
	f->instance_count++;
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

/* Memory that the launch gives begins as the module's variables want it, those
   too that the kernel does not use (ptxas 13.0). */
static void pad_shared(struct flat *f)
{
	const struct ptx_module *m = f->module;
	uint32_t i;

	for (i = 0; i < m->variable_count; i++) {
		const struct ptx_variable *v = &m->variables[i];

		if (v->space == PTX_SHARED && !v->of_function && !v->bytes &&
			v->align > 16)
			f->shared_bytes = (f->shared_bytes + v->align - 1) &
					  ~(uint64_t)(v->align - 1);
	}
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
	pad_shared(f);
	return 0;
}

int flat_make(struct flat *f, const char *file, const struct ptx_module *module,
	const struct ptx_function *entry, struct error *error)
{
	int code = expand_entry(f, file, module, entry, error);

	return code ? code : place_shared(f, error);
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
	free(f->function_shared);
	free(f->sites);
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

static int by_index(const void *left, const void *right)
{
	const struct flat_name *a = left, *b = right;

	return (a->index > b->index) - (a->index < b->index);
}

int64_t flat_copy_instance(struct flat *f, uint32_t instance,
	const struct flat_name *names, uint32_t count)
{
	struct flat_name *own = malloc((count + 1) * sizeof(*own));
	struct flat_instance *copy;
	struct error error;

	if (!own || grow(&f->instances, &f->instance_capacity,
			    f->instance_count, sizeof(*f->instances), &error)) {
		free(own);
		return ERR_FAILED;
	}
	if (count)
		memcpy(own, names, count * sizeof(*own));
	qsort(own, count, sizeof(*own), by_index);
	copy = &f->instances[f->instance_count];
	*copy = f->instances[instance];
	copy->names = own;
	copy->name_count = count;
	return f->instance_count++;
}

uint32_t flat_find_name(const struct flat_instance *in, uint32_t index)
{
	uint32_t low = 0, high = in->name_count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (in->names[middle].index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low < in->name_count && in->names[low].index == index
		       ? in->names[low].reg
		       : in->register_base + index;
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
