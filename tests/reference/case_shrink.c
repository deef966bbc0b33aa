#include <string.h>

#include "tests/reference/case.h"

static void cut_insns(struct program *p, uint32_t at, uint32_t count)
{
	memmove(&p->insns[at], &p->insns[at + count],
		(p->insn_count - at - count) * sizeof(p->insns[0]));
	p->insn_count -= count;
	for (uint32_t i = 0; i < p->role_count; i++) {
		struct role *role = &p->roles[i];

		if (role->insn_first > at)
			role->insn_first -= count;
		else if (role->insn_first + role->insn_count > at)
			role->insn_count -= count;
	}
}

static void cut_step(struct program *p, uint32_t at)
{
	struct step step = p->steps[at];
	uint32_t i;

	memmove(&p->steps[at], &p->steps[at + 1],
		(p->step_count - at - 1) * sizeof(p->steps[0]));
	p->step_count--;
	if (step.kind != STEP_LAUNCH)
		return;
	for (i = step.role_count; i-- > 0;)
		cut_insns(p, p->roles[step.role_first + i].insn_first,
			p->roles[step.role_first + i].insn_count);
	memmove(&p->roles[step.role_first],
		&p->roles[step.role_first + step.role_count],
		(p->role_count - step.role_first - step.role_count) *
			sizeof(p->roles[0]));
	p->role_count -= step.role_count;
	for (i = 0; i < p->step_count; i++)
		if (p->steps[i].kind == STEP_LAUNCH &&
			p->steps[i].role_first > step.role_first)
			p->steps[i].role_first -= step.role_count;
}

static void cut_role(struct program *p, uint32_t at)
{
	uint32_t i;

	cut_insns(p, p->roles[at].insn_first, p->roles[at].insn_count);
	memmove(&p->roles[at], &p->roles[at + 1],
		(p->role_count - at - 1) * sizeof(p->roles[0]));
	p->role_count--;
	for (i = 0; i < p->step_count; i++) {
		struct step *step = &p->steps[i];

		if (step->kind != STEP_LAUNCH)
			continue;
		if (step->role_first > at)
			step->role_first--;
		else if (step->role_first + step->role_count > at)
			step->role_count--;
	}
}

/* The change `number` of all that make a program smaller; false: none left. */
bool case_shrink(struct program *p, uint32_t number)
{
	uint32_t end;

	if (number < p->step_count) {
		cut_step(p, number);
		return true;
	}
	number -= p->step_count;
	if (number < p->role_count) {
		cut_role(p, number);
		return true;
	}
	number -= p->role_count;
	if (number < p->role_count) {
		struct role *role = &p->roles[number];

		role->threads = (role->threads + 1) / 2;
		if (role->lanes > role->threads)
			role->lanes = role->threads;
		return true;
	}
	number -= p->role_count;
	if (number < p->insn_count) {
		if (p->insns[number].op == OP_END)
			return case_shrink(p, UINT32_MAX / 2);
		end = number + 1;
		if (p->insns[number].op == OP_REPEAT)
			end = program_matching_end(p, number) + 1;
		cut_insns(p, number, end - number);
		return true;
	}
	number -= p->insn_count;
	if (number < p->insn_count) {
		if (p->insns[number].count > 1 &&
			p->insns[number].op == OP_REPEAT) {
			p->insns[number].count /= 2;
			p->insns[number].unroll = 0;
		}
		return true;
	}
	number -= p->insn_count;
	if (number < p->insn_count) { /* unwrap a repeat */
		if (p->insns[number].op == OP_REPEAT) {
			end = program_matching_end(p, number);
			cut_insns(p, end, 1);
			cut_insns(p, number, 1);
		}
		return true;
	}
	return false;
}
