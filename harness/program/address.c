#include "harness/program/address.h"

/* Without the lane and the draw. */
static uint64_t first_offset(
	const struct address *a, const struct whereabouts *w)
{
	uint64_t offset = a->base_bytes + w->warp * a->warp_bytes +
			  w->block * a->block_bytes;
	int depth;

	for (depth = 0; depth < PROGRAM_DEPTH_MAX; depth++)
		offset += w->loop[depth] * a->loop_bytes[depth];
	return offset;
}

static uint64_t within(uint64_t offset, uint64_t span)
{
	return span && offset >= span ? offset % span : offset;
}

void address_offsets(const struct program *p, const struct address *a,
	const struct whereabouts *first, uint32_t lanes, uint64_t *offsets)
{
	struct whereabouts w = *first;
	uint64_t span = address_span(p, a), offset = first_offset(a, &w);
	uint32_t count = 0, i;

	if (a->mode == ADDRESS_RANDOM)
		count = (uint32_t)(span / a->slot_bytes);
	for (i = 0; i < lanes; i++, w.lane++) {
		offsets[i] = offset + w.lane * a->lane_bytes;
		if (a->mode == ADDRESS_RANDOM)
			offsets[i] +=
				a->slot_bytes * address_draw(p, a, &w, count);
		offsets[i] = within(offsets[i], span);
	}
}

uint64_t address_offset(const struct program *p, const struct address *a,
	const struct whereabouts *w)
{
	uint64_t offset;

	address_offsets(p, a, w, 1, &offset);
	return offset;
}

/* ---- making one ---- */

/* PTX adds a signed 32-bit constant to an address. */
#define STRAIGHT_BYTES_MAX (UINT64_C(1) << 30)

/* The repeats around an instruction, outermost first; how many. */
static unsigned repeats_around(const struct program *p, const struct role *role,
	uint32_t insn, const struct insn *repeats[PROGRAM_DEPTH_MAX])
{
	unsigned depth = 0;
	uint32_t i;

	for (i = role->insn_first; i < insn; i++) {
		if (p->insns[i].op == OP_REPEAT)
			repeats[depth++] = &p->insns[i];
		else if (p->insns[i].op == OP_END)
			depth--;
	}
	return depth;
}

double address_bound(const struct program *p, const struct role *role,
	uint32_t blocks, uint32_t insn, bool innermost)
{
	const struct address *a = &p->insns[insn].address;
	const struct insn *repeats[PROGRAM_DEPTH_MAX];
	unsigned depth = repeats_around(p, role, insn, repeats), d;
	uint32_t warps = role_warps(role);
	double bound = (double)a->base_bytes + 31 * (double)a->lane_bytes +
		       (warps - 1) * (double)a->warp_bytes +
		       (blocks - 1) * (double)a->block_bytes;

	for (d = 0; d < depth; d++)
		if (innermost || d + 1 < depth)
			bound += (double)(repeats[d]->count - 1) *
				 (double)a->loop_bytes[d];
	return bound;
}

bool address_wraps(const struct program *p, const struct role *role,
	uint32_t blocks, uint32_t insn)
{
	uint64_t span = address_span(p, &p->insns[insn].address);

	return span &&
	       address_bound(p, role, blocks, insn, true) >= (double)span;
}

bool address_is_straight(const struct program *p, const struct role *role,
	uint32_t blocks, uint32_t insn)
{
	const struct address *a = &p->insns[insn].address;
	const struct insn *repeats[PROGRAM_DEPTH_MAX];
	unsigned depth = repeats_around(p, role, insn, repeats);
	uint64_t step, copies;

	if (!depth || a->mode == ADDRESS_RANDOM)
		return false;
	step = a->loop_bytes[depth - 1];
	copies = repeats[depth - 1]->unroll;
	if (copies < 2 || step * copies >= STRAIGHT_BYTES_MAX)
		return false;
	if (!address_wraps(p, role, blocks, insn))
		return true;
	return step &&
	       address_bound(p, role, blocks, insn, false) < (double)step &&
	       address_span(p, a) % (step * copies) == 0;
}
