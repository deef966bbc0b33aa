#ifndef NEARFAR_FETCHED_H
#define NEARFAR_FETCHED_H

/*
 * The instructions of a kernel come to an SM part by part, when a warp reaches
 * them. A launch begins with the first part; a part that is reached has the
 * next one fetched. An SM keeps as many as fit, two at least, and drops the
 * oldest. Source:
 * tests/hardware/code_fetch.cu on an H200 and an H100
 * (results/kernels/code_fetch.tsv).
 */
#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/core/server.h"

struct code;
struct execution;

/* What the SMs of a launch have of its code. */
struct fetched {
	uint32_t count;  /* 0: nothing is waited for */
	uint32_t kept;   /* that fit on an SM */
	uint64_t *there; /* [sm][part]: since which cycle; 0: never asked */
	uint32_t
		*order; /* [sm][part]: parts that the SM had asked for before */
	uint32_t *asked;     /* [sm] */
	struct server *gpcs; /* [gpc]: its cache of instructions; owned */
};

/* Numbers the parts of the code, from 1 on, in its instructions. Where the SMs
   have it from the launch before, and it fits, nothing is waited for. False: no
   memory. fetched_free() always. */
bool fetched_make(struct fetched *p, struct code *code,
	const struct execution *x, bool is_there);
void fetched_free(struct fetched *p);

/* A warp has come to the part: the cycle from which it is there, which may be
   over. */
uint64_t fetched_reach(const struct execution *x, struct fetched *p,
	uint32_t sm, struct sender sender, uint32_t part);
/* A warp has begun the part with an instruction: the next one is asked for. */
void fetched_next(const struct execution *x, struct fetched *p, uint32_t sm,
	uint32_t line, uint32_t part);

#endif
