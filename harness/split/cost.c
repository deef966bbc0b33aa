#include "harness/split/cost.h"
#include "harness/program/launch.h"

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* Lines of one execution by a warp of `lanes` lanes. */
static double lines_of(const struct insn *insn, double lanes)
{
	const struct address *a = &insn->address;

	switch (a->mode) {
	case ADDRESS_NONE:
	case ADDRESS_SHARED:
		return 1;
	case ADDRESS_CHASE:
		return lanes;
	case ADDRESS_RANDOM:
		if (a->per == DRAW_PER_LANE)
			return lanes;
		break;
	default:
		break;
	}
	return least(
		lanes, 1 + lanes * (double)a->lane_bytes / PROGRAM_LINE_BYTES);
}

/* Of all warps of a block, or (`of_warp`) of one. */
static double cost_body(
	const struct program *p, const struct role *role, bool of_warp)
{
	const double warps = of_warp ? 1 : role_warps(role);
	double times[PROGRAM_DEPTH_MAX + 1] = {1}, cost = 0;
	uint32_t i, depth = 0;

	for (i = 0; i < role->insn_count; i++) {
		const struct insn *insn = &p->insns[role->insn_first + i];
		const bool one = insn->guard == GUARD_THREAD0;

		if (insn->op == OP_REPEAT && depth < PROGRAM_DEPTH_MAX) {
			times[depth + 1] = times[depth] * (double)insn->count;
			depth++;
		} else if (insn->op == OP_END && depth) {
			depth--;
		} else {
			cost += times[depth] * (one ? 1 : warps) *
				lines_of(insn, insn->guard == GUARD_ALL
						       ? role->lanes
						       : 1);
		}
	}
	return cost;
}

/* The dearest warp among the roles that others wait for. */
static double dearest_warp(const struct program *p, const struct step *launch)
{
	double most = 0, cost;
	uint32_t i;

	for (i = 0; i < launch->role_count; i++) {
		const struct role *role = launch_role(p, launch, i);

		cost = role->background ? 0 : cost_body(p, role, true);
		most = cost > most ? cost : most;
	}
	return most;
}

static double cost_launch(
	const struct program *p, const struct step *launch, uint32_t sm_count)
{
	const double dearest = dearest_warp(p, launch);
	double cost = 0, body, waits;
	uint32_t i;

	for (i = 0; i < launch->role_count; i++) {
		const struct role *role = launch_role(p, launch, i);

		body = cost_body(p, role, false);
		waits = dearest * role_warps(role);
		if (role->background && body < waits)
			body = waits;
		cost += body * role_blocks(p, role, sm_count);
	}
	return cost;
}

double cost_program(const struct program *p, uint32_t sm_count)
{
	double cost = COST_OF_A_RUN;
	uint32_t i;

	for (i = 0; i < p->step_count; i++)
		if (p->steps[i].kind == STEP_LAUNCH)
			cost += cost_launch(p, &p->steps[i], sm_count);
	return cost;
}
