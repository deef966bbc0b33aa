#include <stdlib.h>
#include <string.h>

#include "backend_sim/code/parameters.h"
#include "backend_sim/flow/uses.h"

static void note_uses(const struct flat *f, uint32_t i, bool *is_used)
{
	struct uses u;
	uint32_t k;

	uses_of(f, i, &u);
	for (k = 0; k < u.read_count; k++)
		is_used[u.reads[k]] = true;
	for (k = 0; k < u.write_count; k++)
		is_used[u.writes[k]] = true;
}

/* Of those before the exit, from the last one on: who uses what it writes
   stands behind it and has been noted. */
static bool can_wait(const struct flat *f, uint32_t i, const bool *is_used)
{
	const struct flat_insn *flat = &f->insns[i];
	struct uses u;
	uint32_t k;

	if (flat->insn->op != PTXO_LD || flat->insn->space != PTX_PARAM ||
		f->instances[flat->instance].call)
		return false;
	uses_of(f, i, &u);
	for (k = 0; k < u.write_count; k++)
		if (is_used[u.writes[k]])
			return false;
	return !u.read_count;
}

/* The instructions that stay move up; `late` takes the others in their order.
 */
static uint32_t part(struct flat *f, uint32_t end, const bool *is_late,
	struct flat_insn *late)
{
	uint32_t stay = 0, count = 0, i;

	for (i = 0; i < end; i++)
		if (is_late[i]) {
			late[count] = f->insns[i];
			late[count++].behind_exit = true;
		} else {
			f->insns[stay++] = f->insns[i];
		}
	memcpy(f->insns + stay, late, count * sizeof(*late));
	return count;
}

int parameters_behind_exit(struct flat *f, const struct graph *g, bool *changed,
	struct error *error)
{
	const uint32_t end = g->blocks[0].end;
	bool *is_used = NULL, *is_late = NULL;
	struct flat_insn *late = NULL;
	uint32_t i;
	int code = 0;

	if (!graph_exits(g, f, 0))
		return 0;
	is_used = calloc(f->register_count + 1, sizeof(*is_used));
	is_late = calloc(end, sizeof(*is_late));
	late = calloc(end, sizeof(*late));
	if (is_used && is_late && late) {
		for (i = end; i-- > 0;) {
			is_late[i] = can_wait(f, i, is_used);
			note_uses(f, i, is_used);
		}
		*changed |= part(f, end, is_late, late) > 0;
	} else {
		code = error_set(error, ERR_FAILED, "out of memory");
	}
	free(is_used);
	free(is_late);
	free(late);
	return code;
}
