/* What a timed region writes of itself. */
#include <inttypes.h>
#include <stddef.h>

#include "harness/lower/record.h"

void ptx_past_barrier(struct ptx_body *b)
{
	if (b->at_barrier)
		ptx_sync_warp(b);
	b->at_barrier = false;
}

unsigned ptx_stamp(struct ptx_body *b)
{
	unsigned clock = ptx_d(b->w);

	ptx_past_barrier(b);
	ptx_emit(b->w, "mov.u64 %%d%u, %%clock64", clock);
	return clock;
}

/* Until all that the warp has written is there. A fence that also acquires
   would empty L1 under the other warps of the SM, which no program asks for. */
void ptx_wait_for_stores(struct ptx_body *b)
{
	b->at_barrier = false;
	if (!b->release_fences) {
		ptx_emit(b->w, b->fences ? "fence.acq_rel.gpu" : "membar.gl");
		return;
	}
	ptx_needs(b->w, PTX_RELEASE_FENCE_VERSION);
	ptx_emit(b->w, "fence.release.gpu");
}

/* All active lanes meet. The assembler moves no load across, so the loads of
   an iteration are all under way before the first of their values is used;
   left to itself it starts them in batches to save registers. */
void ptx_sync_warp(struct ptx_body *b)
{
	ptx_needs(b->w, PTX_WARP_BARRIER_VERSION);
	ptx_emit(b->w, "bar.warp.sync %" PRIu32,
		b->role->lanes == 32 ? UINT32_MAX
				     : (UINT32_C(1) << b->role->lanes) - 1);
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

/* A block that leaves no records goes on behind the label. */
static unsigned quiet_go_past(struct ptx_body *b)
{
	const struct ptx_region *any = &b->kernel->regions[0];
	unsigned past = ptx_new_label(b->w), p, later;

	if (any->quiet_first == any->quiet_end)
		return past;
	p = ptx_p(b->w);
	later = ptx_r(b->w);
	ptx_emit(b->w, "sub.u32 %%r%u, %%r%u, %" PRIu32, later, b->block,
		any->quiet_first);
	ptx_emit(b->w, "setp.lt.u32 %%p%u, %%r%u, %" PRIu32, p, later,
		any->quiet_end - any->quiet_first);
	ptx_emit(b->w, "@%%p%u bra L%u", p, past);
	return past;
}

void ptx_write_first_clocks(struct ptx_body *b)
{
	unsigned quiet = quiet_go_past(b), past = others_go_past(b);
	unsigned at = block_record(b);
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
	ptx_label(b->w, quiet);
}

static void write_last_clocks(struct ptx_body *b)
{
	unsigned past = others_go_past(b), at = block_record(b);
	unsigned clock = ptx_d(b->w), ns = ptx_d(b->w);
	size_t i;

	read_clocks(b, clock, ns);
	for (i = 0; i < b->timed_count; i++)
		store_clocks(b, b->timed[i].place, at,
			offsetof(struct ptx_block_record, last_clock), clock,
			ns);
	ptx_label(b->w, past);
}

void ptx_write_records(struct ptx_body *b)
{
	unsigned at = ptx_d(b->w), quiet;
	size_t i;

	if (!b->timed_count)
		return;
	quiet = quiet_go_past(b);
	if (role_warps(b->role) > 1 && !b->drain_first)
		ptx_emit(b->w, "bar.sync 0");
	ptx_emit(b->w, "mad.wide.u32 %%d%u, %%r%u, %zu, %%d%u", at,
		b->global_warp, sizeof(struct ptx_warp_record), b->output);
	for (i = 0; i < b->timed_count; i++)
		ptx_emit(b->w,
			"@%%p%u st.global.v2.u64 [%%d%u+%" PRIu64
			"], {%%d%u, %%d%u}",
			b->lane0, at, b->timed[i].place->record_offset,
			b->timed[i].start, b->timed[i].stop);
	write_last_clocks(b);
	ptx_label(b->w, quiet);
}

/* What a region wrote is under way when its warps have stamped its end. That it
   has arrived is known to those who wait for it; only blocks that start last
   do, one thread each, since no kernel's blocks wait, and the fences of all
   warps would double the time of short ones. */
void ptx_drain(struct ptx_body *b, const struct ptx_region *place)
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
	ptx_wait_for_stores(b);
	arrived = ptx_stamp(b);
	at = block_record(b);
	ptx_emit(b->w, "st.global.u64 [%%d%u+%" PRIu64 "], %%d%u", at,
		place->block_offset +
			offsetof(struct ptx_block_record, drain_clock),
		arrived);
	ptx_label(b->w, past);
}

/* The lanes that each of the role's warps has: the last one may have fewer. */
static uint32_t lanes_of_all(const struct role *role)
{
	const uint32_t rest = role->threads % PROGRAM_WARP_LANES;

	return rest && rest < role->lanes ? rest : role->lanes;
}

/* The warp's lanes copy its samples from shared memory to the output. */
void ptx_write_samples(struct ptx_body *b, const struct ptx_region *place)
{
	unsigned index = ptx_r(b->w), from = ptx_r(b->w), value = ptx_r(b->w);
	unsigned at = ptx_d(b->w), to = ptx_d(b->w), row = ptx_r(b->w);
	unsigned top = ptx_new_label(b->w), bottom = ptx_new_label(b->w);
	unsigned done = ptx_p(b->w), stage = ptx_r(b->w);
	const uint32_t lanes = lanes_of_all(b->role);

	ptx_sync_warp(b); /* lane 0 wrote them; the others must see that */
	ptx_emit(b->w, "mov.b32 %%r%u, %%r%u", index, b->lane);
	ptx_emit(b->w, "mul.lo.u32 %%r%u, %%r%u, %" PRIu32, row, b->warp,
		place->samples);
	ptx_emit(b->w, "mov.u32 %%r%u, stage", stage);
	ptx_emit(b->w, "mul.wide.u32 %%d%u, %%r%u, %" PRIu32, to,
		b->global_warp, 4 * place->samples);
	ptx_emit(b->w, "add.u64 %%d%u, %%d%u, %%d%u", to, to, b->output);
	if (lanes < b->role->lanes) {
		ptx_emit(b->w, "setp.ge.u32 %%p%u, %%r%u, %" PRIu32, done,
			index, lanes);
		ptx_emit(b->w, "@%%p%u bra L%u", done, bottom);
	}
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
	ptx_emit(b->w, "add.u32 %%r%u, %%r%u, %" PRIu32, index, index, lanes);
	ptx_emit(b->w, "bra L%u", top);
	ptx_label(b->w, bottom);
	ptx_sync_warp(b);
}
