/* One launch as a kernel: its roles, and how they end. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/program/address.h"
#include "harness/program/legality/legality.h"
#include "harness/lower/launch_parts.h"
#include "harness/lower/record.h"

#define RELEASE_FENCE_ARCH 90

/* The first link of a ring: chase_start() of the thread, permuted. */
static void start_chase(
	struct ptx_body *b, uint32_t buffer, unsigned thread, uint32_t threads)
{
	const struct buffer *ring = &b->p->buffers[buffer];
	struct ptx_writer *w = b->w;
	uint32_t slots = (uint32_t)buffer_ring_slots(ring);
	uint32_t sharers = (threads + ring->rings - 1) / ring->rings;
	unsigned index = ptx_r(w), position = ptx_r(w), seed = ptx_r(w);
	unsigned wide = ptx_d(w), d = b->chase[buffer];
	struct ptx_permutation order;

	ptx_emit(w, "rem.u32 %%r%u, %%r%u, %" PRIu32, index, thread,
		ring->rings);
	ptx_emit(w, "div.u32 %%r%u, %%r%u, %" PRIu32, position, thread,
		ring->rings);
	ptx_emit(w, "mul.wide.u32 %%d%u, %%r%u, %" PRIu32, wide, position,
		slots);
	if (sharers > 1)
		ptx_emit(w, "div.u64 %%d%u, %%d%u, %" PRIu32, wide, wide,
			sharers);
	ptx_emit(w, "cvt.u32.u64 %%r%u, %%d%u", position, wide);
	ptx_emit(w, "add.u32 %%r%u, %%r%u, %" PRIu32, seed, index, ring->seed);
	if (ring->order == ORDER_SHUFFLE) {
		ptx_permutation_init(w, &order, slots, seed);
		position = ptx_permutation_slot(w, &order, position);
	}
	ptx_emit(w, "mul.wide.u32 %%d%u, %%r%u, %" PRIu32, d, position,
		ring->slot_bytes);
	ptx_emit(w, "cvt.u64.u32 %%d%u, %%r%u", wide, index);
	ptx_emit(w, "mad.lo.u64 %%d%u, %%d%u, %" PRIu64 ", %%d%u", d, wide,
		ring->bytes / ring->rings, d);
	ptx_emit(w, "add.u64 %%d%u, %%d%u, %%d%u", d, d, b->base[buffer]);
}

static void start_chases(struct launch *l, struct ptx_body *b, uint32_t role)
{
	uint32_t lanes = b->role->lanes, i;
	uint32_t threads = ptx_blocks_of(l, role) * role_warps(b->role) * lanes;
	unsigned thread = ptx_r(b->w);

	ptx_emit(b->w, "mad.lo.u32 %%r%u, %%r%u, %" PRIu32 ", %%r%u", thread,
		b->global_warp, lanes, b->lane);
	for (i = b->role->insn_first;
		i < b->role->insn_first + b->role->insn_count; i++)
		if (b->p->insns[i].address.mode == ADDRESS_CHASE)
			b->chased |= 1u << program_ring_first(b->p,
					     b->p->insns[i].address.buffer);
	for (i = 0; i < b->p->buffer_count; i++) {
		const uint32_t first = program_ring_first(b->p, i);

		b->chase[i] = first < i ? b->chase[first] : ptx_d(b->w);
		if (b->chased & (1u << i))
			start_chase(b, i, thread, threads);
	}
}

/* Blocks of a plain grid beyond those that start at once follow earlier ones;
   of these the last resident ones are the last to end, or nearly. */
static uint32_t drain_first(const struct launch *l, uint32_t role)
{
	uint32_t blocks = ptx_blocks_of(l, role);
	uint32_t resident = l->kernel->resident * l->device->sm_count;

	if (ptx_role_at(l, role)->place != PLACE_BLOCKS ||
		l->step->role_count > 1)
		return 0;
	return blocks > resident ? blocks - resident : 0;
}

static void start_body(struct launch *l, struct ptx_body *b, uint32_t role)
{
	struct ptx_writer *w = &l->w;
	uint32_t i;

	*b = (struct ptx_body){
		.w = w,
		.p = l->p,
		.role = ptx_role_at(l, role),
		.tid = l->tid,
		.lane = l->lane,
		.warp = l->warp,
		.block = l->block,
		.zero = l->zero,
		.output = l->output,
		.blocks = ptx_blocks_of(l, role),
		.drain_first = drain_first(l, role),
		.samples = l->samples,
		.kernel = l->kernel,
		.regions = l->regions,
		.region_count = l->region_count,
		.release_fences = l->release_fences,
		.fences = l->device->sm_arch >= PTX_FENCE_ARCH,
	};
	memcpy(b->base, l->base, sizeof(b->base));
	b->global_warp = ptx_r(w);
	ptx_emit(w, "mad.lo.u32 %%r%u, %%r%u, %" PRIu32 ", %%r%u",
		b->global_warp, l->block, role_warps(b->role), l->warp);
	b->zero32 = ptx_r(w);
	ptx_emit(w, "cvt.u32.u64 %%r%u, %%d%u", b->zero32, l->zero);
	/* tied to the zero: the assembler would find it anew at each use */
	b->stage = ptx_r(w);
	ptx_emit(w, "mov.u32 %%r%u, stage", b->stage);
	ptx_emit(w, "mad.lo.u32 %%r%u, %%r%u, 4, %%r%u", b->stage, l->tid,
		b->stage);
	ptx_emit(w, "add.u32 %%r%u, %%r%u, %%r%u", b->stage, b->stage,
		b->zero32);
	ptx_emit(w, "add.u32 %%r%u, %%r%u, %" PRIu32, b->stage, b->stage,
		l->scratch);
	b->lane0 = ptx_p(w);
	ptx_emit(w, "setp.eq.u32 %%p%u, %%r%u, 0", b->lane0, l->lane);
	b->thread0 = ptx_p(w);
	ptx_emit(w, "setp.eq.u32 %%p%u, %%r%u, 0", b->thread0, l->tid);
	b->sum32 = ptx_r_constant(w, 0);
	b->sum64 = ptx_d_constant(w, 0);
	for (i = 0; i < PROGRAM_POLICIES_MAX; i++)
		b->policy[i] = ptx_d_constant(w, 0);
	start_chases(l, b, role);
	ptx_write_first_clocks(b);
}

/* Lanes and warps that the role does not have leave, at once: those that stay
   meet at barriers, which want all of a warp's threads that have not ended. */
static void leave_idle(struct launch *l, const struct role *role)
{
	unsigned p = ptx_p(&l->w);

	ptx_emit(&l->w, "setp.ge.u32 %%p%u, %%r%u, %" PRIu32, p, l->lane,
		role->lanes);
	ptx_emit(&l->w, "@%%p%u exit", p);
	if (role->threads == l->kernel->threads)
		return;
	ptx_emit(&l->w, "setp.ge.u32 %%p%u, %%r%u, %" PRIu32, p, l->tid,
		role->threads);
	ptx_emit(&l->w, "@%%p%u exit", p);
}

/* Nothing may look unused to the assembler. */
static void keep_sums(struct launch *l, const struct ptx_body *b)
{
	unsigned p = ptx_p(&l->w), wide = ptx_d(&l->w);
	uint32_t i;

	ptx_emit(&l->w, "cvt.u64.u32 %%d%u, %%r%u", wide, b->sum32);
	ptx_emit(&l->w, "xor.b64 %%d%u, %%d%u, %%d%u", wide, wide, b->sum64);
	for (i = 0; i < l->p->buffer_count; i++)
		if (b->chased & (1u << i))
			ptx_emit(&l->w, "xor.b64 %%d%u, %%d%u, %%d%u", wide,
				wide, b->chase[i]);
	ptx_emit(&l->w, "setp.eq.u64 %%p%u, %%d%u, %%d%u", p, wide, l->control);
	ptx_emit(&l->w, "@%%p%u st.global.u64 [%%d%u+%" PRIu64 "], %%d%u", p,
		l->output, l->kernel->output_bytes - 8, wide);
	ptx_idle(&l->w);
}

/* A background warp repeats its body until all foreground blocks are done. */
static void background(struct launch *l, struct ptx_body *b)
{
	unsigned again = ptx_new_label(&l->w), p = ptx_p(&l->w);
	unsigned done = ptx_r(&l->w);

	ptx_label(&l->w, again);
	ptx_body_range(b, b->role->insn_first,
		b->role->insn_first + b->role->insn_count);
	ptx_at_role(&l->w, (uint32_t)(b->role - l->p->roles));
	ptx_emit(&l->w, "ld.volatile.global.u32 %%r%u, [%%d%u+%d]", done,
		l->control, PTX_CONTROL_DONE);
	ptx_emit(&l->w, "setp.lt.u32 %%p%u, %%r%u, %" PRIu32, p, done,
		l->foreground_blocks);
	ptx_emit(&l->w, "@%%p%u bra L%u", p, again);
	ptx_write_records(b);
}

/* A block tells that it has ended only if someone waits for it: words that all
   warps touch would keep the memory system busy beyond what is measured. */
static void foreground(struct launch *l, struct ptx_body *b)
{
	int word = l->step->turns ? PTX_CONTROL_TURN : PTX_CONTROL_DONE;

	ptx_body_range(b, b->role->insn_first,
		b->role->insn_first + b->role->insn_count);
	ptx_at_role(&l->w, (uint32_t)(b->role - l->p->roles));
	ptx_write_records(b);
	if (!l->step->turns && !l->background)
		return;
	ptx_emit(&l->w, "bar.sync 0");
	ptx_emit(&l->w, "@%%p%u red.global.add.u32 [%%d%u+%d], 1", b->thread0,
		l->control, word);
}

static void run_role(struct launch *l, uint32_t role)
{
	struct ptx_writer *w = &l->w;
	unsigned next = ptx_new_label(w), p = ptx_p(w);
	struct ptx_body b;

	ptx_at_role(w, l->step->role_first + role);
	ptx_emit(w, "setp.ne.u32 %%p%u, %%r%u, %" PRIu32, p, l->role, role + 1);
	ptx_emit(w, "@%%p%u bra L%u", p, next);
	leave_idle(l, ptx_role_at(l, role));
	start_body(l, &b, role);
	if (b.role->background)
		background(l, &b);
	else
		foreground(l, &b);
	keep_sums(l, &b);
	ptx_emit(w, "bra L%u", l->exit);
	ptx_label(w, next);
}

int ptx_launch(const struct program *p, uint32_t step,
	const struct program_places *places, const struct device *device,
	struct ptx_kernel *kernel, struct error *error)
{
	struct launch l = {
		.p = p,
		.step = &p->steps[step],
		.device = device,
		.kernel = kernel,
	};
	unsigned version = program_requirement(p).ptx;
	unsigned target = ptx_version_of_target(device->sm_arch);
	uint32_t i;

	*kernel = (struct ptx_kernel){0};
	l.release_fences = device->sm_arch >= RELEASE_FENCE_ARCH &&
			   device->ptx_version >= PTX_RELEASE_FENCE_VERSION;
	l.region_count = program_regions(p, l.regions);
	if (ptx_writer_open(&l.w, error))
		return ERR_FAILED;
	l.w.places = places;
	ptx_at_step(&l.w, step);
	ptx_shape(&l);
	l.exit = ptx_new_label(&l.w);
	kernel->turn_offset = l.step->turns ? PTX_CONTROL_TURN : 0;
	ptx_prologue(&l);
	for (i = 0; i < l.step->role_count; i++)
		run_role(&l, i);
	ptx_at_step(&l.w, step);
	ptx_label(&l.w, l.exit);
	version = version > l.w.version_least ? version : l.w.version_least;
	return ptx_writer_finish(&l.w, version > target ? version : target,
		device->sm_arch, kernel, error);
}
