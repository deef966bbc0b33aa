/* The code of a kernel: its text, what the assembler makes of it, its rows. */
#include <stdlib.h>

#include "backend_sim/code/decode.h"
#include "backend_sim/code/parameters.h"
#include "backend_sim/code/rewrites.h"
#include "backend_sim/flow/needs.h"
#include "backend_sim/passes/assemble.h"
#include "backend_sim/passes/logic.h"
#include "backend_sim/passes/merge.h"
#include "backend_sim/passes/predicate.h"
#include "backend_sim/passes/spare.h"
#include "backend_sim/passes/unroll.h"
#include "backend_sim/rules/rules.h"

static int make_again(
	struct graph *g, const struct flat *f, struct error *error)
{
	graph_free(g);
	return graph_make(g, f, error);
}

/* The text as the assembler leaves it. */
static int assemble(struct flat *f, struct graph *g, struct error *error)
{
	bool changed = false;
	int status = graph_make(g, f, error);

	if (!status && RULE(REDUCTIONS))
		status = assemble_reductions(f, error);
	if (!status && RULE(WARP_SUMS))
		status = gather_atomics(f, error);
	if (!status && RULE(SPARE_INSNS))
		status = spare_insns(f, g, error);
	if (!status && RULE(JOINED_LOGIC))
		status = logic_join(f, g, error);
	if (!status && RULE(PREDICATES))
		status = predicate_branches(f, g, &changed, error);
	if (!status && changed)
		status = make_again(g, f, error);
	changed = false;
	if (!status && RULE(LATE_PARAMETERS))
		status = parameters_behind_exit(f, g, &changed, error);
	if (!status && changed)
		status = make_again(g, f, error);
	if (!status && RULE(UNROLLING))
		status = unroll_loops(f, g, &changed, error);
	if (!status && changed)
		status = make_again(g, f, error);
	if (!status && RULE(INSN_ORDER))
		status = assemble_order(f, g, error);
	if (!status && RULE(FUSED_LOADS))
		status = merge_loads(f, g, error);
	return status;
}

int code_make(const char *file, const struct ptx_module *module,
	const struct ptx_function *entry, const uint64_t *variables,
	bool as_written, bool in_cluster, struct needs *needs,
	struct code *code, struct error *error)
{
	struct flat flat;
	struct graph graph = {0};
	struct live live = {0};
	struct decoder d = {.flat = &flat,
		.graph = &graph,
		.live = &live,
		.code = code,
		.error = error};
	int status = flat_make(&flat, file, module, entry, error);

	*code = (struct code){.module = module,
		.function = entry,
		.variables = variables,
		.in_cluster = in_cluster};
	if (!status && !flat.count)
		status = error_set(error, ERR_USAGE,
			"%s: the kernel '%.*s' has no instructions", file,
			(int)entry->name.length, entry->name.text);
	if (!status)
		status = as_written || flat.site_count
				 ? graph_make(&graph, &flat, error)
				 : assemble(&flat, &graph, error);
	if (!status && RULE(STORE_READS))
		status = rewrites_find(&flat, &graph, error);
	if (!status && needs)
		status = needs_find(&flat, &graph, needs, error);
	if (!status)
		status = live_make(&live, &flat, &graph, error);
	if (!status)
		status = decode(&d);
	free(d.known);
	code->assembled = flat.made;
	flat.made = NULL;
	live_free(&live);
	graph_free(&graph);
	flat_free(&flat);
	if (status)
		code_free(code);
	return status;
}
