#ifndef NEARFAR_UNROLL_PARTS_H
#define NEARFAR_UNROLL_PARTS_H

/* What the files share that unroll loops. */
#include "backend_sim/passes/counted.h"
#include "backend_sim/passes/folds.h"

#define ROUNDS 4
#define PAIR   2

struct unroll {
	struct flat *f;
	const struct graph *g;
	struct liveness live;
	bool *divided;       /* [block]; owned */
	uint32_t *marks;     /* [register]: `mark`: it has a name; owned */
	uint32_t mark;       /* another one for each round */
	struct counted loop; /* the one under way */
	uint8_t round;
	uint32_t rounds[ROUNDS + PAIR]; /* instances: of four rounds, of two */
	struct folds folds;
	struct flat_insn *out; /* owned, as the next */
	bool *is_new;          /* of `out`: its target is a place in `out` */
	uint32_t *place;       /* [instruction, and behind the last]; owned */
	uint32_t count, capacity;
	bool failed;
};

/* ---- unroll.c: the new text ---- */

static inline const struct flat_insn *unroll_at(
	const struct unroll *u, uint32_t i)
{
	return &u->f->insns[i];
}

/* The instruction, made, in the place of the one it comes from: its place. */
uint32_t unroll_emit(struct unroll *u, const struct flat_insn *from,
	uint32_t instance, const struct ptx_insn *insn);

/* ---- unroll_tests.c ---- */

/* How the counter and the bound are compared: with its direction. */
struct ptx_insn unroll_test(const struct unroll *u);
/* `if not (the test) go to ...`, which is aimed later. */
uint32_t unroll_unless(
	struct unroll *u, uint32_t instance, const struct ptx_insn *test);
/* `if not (so many more rounds are left) go to ...`. `own`: the instance's own
   register. */
uint32_t unroll_unless_left(
	struct unroll *u, uint32_t instance, uint32_t own, uint32_t rounds);
/* The test that four rounds end with. */
struct ptx_insn unroll_last_test(
	struct unroll *u, uint32_t instance, uint32_t own);

#endif
