/* Functions that call themselves: keeping, passing, going on. */
#include <stdlib.h>

#include "backend_sim/flow/dispatch.h"
#include "backend_sim/flow/recur.h"

#define SITES_MAX 256u

uint32_t recur_root(const struct flat *f, uint32_t instance,
	const struct ptx_function *function)
{
	for (;; instance = f->instances[instance].caller) {
		if (f->instances[instance].function == function)
			return instance;
		if (!f->instances[instance].call)
			return UINT32_MAX;
	}
}

const struct ptx_operand *recur_passed(const struct flat *f,
	const struct flat_site *site, bool returns, uint32_t i)
{
	const struct ptx_function *caller = f->instances[site->caller].function;
	const struct ptx_operand *name = flat_callee(site->call);
	const struct ptx_operand *list = returns ? name - 1 : name + 1;

	if (list < site->call->operands ||
		list >= site->call->operands + site->call->operand_count ||
		list->kind != PTX_VECTOR || i >= list->count)
		return NULL;
	return &caller->items[list->index + i];
}

/* Is there a variable as large as each that the function takes or returns? */
static bool fits(const struct flat *f, const struct flat_site *site,
	bool returns, uint32_t first, uint32_t count)
{
	const struct ptx_variable *variables = f->module->variables;
	uint32_t i;

	for (i = 0; i < count; i++) {
		const struct ptx_operand *o = recur_passed(f, site, returns, i);

		if (!o || o->kind != PTX_VARIABLE ||
			variables[o->index].bytes != variables[first + i].bytes)
			return false;
	}
	return true;
}

static bool can_keep(const struct flat *f, const struct flat_site *site)
{
	const struct ptx_function *root = f->instances[site->root].function;
	uint32_t i;

	for (i = site->caller;; i = f->instances[i].caller) {
		if (f->instances[i].function->local_bytes)
			return false;
		if (i == site->root)
			break;
	}
	return fits(f, site, false, root->parameter_first,
		       root->parameter_count) &&
	       fits(f, site, true, root->return_first, root->return_count);
}

/* A register of the instance. */
static int new_predicate(
	struct flat *f, uint32_t instance, uint32_t *index, struct error *error)
{
	const int64_t reg = flat_new_register(f, PTX_pred);

	*index = (uint32_t)(reg - f->instances[instance].register_base);
	return reg < 0 ? error_set(error, ERR_FAILED, "out of memory") : 0;
}

/* Enters or leaves the site. */
static int emit(struct flat *f, const struct ptx_insn *call, uint32_t instance,
	enum flat_builtin what, uint32_t site, uint32_t predicate,
	struct error *error)
{
	struct ptx_insn insn = {
		.op = PTXO_CALL,
		.vector = 1,
		.place = call->place,
		.source_file = call->source_file,
		.source_line = call->source_line,
		.from = (uint8_t)what,
		.operand_count = 1,
		.second = {.kind = PTX_REGISTER, .index = predicate},
	};
	const struct ptx_insn *made;

	insn.operands[0].kind = PTX_NUMBER;
	insn.operands[0].bits = site;
	made = flat_make_insn(f, &insn);
	return made ? flat_emit(f, made, instance, error)
		    : error_set(error, ERR_FAILED, "out of memory");
}

int recur_call(struct flat *f, const struct ptx_insn *call, uint32_t caller,
	uint32_t root, struct error *error)
{
	const uint32_t number = f->site_count;
	struct flat_site *site;
	uint32_t branch, predicate = 0;
	int code;

	if (!f->sites)
		f->sites = calloc(SITES_MAX, sizeof(*f->sites));
	if (!f->sites)
		return error_set(error, ERR_FAILED, "out of memory");
	site = &f->sites[number];
	if (number < SITES_MAX)
		*site = (struct flat_site){root, caller, call, 0};
	if (number == SITES_MAX || !can_keep(f, site)) {
		f->cannot_keep = true;
		return ERR_USAGE;
	}
	f->site_count++;
	code = new_predicate(f, caller, &predicate, error);
	if (!code)
		code = emit(
			f, call, caller, FLAT_ENTER, number, predicate, error);
	if (!code)
		code = dispatch_branch(
			f, call, caller, predicate, false, &branch, error);
	if (code)
		return code;
	f->insns[branch].target = f->instances[root].first;
	site->behind = f->count;
	return 0;
}

int recur_end(struct flat *f, uint32_t instance, struct error *error)
{
	uint32_t i, branch, predicate = 0;
	bool has_one = false;
	int code = 0;

	for (i = 0; !code && i < f->site_count; i++) {
		const struct flat_site *site = &f->sites[i];

		if (site->root != instance)
			continue;
		if (!has_one)
			code = new_predicate(f, instance, &predicate, error);
		has_one = true;
		if (!code)
			code = emit(f, site->call, instance, FLAT_LEAVE, i,
				predicate, error);
		if (!code)
			code = dispatch_branch(f, site->call, instance,
				predicate, false, &branch, error);
		if (!code)
			f->insns[branch].target = site->behind;
	}
	return code;
}
