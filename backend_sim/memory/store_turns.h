#ifndef NEARFAR_SIM_STORE_TURNS_H
#define NEARFAR_SIM_STORE_TURNS_H

/*
 * The crossbar's way to the slices, for what carries data there. Who finds it
 * taken waits in the queue of its CPC; the GPCs take turns, and so do the CPCs
 * of each: next is who had its turn the longest ago, and of those that had none
 * the first. A turn is a request.
 */
#include "backend_sim/core/queue.h"
#include "backend_sim/core/server.h"

struct store_queue {
	struct request_queue requests;
	uint64_t turn; /* when it had its last one; 0: none */
};

struct store_gpc {
	uint64_t turn;
	uint32_t waiting; /* bits of the CPCs where somebody waits */
	struct store_queue cpcs[GPC_CPCS];
};

struct store_turns {
	struct server way;     /* ticks / TICKS_A_CYCLE */
	uint32_t sector, head; /* the same; constants */
	uint32_t waiting;      /* bits of the GPCs where somebody waits */
	uint64_t count;        /* turns until now */
	struct store_gpc gpcs[GPCS_MAX];
};

void store_turns_cold(struct store_turns *t);

/* Which bytes of its sectors a store writes, if not all, and what an atomic of
   several operands does with them, goes ahead. */
static inline bool store_has_head(const struct request *r)
{
	return r->kind == REQUEST_STORE ? r->demand & ~r->whole : r->headed;
}

/* The way is taken for all of this cycle. */
static inline bool store_turns_taken(
	const struct store_turns *t, const struct core *core)
{
	return t->way.free_at >=
	       (core_now(core) + 1) * TICKS_A_CYCLE * TICKS_A_CYCLE;
}

/* Books the way for a request's sectors, and its head. */
static inline void store_turns_go(
	struct store_turns *t, const struct core *core, uint32_t request)
{
	const struct request *r = &core->requests[request];

	serve(&t->way, sender_of_request(request),
		core_now(core) * TICKS_A_CYCLE,
		(uint64_t)sector_count(r->demand) * t->sector +
			(store_has_head(r) ? t->head : 0));
}

/* The first cycle in which somebody can go. */
static inline uint64_t store_turns_free(const struct store_turns *t)
{
	return t->way.free_at / (TICKS_A_CYCLE * TICKS_A_CYCLE);
}

void store_turns_add(
	struct store_turns *t, struct core *core, uint32_t request);
/* Of the GPCs and CPCs where somebody waits those whose last turn is the
   longest ago; one waits at least. */
struct store_turn {
	uint32_t gpc, cpc, request;
};

struct store_turn store_turns_next(const struct store_turns *t);
/* It has had its turn. */
void store_turns_take(struct store_turns *t, const struct core *core,
	const struct store_turn *turn);

#endif
