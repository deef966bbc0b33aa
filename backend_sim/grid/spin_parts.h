#ifndef NEARFAR_SPIN_PARTS_H
#define NEARFAR_SPIN_PARTS_H

/* What the parts of spin.h share. */
#include "backend_sim/core/calendar.h"
#include "backend_sim/grid/spin.h"

#define SPIN_LOOPS_MAX UINT8_MAX

/* How all that goes on stands, in times from its cycle on. */
struct standing {
	uint64_t *words; /* owned, as these */
	uint32_t *turns; /* [event]: the warp's kernel_warp.spins; */
	uint32_t count, events;
	uint64_t cycle, events_done, executed;
};

struct spins {
	struct spin_loop loops[SPIN_LOOPS_MAX];
	uint32_t loop_count;
	struct calendar_entry *list; /* owned: the first is the warp that
					looks; then those of the calendar */
	uint32_t room;               /* of that list: warps */
	struct standing kept, now;
	uint8_t *delayed; /* [SM][scheduler]; owned */
	uint32_t leader;  /* the warp that looks */
	uint64_t looked;  /* when it was there last */
	uint32_t pass, passes;
	uint32_t looks, renew; /* since `kept`; and until it is another one */
};

/* The loop in which the warp's lanes are, or NULL. */
static inline const struct spin_loop *spin_loop_of(
	const struct grid *g, const struct kernel_warp *k)
{
	const uint32_t pc = k->depth ? k->paths[k->depth - 1].pc : UINT32_MAX;

	if (!k->begun || pc >= g->code.count || !g->code.insns[pc].spin)
		return NULL;
	return &g->spins->loops[g->code.insns[pc].spin - 1];
}

/* ---- spin_look.c ---- */

/* Room for so many warps, each in the largest of the loops. False without
   memory; standing_free() then, too. */
bool standing_make(struct standing *s, const struct code *code,
	const struct spins *spins, uint32_t warps);
void standing_free(struct standing *s);
/* How things stand as the warp, which is in its turn, goes back; in spins.list
   whose they are. False: something else goes on. */
bool standing_look(struct execution *x, uint32_t warp, struct standing *to);
bool standing_is_same(const struct standing *a, const struct standing *b);

#endif
