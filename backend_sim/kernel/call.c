/* Calls of functions by themselves: what lanes keep, and get back. */
#include <stdlib.h>
#include <string.h>

#include "backend_sim/flow/flat.h"
#include "backend_sim/calls/calls.h"
#include "backend_sim/kernel/run_parts.h"

/* As deep as functions that are expanded go; and bytes of a launch. */
#define DEPTH_MAX 128u
#define KEPT_MAX  (UINT64_C(512) << 20)

/* Until nothing is under way whose value would come to a row too late. */
#define RETRY_CYCLES 16u

static uint8_t *record_of(
	const struct grid *g, uint32_t warp, unsigned lane, uint32_t depth)
{
	return g->calls->warps[warp].records +
	       ((size_t)depth * LANES + lane) * g->calls->record;
}

static uint8_t *local_of(const struct grid *g, uint32_t warp, unsigned lane)
{
	return g->warps[warp].local + lane * g->code.local_bytes;
}

static bool fails(
	struct execution *x, uint32_t warp, uint32_t pc, const char *text)
{
	grid_fail(x, warp, pc, "%s", text);
	return false;
}

/* Room for one more of each lane. */
static bool make_room(
	struct execution *x, uint32_t warp, uint32_t pc, uint32_t depth)
{
	struct grid *g = x->grid;
	struct warp_calls *k = &g->calls->warps[warp];
	const uint32_t larger = k->capacity ? 2 * k->capacity : 4;
	const size_t each = (size_t)LANES * g->calls->record;
	uint8_t *records;

	if (depth == DEPTH_MAX)
		return fails(x, warp, pc,
			"a function calls itself more often than is modelled: "
			"128 deep");
	if (depth < k->capacity)
		return true;
	g->calls->bytes += (larger - k->capacity) * each;
	if (g->calls->bytes > KEPT_MAX)
		return fails(x, warp, pc,
			"calls of functions by themselves that keep more than "
			"512 MiB at once are not modelled");
	records = realloc(k->records, larger * each);
	if (!records)
		return fails(x, warp, pc, "out of memory for calls");
	k->records = records;
	k->capacity = larger;
	return true;
}

static void keep_row(const uint8_t *rows, const struct code_kept *kept,
	unsigned lane, uint64_t *to)
{
	uint32_t bits;

	*to = 0;
	if (kept->bytes) {
		memcpy(to, rows + kept->offset + lane * kept->bytes,
			kept->bytes);
		return;
	}
	memcpy(&bits, rows + kept->offset, sizeof(bits));
	*to = bits >> lane & 1;
}

static void give_row(uint8_t *rows, const struct code_kept *kept, unsigned lane,
	uint64_t value)
{
	uint32_t bits;

	if (kept->bytes) {
		memcpy(rows + kept->offset + lane * kept->bytes, &value,
			kept->bytes);
		return;
	}
	memcpy(&bits, rows + kept->offset, sizeof(bits));
	bits = (bits & ~(1u << lane)) | (uint32_t)value << lane;
	memcpy(rows + kept->offset, &bits, sizeof(bits));
}

static void enter(
	struct grid *g, uint32_t warp, const struct code_insn *c, unsigned lane)
{
	struct warp_calls *k = &g->calls->warps[warp];
	const struct code *code = &g->code;
	uint8_t *to = record_of(g, warp, lane, k->depth[lane]++);
	uint8_t *local = local_of(g, warp, lane);
	const uint8_t *rows = kernel_rows(g, &g->warps[warp]);
	const uint32_t site = (uint32_t)c->offset;
	uint32_t i;

	memcpy(to, &site, sizeof(site));
	to += sizeof(site);
	for (i = 0; i < code->kept_count; i++, to += sizeof(uint64_t)) {
		uint64_t value;

		keep_row(rows, &code->kept[i], lane, &value);
		memcpy(to, &value, sizeof(value));
	}
	memcpy(to, local + code->frame, code->local_bytes - code->frame);
	for (i = 0; i < c->tensor; i++) {
		const struct code_moved *m = &code->moved[c->fragments + i];

		memmove(local + m->to, local + m->from, m->bytes);
	}
}

/* What is returned is in what was kept, too, before that is given back. */
static void leave(
	struct grid *g, uint32_t warp, const struct code_insn *c, unsigned lane)
{
	struct warp_calls *k = &g->calls->warps[warp];
	const struct code *code = &g->code;
	uint8_t *from =
		record_of(g, warp, lane, --k->depth[lane]) + sizeof(uint32_t);
	uint8_t *local = local_of(g, warp, lane);
	uint8_t *rows = kernel_rows(g, &g->warps[warp]);
	uint8_t *frame = from + code->kept_count * sizeof(uint64_t);
	uint32_t i;

	for (i = 0; i < c->tensor; i++) {
		const struct code_moved *m = &code->moved[c->fragments + i];

		memcpy(frame + (m->to - code->frame), local + m->from,
			m->bytes);
	}
	for (i = 0; i < code->kept_count; i++, from += sizeof(uint64_t)) {
		uint64_t value;

		memcpy(&value, from, sizeof(value));
		give_row(rows, &code->kept[i], lane, value);
	}
	memcpy(local + code->frame, frame, code->local_bytes - code->frame);
}

/* Is the lane's last call of the site? */
static bool came_by(
	const struct grid *g, uint32_t warp, uint64_t site, unsigned lane)
{
	const struct warp_calls *k = &g->calls->warps[warp];
	uint32_t last;

	if (!k->depth[lane])
		return false;
	memcpy(&last, record_of(g, warp, lane, k->depth[lane] - 1),
		sizeof(last));
	return last == site;
}

/* Of lanes of the mask. */
static void put_truths(struct grid *g, uint32_t warp, const struct code_insn *c,
	uint32_t mask, uint32_t truths)
{
	void *row = kernel_row(g, &g->warps[warp], &c->p);
	uint32_t bits;

	memcpy(&bits, row, sizeof(bits));
	bits = (bits & ~mask) | truths;
	memcpy(row, &bits, sizeof(bits));
}

static void leave_all(
	struct grid *g, uint32_t warp, const struct code_insn *c, uint32_t mask)
{
	uint32_t back = 0, rest;

	for (rest = mask; rest; rest &= rest - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(rest);

		if (!came_by(g, warp, c->offset, lane))
			continue;
		leave(g, warp, c, lane);
		back |= 1u << lane;
	}
	put_truths(g, warp, c, mask, back);
}

static bool enter_all(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask)
{
	struct grid *g = x->grid;
	uint32_t rest;

	for (rest = mask; rest; rest &= rest - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(rest);

		if (!make_room(x, warp, pc, g->calls->warps[warp].depth[lane]))
			return false;
		enter(g, warp, c, lane);
	}
	put_truths(g, warp, c, mask, mask);
	return true;
}

static bool is_under_way(const struct kernel_warp *k)
{
	unsigned i;

	for (i = 0; i < BOARDS; i++)
		if (k->boards[i])
			return true;
	return false;
}

enum pace run_call(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask)
{
	struct kernel_warp *k = &x->grid->warps[warp];

	if (is_under_way(k))
		return wait_until(x, warp, core_now(x->core) + RETRY_CYCLES,
			JOB_WAIT_ARITHMETIC);
	if (c->count == FLAT_LEAVE)
		leave_all(x->grid, warp, c, mask);
	else if (!enter_all(x, warp, c, pc, mask))
		return OFF;
	paths_next(k);
	return ON;
}
