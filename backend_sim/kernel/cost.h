#ifndef NEARFAR_KERNEL_COST_H
#define NEARFAR_KERNEL_COST_H

/* What an access costs, once its lanes have their places. */
#include "backend_sim/grid/access.h"

/* When what it loads can be read, for whom that is waited, and on which
   scoreboard. */
static inline void access_mark(
	struct access_of *a, uint8_t board, uint64_t ready, uint8_t cause)
{
	const struct mark mark = {ready, board & 15, cause & 15};
	uint32_t i;

	for (i = 0; i < a->c->write_count; i++) {
		a->k->marks[a->c->writes[i]] = mark;
	}
}

/* What its line of the profile counts. */
static inline void access_note(
	struct access_of *a, uint32_t requests, uint32_t sectors)
{
	if (!a->g->lines)
		return;
	a->g->lines[a->pc].requests += requests;
	a->g->lines[a->pc].sectors += sectors;
}

/* Bytes that lanes want of these sectors. */
static inline void access_wants(struct access_of *a, uint32_t bytes)
{
	if (a->g->lines)
		a->g->lines[a->pc].bytes += bytes;
}

/* ---- shared.c ---- */

/* Of lanes in the block's own shared memory, and in that of other SMs, so many
   bytes each. */
void shared_banks(struct access_of *a);
void shared_remote(struct access_of *a, uint32_t bytes);
/* Whether job_wishes.summed_first is for the instruction; and the cost of its
   lanes in global memory as an atomic on shared memory, `bytes` each. */
bool shared_is_summed(const struct code_insn *c);
void shared_instead(struct access_of *a, uint32_t bytes);
/* Of so many matrices of ldmatrix or stmatrix. */
void shared_tiles(struct access_of *a, uint32_t count);

#endif
