#include <string.h>

#include "harness/program/launch.h"

/* SMs that a role names: `count` of them, from the first on. */
static uint32_t named_count(const struct role *role, uint32_t sm_count)
{
	return role->sm_count ? role->sm_count : sm_count;
}

static void name_sms(const struct role *role, uint32_t number,
	uint32_t sm_count, struct launch_slot *slots)
{
	uint32_t stride = role->sm_stride ? role->sm_stride : 1, i;
	uint64_t sm = role->sm_first;

	for (i = 0; i < named_count(role, sm_count) && sm < sm_count; i++) {
		slots[sm] = (struct launch_slot){number + 1, i};
		sm += stride;
	}
}

void launch_slots(const struct program *p, const struct step *launch,
	uint32_t sm_count, struct launch_slot *slots)
{
	uint32_t i, sm, rank = 0;

	memset(slots, 0, sm_count * sizeof(*slots));
	for (i = 0; i < launch->role_count; i++)
		if (launch_role(p, launch, i)->place == PLACE_SMS)
			name_sms(launch_role(p, launch, i), i, sm_count, slots);
	for (i = 0; i < launch->role_count; i++) {
		if (launch_role(p, launch, i)->place != PLACE_OTHERS)
			continue;
		for (sm = 0; sm < sm_count; sm++)
			if (!slots[sm].role_plus_1)
				slots[sm] = (struct launch_slot){i + 1, rank++};
	}
}

/* The launch that a role belongs to. */
static const struct step *launch_of(
	const struct program *p, const struct role *role)
{
	uint32_t index = (uint32_t)(role - p->roles), s;

	for (s = 0; s < p->step_count; s++)
		if (p->steps[s].kind == STEP_LAUNCH &&
			index - p->steps[s].role_first < p->steps[s].role_count)
			return &p->steps[s];
	return NULL;
}

uint32_t role_blocks(
	const struct program *p, const struct role *role, uint32_t sm_count)
{
	const struct step *launch = launch_of(p, role);
	uint64_t named = 0;
	uint32_t i;

	if (role->place == PLACE_BLOCKS)
		return role->blocks;
	if (role->place == PLACE_SMS)
		return role->blocks * named_count(role, sm_count);
	for (i = 0; launch && i < launch->role_count; i++)
		if (launch_role(p, launch, i)->place == PLACE_SMS)
			named += named_count(
				launch_role(p, launch, i), sm_count);
	return named < sm_count ? role->blocks * (sm_count - (uint32_t)named)
				: 0;
}

uint32_t launch_threads(const struct program *p, const struct step *launch)
{
	uint32_t threads = 0, i;

	for (i = 0; i < launch->role_count; i++)
		if (launch_role(p, launch, i)->threads > threads)
			threads = launch_role(p, launch, i)->threads;
	return threads;
}

uint32_t launch_static_bytes(const struct program *p, const struct step *launch)
{
	struct region regions[PROGRAM_REGIONS_MAX];
	size_t count = program_regions(p, regions), i;
	uint32_t samples = 0, need;

	for (i = 0; i < count; i++) {
		const struct region *r = &regions[i];

		if (r->repeat->timing != TIMING_EACH ||
			r->role_index - launch->role_first >=
				launch->role_count)
			continue;
		need = (uint32_t)r->repeat->count * role_warps(r->role);
		samples = need > samples ? need : samples;
	}
	return LAUNCH_CLAIM_BYTES + 8 * launch_threads(p, launch) + 4 * samples;
}

bool launch_starts_together(const struct program *p, const struct step *launch)
{
	if (launch->start != START_AUTO)
		return launch->start == START_TOGETHER;
	return launch->turns || launch->role_count > 1 ||
	       launch_role(p, launch, 0)->place != PLACE_BLOCKS;
}

/* ---- registers ---- */

#define REGISTERS_OWN   16
#define REGISTERS_DRAW  2
#define REGISTERS_LEAST 32
#define REGISTERS_MOST  248
#define REGISTERS_UNIT  8

/* Of the body of one repeat, without those in it, for all copies. */
static uint32_t iteration_registers(const struct program *p, uint32_t repeat)
{
	uint32_t end = program_matching_end(p, repeat), sum = 0, i;
	uint32_t copies = p->insns[repeat].unroll ? p->insns[repeat].unroll : 1;

	for (i = repeat + 1; i < end; i++) {
		const struct insn *insn = &p->insns[i];

		if (insn->op == OP_REPEAT)
			i = program_matching_end(p, i);
		else if (insn->address.mode == ADDRESS_RANDOM)
			sum += REGISTERS_DRAW;
		if ((insn->op == OP_LD || insn->op == OP_ATOM) &&
			insn->address.mode != ADDRESS_CHASE)
			sum += (insn_lane_bytes(insn) + 3) / 4;
	}
	return p->insns[repeat].timing == TIMING_EACH ? sum : sum * copies;
}

uint32_t launch_registers(const struct program *p, const struct step *launch)
{
	uint32_t most = 0, r, i, need;

	if (launch->registers)
		return launch->registers;
	for (r = 0; r < launch->role_count; r++) {
		const struct role *role = launch_role(p, launch, r);

		for (i = role->insn_first;
			i < role->insn_first + role->insn_count; i++) {
			if (p->insns[i].op != OP_REPEAT)
				continue;
			need = iteration_registers(p, i);
			most = need > most ? need : most;
		}
	}
	need = (REGISTERS_OWN + most + REGISTERS_UNIT - 1) / REGISTERS_UNIT *
	       REGISTERS_UNIT;
	if (need < REGISTERS_LEAST)
		return REGISTERS_LEAST;
	return need < REGISTERS_MOST ? need : REGISTERS_MOST;
}

/* ---- residency ---- */

#define SHARED_UNIT_BYTES UINT64_C(128)

uint64_t launch_block_shared(uint64_t bytes, uint64_t reserved_bytes)
{
	return (bytes + reserved_bytes + SHARED_UNIT_BYTES - 1) /
	       SHARED_UNIT_BYTES * SHARED_UNIT_BYTES;
}

#define SHARED_SMALLEST_BYTES 8192 /* the least carve-out beside none */

unsigned launch_carveout_percent(
	uint64_t block_bytes, uint32_t blocks, uint64_t of_bytes)
{
	uint64_t bytes = blocks * block_bytes, percent;

	if (bytes <= SHARED_SMALLEST_BYTES || !of_bytes)
		return 0;
	percent = (bytes * 100 + of_bytes - 1) / of_bytes;
	return percent < 100 ? (unsigned)percent : 100;
}

uint32_t launch_resident(const struct program *p, const struct step *launch,
	const struct role *role, const struct sm_limits *limits)
{
	uint32_t threads = role_warps(role) * PROGRAM_WARP_LANES;
	uint64_t shared = launch_block_shared(
		role->shared_bytes + launch_static_bytes(p, launch),
		limits->shared_reserved_bytes);
	uint64_t most = limits->warps / role_warps(role);
	uint64_t by_registers =
		limits->registers / (launch_registers(p, launch) * threads);
	uint64_t by_shared = limits->shared_bytes / shared;

	most = limits->blocks < most ? limits->blocks : most;
	most = by_registers < most ? by_registers : most;
	most = by_shared < most ? by_shared : most;
	return most ? (uint32_t)most : 1;
}
