/* What an instruction's qualifiers and policy ask of the caches. */
#include <math.h>

#include "backend_sim/machine/streams.h"
#include "backend_sim/sm/qualifiers.h"
#include "harness/program/policy.h"
#include "harness/program/qualifiers.h"

static unsigned class_of_priority(uint8_t value, unsigned unchanged)
{
	switch (value) {
	case QV_L2_evict_first:
	case QV_SECONDARY_evict_first:
		return CLASS_FIRST;
	case QV_L2_evict_last:
		return CLASS_LAST;
	case QV_L2_evict_normal:
		return CLASS_NORMAL;
	default:
		return unchanged;
	}
}

static unsigned class_of_property(uint64_t property)
{
	return property == PROPERTY_PERSISTING  ? CLASS_LAST
	       : property == PROPERTY_STREAMING ? CLASS_FIRST
						: CLASS_NORMAL;
}

/* A fraction of lines, the same ones each time, as the address hash of the
   hardware picks them. */
static bool drawn(const struct execution *x, uint64_t line, double fraction)
{
	return permute_draw(x->seed, STREAM_POLICY, (uint32_t)line, 65536) <
	       (uint32_t)lround(fraction * 65536);
}

bool qualifiers_take_policy(struct warp *w, uint64_t bits)
{
	struct policy policy;

	w->kernel_policy = bits;
	return policy_read(bits, &policy);
}

/* A kernel's memory begins at a multiple of what any range comes again after,
   so that offsets have the blocks of addresses. */
/* Of a kernel's access with this policy. */
static unsigned class_by_bits(
	const struct execution *x, uint64_t bits, uint64_t offset)
{
	struct policy policy;
	bool is_primary;

	if (!policy_read(bits, &policy))
		return CLASS_NORMAL;
	is_primary = policy.sixteenths ? drawn(x, offset >> LINE_SHIFT,
						 policy.sixteenths / 16.0)
				       : policy_covers(&policy, offset);
	return class_of_priority(
		is_primary ? policy.primary : policy.secondary, CLASS_NORMAL);
}

static unsigned class_by_window(
	const struct execution *x, uint8_t buffer, uint64_t offset)
{
	const struct step *w = x->window;

	if (!w || w->buffer != buffer || offset < w->base_bytes ||
		offset >= w->base_bytes + w->bytes)
		return CLASS_NORMAL;
	return class_of_property(drawn(x, offset >> LINE_SHIFT, w->hit_ratio)
					 ? w->hit
					 : w->miss);
}

/* Measured on an H200: what a load is not to keep in L1 leaves L2 first, too.
 */
static bool leaves_first(const struct insn *insn)
{
	return insn->q[Q_COP] == QV_COP_cs || insn->q[Q_COP] == QV_COP_lu ||
	       (insn->op == OP_LD &&
		       (insn->q[Q_L1] == QV_L1_evict_first ||
			       insn->q[Q_L1] == QV_L1_no_allocate));
}

unsigned qualifiers_l2_class(const struct execution *x, const struct warp *w,
	const struct insn *insn, uint64_t offset)
{
	if (insn->q[Q_HINT])
		return class_by_bits(x, w->kernel_policy, offset);
	if (insn->q[Q_L2])
		return class_of_priority(insn->q[Q_L2], CLASS_NORMAL);
	if (leaves_first(insn))
		return CLASS_FIRST;
	return class_by_window(x, insn->address.buffer, offset);
}

unsigned qualifiers_bulk_class(const struct execution *x,
	const struct insn *insn, uint64_t policy, uint64_t offset)
{
	return insn->q[Q_HINT]
		       ? class_by_bits(x, policy, offset)
		       : class_by_window(x, insn->address.buffer, offset);
}

/* Is it always the same? */
static bool l2_class_is_fixed(
	const struct execution *x, const struct insn *insn)
{
	return !insn->q[Q_HINT] &&
	       (insn->q[Q_L2] || leaves_first(insn) || !x->window);
}

/* Which operators look in L1 and which leave a line there, as measured on an
   H200: .ca .cs .nc (.cg.nc, too) and .relaxed.cta do both, .lu looks only. */
static bool looks_in_l1(const struct insn *insn)
{
	uint8_t cop = insn->q[Q_COP], sem = insn->q[Q_SEM];

	if (insn->op != OP_LD)
		return false;
	if (insn->q[Q_NC])
		return true;
	return cop != QV_COP_cg && cop != QV_COP_cv &&
	       (sem == QV_NONE || sem == QV_SEM_weak ||
		       (sem == QV_SEM_relaxed &&
			       insn->q[Q_SCOPE] == QV_SCOPE_cta));
}

/* Measured on an H200: what goes past L1 takes the line out of it, except that
   stores leave their bytes there. */
static unsigned l1_effect(const struct execution *x, const struct insn *insn)
{
	const struct core *core = x->core;

	switch (insn->op) {
	case OP_LD:
		return looks_in_l1(insn) ? EFFECT_NONE : EFFECT_DROPS;
	case OP_ST:
		if (core->cost.l1_store_evicts)
			return EFFECT_DROPS;
		return core->cost.l1_store_allocates &&
				       insn->q[Q_L1] != QV_L1_no_allocate
			       ? EFFECT_WRITES
			       : EFFECT_UPDATES;
	case OP_ATOM:
	case OP_RED:
	case OP_DISCARD:
		return EFFECT_DROPS;
	default:
		return EFFECT_NONE;
	}
}

static bool stays_in_l1(const struct insn *insn)
{
	return looks_in_l1(insn) && insn->q[Q_COP] != QV_COP_lu &&
	       insn->q[Q_L1] != QV_L1_no_allocate;
}

static unsigned l1_class(const struct insn *insn)
{
	if (insn->q[Q_L1] == QV_L1_evict_first || insn->q[Q_COP] == QV_COP_cs)
		return CLASS_FIRST;
	return insn->q[Q_L1] == QV_L1_evict_last ? CLASS_LAST : CLASS_NORMAL;
}

/* An eviction priority holds for the line from then on; a cache operator
   only says how a line is allocated. */
static unsigned l1_hit(const struct insn *insn)
{
	if (!insn->q[Q_L1])
		return HIT_TOUCHES;
	switch (insn->q[Q_L1]) {
	case QV_L1_evict_first:
	case QV_L1_evict_normal:
	case QV_L1_evict_last:
		return HIT_MARKS;
	case QV_L1_evict_unchanged:
		return HIT_KEEPS;
	default:
		return HIT_TOUCHES;
	}
}

/* Does it go through a texture cache, not through the load/store unit? */
static bool uses_texture(const struct execution *x, const struct insn *insn)
{
	return x->core->cost.texture_caches && insn->q[Q_NC] &&
	       looks_in_l1(insn);
}

static unsigned prefetch_blocks(const struct insn *insn)
{
	switch (insn->q[Q_SIZE]) {
	case QV_SIZE_64B:
		return 2;
	case QV_SIZE_128B:
		return 4;
	case QV_SIZE_256B:
		return 8;
	default:
		return insn->op == OP_PREFETCH || insn->op == OP_PREFETCHU ? 4
									   : 0;
	}
}

static enum request_kind kind_of(const struct insn *insn)
{
	switch (insn->op) {
	case OP_ST:
		return REQUEST_STORE;
	case OP_ATOM:
		return REQUEST_ATOMIC;
	case OP_RED:
		return REQUEST_REDUCTION;
	case OP_DISCARD:
		return REQUEST_DISCARD;
	case OP_APPLYPRIORITY:
		return REQUEST_PRIORITY;
	case OP_PREFETCH:
	case OP_PREFETCHU:
		/* To L1 too: on an H200 it brings the line home, and no
		   further. */
		return REQUEST_PREFETCH;
	default:
		return REQUEST_LOAD;
	}
}

/* What goes past L1 takes its pipe's time for each line, and an atomic no more
   than the request port's. */
static uint32_t line_ticks(const struct costs *cost, bool atomic)
{
	if (atomic && cost->l1_line_ticks > cost->sm_request_ticks)
		return cost->sm_request_ticks;
	return cost->l1_line_ticks;
}

void qualifiers_ask(
	const struct execution *x, const struct insn *insn, struct asks *asks)
{
	*asks = (struct asks){
		.form =
			{
				.kind = kind_of(insn),
				.buffer = insn->address.buffer & 15,
				.wait_next = NONE,
				.l1_class = l1_class(insn) & 3,
				.l1_hit = l1_hit(insn) & 3,
				.l1_allocate = stays_in_l1(insn),
				.prefetch = prefetch_blocks(insn) & 15,
			},
		.effect = (uint8_t)l1_effect(x, insn),
		.looks = looks_in_l1(insn),
		.texture = uses_texture(x, insn),
		.l2_fixed = l2_class_is_fixed(x, insn),
	};
	asks->atomic = request_is_atomic(&asks->form);
	asks->adds_floats = asks->atomic && insn->q[Q_TYPE] == QV_TYPE_f32 &&
			    insn->q[Q_ATOMIC] == QV_ATOMIC_add;
	asks->line_ticks = (uint16_t)line_ticks(&x->core->cost, asks->atomic);
	if (asks->l2_fixed)
		asks->form.l2_class = qualifiers_l2_class(x, NULL, insn, 0) & 3;
}
