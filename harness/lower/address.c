#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/lower/address.h"

/* ---- what an address can be, known here ---- */

static const struct address *address_of(const struct ptx_body *b, uint32_t insn)
{
	return &b->p->insns[insn].address;
}

static uint64_t span_of(const struct ptx_body *b, uint32_t insn)
{
	return address_span(b->p, address_of(b, insn));
}

static uint32_t slots_of(const struct ptx_body *b, uint32_t insn)
{
	return (uint32_t)(span_of(b, insn) / address_of(b, insn)->slot_bytes);
}

static double terms_bound(const struct ptx_body *b, uint32_t insn)
{
	return address_bound(b->p, b->role, b->blocks, insn, true);
}

static bool terms_wrap(const struct ptx_body *b, uint32_t insn)
{
	return address_wraps(b->p, b->role, b->blocks, insn);
}

/* Of the innermost loop, for `copy` copies of its body, within the span. */
static uint64_t step_of(const struct ptx_body *b, uint32_t insn, unsigned copy)
{
	uint64_t bytes = address_of(b, insn)->loop_bytes[b->depth - 1] * copy;
	uint64_t span = span_of(b, insn);

	return span && terms_wrap(b, insn) ? bytes % span : bytes;
}

/* The largest power of two that divides every term, and the span. */
static unsigned unit_of(const struct ptx_body *b, uint32_t insn)
{
	const struct address *a = address_of(b, insn);
	uint64_t all = a->base_bytes | a->lane_bytes | a->warp_bytes |
		       a->block_bytes | span_of(b, insn) | 4096;
	unsigned d;

	for (d = 0; d < PROGRAM_DEPTH_MAX; d++)
		all |= a->loop_bytes[d];
	return (unsigned)(all & (~all + 1));
}

static bool same_terms(const struct address *a, const struct address *b)
{
	return a->mode == b->mode && a->buffer == b->buffer &&
	       a->lane_bytes == b->lane_bytes &&
	       a->warp_bytes == b->warp_bytes &&
	       a->block_bytes == b->block_bytes &&
	       a->wrap_bytes == b->wrap_bytes &&
	       !memcmp(a->loop_bytes, b->loop_bytes, sizeof(a->loop_bytes));
}

unsigned ptx_address_repeats(const struct ptx_body *b, uint32_t first,
	uint32_t end, uint32_t insn, unsigned copy)
{
	const struct address *a = address_of(b, insn);
	uint64_t span = span_of(b, insn), here;
	uint64_t step = a->loop_bytes[b->depth - 1];
	unsigned depth = 0, repeats = 0, k;
	uint32_t i;

	here = a->base_bytes + copy * step;
	for (i = first; i < end; i++) {
		const struct address *other = address_of(b, i);

		depth += b->p->insns[i].op == OP_REPEAT;
		depth -= b->p->insns[i].op == OP_END;
		if (depth || !same_terms(a, other))
			continue;
		for (k = 0; k < copy + (i < insn); k++) {
			uint64_t there = other->base_bytes + k * step;

			repeats += span ? here % span == there % span
					: here == there;
		}
	}
	return repeats;
}

/* ---- what the device computes ---- */

static void multiply_add(
	struct ptx_body *b, unsigned offset, unsigned r, uint64_t bytes)
{
	unsigned d;

	if (!bytes)
		return;
	d = ptx_d(b->w);
	ptx_emit(b->w, "cvt.u64.u32 %%d%u, %%r%u", d, r);
	ptx_emit(b->w, "mad.lo.u64 %%d%u, %%d%u, %" PRIu64 ", %%d%u", offset, d,
		bytes, offset);
}

static unsigned log2_of(unsigned power)
{
	return (unsigned)__builtin_ctz(power);
}

/* Into the span, in place. The assembler calls a function for a remainder of 64
   bits, which takes some hundred cycles: 32 bits do, in units. */
static void bring_within(
	struct ptx_body *b, uint32_t insn, unsigned offset, double bound)
{
	uint64_t span = span_of(b, insn);
	unsigned unit = unit_of(b, insn), narrow;

	if (bound < (double)span)
		return;
	if ((span & (span - 1)) == 0) {
		ptx_emit(b->w, "and.b64 %%d%u, %%d%u, %" PRIu64, offset, offset,
			span - 1);
		return;
	}
	if (bound / unit > UINT32_MAX) {
		ptx_emit(b->w, "rem.u64 %%d%u, %%d%u, %" PRIu64, offset, offset,
			span);
		return;
	}
	narrow = ptx_r(b->w);
	ptx_emit(b->w, "shr.u64 %%d%u, %%d%u, %u", offset, offset,
		log2_of(unit));
	ptx_emit(b->w, "cvt.u32.u64 %%r%u, %%d%u", narrow, offset);
	ptx_emit(b->w, "rem.u32 %%r%u, %%r%u, %" PRIu64, narrow, narrow,
		span / unit);
	ptx_emit(b->w, "mul.wide.u32 %%d%u, %%r%u, %u", offset, narrow, unit);
}

/* The terms at the current counters, within the span, in a fresh register;
   `opening`: the innermost loop's is 0. */
static unsigned terms(struct ptx_body *b, uint32_t insn, bool opening)
{
	const struct address *a = address_of(b, insn);
	unsigned offset = ptx_d_constant(b->w, a->base_bytes), depth;
	unsigned counters = b->depth - opening;

	multiply_add(b, offset, b->lane, a->lane_bytes);
	multiply_add(b, offset, b->warp, a->warp_bytes);
	multiply_add(b, offset, b->block, a->block_bytes);
	for (depth = 0; depth < counters; depth++)
		multiply_add(
			b, offset, b->counter[depth], a->loop_bytes[depth]);
	if (terms_wrap(b, insn))
		bring_within(b, insn, offset,
			address_bound(
				b->p, b->role, b->blocks, insn, !opening));
	return offset;
}

/* (register + plus) modulo span, where both are below it: the smaller of the
   sum and the sum less the span, which is huge where it is negative. */
static unsigned add_within(struct ptx_body *b, char bank, unsigned from,
	uint64_t plus, uint64_t span, bool wraps)
{
	unsigned sum = bank == 'r' ? ptx_r(b->w) : ptx_d(b->w), less;
	unsigned bits = bank == 'r' ? 32 : 64;
	uint64_t mask = bank == 'r' ? UINT32_MAX : UINT64_MAX;

	if (!plus)
		return from;
	ptx_emit(b->w, "add.u%u %%%c%u, %%%c%u, %" PRIu64, bits, bank, sum,
		bank, from, plus);
	if (!wraps)
		return sum;
	less = bank == 'r' ? ptx_r(b->w) : ptx_d(b->w);
	ptx_emit(b->w, "add.u%u %%%c%u, %%%c%u, %" PRIu64, bits, bank, less,
		bank, from, (plus - span) & mask);
	ptx_emit(b->w, "min.u%u %%%c%u, %%%c%u, %%%c%u", bits, bank, sum, bank,
		sum, bank, less);
	return sum;
}

/* The part of a draw that its iteration does not change; the counters of the
   `depth` outermost loops count. See address_draw(). */
static unsigned draw_stream(struct ptx_body *b, uint32_t insn, unsigned depth)
{
	unsigned who = b->global_warp, stream, d;

	if (address_of(b, insn)->per == DRAW_PER_LANE) {
		who = ptx_r(b->w);
		ptx_emit(b->w, "mad.lo.u32 %%r%u, %%r%u, 32, %%r%u", who,
			b->global_warp, b->lane);
	}
	stream = ptx_r_constant(b->w, address_draw_seed(b->p, insn));
	ptx_emit(b->w, "mad.lo.u32 %%r%u, %%r%u, %" PRIu32 ", %%r%u", stream,
		who, ADDRESS_DRAW_WHO, stream);
	for (d = 0; d < depth; d++)
		ptx_emit(b->w, "mad.lo.u32 %%r%u, %%r%u, %" PRIu32 ", %%r%u",
			stream, b->counter[d], address_draw_loop[d], stream);
	return stream;
}

/* Turns a draw's stream and counters, in place, into its slot. */
static void finish_draw(struct ptx_body *b, uint32_t insn, unsigned x)
{
	ptx_mix(b->w, x);
	ptx_emit(b->w, "mul.hi.u32 %%r%u, %%r%u, %" PRIu32, x, x,
		slots_of(b, insn));
}

/* The slots of an iteration's copies, from the innermost loop's counter on. */
static void draw_copies(struct ptx_body *b, uint32_t insn, unsigned copies,
	const struct ptx_cursor *cursor)
{
	unsigned last = b->depth - 1, first = ptx_r(b->w), k;

	ptx_emit(b->w, "mad.lo.u32 %%r%u, %%r%u, %" PRIu32 ", %%r%u", first,
		b->counter[last], address_draw_loop[last], cursor->stream);
	for (k = 0; k < copies; k++) {
		ptx_emit(b->w, "add.u32 %%r%u, %%r%u, %" PRIu32,
			cursor->slots + k, first, k * address_draw_loop[last]);
		finish_draw(b, insn, cursor->slots + k);
	}
}

/* offset (d) + a slot (r), within the span, in a fresh register. */
static unsigned add_slot(
	struct ptx_body *b, uint32_t insn, unsigned slot, unsigned offset)
{
	uint64_t bytes = address_of(b, insn)->slot_bytes;
	uint64_t span = span_of(b, insn);
	unsigned wide = ptx_d(b->w), sum = ptx_d(b->w), less;

	ptx_emit(b->w, "cvt.u64.u32 %%d%u, %%r%u", wide, slot);
	ptx_emit(b->w, "mad.lo.u64 %%d%u, %%d%u, %" PRIu64 ", %%d%u", sum, wide,
		bytes, offset);
	if (terms_bound(b, insn) + (double)((slots_of(b, insn) - 1) * bytes) <
		(double)span)
		return sum;
	less = ptx_d(b->w);
	ptx_emit(b->w, "sub.u64 %%d%u, %%d%u, %" PRIu64, less, sum, span);
	ptx_emit(b->w, "min.u64 %%d%u, %%d%u, %%d%u", sum, sum, less);
	return sum;
}

/* The cursor's offset in its current copy, in bytes. */
static unsigned cursor_offset(
	struct ptx_body *b, uint32_t insn, const struct ptx_cursor *cursor)
{
	uint64_t plus = step_of(b, insn, cursor->copy);
	unsigned offset, d;

	if (!cursor->narrow)
		return add_within(b, 'd', cursor->offset, plus,
			span_of(b, insn), terms_wrap(b, insn));
	offset = add_within(b, 'r', cursor->offset, plus / cursor->unit_bytes,
		span_of(b, insn) / cursor->unit_bytes, true);
	d = ptx_d(b->w);
	ptx_emit(b->w, "mul.wide.u32 %%d%u, %%r%u, %u", d, offset,
		cursor->unit_bytes);
	return d;
}

/* The whole address, in a fresh register. */
static unsigned address(struct ptx_body *b, uint32_t insn,
	const struct ptx_cursor *cursor, const struct ptx_bases *bases)
{
	const struct address *a = address_of(b, insn);
	bool moving = cursor && cursor->moving;
	unsigned offset =
		moving ? cursor_offset(b, insn, cursor) : terms(b, insn, false);
	unsigned at = ptx_d(b->w), slot;

	if (a->mode == ADDRESS_RANDOM && moving) {
		slot = cursor->slots + cursor->copy;
		offset = add_slot(b, insn, slot, offset);
	} else if (a->mode == ADDRESS_RANDOM) {
		slot = draw_stream(b, insn, b->depth);
		finish_draw(b, insn, slot);
		offset = add_slot(b, insn, slot, offset);
	}
	ptx_emit(b->w, "add.u64 %%d%u, %%d%u, %%d%u", at,
		a->mode == ADDRESS_SHARED ? bases->shared
					  : bases->buffer[a->buffer],
		offset);
	return at;
}

/* ---- cursors ---- */

void ptx_cursor_open(struct ptx_body *b, uint32_t insn, unsigned copies,
	struct ptx_cursor *cursor)
{
	const struct address *a = address_of(b, insn);
	uint64_t span = span_of(b, insn);
	unsigned narrow;

	cursor->moving = a->mode == ADDRESS_AFFINE ||
			 a->mode == ADDRESS_SHARED || a->mode == ADDRESS_RANDOM;
	if (!cursor->moving)
		return;
	cursor->straight = address_is_straight(b->p, b->role, b->blocks, insn);
	cursor->unit_bytes = unit_of(b, insn);
	cursor->offset = terms(b, insn, true);
	if (a->mode == ADDRESS_RANDOM) {
		cursor->stream = draw_stream(b, insn, b->depth - 1);
		cursor->slots = b->w->r_count;
		b->w->r_count += copies;
		draw_copies(b, insn, copies, cursor);
	}
	cursor->narrow = !cursor->straight && terms_wrap(b, insn) &&
			 span / cursor->unit_bytes <= UINT64_C(1) << 31;
	if (!cursor->narrow)
		return;
	narrow = ptx_r(b->w);
	ptx_emit(b->w, "shr.u64 %%d%u, %%d%u, %u", cursor->offset,
		cursor->offset, log2_of(cursor->unit_bytes));
	ptx_emit(b->w, "cvt.u32.u64 %%r%u, %%d%u", narrow, cursor->offset);
	cursor->offset = narrow;
}

void ptx_cursor_place(struct ptx_body *b, uint32_t insn, unsigned copy,
	bool prepare, const struct ptx_bases *bases, struct ptx_cursor *cursor)
{
	const struct address *a = address_of(b, insn);

	if (!cursor->moving)
		return;
	cursor->copy = cursor->straight ? 0 : copy;
	if (cursor->straight ? copy == 0 : prepare)
		cursor->address = address(b, insn, cursor, bases);
	cursor->prepared = cursor->straight || prepare;
	cursor->beyond_bytes =
		cursor->straight ? copy * a->loop_bytes[b->depth - 1] : 0;
}

void ptx_cursor_advance(struct ptx_body *b, uint32_t insn, unsigned copies,
	const struct ptx_cursor *cursor)
{
	uint64_t step, span = span_of(b, insn);
	unsigned next;
	char bank = cursor->narrow ? 'r' : 'd';

	if (!cursor->moving)
		return;
	if (address_of(b, insn)->mode == ADDRESS_RANDOM)
		draw_copies(b, insn, copies, cursor);
	step = step_of(b, insn, copies);
	if (cursor->narrow) {
		step /= cursor->unit_bytes;
		span /= cursor->unit_bytes;
	}
	next = add_within(
		b, bank, cursor->offset, step, span, terms_wrap(b, insn));
	if (next != cursor->offset)
		ptx_emit(b->w, "mov.b%u %%%c%u, %%%c%u", bank == 'r' ? 32 : 64,
			bank, cursor->offset, bank, next);
}

/* The same address by other means: the assembler would merge two loads, or
   drop a store, that it sees go to one place. */
static unsigned disguised(struct ptx_body *b, unsigned at, unsigned repeats)
{
	unsigned d;

	if (!repeats)
		return at;
	d = ptx_d(b->w);
	ptx_emit(b->w, "mad.wide.u32 %%d%u, %%r%u, %u, %%d%u", d, b->zero32,
		repeats, at);
	return d;
}

void ptx_address_text(struct ptx_body *b, uint32_t insn,
	const struct ptx_cursor *cursor, const struct ptx_bases *bases,
	char *text, size_t bytes)
{
	const struct address *a = address_of(b, insn);
	bool prepared = cursor && cursor->prepared;

	if (a->mode == ADDRESS_CHASE)
		snprintf(text, bytes, "[%%d%u+%" PRIu64 "]",
			b->chase[a->buffer], a->base_bytes);
	else
		snprintf(text, bytes, "[%%d%u+%" PRIu64 "]",
			disguised(b,
				prepared ? cursor->address
					 : address(b, insn, cursor, bases),
				cursor ? cursor->repeats : 0),
			prepared ? cursor->beyond_bytes : 0);
}
