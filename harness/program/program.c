#include <stdio.h>
#include <string.h>

#include "harness/program/program.h"
#include "harness/program/spelling.h"

static void set_fault(struct program *p, enum program_fault fault)
{
	if (!p->fault)
		p->fault = (uint8_t)fault;
}

static void set_name(
	struct program *p, char name[PROGRAM_NAME_BYTES], const char *text)
{
	size_t length = strlen(text);

	if (length >= PROGRAM_NAME_BYTES) {
		length = PROGRAM_NAME_BYTES - 1;
		set_fault(p, FAULT_NAME);
	}
	memset(name, 0, PROGRAM_NAME_BYTES);
	memcpy(name, text, length);
}

/* The index of a new item; past the maximum, that of the last one. */
static uint32_t append(struct program *p, uint32_t *count, uint32_t max,
	enum program_fault fault)
{
	if (*count >= max) {
		set_fault(p, fault);
		return max - 1;
	}
	return (*count)++;
}

void program_init(struct program *p, const char *name, uint32_t seed)
{
	memset(p, 0, sizeof(*p));
	set_name(p, p->name, name);
	p->seed = seed;
}

unsigned program_buffer(struct program *p, const struct buffer *buffer)
{
	uint32_t index =
		append(p, &p->buffer_count, PROGRAM_BUFFERS_MAX, FAULT_BUFFERS);
	struct buffer *b = &p->buffers[index];

	*b = *buffer;
	if (!b->rings)
		b->rings = 1;
	if (!b->element_bytes)
		b->element_bytes = 8;
	return index;
}

struct step *program_step(struct program *p, enum step_kind kind)
{
	struct step *step = &p->steps[append(
		p, &p->step_count, PROGRAM_STEPS_MAX, FAULT_STEPS)];

	memset(step, 0, sizeof(*step));
	step->kind = (uint8_t)kind;
	step->role_first = p->role_count;
	return step;
}

struct step *program_launch(struct program *p, const char *name)
{
	struct step *step = program_step(p, STEP_LAUNCH);

	set_name(p, step->name, name);
	return step;
}

static struct step *last_launch(struct program *p)
{
	struct step *step;

	if (!p->step_count)
		return NULL;
	step = &p->steps[p->step_count - 1];
	return step->kind == STEP_LAUNCH ? step : NULL;
}

struct role *program_role(struct program *p, const char *name)
{
	struct step *launch = last_launch(p);
	struct role *role = &p->roles[append(
		p, &p->role_count, PROGRAM_ROLES_MAX, FAULT_ROLES)];

	memset(role, 0, sizeof(*role));
	set_name(p, role->name, name);
	role->blocks = 1;
	role->sm_stride = 1;
	role->threads = PROGRAM_WARP_LANES;
	role->lanes = PROGRAM_WARP_LANES;
	role->insn_first = p->insn_count;
	if (launch)
		launch->role_count = p->role_count - launch->role_first;
	else
		set_fault(p, FAULT_ORPHAN);
	return role;
}

struct insn *program_insn(struct program *p, enum op op)
{
	struct insn *insn = &p->insns[append(
		p, &p->insn_count, PROGRAM_INSNS_MAX, FAULT_INSNS)];

	memset(insn, 0, sizeof(*insn));
	insn->op = (uint8_t)op;
	if (last_launch(p) && last_launch(p)->role_count) {
		struct role *role = &p->roles[p->role_count - 1];

		role->insn_count = p->insn_count - role->insn_first;
	} else {
		set_fault(p, FAULT_ORPHAN);
	}
	return insn;
}

struct insn *program_repeat(struct program *p, uint64_t count)
{
	struct insn *insn = program_insn(p, OP_REPEAT);

	insn->count = count;
	return insn;
}

struct insn *program_timed(struct program *p, uint64_t count,
	enum timing timing, const char *region)
{
	struct insn *insn = program_repeat(p, count);

	insn->timing = (uint8_t)timing;
	set_name(p, insn->region, region);
	return insn;
}

void program_end(struct program *p)
{
	program_insn(p, OP_END);
}

struct insn *program_ptx(struct program *p, const char *spelling)
{
	struct insn *insn = program_insn(p, OP_COUNT);

	if (insn_from_spelling(spelling, insn, NULL))
		snprintf(insn->region, sizeof(insn->region), "%s", spelling);
	return insn;
}

/* ---- reading ---- */

static const uint8_t type_bytes[QV_COUNT] = {
	[QV_TYPE_b8] = 1,
	[QV_TYPE_u8] = 1,
	[QV_TYPE_s8] = 1,
	[QV_TYPE_b16] = 2,
	[QV_TYPE_u16] = 2,
	[QV_TYPE_s16] = 2,
	[QV_TYPE_b32] = 4,
	[QV_TYPE_u32] = 4,
	[QV_TYPE_s32] = 4,
	[QV_TYPE_f32] = 4,
	[QV_TYPE_b64] = 8,
	[QV_TYPE_u64] = 8,
	[QV_TYPE_s64] = 8,
	[QV_TYPE_f64] = 8,
	[QV_TYPE_b128] = 16,
};

static const uint8_t vector_width[QV_COUNT] = {
	[QV_VEC_v2] = 2,
	[QV_VEC_v4] = 4,
	[QV_VEC_v8] = 8,
};

uint32_t insn_type_bytes(const struct insn *insn)
{
	uint8_t type = insn->q[Q_TYPE];
	uint32_t bytes = type < QV_COUNT ? type_bytes[type] : 0;

	return bytes ? bytes : 4;
}

uint32_t insn_lane_bytes(const struct insn *insn)
{
	uint8_t vec = insn->q[Q_VEC];
	uint32_t width = vec < QV_COUNT ? vector_width[vec] : 0;

	return insn_type_bytes(insn) * (width ? width : 1);
}

bool insn_passes_l1(const struct insn *insn)
{
	uint8_t cop = insn->q[Q_COP], sem = insn->q[Q_SEM];

	if (insn->op == OP_ATOM)
		return true;
	if (insn->op != OP_LD || insn->q[Q_NC])
		return false;
	if (cop == QV_COP_cg || cop == QV_COP_cv || sem == QV_SEM_volatile)
		return true;
	return (sem == QV_SEM_relaxed || sem == QV_SEM_acquire) &&
	       (insn->q[Q_SCOPE] == QV_SCOPE_gpu ||
		       insn->q[Q_SCOPE] == QV_SCOPE_sys);
}

uint32_t insn_access_bytes(const struct insn *insn)
{
	switch (insn->op) {
	case OP_DISCARD:
	case OP_APPLYPRIORITY:
		return PROGRAM_LINE_BYTES;
	case OP_LD:
	case OP_ST:
	case OP_ATOM:
	case OP_RED:
		return insn_lane_bytes(insn);
	default:
		return 1;
	}
}

const struct role *program_role_of(
	const struct program *p, const struct insn *insn)
{
	uint32_t index = (uint32_t)(insn - p->insns);
	uint32_t r;

	for (r = 0; r < p->role_count; r++)
		if (index - p->roles[r].insn_first < p->roles[r].insn_count)
			return &p->roles[r];
	return NULL;
}

/* Appends the regions of one role; returns the new count. */
static size_t role_regions(const struct program *p, uint32_t step_index,
	uint32_t role_index, struct region *regions, size_t count)
{
	const struct role *role = &p->roles[role_index];
	uint32_t i;

	for (i = role->insn_first; i < role->insn_first + role->insn_count;
		i++) {
		const struct insn *insn = &p->insns[i];

		if (insn->op != OP_REPEAT || insn->timing == TIMING_NONE)
			continue;
		if (count == PROGRAM_REGIONS_MAX)
			break;
		regions[count++] = (struct region){
			.repeat = insn,
			.role = role,
			.role_index = role_index,
			.step_index = step_index,
			.insn_index = i,
		};
	}
	return count;
}

size_t program_regions(
	const struct program *p, struct region regions[PROGRAM_REGIONS_MAX])
{
	size_t count = 0;
	uint32_t s, r;

	for (s = 0; s < p->step_count; s++) {
		const struct step *step = &p->steps[s];

		if (step->kind != STEP_LAUNCH)
			continue;
		for (r = 0; r < step->role_count; r++)
			count = role_regions(
				p, s, step->role_first + r, regions, count);
	}
	return count;
}

int program_region(const struct program *p, const char *name)
{
	struct region regions[PROGRAM_REGIONS_MAX];
	size_t count = program_regions(p, regions);
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(regions[i].repeat->region, name))
			return (int)i;
	return -1;
}

uint32_t program_matching_end(const struct program *p, uint32_t repeat)
{
	uint32_t depth = 0;
	uint32_t i;

	for (i = repeat; i < p->insn_count; i++) {
		if (p->insns[i].op == OP_REPEAT)
			depth++;
		else if (p->insns[i].op == OP_END && --depth == 0)
			return i;
	}
	return p->insn_count;
}
