#include <inttypes.h>
#include <string.h>

#include "harness/program/address.h"
#include "harness/lower/insn.h"
#include "harness/lower/record.h"

/* A loop under construction. */
struct loop {
	uint32_t repeat, end;
	unsigned unroll, top;
	bool timed_each;
	struct ptx_cursor cursors[PROGRAM_INSNS_MAX];
	struct ptx_uses uses;
	unsigned waiting; /* d: zero, dependent on the last iteration */
	struct ptx_bases bases;
	const struct ptx_region *place; /* of a timed repeat, or NULL */
};

static bool has_value(const struct insn *insn)
{
	return insn->op == OP_LD || insn->op == OP_ATOM;
}

bool ptx_writes(const struct program *p, uint32_t i, uint32_t end)
{
	for (; i < end; i++)
		if (p->insns[i].op == OP_ST || p->insns[i].op == OP_RED)
			return true;
	return false;
}

static void open_cursors(struct ptx_body *b, struct loop *l)
{
	uint32_t i;
	unsigned depth = 0;

	for (i = l->repeat + 1; i < l->end; i++) {
		const struct insn *insn = &b->p->insns[i];

		depth += insn->op == OP_REPEAT;
		depth -= insn->op == OP_END;
		l->cursors[i].here = depth == 0 && insn->op != OP_END;
		if (!l->cursors[i].here)
			continue;
		ptx_at_insn(b->w, i);
		ptx_cursor_open(b, i, l->unroll, &l->cursors[i]);
	}
}

/* Which of the program's memories [first, end) addresses. */
static void used_memory(const struct program *p, uint32_t first, uint32_t end,
	bool buffers[PROGRAM_BUFFERS_MAX], bool *shared)
{
	uint32_t i;

	for (i = first; i < end; i++) {
		const struct address *a = &p->insns[i].address;

		if (a->mode == ADDRESS_SHARED)
			*shared = true;
		else if (a->mode != ADDRESS_NONE)
			buffers[a->buffer] = true;
	}
}

/* Bases plus `waiting`, for what [first, end) addresses. */
static void set_bases(struct ptx_body *b, uint32_t first, uint32_t end,
	unsigned waiting, struct ptx_bases *bases)
{
	bool buffers[PROGRAM_BUFFERS_MAX] = {false}, shared = false;
	uint32_t i;

	used_memory(b->p, first, end, buffers, &shared);
	for (i = 0; i < b->p->buffer_count; i++)
		if (buffers[i])
			ptx_emit(b->w, "add.u64 %%d%u, %%d%u, %%d%u",
				bases->buffer[i], b->base[i], waiting);
	if (!shared)
		return;
	b->w->dynamic_shared = true;
	ptx_emit(b->w, "mov.u64 %%d%u, dynamic", bases->shared);
	ptx_emit(b->w, "add.u64 %%d%u, %%d%u, %%d%u", bases->shared,
		bases->shared, waiting);
}

static void new_bases(struct ptx_body *b, struct ptx_bases *bases)
{
	uint32_t i;

	for (i = 0; i < b->p->buffer_count; i++)
		bases->buffer[i] = ptx_d(b->w);
	bases->shared = ptx_d(b->w);
}

/* The zero that ties an iteration to the values of the one before. */
static void renew_waiting(struct ptx_body *b, struct loop *l)
{
	unsigned wide = ptx_d(b->w);

	ptx_emit(b->w, "cvt.u64.u32 %%d%u, %%r%u", wide, b->sum32);
	ptx_emit(b->w, "xor.b64 %%d%u, %%d%u, %%d%u", wide, wide, b->sum64);
	ptx_emit(
		b->w, "and.b64 %%d%u, %%d%u, %%d%u", l->waiting, wide, b->zero);
	ptx_idle(b->w);
	set_bases(b, l->repeat + 1, l->end, l->waiting, &l->bases);
}

static void loop_body(struct ptx_body *b, struct loop *l);

static void add_use(struct ptx_uses *uses, char bank, unsigned number)
{
	uses->items[uses->count].bank = bank;
	uses->items[uses->count].with_first = false;
	uses->items[uses->count++].number = number;
}

/* The current links of the rings that the loop chases. */
static void add_chases(
	struct ptx_body *b, const struct loop *l, struct ptx_uses *uses)
{
	uint32_t chased = 0, i;

	for (i = l->repeat + 1; i < l->end; i++)
		if (has_value(&b->p->insns[i]) &&
			b->p->insns[i].address.mode == ADDRESS_CHASE)
			chased |= 1u << program_ring_first(
					  b->p, b->p->insns[i].address.buffer);
	for (i = 0; i < PROGRAM_BUFFERS_MAX; i++)
		if (chased & (1u << i))
			add_use(uses, 'd', b->chase[i]);
}

/* A sample: clock, the body, its values used, clock, the difference. */
static void timed_iteration(struct ptx_body *b, struct loop *l)
{
	unsigned start = ptx_r(b->w), stop = ptx_r(b->w), at = ptx_r(b->w);
	struct ptx_uses used = {0};

	ptx_at_insn(b->w, l->repeat);
	ptx_past_barrier(b);
	ptx_emit(b->w, "mov.u32 %%r%u, %%clock", start);
	loop_body(b, l);
	ptx_at_insn(b->w, l->end);
	ptx_take_firsts(&l->uses, &used);
	if (used.count > 1) { /* one store for all */
		ptx_fold(b, &used);
		add_use(&used, 'd', b->sum64);
		add_use(&used, 'r', b->sum32);
	} else if (used.count) { /* to be folded with the rest, too */
		l->uses.items[l->uses.count++] = used.items[0];
	}
	add_chases(b, l, &used);
	ptx_settle(b, &used);
	if (ptx_writes(b->p, l->repeat + 1, l->end))
		ptx_wait_for_stores(b);
	ptx_past_barrier(b);
	ptx_emit(b->w, "mov.u32 %%r%u, %%clock", stop);
	ptx_emit(b->w, "sub.u32 %%r%u, %%r%u, %%r%u", stop, stop, start);
	ptx_emit(b->w, "mad.lo.u32 %%r%u, %%r%u, %" PRIu32 ", %%r%u", at,
		b->warp, l->place->samples, b->counter[b->depth - 1]);
	ptx_emit(b->w, "shl.b32 %%r%u, %%r%u, 2", at, at);
	ptx_emit(b->w, "mov.u32 %%r%u, stage", start);
	ptx_emit(b->w, "add.u32 %%r%u, %%r%u, %%r%u", at, at, start);
	ptx_emit(b->w, "@%%p%u st.shared.u32 [%%r%u+%" PRIu32 "], %%r%u",
		b->lane0, at, b->samples, stop);
}

static void loop_body(struct ptx_body *b, struct loop *l)
{
	uint32_t i;

	for (i = l->repeat + 1; i < l->end; i++) {
		if (b->p->insns[i].op == OP_REPEAT) {
			uint32_t end = program_matching_end(b->p, i);

			ptx_body_range(b, i, end + 1);
			i = end;
			continue;
		}
		ptx_instruction(b, i, &l->cursors[i], &l->bases, &l->uses);
	}
}

/* Before a copy of the body. Atomics are left as they are: the assembler
   keeps each. */
static void place_cursors(struct ptx_body *b, struct loop *l, unsigned copy)
{
	uint32_t i;

	for (i = l->repeat + 1; i < l->end; i++) {
		uint8_t op = b->p->insns[i].op;

		if (!l->cursors[i].here)
			continue;
		ptx_at_insn(b->w, i);
		ptx_cursor_place(
			b, i, copy, l->timed_each, &l->bases, &l->cursors[i]);
		if (l->cursors[i].moving && (op == OP_LD || op == OP_ST))
			l->cursors[i].repeats = ptx_address_repeats(
				b, l->repeat + 1, l->end, i, copy);
	}
}

static void advance_cursors(struct ptx_body *b, struct loop *l)
{
	uint32_t i;

	for (i = l->repeat + 1; i < l->end; i++) {
		if (!l->cursors[i].here)
			continue;
		ptx_at_insn(b->w, i);
		ptx_cursor_advance(b, i, l->unroll, &l->cursors[i]);
	}
}

static bool waits_for_values(const struct ptx_body *b, const struct loop *l)
{
	bool waits = false;
	uint32_t i;

	for (i = l->repeat + 1; i < l->end; i++)
		waits |= has_value(&b->p->insns[i]);
	return waits;
}

static void loop_run(struct ptx_body *b, struct loop *l, uint64_t count)
{
	unsigned counter = b->counter[b->depth - 1], more = ptx_p(b->w), copy;

	ptx_label(b->w, l->top);
	ptx_emit(b->w, ".pragma \"nounroll\"");
	for (copy = 0; copy < l->unroll; copy++) {
		place_cursors(b, l, copy);
		if (l->timed_each)
			timed_iteration(b, l);
		else
			loop_body(b, l);
		ptx_at_insn(b->w, l->end);
		ptx_emit(b->w, "add.u32 %%r%u, %%r%u, 1", counter, counter);
	}
	advance_cursors(b, l);
	ptx_at_insn(b->w, l->end);
	if (l->uses.count > 1 && !l->timed_each)
		ptx_sync_warp(b);
	ptx_fold(b, &l->uses);
	if (waits_for_values(b, l))
		renew_waiting(b, l);
	ptx_emit(b->w, "setp.lt.u32 %%p%u, %%r%u, %" PRIu64, more, counter,
		count);
	ptx_emit(b->w, "@%%p%u bra L%u", more, l->top);
	/* The branch waits for a barrier; that of a single iteration may be
	   left out. */
	b->at_barrier = b->at_barrier && count <= l->unroll;
}

static const struct ptx_region *place_of(
	const struct ptx_body *b, uint32_t repeat)
{
	size_t i, k;

	for (i = 0; i < b->region_count; i++)
		for (k = 0; k < b->kernel->region_count; k++)
			if (b->regions[i].insn_index == repeat &&
				b->kernel->regions[k].region == i)
				return &b->kernel->regions[k];
	return NULL;
}

static void emit_loop(struct ptx_body *b, uint32_t repeat, uint32_t end)
{
	const struct insn *insn = &b->p->insns[repeat];
	struct ptx_uses all = {0};
	unsigned start = 0, stop;
	struct loop l = {
		.repeat = repeat,
		.end = end,
		.unroll = insn->unroll ? insn->unroll : 1,
		.timed_each = insn->timing == TIMING_EACH,
	};

	ptx_at_insn(b->w, repeat);
	l.top = ptx_new_label(b->w);
	l.waiting = ptx_d(b->w);
	ptx_emit(b->w, "mov.b64 %%d%u, %%d%u", l.waiting, b->zero);
	new_bases(b, &l.bases);
	set_bases(b, repeat + 1, end, l.waiting, &l.bases);
	b->counter[b->depth++] = ptx_r(b->w);
	ptx_emit(b->w, "mov.b32 %%r%u, 0", b->counter[b->depth - 1]);
	open_cursors(b, &l);
	ptx_at_insn(b->w, repeat);
	/* Nothing that the accesses do not wait for lies behind the stamp. */
	if (insn->timing != TIMING_NONE) {
		l.place = place_of(b, repeat);
		start = ptx_stamp(b);
	}
	loop_run(b, &l, insn->count);
	b->depth--;
	if (insn->timing == TIMING_NONE)
		return;
	if (waits_for_values(b, &l)) {
		add_use(&all, 'd', b->sum64);
		add_use(&all, 'r', b->sum32);
		add_chases(b, &l, &all);
		ptx_settle(b, &all);
	}
	stop = ptx_stamp(b);
	b->timed[b->timed_count++] = (struct ptx_timed){l.place, start, stop};
	if (l.place->writes)
		ptx_drain(b, l.place);
	if (l.timed_each)
		ptx_write_samples(b, l.place);
}

void ptx_body_range(struct ptx_body *b, uint32_t first, uint32_t end)
{
	struct ptx_uses uses = {0};
	struct ptx_bases bases;
	bool ready = false;
	uint32_t i;

	for (i = first; i < end; i++) {
		if (b->p->insns[i].op == OP_REPEAT) {
			uint32_t last = program_matching_end(b->p, i);

			emit_loop(b, i, last);
			i = last;
			continue;
		}
		if (!ready) {
			new_bases(b, &bases);
			set_bases(b, first, end, b->zero, &bases);
		}
		ready = true;
		ptx_instruction(b, i, NULL, &bases, &uses);
	}
	ptx_fold(b, &uses);
}
