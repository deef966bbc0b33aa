/* What a kernel does before its role: it learns which one it has, and waits. */
#include <inttypes.h>
#include <stdio.h>

#include "harness/lower/launch_parts.h"

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
		const struct role *role = ptx_role_at(l, i);
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
		if (ptx_role_at(l, i)->place != PLACE_BLOCKS)
			continue;
		ptx_emit(w, "atom.global.add.u32 %%r%u, [%%d%u+%" PRIu32 "], 1",
			claim, l->control, PTX_CONTROL_ROLES + 4 * i);
		ptx_emit(w, "setp.ge.u32 %%p%u, %%r%u, %" PRIu32, p, claim,
			ptx_blocks_of(l, i));
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

	if (l->step->role_count == 1 &&
		ptx_role_at(l, 0)->place == PLACE_BLOCKS) {
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
	if (pause_ns && l->device->sm_arch >= PTX_SLEEP_ARCH)
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

void ptx_prologue(struct launch *l)
{
	load_parameters(l);
	claim(l);
	meet(l);
	if (l->step->turns)
		wait_for(l, PTX_CONTROL_TURN, "ne", l->block, 200);
}
