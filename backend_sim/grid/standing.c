/* Where the warps of a kernel stand that does not end. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend_sim/grid/grid.h"
#include "backend_sim/grid/paths.h"

/* More lines than a reader takes in. */
#define LINES_SHOWN 4

struct standing {
	uint32_t line, source_line, warps;
	uint32_t source; /* 1 + index in the module's files; 0: none */
};

/* The line of a warp: of a barrier that it waits at, which its path is past;
   of the last instruction if it is past all. */
static struct standing place_of(const struct execution *x, uint32_t warp)
{
	const struct kernel_warp *k = &x->grid->warps[warp];
	const struct code *code = &x->grid->code;
	const uint8_t state = x->warps[warp].state;
	uint32_t next = state == WARP_BARRIER || state == WARP_ASLEEP ||
					state == WARP_COPIES
				? k->why_pc
				: k->paths[k->depth - 1].pc;
	uint32_t pc = next < code->count ? next : code->count - 1;
	const struct ptx_insn *insn = code->insns[pc].insn;

	return (struct standing){
		.line = insn->place.line,
		.source_line = insn->source_line,
		.source = ptx_file(code->module, insn->source_file),
		.warps = 1,
	};
}

static int by_line(const void *left, const void *right)
{
	const struct standing *a = left, *b = right;

	return (a->line > b->line) - (a->line < b->line);
}

static int by_warps(const void *left, const void *right)
{
	const struct standing *a = left, *b = right;

	if (a->warps != b->warps)
		return a->warps < b->warps ? 1 : -1;
	return by_line(left, right);
}

/* A row for each line; the caller frees them. NULL without memory. */
static struct standing *collect(const struct execution *x, size_t *count)
{
	const struct grid *g = x->grid;
	const uint32_t end = g->end_slot * g->block_warps;
	uint32_t i = g->first_slot * g->block_warps;
	struct standing *rows = calloc(end - i + 1, sizeof(*rows));
	size_t all = 0, made = 0, k;

	for (; rows && i < end; i++)
		if (g->warps[i].depth && x->warps[i].state != WARP_DONE)
			rows[all++] = place_of(x, i);
	if (!rows)
		return NULL;
	qsort(rows, all, sizeof(*rows), by_line);
	for (k = 0; k < all; k++)
		if (made && rows[made - 1].line == rows[k].line)
			rows[made - 1].warps++;
		else
			rows[made++] = rows[k];
	qsort(rows, made, sizeof(*rows), by_warps);
	*count = made;
	return rows;
}

static size_t put_row(const struct grid *g, const struct standing *row,
	const char *before, char *text, size_t bytes)
{
	const struct ptx_module *m = g->code.module;
	int length = snprintf(text, bytes,
		"%s%" PRIu32 " warp%s at %s:%" PRIu32, before, row->warps,
		row->warps == 1 ? "" : "s", g->file, row->line);
	size_t made = length < 0 ? 0 : (size_t)length;

	if (!row->source || !row->source_line || made >= bytes)
		return made;
	length = snprintf(text + made, bytes - made, " (%.*s:%" PRIu32 ")",
		(int)m->files[row->source - 1].name.length,
		m->files[row->source - 1].name.text, row->source_line);
	return made + (length < 0 ? 0 : (size_t)length);
}

void standing_words(const struct execution *x, char *text, size_t bytes)
{
	size_t count = 0, used = 0, i;
	struct standing *rows = collect(x, &count);

	snprintf(text, bytes, "out of memory");
	for (i = 0; rows && i < count && i < LINES_SHOWN && used < bytes; i++)
		used += put_row(x->grid, &rows[i], i ? ", " : "", text + used,
			bytes - used);
	if (rows && count > LINES_SHOWN && used < bytes)
		snprintf(text + used, bytes - used,
			", others at %zu more lines", count - LINES_SHOWN);
	free(rows);
}

/* One path's lanes, with the operation that they stand at. */
static size_t put_lanes(const struct grid *g, const struct path *path,
	uint32_t lanes, const char *before, char *text, size_t bytes)
{
	const uint32_t pc =
		path->pc < g->code.count ? path->pc : g->code.count - 1;
	const struct ptx_insn *insn = g->code.insns[pc].insn;
	const int length = snprintf(text, bytes, "%s%d at %s:%" PRIu32 " (%s)",
		before, __builtin_popcount(lanes), g->file, insn->place.line,
		ptx_ops[insn->op].text);

	return length < 0 ? 0 : (size_t)length;
}

void standing_lanes(
	const struct execution *x, uint32_t warp, char *text, size_t bytes)
{
	const struct kernel_warp *k = &x->grid->warps[warp];
	size_t used = 0;
	uint32_t i, lanes, shown = 0;

	*text = 0;
	for (i = k->depth; i-- > 0 && shown < LINES_SHOWN && used < bytes;) {
		lanes = paths_standing(k, i);
		if (lanes)
			used += put_lanes(x->grid, &k->paths[i], lanes,
				shown++ ? ", " : "", text + used, bytes - used);
	}
}

void standing_fail(struct execution *x, uint64_t cycles)
{
	struct grid *g = x->grid;
	char standing[STANDING_BYTES], subject[JOB_SUBJECT_BYTES];

	core_fail(x->core);
	standing_words(x, standing, sizeof(standing));
	error_set(g->error, ERR_FAILED,
		"%s runs for more than %" PRIu64 " cycles: %s",
		job_subject(g->launch, subject), cycles, standing);
}
