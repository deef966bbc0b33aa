#include <stdio.h>
#include <string.h>

#include "harness/program/legality/parts.h"
#include "harness/program/permute.h"
#include "tests/support/program_random.h"

#define TRIES 400

const struct program_random program_random_default = {
	.seed = 1,
	.launches = 3,
	.roles = 3,
	.insns = 6,
	.iterations = 8,
	.depth = 3,
	.threads = 128,
	.sms = 8,
	.sm_arch = 120,
	.buffer_bytes = 1 << 20,
	.host_actions = true,
};

struct maker {
	const struct program_random *knobs;
	struct program *p;
	uint32_t draws;
};

/* A number in [0, count). */
static uint32_t draw(struct maker *m, uint32_t count)
{
	return permute_draw(m->knobs->seed, 7, m->draws++, count);
}

static bool one_in(struct maker *m, uint32_t count)
{
	return draw(m, count) == 0;
}

/* ---- buffers ---- */

static void add_buffers(struct maker *m)
{
	uint32_t units = (uint32_t)(m->knobs->buffer_bytes / 4096);
	uint32_t i, count = 2 + draw(m, PROGRAM_BUFFERS_MAX - 1);

	for (i = 0; i < count; i++) {
		struct buffer b;

		memset(&b, 0, sizeof(b));
		snprintf(b.name, sizeof(b.name), "b%u", i);
		b.bytes = UINT64_C(4096) * (1 + draw(m, units));
		/* The first is a ring and the second is not. */
		b.fill = (uint8_t)(i == 0   ? FILL_RING
				   : i == 1 ? draw(m, FILL_RING)
					    : draw(m, FILL_COUNT));
		b.memory = one_in(m, 4) ? MEMORY_COMPRESSIBLE : MEMORY_PLAIN;
		b.seed = draw(m, 5);
		if (b.fill == FILL_RING) {
			b.slot_bytes = 8u << draw(m, 7);
			b.order = (uint8_t)draw(m, ORDER_COUNT);
			b.element_bytes = one_in(m, 3) ? 4 : 8;
			b.rings = one_in(m, 3) ? 1u << draw(m, 3) : 1;
		}
		program_buffer(m->p, &b);
	}
}

/* ---- one instruction ---- */

static uint64_t multiple(struct maker *m, uint64_t unit, uint32_t count)
{
	return unit * draw(m, count);
}

static void draw_strides(
	struct maker *m, struct address *a, uint32_t width, uint32_t depth)
{
	uint32_t d;

	if (!one_in(m, 4))
		a->lane_bytes = multiple(m, width, 6);
	if (one_in(m, 2))
		a->warp_bytes = multiple(m, width, 300);
	if (one_in(m, 3) && a->mode != ADDRESS_SHARED)
		a->block_bytes = multiple(m, width, 3000);
	for (d = 0; d < depth; d++)
		if (one_in(m, 2))
			a->loop_bytes[d] = multiple(m, width, 100);
	if (one_in(m, 3))
		a->wrap_bytes = multiple(m, width, 64);
}

static void draw_address(struct maker *m, struct insn *insn, uint32_t depth)
{
	struct address *a = &insn->address;
	uint32_t width = insn_access_bytes(insn);

	if (insn->q[Q_SPACE] == QV_SPACE_shared)
		a->mode = ADDRESS_SHARED;
	else
		a->mode = (uint8_t)(ADDRESS_AFFINE + draw(m, 3));
	if (a->mode != ADDRESS_SHARED)
		a->buffer = (uint8_t)draw(m, m->p->buffer_count);
	if (one_in(m, 3))
		a->base_bytes = multiple(m, width, 16);
	if (a->mode == ADDRESS_CHASE)
		return;
	draw_strides(m, a, width, depth);
	if (a->mode == ADDRESS_RANDOM) {
		a->slot_bytes = (uint64_t)width << draw(m, 5);
		a->per = (uint8_t)draw(m, 2);
	}
}

/* A qualifier stands in one of so many instructions that take it. */
static const uint8_t rarity[Q_COUNT] = {
	[Q_KIND] = 1,
	[Q_SEM] = 3,
	[Q_SCOPE] = 3,
	[Q_SPACE] = 1,
	[Q_COP] = 3,
	[Q_NC] = 4,
	[Q_ATOMIC] = 1,
	[Q_LEVEL] = 2,
	[Q_L1] = 4,
	[Q_L2] = 3,
	[Q_SECONDARY] = 2,
	[Q_HINT] = 3,
	[Q_SIZE] = 4,
	[Q_VEC] = 3,
	[Q_TYPE] = 1,
};

/* A value of `class` that the operation takes, or none. */
static uint8_t draw_qualifier(
	struct maker *m, enum op op, enum qualifier_class class)
{
	uint8_t takes[QV_COUNT];
	uint32_t count = 0;
	int value;

	for (value = 1; value < QV_COUNT; value++)
		if (qualifiers[value].class == class &&
			(qualifiers[value].ops >> op & 1))
			takes[count++] = (uint8_t)value;
	if (!count || !one_in(m, rarity[class]))
		return QV_NONE;
	return takes[draw(m, count)];
}

static void draw_insn(
	struct maker *m, struct insn *insn, enum op op, uint32_t depth)
{
	int class;

	memset(insn, 0, sizeof(*insn));
	insn->op = (uint8_t)op;
	for (class = 0; class < Q_COUNT; class ++)
		insn->q[class] =
			draw_qualifier(m, op, (enum qualifier_class) class);
	/* Without a state space the address is generic. */
	if (op != OP_LD && one_in(m, 3))
		insn->q[Q_SPACE] = QV_NONE;
	if (op <= OP_APPLYPRIORITY || insn->q[Q_KIND] == QV_KIND_range)
		draw_address(m, insn, depth);
	if (op <= OP_APPLYPRIORITY && one_in(m, 8))
		insn->guard = (uint8_t)draw(m, GUARD_COUNT);
	if (insn->q[Q_HINT] || op == OP_CREATEPOLICY)
		insn->policy = (uint8_t)draw(m, PROGRAM_POLICIES_MAX);
	if (op == OP_DISCARD || op == OP_APPLYPRIORITY)
		insn->count = PROGRAM_LINE_BYTES;
	if (op == OP_DELAY)
		insn->count = 1 + draw(m, 100);
	if (insn->q[Q_KIND] == QV_KIND_fractional)
		insn->fraction = (1 + draw(m, 16)) / 16.0;
	if (insn->q[Q_KIND] == QV_KIND_range) {
		insn->count = multiple(m, 32, 100);
		insn->total = insn->count + multiple(m, 32, 100);
	}
	if (insn->q[Q_KIND] == QV_KIND_cvt)
		insn->total = draw(m, PROPERTY_COUNT);
}

static bool is_allowed(const struct maker *m, const struct insn *insn)
{
	return !check_insn(m->p, insn, NULL) &&
	       program_requirement(m->p).sm <= m->knobs->sm_arch;
}

/* Appends a legal instruction of one of `ops`. */
static void add_insn(
	struct maker *m, const uint8_t *ops, uint32_t count, uint32_t depth)
{
	struct insn *insn = program_insn(m->p, OP_DELAY);
	enum op op = (enum op)ops[draw(m, count)];
	int try;

	for (try = 0; try < TRIES; try++) {
		draw_insn(m, insn, op, depth);
		if (is_allowed(m, insn))
			return;
	}
	memset(insn, 0, sizeof(*insn));
	insn->op = OP_DELAY;
	insn->count = 1;
}

/* Operations, as often as they stand here. */
static const uint8_t any_op[] = {
	OP_LD,
	OP_LD,
	OP_LD,
	OP_LD,
	OP_ST,
	OP_ST,
	OP_ATOM,
	OP_ATOM,
	OP_RED,
	OP_PREFETCH,
	OP_PREFETCHU,
	OP_DISCARD,
	OP_APPLYPRIORITY,
	OP_CREATEPOLICY,
	OP_FENCE,
	OP_BARRIER,
	OP_DELAY,
};

static const uint8_t waited_op[] = {OP_LD, OP_LD, OP_ATOM, OP_FENCE};

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* ---- bodies ---- */

static void add_repeat(
	struct maker *m, uint32_t *left, uint32_t depth, bool background);

static void add_body(
	struct maker *m, uint32_t *left, uint32_t depth, bool background)
{
	uint32_t count = 1 + draw(m, *left);

	while (count-- && *left) {
		--*left;
		/* Leaves room for the ends of the repeats around. */
		if (m->p->insn_count + 12 > PROGRAM_INSNS_MAX)
			return;
		if (depth < m->knobs->depth && one_in(m, 4))
			add_repeat(m, left, depth, background);
		else
			add_insn(m, any_op, COUNT(any_op), depth);
	}
}

static void add_repeat(
	struct maker *m, uint32_t *left, uint32_t depth, bool background)
{
	struct program *p = m->p;
	uint64_t count = 1 + draw(m, m->knobs->iterations);
	uint32_t timing =
		depth || background ? TIMING_NONE : draw(m, TIMING_COUNT);
	struct region regions[PROGRAM_REGIONS_MAX];
	uint32_t index = p->insn_count, i;
	char name[PROGRAM_NAME_BYTES];
	struct insn *repeat;

	if (program_regions(p, regions) == PROGRAM_REGIONS_MAX)
		timing = TIMING_NONE;
	snprintf(name, sizeof(name), "region%u", index);
	repeat = program_timed(p, count, (enum timing)timing,
		timing == TIMING_NONE ? "" : name);
	if (timing == TIMING_EACH)
		add_insn(m, waited_op, COUNT(waited_op), depth + 1);
	else
		add_insn(m, any_op, COUNT(any_op), depth + 1);
	if (*left)
		add_body(m, left, depth + 1, background);
	for (i = index + 1; i < p->insn_count; i++)
		if (p->insns[i].op == OP_REPEAT)
			timing = TIMING_EACH; /* not an innermost one */
	if (timing != TIMING_EACH && count % 2 == 0 && one_in(m, 2))
		repeat->unroll = 2;
	program_end(p);
}

/* ---- steps ---- */

static void add_host_action(struct maker *m)
{
	static const uint32_t granularities[] = {32, 64, 128};
	static const uint8_t kinds[] = {STEP_FLUSH, STEP_RESET,
		STEP_GRANULARITY, STEP_CARVEOUT, STEP_WINDOW};
	struct step *step = program_step(
		m->p, (enum step_kind)kinds[draw(m, COUNT(kinds))]);

	if (step->kind == STEP_GRANULARITY)
		step->bytes = granularities[draw(m, 3)];
	if (step->kind == STEP_CARVEOUT)
		step->bytes = multiple(m, 4096, 4);
	if (step->kind == STEP_WINDOW && !one_in(m, 4)) {
		step->buffer = (uint8_t)draw(m, m->p->buffer_count);
		step->base_bytes = multiple(m, 128, 8);
		step->bytes = 128 + multiple(m, 128, 16);
		step->hit_ratio = draw(m, 11) / 10.0;
		step->hit = (uint8_t)draw(m, PROPERTY_COUNT);
		step->miss = (uint8_t)draw(m, PROPERTY_PERSISTING);
	}
}

/* SMs are dealt out from the first on, so that no two roles name one. */
static void place_role(
	struct maker *m, struct role *role, uint32_t *sm, bool *others)
{
	uint32_t left = m->knobs->sms - *sm;

	role->blocks = 1 + draw(m, 2);
	if (left > 1 && one_in(m, 2)) {
		role->place = PLACE_SMS;
		role->sm_first = *sm;
		role->sm_count = 1 + draw(m, left / 2);
		role->sm_stride = 1;
		if (role->sm_count * 2 < left && one_in(m, 3))
			role->sm_stride = 2;
		*sm += role->sm_count * role->sm_stride;
	} else if (left > 1 && !*others && one_in(m, 2)) {
		role->place = PLACE_OTHERS;
		*others = true;
	}
}

static void add_launch(struct maker *m, uint32_t number)
{
	struct program *p = m->p;
	uint32_t roles = 1 + draw(m, m->knobs->roles), r, sm = 0;
	bool others = false;
	char name[PROGRAM_NAME_BYTES];
	struct step *step;

	snprintf(name, sizeof(name), "launch%u", number);
	step = program_launch(p, name);
	step->turns = roles == 1 && one_in(m, 2);
	for (r = 0; r < roles; r++) {
		uint32_t left = m->knobs->insns;
		struct role *role;

		if (r && (p->role_count + 1 > PROGRAM_ROLES_MAX ||
				 p->insn_count + 20 > PROGRAM_INSNS_MAX))
			break;
		snprintf(name, sizeof(name), "role%u", r);
		role = program_role(p, name);
		place_role(m, role, &sm, &others);
		role->threads = 1 + draw(m, m->knobs->threads);
		role->lanes =
			1 + draw(m, role->threads < 32 ? role->threads : 32);
		role->background = r && one_in(m, 3);
		role->shared_bytes = one_in(m, 2) ? 8192 : 0;
		if (p->insn_count + 16 > PROGRAM_INSNS_MAX)
			left = 1;
		add_body(m, &left, left == 1 ? m->knobs->depth : 0,
			role->background);
		if (!role->insn_count)
			add_insn(m, any_op, COUNT(any_op), 0);
	}
}

void program_random(struct program *p, const struct program_random *knobs)
{
	struct maker m = {.knobs = knobs, .p = p};
	uint32_t i, launches;

	program_init(p, "random", permute_mix(knobs->seed));
	add_buffers(&m);
	launches = 1 + draw(&m, knobs->launches);
	for (i = 0; i < launches; i++) {
		if (i && (p->step_count + 4 > PROGRAM_STEPS_MAX ||
				 p->role_count + 1 > PROGRAM_ROLES_MAX ||
				 p->insn_count + 20 > PROGRAM_INSNS_MAX))
			break;
		if (knobs->host_actions && one_in(&m, 2))
			add_host_action(&m);
		add_launch(&m, i);
	}
}
