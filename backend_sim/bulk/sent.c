/* st.async and red.async: words of registers to shared memory. */
#include "backend_sim/bulk/bulk_parts.h"

/* Value `i` of a lane, in both halves if it has 4 bytes. */
static uint64_t sent(const struct bulk_issue *s, unsigned i)
{
	const struct grid *g = s->x->grid;
	const void *row = kernel_row(g, &g->warps[s->warp], &s->c->rows[i]);
	uint64_t bits;

	if (s->c->bytes == 8)
		return ((const row_u64 *)row)[s->lane];
	bits = ((const row_u32 *)row)[s->lane];
	return bits | bits << 32;
}

/* Each value is a copy, and completes its bytes. */
static bool send(struct bulk_issue *s)
{
	const struct code_insn *c = s->c;
	struct copy_run run = {.global = COPY_FILL, .bytes = c->bytes};
	struct copy_order o = {
		.kind = COPY_WORDS,
		.lane = (uint8_t)s->lane,
		.warp = s->warp,
		.pc = s->pc,
		.runs = &run,
		.run_count = 1,
		.block_count = 1,
		.reduces = atomic_of(c),
	};
	uint32_t slot, first, i;

	if (!bulk_find_shared(s, bulk_address(s, &c->s[TO], c->offset, TO),
		    c->moved, c->moved, &o.blocks[0], &first) ||
		!bulk_find_shared(s,
			bulk_address(
				s, &c->results[0], c->third_offset, BARRIER),
			8, 8, &slot, &o.barrier))
		return false;
	if (slot != o.blocks[0])
		return bulk_fails(s,
			"has its barrier in another block than it "
			"goes to, at offset",
			o.barrier);
	for (i = 0; i * c->bytes < c->moved; i++) {
		run.shared = first + i * c->bytes;
		o.fill = sent(s, i);
		if (!copies_start(s->x, &o))
			return false;
	}
	return true;
}

bool bulk_is_sent(const struct code_insn *c)
{
	return c->insn->op == PTXO_ST_ASYNC || c->insn->op == PTXO_RED_ASYNC;
}

bool bulk_send_all(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask)
{
	for (; mask; mask &= mask - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(mask);
		struct bulk_issue s = {x, c, warp, pc, lane, c->moved};

		if (!send(&s))
			return false;
	}
	return true;
}
