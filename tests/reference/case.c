#include <stdlib.h>
#include <string.h>

#include "tests/reference/case.h"
#include "harness/program/legality/legality.h"
#include "tests/support/program_persisting.h"
#include "tests/support/program_random.h"

static uint32_t draw(uint32_t seed, uint32_t index, uint32_t count)
{
	return permute_draw(seed, 13, index, count);
}

/* Delays about as long as the near part of the model's event queue, and longer
   ones. */
static void lengthen_delays(struct program *p, uint32_t seed)
{
	bool near = draw(seed, 8, 2);

	for (uint32_t i = 0; i < p->insn_count; i++)
		if (p->insns[i].op == OP_DELAY)
			p->insns[i].count =
				near ? 16320 + draw(seed, 1000 + i, 128)
				     : 1 + draw(seed, 1000 + i, 60000);
}

/* Makes accesses meet: in a few lines of one buffer, of which they touch parts,
   or in a few sets of the caches, a page apart. */
static void gather(struct program *p, uint32_t seed)
{
	bool in_sets = draw(seed, 10, 2);
	uint8_t buffer = (uint8_t)draw(seed, 11, p->buffer_count);
	struct error error;

	for (uint32_t i = 0; i < p->insn_count; i++) {
		struct address *a = &p->insns[i].address, before = *a;
		uint64_t width = insn_access_bytes(&p->insns[i]);

		if ((a->mode != ADDRESS_AFFINE && a->mode != ADDRESS_RANDOM) ||
			p->insns[i].op == OP_CREATEPOLICY ||
			draw(seed, 3000 + i, 4) == 0)
			continue;
		*a = (struct address){
			.mode = ADDRESS_RANDOM,
			.buffer = buffer,
			.slot_bytes = in_sets ? 4096 : width,
			.wrap_bytes = in_sets || width > 64
					      ? 0
					      : 128 << draw(seed, 12, 4),
		};
		a->per = (uint8_t)draw(seed, 4000 + i, 2);
		if (in_sets)
			a->lane_bytes = width * draw(seed, 5000 + i, 3);
		if (program_check(p, &error))
			*a = before;
	}
}

/* Loads and stores of a few bytes, instead of what takes lines from L1. */
static void calm(struct program *p, uint32_t seed)
{
	struct error error;

	for (uint32_t i = 0; i < p->insn_count; i++) {
		struct insn before = p->insns[i], *insn = &p->insns[i];

		if (before.op > OP_APPLYPRIORITY || before.op == OP_LD ||
			before.address.mode == ADDRESS_SHARED)
			continue;
		memset(insn, 0, sizeof(*insn));
		insn->op = draw(seed, 7000 + i, 2) ? OP_LD : OP_ST;
		insn->q[Q_SPACE] = QV_SPACE_global;
		insn->q[Q_TYPE] =
			draw(seed, 8000 + i, 2) ? QV_TYPE_b8 : QV_TYPE_b32;
		insn->address = before.address;
		if (program_check(p, &error))
			*insn = before;
	}
}

/* Eviction priorities at many accesses. */
static void prioritise(struct program *p, uint32_t seed)
{
	static const uint8_t l1[] = {QV_L1_evict_first, QV_L1_evict_last,
		QV_L1_evict_normal, QV_L1_evict_unchanged};
	static const uint8_t l2[] = {QV_L2_evict_first, QV_L2_evict_last};
	struct error error;

	for (uint32_t i = 0; i < p->insn_count; i++) {
		struct insn before = p->insns[i];

		if (draw(seed, 9000 + i, 2))
			p->insns[i].q[Q_L2] = l2[draw(seed, 10000 + i, 2)];
		if (program_check(p, &error))
			p->insns[i] = before;
		before = p->insns[i];
		if (draw(seed, 11000 + i, 2))
			p->insns[i].q[Q_L1] = l1[draw(seed, 12000 + i, 4)];
		if (program_check(p, &error))
			p->insns[i] = before;
	}
}

/* Enough accesses to fill the caches. */
static void lengthen_loops(struct program *p, uint32_t seed)
{
	struct error error;

	for (uint32_t i = 0; i < p->insn_count; i++) {
		struct insn before = p->insns[i];

		if (before.op != OP_REPEAT)
			continue;
		p->insns[i].count *= 1 + draw(seed, 6000 + i, 8);
		if (program_check(p, &error))
			p->insns[i] = before;
	}
}

/* Grids that do not fit at once. */
static void add_blocks(struct program *p, uint32_t seed)
{
	for (uint32_t i = 0; i < p->role_count; i++)
		if (p->roles[i].place == PLACE_BLOCKS)
			p->roles[i].blocks += draw(seed, 2000 + i, 12);
}

/* Buffers in the memory of the peer and of the host. */
static void move_away(struct program *p, uint32_t seed)
{
	static const uint8_t far[] = {MEMORY_PEER, MEMORY_PEER, MEMORY_HOST};
	struct error error;

	for (uint32_t i = 0; i < p->buffer_count; i++) {
		uint8_t before = p->buffers[i].memory;

		if (draw(seed, 13000 + i, 2))
			p->buffers[i].memory = far[draw(seed, 14000 + i, 3)];
		if (program_check(p, &error))
			p->buffers[i].memory = before;
	}
}

/* Copies at the end, in rows. */
static void add_copies(struct program *p, uint32_t seed)
{
	uint32_t count = 1 + draw(seed, 21, 4);

	for (uint32_t i = 0; i < count && p->step_count < PROGRAM_STEPS_MAX;
		i++) {
		struct error error;
		struct step *step = program_step(
			p, draw(seed, 15000 + i, 5) ? STEP_COPY : STEP_RESET);
		const struct buffer *from, *to;

		if (step->kind != STEP_COPY)
			continue;
		step->buffer = (uint8_t)draw(seed, 16000 + i, p->buffer_count);
		step->target = (uint8_t)draw(seed, 17000 + i, p->buffer_count);
		from = &p->buffers[step->buffer];
		to = &p->buffers[step->target];
		step->bytes = from->bytes < to->bytes ? from->bytes : to->bytes;
		step->bytes -= draw(seed, 18000 + i, (uint32_t)step->bytes);
		if (program_check(p, &error))
			p->step_count--;
	}
}

void case_make(struct test_case *c, uint32_t seed)
{
	static const uint32_t threads[] = {1, 2, 33, 64, 128};
	static const uint32_t bytes[] = {4096, 16384, 131072, 262144};
	static const struct machine_shape shape = {12, 64, 4};
	struct program_random knobs = program_random_default;

	c->seed = seed;
	machine_random(&c->machine, seed);
	if (draw(seed, 22, 2))
		machine_random_shape(&c->machine, seed, &shape);
	knobs.seed = seed;
	knobs.launches = 1 + draw(seed, 0, 3);
	knobs.roles = 1 + draw(seed, 1, 3);
	knobs.insns = 2 + draw(seed, 2, 8);
	knobs.iterations = 2 + draw(seed, 3, 12);
	knobs.depth = 1 + draw(seed, 4, 3);
	knobs.threads = threads[draw(seed, 5, 5)];
	knobs.buffer_bytes = bytes[draw(seed, 6, 4)];
	knobs.sms = (uint32_t)strtoul(c->machine.set[0].value, NULL, 10);
	knobs.sm_arch = (uint32_t)strtoul(c->machine.set[1].value, NULL, 10);
	if (draw(seed, 18, 3) == 0) {
		program_persisting(&c->program, seed);
		return;
	}
	program_random(&c->program, &knobs);
	if (draw(seed, 14, 5) > 1)
		gather(&c->program, seed);
	if (draw(seed, 16, 3) == 0)
		calm(&c->program, seed);
	if (draw(seed, 17, 3) == 0)
		prioritise(&c->program, seed);
	if (draw(seed, 15, 2))
		lengthen_loops(&c->program, seed);
	if (draw(seed, 7, 4) == 0)
		lengthen_delays(&c->program, seed);
	if (draw(seed, 9, 5) == 0)
		add_blocks(&c->program, seed);
	if (draw(seed, 19, 2))
		move_away(&c->program, seed);
	if (draw(seed, 20, 4) == 0)
		add_copies(&c->program, seed);
}
