#ifndef NEARFAR_SPREAD_H
#define NEARFAR_SPREAD_H

/*
 * What is known of registers goes from instruction to instruction until
 * nothing changes: a queue of instructions to look at. All are in it at first,
 * in their order; those that read a register come into it again when what is
 * known of the register has changed.
 */
#include "backend_sim/flow/flat.h"

struct spread {
	uint32_t *first; /* [register]: of its readers, one more; owned, as the
			    next */
	uint32_t *readers; /* instructions, by register */
	uint32_t *queue;   /* a ring of `count` */
	bool *is_queued;   /* [instruction] */
	uint32_t count, head, queued;
};

/* ERR_FAILED without memory; spread_free() then, too. */
int spread_make(struct spread *s, const struct flat *f, struct error *error);
void spread_free(struct spread *s);

/* The next instruction to look at; false: there is none. */
bool spread_next(struct spread *s, uint32_t *insn);
void spread_insn(struct spread *s, uint32_t insn);
/* What is known of the register has changed. */
void spread_register(struct spread *s, uint32_t reg);

#endif
