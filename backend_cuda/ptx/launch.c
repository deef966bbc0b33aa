/* One launch as a kernel: who runs what where, and how they start and end. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/program/launch.h"
#include "harness/program/legality/legality.h"
#include "backend_cuda/ptx/record.h"

#define RELEASE_FENCE_ARCH 90
#define RECORD_ALIGNMENT   32u /* a sector */

struct launch {
	const struct program *p;
	const struct step *step;
	const struct device *device;
	struct ptx_kernel *kernel;
	struct ptx_writer w;
	struct region regions[PROGRAM_REGIONS_MAX];
	size_t region_count;
	unsigned base[PROGRAM_BUFFERS_MAX];
	unsigned control, output, zero;        /* d */
	unsigned tid, lane, warp, role, block; /* r */
	uint32_t blocks, foreground_blocks;
	bool background; /* some role repeats until the others have ended */
	uint32_t scratch, samples;
	bool together; /* the blocks wait for each other */
	bool release_fences;
	unsigned exit;
};

static const struct role *role_at(const struct launch *l, uint32_t i)
{
	return launch_role(l->p, l->step, i);
}

static uint32_t blocks_of(const struct launch *l, uint32_t i)
{
	return role_blocks(l->p, role_at(l, i), l->device->sm_count);
}

/* ---- shape: grid, block, output ---- */

/* Of a region that is timed as a whole: does it leave writes under way? */
static bool writes(const struct program *p, const struct region *r)
{
	uint32_t end = program_matching_end(p, r->insn_index), i;

	for (i = r->insn_index; i < end; i++)
		if (p->insns[i].op == OP_ST || p->insns[i].op == OP_RED)
			return r->repeat->timing == TIMING_REGION;
	return false;
}

static void shape_output(struct launch *l)
{
	struct ptx_kernel *k = l->kernel;
	uint64_t at = 0;
	size_t i;

	for (i = 0; i < l->region_count; i++) {
		const struct region *r = &l->regions[i];
		struct ptx_region *place = &k->regions[k->region_count];

		if (r->role_index < l->step->role_first ||
			r->role_index >=
				l->step->role_first + l->step->role_count)
			continue;
		place->region = (uint32_t)i;
		place->warps = role_warps(r->role) *
			       role_blocks(l->p, r->role, l->device->sm_count);
		place->samples = r->repeat->timing == TIMING_EACH
					 ? (uint32_t)r->repeat->count
					 : 0;
		place->record_offset = at;
		at += place->warps * sizeof(struct ptx_warp_record);
		place->sample_offset = at;
		at += 4ull * place->warps * place->samples;
		at = (at + RECORD_ALIGNMENT - 1) / RECORD_ALIGNMENT *
		     RECORD_ALIGNMENT;
		place->block_offset = at;
		place->blocks = place->warps / role_warps(r->role);
		place->writes = writes(l->p, r);
		at += place->blocks * sizeof(struct ptx_block_record);
		at = (at + RECORD_ALIGNMENT - 1) / RECORD_ALIGNMENT *
		     RECORD_ALIGNMENT;
		k->region_count++;
	}
	k->output_bytes = at + 8;
}

static void shape_shared(struct launch *l)
{
	l->scratch = LAUNCH_CLAIM_BYTES;
	l->samples = l->scratch + 8 * l->kernel->threads;
	l->w.shared_bytes = launch_static_bytes(l->p, l->step);
}

/* Blocks may wait for each other only if an SM holds them all at once. */
static bool fit_together(const struct launch *l, uint64_t per_sm)
{
	const struct device *d = l->device;
	uint64_t shared = l->kernel->dynamic_shared_bytes +
			  (uint64_t)l->w.shared_bytes +
			  d->shared_reserved_bytes;

	return per_sm <= d->blocks_per_sm_max &&
	       per_sm * l->kernel->threads <=
		       d->warps_per_sm_max * PROGRAM_WARP_LANES &&
	       per_sm * shared <= d->shared_bytes_per_sm;
}

/* Of a grid whose blocks come and go: those of its largest role. */
static uint32_t resident_alone(const struct launch *l)
{
	const struct device *d = l->device;
	const struct sm_limits limits = {d->warps_per_sm_max,
		d->blocks_per_sm_max, d->registers_per_sm,
		d->shared_bytes_per_sm, d->shared_reserved_bytes};
	uint32_t least = UINT32_MAX, i;

	for (i = 0; i < l->step->role_count; i++) {
		uint32_t blocks =
			launch_resident(l->p, l->step, role_at(l, i), &limits);

		least = blocks < least ? blocks : least;
	}
	return least;
}

static void shape(struct launch *l)
{
	struct ptx_kernel *k = l->kernel;
	uint32_t per_sm = 0, resident = 0, i;
	bool placed = false;

	for (i = 0; i < l->step->role_count; i++) {
		const struct role *role = role_at(l, i);
		uint32_t blocks = blocks_of(l, i);

		l->blocks += blocks;
		if (!role->background)
			l->foreground_blocks += blocks;
		l->background |= role->background;
		if (role->threads > k->threads)
			k->threads = role->threads;
		if (role->shared_bytes > k->dynamic_shared_bytes)
			k->dynamic_shared_bytes = role->shared_bytes;
		if (role->place == PLACE_BLOCKS)
			resident += blocks;
		else if (role->blocks > per_sm)
			per_sm = role->blocks;
		placed |= role->place != PLACE_BLOCKS;
	}
	per_sm += (resident + l->device->sm_count - 1) / l->device->sm_count;
	k->grid = l->blocks;
	if (placed || l->step->role_count > 1)
		k->grid = l->device->sm_count * (per_sm + 1) * 2;
	shape_output(l);
	shape_shared(l);
	l->together = launch_starts_together(l->p, l->step) &&
		      fit_together(l, per_sm);
	k->resident = l->together ? per_sm : resident_alone(l);
	if (k->resident > per_sm)
		k->resident = per_sm;
	l->w.threads = k->threads;
	l->w.resident = k->resident;
	l->w.registers = l->step->registers;
}

/* ---- prologue ---- */

static void load_parameters(struct launch *l)
{
	unsigned opaque = ptx_d(&l->w);
	char name[32];
	uint32_t i;

	l->w.buffer_count = l->p->buffer_count;
	l->control = ptx_d_parameter(&l->w, "control");
	l->output = ptx_d_parameter(&l->w, "output");
	for (i = 0; i < l->p->buffer_count; i++) {
		snprintf(name, sizeof(name), "buffer%" PRIu32, i);
		l->base[i] = ptx_d_parameter(&l->w, name);
	}
	l->tid = ptx_r_special(&l->w, "%tid.x");
	l->lane = ptx_r(&l->w);
	l->warp = ptx_r(&l->w);
	ptx_emit(&l->w, "and.b32 %%r%u, %%r%u, 31", l->lane, l->tid);
	ptx_emit(&l->w, "shr.u32 %%r%u, %%r%u, 5", l->warp, l->tid);
	l->zero = ptx_d(&l->w);
	ptx_emit(&l->w, "ld.param.u64 %%d%u, [opaque]", opaque);
	ptx_emit(&l->w, "cvt.u64.u32 %%d%u, %%r%u", l->zero, l->lane);
	ptx_emit(&l->w, "mul.lo.u64 %%d%u, %%d%u, %%d%u", l->zero, l->zero,
		opaque);
	l->role = ptx_r_constant(&l->w, 0);
	l->block = ptx_r_special(&l->w, "%ctaid.x");
}

/* role and block from this SM's slot: block = rank * blocks + claim. */
static void claim_by_sm(struct launch *l, unsigned done)
{
	struct ptx_writer *w = &l->w;
	unsigned table = ptx_d_parameter(w, "table"), at = ptx_d(w);
	unsigned sm = ptx_r_special(w, "%smid"), slot = ptx_r(w);
	unsigned rank = ptx_r(w), claim = ptx_r(w), p = ptx_p(w);
	uint32_t i;

	ptx_emit(w, "mul.wide.u32 %%d%u, %%r%u, 8", at, sm);
	ptx_emit(w, "add.u64 %%d%u, %%d%u, %%d%u", at, at, table);
	ptx_emit(w, "ld.global.v2.u32 {%%r%u, %%r%u}, [%%d%u]", slot, rank, at);
	ptx_emit(w, "mul.wide.u32 %%d%u, %%r%u, 4", at, sm);
	ptx_emit(w, "add.u64 %%d%u, %%d%u, %%d%u", at, at, l->control);
	for (i = 0; i < l->step->role_count; i++) {
		const struct role *role = role_at(l, i);
		unsigned next;

		if (role->place == PLACE_BLOCKS)
			continue;
		next = ptx_new_label(w);
		ptx_emit(w, "setp.ne.u32 %%p%u, %%r%u, %" PRIu32, p, slot,
			i + 1);
		ptx_emit(w, "@%%p%u bra L%u", p, next);
		ptx_emit(w, "atom.global.add.u32 %%r%u, [%%d%u+%d], 1", claim,
			at, PTX_CONTROL_SMS);
		ptx_emit(w, "setp.ge.u32 %%p%u, %%r%u, %" PRIu32, p, claim,
			role->blocks);
		ptx_emit(w, "@%%p%u bra L%u", p, done);
		ptx_emit(w, "mov.b32 %%r%u, %" PRIu32, l->role, i + 1);
		ptx_emit(w, "mad.lo.u32 %%r%u, %%r%u, %" PRIu32 ", %%r%u",
			l->block, rank, role->blocks, claim);
		ptx_emit(w, "bra L%u", done);
		ptx_label(w, next);
	}
}

/* On an SM that no role names: the roles that run anywhere, in order. */
static void claim_anywhere(struct launch *l, unsigned done)
{
	struct ptx_writer *w = &l->w;
	unsigned claim = ptx_r(w), p = ptx_p(w);
	uint32_t i;

	for (i = 0; i < l->step->role_count; i++) {
		if (role_at(l, i)->place != PLACE_BLOCKS)
			continue;
		ptx_emit(w, "atom.global.add.u32 %%r%u, [%%d%u+%" PRIu32 "], 1",
			claim, l->control, PTX_CONTROL_ROLES + 4 * i);
		ptx_emit(w, "setp.ge.u32 %%p%u, %%r%u, %" PRIu32, p, claim,
			blocks_of(l, i));
		ptx_emit(w, "@!%%p%u mov.b32 %%r%u, %" PRIu32, p, l->role,
			i + 1);
		ptx_emit(w, "@!%%p%u mov.b32 %%r%u, %%r%u", p, l->block, claim);
		ptx_emit(w, "@!%%p%u bra L%u", p, done);
	}
}

/* Thread 0 claims; all threads learn role and block. */
static void claim(struct launch *l)
{
	struct ptx_writer *w = &l->w;
	unsigned others = ptx_new_label(w), done = ptx_new_label(w);
	unsigned p = ptx_p(w), stage = ptx_r(w);

	if (l->step->role_count == 1 && role_at(l, 0)->place == PLACE_BLOCKS) {
		ptx_emit(w, "mov.b32 %%r%u, 1", l->role);
		return;
	}
	ptx_emit(w, "mov.u32 %%r%u, stage", stage);
	ptx_emit(w, "setp.ne.u32 %%p%u, %%r%u, 0", p, l->tid);
	ptx_emit(w, "@%%p%u bra L%u", p, others);
	claim_by_sm(l, done);
	claim_anywhere(l, done);
	ptx_label(w, done);
	ptx_emit(w, "st.shared.v2.u32 [%%r%u], {%%r%u, %%r%u}", stage, l->role,
		l->block);
	ptx_label(w, others);
	ptx_emit(w, "bar.sync 0");
	ptx_emit(w, "ld.shared.v2.u32 {%%r%u, %%r%u}, [%%r%u]", l->role,
		l->block, stage);
	ptx_emit(w, "setp.eq.u32 %%p%u, %%r%u, 0", p, l->role);
	ptx_emit(w, "@%%p%u bra L%u", p, l->exit);
}

/* Thread 0 spins until a control word reaches a value; then a barrier. */
static void wait_for(struct launch *l, int word, const char *comparison,
	unsigned value_r, uint32_t pause_ns)
{
	struct ptx_writer *w = &l->w;
	unsigned p = ptx_p(w), now = ptx_r(w), again = ptx_new_label(w);
	unsigned past = ptx_new_label(w);

	ptx_emit(w, "setp.ne.u32 %%p%u, %%r%u, 0", p, l->tid);
	ptx_emit(w, "@%%p%u bra L%u", p, past);
	ptx_label(w, again);
	if (pause_ns)
		ptx_emit(w, "nanosleep.u32 %" PRIu32, pause_ns);
	ptx_emit(w, "ld.volatile.global.u32 %%r%u, [%%d%u+%d]", now, l->control,
		word);
	ptx_emit(w, "setp.%s.u32 %%p%u, %%r%u, %%r%u", comparison, p, now,
		value_r);
	ptx_emit(w, "@%%p%u bra L%u", p, again);
	ptx_label(w, past);
	ptx_emit(w, "bar.sync 0");
}

static void meet(struct launch *l)
{
	struct ptx_writer *w = &l->w;
	unsigned p;

	if (!l->together || l->blocks == 1)
		return;
	p = ptx_p(w);
	ptx_emit(w, "setp.eq.u32 %%p%u, %%r%u, 0", p, l->tid);
	ptx_emit(w, "@%%p%u red.global.add.u32 [%%d%u+%d], 1", p, l->control,
		PTX_CONTROL_ARRIVED);
	wait_for(l, PTX_CONTROL_ARRIVED, "lt", ptx_r_constant(w, l->blocks), 0);
}

/* ---- a role ---- */

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
	uint32_t threads = blocks_of(l, role) * role_warps(b->role) * lanes;
	unsigned thread = ptx_r(b->w);

	ptx_emit(b->w, "mad.lo.u32 %%r%u, %%r%u, %" PRIu32 ", %%r%u", thread,
		b->global_warp, lanes, b->lane);
	for (i = b->role->insn_first;
		i < b->role->insn_first + b->role->insn_count; i++)
		if (b->p->insns[i].address.mode == ADDRESS_CHASE)
			b->chased |= 1u << b->p->insns[i].address.buffer;
	for (i = 0; i < b->p->buffer_count; i++) {
		b->chase[i] = ptx_d(b->w);
		if (b->chased & (1u << i))
			start_chase(b, i, thread, threads);
	}
}

/* Blocks of a plain grid beyond those that start at once follow earlier ones;
   of these the last resident ones are the last to end, or nearly. */
static uint32_t drain_first(const struct launch *l, uint32_t role)
{
	uint32_t blocks = blocks_of(l, role);
	uint32_t resident = l->kernel->resident * l->device->sm_count;

	if (role_at(l, role)->place != PLACE_BLOCKS || l->step->role_count > 1)
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
		.role = role_at(l, role),
		.tid = l->tid,
		.lane = l->lane,
		.warp = l->warp,
		.block = l->block,
		.zero = l->zero,
		.output = l->output,
		.blocks = blocks_of(l, role),
		.drain_first = drain_first(l, role),
		.samples = l->samples,
		.kernel = l->kernel,
		.regions = l->regions,
		.region_count = l->region_count,
		.release_fences = l->release_fences,
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
	ptx_emit(w, "mad.lo.u32 %%r%u, %%r%u, 8, %%r%u", b->stage, l->tid,
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

/* Lanes and warps that the role does not have leave. */
static void leave_idle(struct launch *l, const struct role *role)
{
	unsigned p = ptx_p(&l->w);

	ptx_emit(&l->w, "setp.ge.u32 %%p%u, %%r%u, %" PRIu32, p, l->lane,
		role->lanes);
	ptx_emit(&l->w, "@%%p%u bra L%u", p, l->exit);
	if (role->threads == l->kernel->threads)
		return;
	ptx_emit(&l->w, "setp.ge.u32 %%p%u, %%r%u, %" PRIu32, p, l->tid,
		role->threads);
	ptx_emit(&l->w, "@%%p%u bra L%u", p, l->exit);
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
}

/* A background warp repeats its body until all foreground blocks are done. */
static void background(struct launch *l, struct ptx_body *b)
{
	unsigned again = ptx_new_label(&l->w), p = ptx_p(&l->w);
	unsigned done = ptx_r(&l->w);

	ptx_label(&l->w, again);
	ptx_body_range(b, b->role->insn_first,
		b->role->insn_first + b->role->insn_count);
	ptx_emit(&l->w, "ld.volatile.global.u32 %%r%u, [%%d%u+%d]", done,
		l->control, PTX_CONTROL_DONE);
	ptx_emit(&l->w, "setp.lt.u32 %%p%u, %%r%u, %" PRIu32, p, done,
		l->foreground_blocks);
	ptx_emit(&l->w, "@%%p%u bra L%u", p, again);
}

/* A block tells that it has ended only if someone waits for it: words that all
   warps touch would keep the memory system busy beyond what is measured. */
static void foreground(struct launch *l, struct ptx_body *b)
{
	int word = l->step->turns ? PTX_CONTROL_TURN : PTX_CONTROL_DONE;

	ptx_body_range(b, b->role->insn_first,
		b->role->insn_first + b->role->insn_count);
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

	ptx_emit(w, "setp.ne.u32 %%p%u, %%r%u, %" PRIu32, p, l->role, role + 1);
	ptx_emit(w, "@%%p%u bra L%u", p, next);
	leave_idle(l, role_at(l, role));
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
	const struct device *device, struct ptx_kernel *kernel,
	struct error *error)
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
	shape(&l);
	l.exit = ptx_new_label(&l.w);
	load_parameters(&l);
	claim(&l);
	meet(&l);
	if (l.step->turns)
		wait_for(&l, PTX_CONTROL_TURN, "ne", l.block, 200);
	for (i = 0; i < l.step->role_count; i++)
		run_role(&l, i);
	ptx_label(&l.w, l.exit);
	version = version > l.w.version_least ? version : l.w.version_least;
	return ptx_writer_finish(&l.w, version > target ? version : target,
		device->sm_arch, &kernel->text, error);
}
