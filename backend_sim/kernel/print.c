/* What a kernel prints: functions that the driver has, not the module. */
#include <inttypes.h>
#include <stdio.h>

#include "backend_sim/flow/flat.h"
#include "backend_sim/values/format.h"
#include "backend_sim/grid/access.h"
#include "backend_sim/kernel/run_parts.h"
#include "backend_sim/sm/touch.h"
#include "backend_sim/rules/constants.h"

/* A record of the driver's buffer: what it says of itself, and the arguments,
   in pieces. */
#define HEAD_BYTES  16u
#define PIECE_BYTES 16u

struct printing {
	struct execution *x;
	const struct code_insn *c;
	uint32_t warp, pc;
	unsigned lane;
	uint64_t arguments;
};

/* ---- what the lane reads ---- */

static const uint8_t *shared_at(
	const struct printing *p, uint64_t offset, unsigned bytes)
{
	const struct grid *g = p->x->grid;

	return offset + bytes <= g->shared_bytes
		       ? g->blocks[p->x->warps[p->warp].block_index].shared +
				 offset
		       : NULL;
}

static const uint8_t *local_at(
	const struct printing *p, uint64_t offset, unsigned bytes)
{
	const struct grid *g = p->x->grid;

	return offset + bytes <= g->code.local_bytes
		       ? g->warps[p->warp].local +
				 p->lane * g->code.local_bytes + offset
		       : NULL;
}

/* At a generic address; NULL: nothing is there. */
static const uint8_t *generic_at(
	const struct printing *p, uint64_t address, unsigned bytes)
{
	const struct space *s = p->x->grid->space;
	const uint64_t window = address & WINDOW_BITS;
	const uint64_t offset = address & ~WINDOW_BITS;

	if (window == WINDOW_SHARED)
		return shared_at(p, offset, bytes);
	if (window == WINDOW_LOCAL)
		return local_at(p, offset, bytes);
	if ((window && window != WINDOW_CONST) || offset < SPACE_BASE ||
		!space_take(s, offset - SPACE_BASE, bytes))
		return NULL;
	return s->bytes + offset - SPACE_BASE;
}

/* What the call passes: 4 or 8 bytes. */
static uint64_t passed(const struct printing *p, unsigned i)
{
	const unsigned bytes = p->c->bytes >> i & 1 ? 4 : 8;

	return access_bits(local_at(p, p->c->rows[i].offset, bytes), bytes);
}

static bool read_argument(
	void *context, uint64_t offset, void *to, unsigned bytes)
{
	const struct printing *p = context;
	const uint8_t *from = generic_at(p, p->arguments + offset, bytes);

	if (from)
		memcpy(to, from, bytes);
	return from != NULL;
}

static int read_byte(void *context, uint64_t address)
{
	const uint8_t *from = generic_at(context, address, 1);

	return from ? *from : -1;
}

static void fail(const struct printing *p, const char *what)
{
	const struct warp *w = &p->x->warps[p->warp];

	grid_fail(p->x, p->warp, p->pc, "block %" PRIu64 ", thread %u: %s",
		p->x->grid->blocks[w->block_index].number,
		w->index * LANES + p->lane, what);
}

/* ---- vprintf ---- */

/* The records lie side by side in the driver's buffer, from its start again
   when it is full. */
static void store_records(
	struct printing *p, uint32_t mask, const uint64_t bytes[LANES])
{
	struct grid *g = p->x->grid;
	uint64_t first[LANES] = {0}, at[LANES], most = 0, piece;
	uint32_t rest, lanes;
	struct touch t;

	for (rest = mask; rest; rest &= rest - 1) {
		const unsigned l = (unsigned)__builtin_ctz(rest);

		first[l] = g->print_at;
		g->print_at += bytes[l];
		most = bytes[l] > most ? bytes[l] : most;
	}
	for (piece = 0; piece < most; piece += PIECE_BYTES) {
		lanes = 0;
		for (rest = mask; rest; rest &= rest - 1) {
			const unsigned l = (unsigned)__builtin_ctz(rest);

			at[l] = g->space->print_first +
				(first[l] + piece) % PRINTED_BYTES_MAX;
			lanes |= (uint32_t)(piece < bytes[l]) << l;
		}
		touch_offsets(&t, at, lanes, PIECE_BYTES);
		issue_lines(p->x, p->warp, &g->accesses[p->pc], &g->asks[p->pc],
			fence_stores(p->x, p->warp, t.count), &t);
	}
}

static bool print_lane(struct printing *p, uint64_t *bytes)
{
	const struct format_source from = {read_argument, read_byte, p};
	struct grid *g = p->x->grid;
	uint8_t *result = (uint8_t *)local_at(p, p->c->d.offset, 4);
	uint32_t count;

	p->arguments = passed(p, 1);
	switch (format_print(
		&g->space->printed, &from, passed(p, 0), &count, bytes)) {
	case FORMAT_MEMORY:
		fail(p, "out of memory for what a kernel prints");
		return false;
	case FORMAT_NOWHERE:
		fail(p, "'vprintf' reads a format or an argument that is in "
			"no buffer");
		return false;
	default:
		break;
	}
	*bytes = (*bytes + HEAD_BYTES + PIECE_BYTES - 1) &
		 ~(uint64_t)(PIECE_BYTES - 1);
	if (p->c->has_base)
		memcpy(result, &count, sizeof(count));
	return true;
}

static void print(struct printing *p, uint32_t mask)
{
	uint64_t bytes[LANES] = {0};
	uint32_t rest;

	for (rest = mask; rest; rest &= rest - 1) {
		p->lane = (unsigned)__builtin_ctz(rest);
		if (!print_lane(p, &bytes[p->lane]))
			return;
	}
	store_records(p, mask, bytes);
}

/* ---- __assertfail ---- */

static void take_string(
	const struct printing *p, uint64_t address, char *text, size_t size)
{
	size_t i = 0;
	int byte = 1;

	for (; i + 1 < size && byte > 0; i++) {
		byte = read_byte((void *)(uintptr_t)p, address + i);
		text[i] = (char)(byte > 0 ? byte : 0);
	}
	text[i] = 0;
}

/* The first lane's stops the run. */
static void assert_fails(struct printing *p)
{
	char message[256], file[256], function[256], text[900];

	take_string(p, passed(p, 0), message, sizeof(message));
	take_string(p, passed(p, 1), file, sizeof(file));
	take_string(p, passed(p, 3), function, sizeof(function));
	snprintf(text, sizeof(text),
		"%s:%" PRIu64 ": %s: assertion '%s' failed", file, passed(p, 2),
		function, message);
	fail(p, text);
}

enum pace run_print(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask)
{
	struct printing p = {x, c, warp, pc, (unsigned)__builtin_ctz(mask), 0};

	if (c->count == FLAT_ASSERT)
		assert_fails(&p);
	else
		print(&p, mask);
	if (x->core->failed)
		return OFF;
	wait_until(x, warp,
		core_now(x->core) + PRINT_CYCLES +
			PRINT_LANE_CYCLES * (uint32_t)__builtin_popcount(mask),
		JOB_WAIT_WRITE);
	paths_next(&x->grid->warps[warp]);
	return OFF;
}
