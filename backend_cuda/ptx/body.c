#include <inttypes.h>
#include <string.h>

#include "backend_cuda/ptx/insn.h"

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

/* Does [first, end) leave memory operations that nothing waits for? */
static bool has_loose_ends(const struct program *p, uint32_t i, uint32_t end)
{
	for (; i < end; i++)
		if (p->insns[i].op == OP_ST || p->insns[i].op == OP_RED)
			return true;
	return false;
}

static unsigned take_stamp(struct ptx_body *b)
{
	unsigned clock = ptx_d(b->w);

	ptx_emit(b->w, "mov.u64 %%d%u, %%clock64", clock);
	return clock;
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
		if (l->cursors[i].here)
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
	set_bases(b, l->repeat + 1, l->end, l->waiting, &l->bases);
}

static void loop_body(struct ptx_body *b, struct loop *l);

static void add_use(struct ptx_uses *uses, char bank, unsigned number)
{
	uses->items[uses->count].bank = bank;
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
			chased |= 1u << b->p->insns[i].address.buffer;
	for (i = 0; i < PROGRAM_BUFFERS_MAX; i++)
		if (chased & (1u << i))
			add_use(uses, 'd', b->chase[i]);
}

/* Until all that the warp has written is there. A fence that also acquires
   would empty L1 under the other warps of the SM, which no program asks for. */
static void wait_for_stores(struct ptx_body *b)
{
	if (!b->release_fences) {
		ptx_emit(b->w, "fence.acq_rel.gpu");
		return;
	}
	b->w->version_least = PTX_RELEASE_FENCE_VERSION;
	ptx_emit(b->w, "fence.release.gpu");
}

/* A sample: clock, the body, its values used, clock, the difference. */
static void timed_iteration(struct ptx_body *b, struct loop *l)
{
	unsigned start = ptx_r(b->w), stop = ptx_r(b->w), at = ptx_r(b->w);
	struct ptx_uses used = {0};

	ptx_emit(b->w, "mov.u32 %%r%u, %%clock", start);
	loop_body(b, l);
	if (l->uses.count > 1) { /* one store for all */
		ptx_fold(b, &l->uses);
		add_use(&used, 'd', b->sum64);
		add_use(&used, 'r', b->sum32);
	} else {
		used = l->uses;
	}
	add_chases(b, l, &used);
	ptx_settle(b, &used);
	if (has_loose_ends(b->p, l->repeat + 1, l->end))
		wait_for_stores(b);
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

	for (i = l->repeat + 1; i < l->end; i++)
		if (l->cursors[i].here)
			ptx_cursor_advance(b, i, l->unroll, &l->cursors[i]);
}

/* All active lanes meet. The assembler moves no load across, so the loads of
   an iteration are all under way before the first of their values is used;
   left to itself it starts them in batches to save registers. */
static void sync_warp(struct ptx_body *b)
{
	ptx_emit(b->w, "bar.warp.sync %" PRIu32,
		b->role->lanes == 32 ? UINT32_MAX
				     : (UINT32_C(1) << b->role->lanes) - 1);
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
	fprintf(b->w->body, "\t.pragma \"nounroll\";\n");
	for (copy = 0; copy < l->unroll; copy++) {
		place_cursors(b, l, copy);
		if (l->timed_each)
			timed_iteration(b, l);
		else
			loop_body(b, l);
		ptx_emit(b->w, "add.u32 %%r%u, %%r%u, 1", counter, counter);
	}
	advance_cursors(b, l);
	if (l->uses.count > 1 && !l->timed_each)
		sync_warp(b);
	ptx_fold(b, &l->uses);
	if (waits_for_values(b, l))
		renew_waiting(b, l);
	ptx_emit(b->w, "setp.lt.u32 %%p%u, %%r%u, %" PRIu64, more, counter,
		count);
	ptx_emit(b->w, "@%%p%u bra L%u", more, l->top);
}

static void write_record(struct ptx_body *b, const struct ptx_region *place,
	unsigned start, unsigned stop)
{
	unsigned at = ptx_d(b->w);

	ptx_emit(b->w, "mad.wide.u32 %%d%u, %%r%u, %zu, %%d%u", at,
		b->global_warp, sizeof(struct ptx_warp_record), b->output);
	ptx_emit(b->w,
		"@%%p%u st.global.v2.u64 [%%d%u+%" PRIu64 "], {%%d%u, %%d%u}",
		b->lane0, at, place->record_offset, start, stop);
}

/* The place of the block's record, in a fresh register. */
static unsigned block_record(struct ptx_body *b)
{
	unsigned at = ptx_d(b->w);

	ptx_emit(b->w, "mad.wide.u32 %%d%u, %%r%u, %zu, %%d%u", at, b->block,
		sizeof(struct ptx_block_record), b->output);
	return at;
}

static bool is_of_role(const struct ptx_body *b, const struct ptx_region *place)
{
	return b->regions[place->region].role == b->role;
}

/* Both clocks, stored by thread 0 of the block from `field` of the record on;
   what is kept in registers would cost the region some. */
static void store_clocks(struct ptx_body *b, const struct ptx_region *place,
	unsigned at, uint64_t field, unsigned clock, unsigned ns)
{
	ptx_emit(b->w,
		"@%%p%u st.global.v2.u64 [%%d%u+%" PRIu64 "], {%%d%u, %%d%u}",
		b->thread0, at, place->block_offset + field, clock, ns);
}

static void read_clocks(struct ptx_body *b, unsigned clock, unsigned ns)
{
	ptx_emit(b->w, "mov.u64 %%d%u, %%globaltimer", ns);
	ptx_emit(b->w, "mov.u64 %%d%u, %%clock64", clock);
}

/* Only the first warp goes on to what is emitted before the label. */
static unsigned others_go_past(struct ptx_body *b)
{
	unsigned past = ptx_new_label(b->w), p = ptx_p(b->w);

	ptx_emit(b->w, "setp.ne.u32 %%p%u, %%r%u, 0", p, b->warp);
	ptx_emit(b->w, "@%%p%u bra L%u", p, past);
	return past;
}

void ptx_body_first_clocks(struct ptx_body *b)
{
	unsigned past = others_go_past(b), at = block_record(b);
	unsigned clock = ptx_d(b->w), ns = ptx_d(b->w), sm = ptx_d(b->w);
	size_t i;

	ptx_emit(b->w, "cvt.u64.u32 %%d%u, %%r%u", sm,
		ptx_r_special(b->w, "%smid"));
	read_clocks(b, clock, ns);
	for (i = 0; i < b->kernel->region_count; i++) {
		const struct ptx_region *place = &b->kernel->regions[i];

		if (!is_of_role(b, place))
			continue;
		ptx_emit(b->w,
			"@%%p%u st.global.u64 [%%d%u+%" PRIu64 "], %%d%u",
			b->thread0, at,
			place->block_offset +
				offsetof(struct ptx_block_record, sm),
			sm);
		store_clocks(b, place, at,
			offsetof(struct ptx_block_record, first_clock), clock,
			ns);
	}
	ptx_label(b->w, past);
}

static void write_last_clocks(
	struct ptx_body *b, const struct ptx_region *place)
{
	unsigned past = others_go_past(b), at = block_record(b);
	unsigned clock = ptx_d(b->w), ns = ptx_d(b->w);

	read_clocks(b, clock, ns);
	store_clocks(b, place, at,
		offsetof(struct ptx_block_record, last_clock), clock, ns);
	ptx_label(b->w, past);
}

/* What a region wrote is under way when its warps have stamped its end. That it
   has arrived is known to those who wait for it; only blocks that start last
   do, one thread each, since no kernel's blocks wait, and the fences of all
   warps would double the time of short ones. */
static void drain(struct ptx_body *b, const struct ptx_region *place)
{
	unsigned past = ptx_new_label(b->w), at, p, arrived;

	if (b->drain_first) {
		p = ptx_p(b->w);
		ptx_emit(b->w, "setp.lt.u32 %%p%u, %%r%u, %" PRIu32, p,
			b->block, b->drain_first);
		ptx_emit(b->w, "@%%p%u bra L%u", p, past);
	}
	ptx_emit(b->w, "bar.sync 0");
	ptx_emit(b->w, "@!%%p%u bra L%u", b->thread0, past);
	wait_for_stores(b);
	arrived = take_stamp(b);
	at = block_record(b);
	ptx_emit(b->w, "st.global.u64 [%%d%u+%" PRIu64 "], %%d%u", at,
		place->block_offset +
			offsetof(struct ptx_block_record, drain_clock),
		arrived);
	ptx_label(b->w, past);
}

/* The warp's lanes copy its samples from shared memory to the output. */
static void write_samples(struct ptx_body *b, const struct ptx_region *place)
{
	unsigned index = ptx_r(b->w), from = ptx_r(b->w), value = ptx_r(b->w);
	unsigned at = ptx_d(b->w), to = ptx_d(b->w), row = ptx_r(b->w);
	unsigned top = ptx_new_label(b->w), bottom = ptx_new_label(b->w);
	unsigned done = ptx_p(b->w), stage = ptx_r(b->w);

	sync_warp(b); /* lane 0 wrote them; the others must see that */
	ptx_emit(b->w, "mov.b32 %%r%u, %%r%u", index, b->lane);
	ptx_emit(b->w, "mul.lo.u32 %%r%u, %%r%u, %" PRIu32, row, b->warp,
		place->samples);
	ptx_emit(b->w, "mov.u32 %%r%u, stage", stage);
	ptx_emit(b->w, "mul.wide.u32 %%d%u, %%r%u, %" PRIu32, to,
		b->global_warp, 4 * place->samples);
	ptx_emit(b->w, "add.u64 %%d%u, %%d%u, %%d%u", to, to, b->output);
	ptx_label(b->w, top);
	ptx_emit(b->w, "setp.ge.u32 %%p%u, %%r%u, %" PRIu32, done, index,
		place->samples);
	ptx_emit(b->w, "@%%p%u bra L%u", done, bottom);
	ptx_emit(b->w, "add.u32 %%r%u, %%r%u, %%r%u", from, row, index);
	ptx_emit(b->w, "mad.lo.u32 %%r%u, %%r%u, 4, %%r%u", from, from, stage);
	ptx_emit(b->w, "ld.shared.u32 %%r%u, [%%r%u+%" PRIu32 "]", value, from,
		b->samples);
	ptx_emit(b->w, "mul.wide.u32 %%d%u, %%r%u, 4", at, index);
	ptx_emit(b->w, "add.u64 %%d%u, %%d%u, %%d%u", at, at, to);
	ptx_emit(b->w, "st.global.u32 [%%d%u+%" PRIu64 "], %%r%u", at,
		place->sample_offset, value);
	ptx_emit(b->w, "add.u32 %%r%u, %%r%u, %" PRIu32, index, index,
		b->role->lanes);
	ptx_emit(b->w, "bra L%u", top);
	ptx_label(b->w, bottom);
	sync_warp(b);
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

	l.top = ptx_new_label(b->w);
	l.waiting = ptx_d(b->w);
	ptx_emit(b->w, "mov.b64 %%d%u, %%d%u", l.waiting, b->zero);
	new_bases(b, &l.bases);
	set_bases(b, repeat + 1, end, l.waiting, &l.bases);
	b->counter[b->depth++] = ptx_r(b->w);
	ptx_emit(b->w, "mov.b32 %%r%u, 0", b->counter[b->depth - 1]);
	open_cursors(b, &l);
	/* Nothing that the accesses do not wait for lies behind the stamp. */
	if (insn->timing != TIMING_NONE) {
		l.place = place_of(b, repeat);
		start = take_stamp(b);
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
	stop = take_stamp(b);
	write_record(b, l.place, start, stop);
	write_last_clocks(b, l.place);
	if (l.place->writes)
		drain(b, l.place);
	if (l.timed_each)
		write_samples(b, l.place);
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
