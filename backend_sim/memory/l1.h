#ifndef NEARFAR_L1_H
#define NEARFAR_L1_H

/*
 * The first level: L1 and, on older machines, texture caches beside it. All
 * are sectored, write-through and coherent with nothing: what one of them
 * holds, none of the others sees, nor does a store reach it from another SM.
 */
#include <stdbool.h>

#include "backend_sim/core/server.h"
#include "backend_sim/memory/cache.h"
#include "backend_sim/memory/network.h"
#include "backend_sim/memory/translation.h"

#define TEXTURE_CACHES_MAX 8

/* Of one SM. */
struct l1_caches {
	struct server pipe;
	bool used; /* since they were last emptied */
	struct cache l1, texture[TEXTURE_CACHES_MAX];
	struct server texture_pipes[TEXTURE_CACHES_MAX];
};

struct l1 {
	struct core *core;
	struct network *network;
	struct translation *translation;
	struct l1_caches *sms; /* [sm]; owned */
	struct remainders l1_index, texture_index;
	bool protects;     /* lines that are hit again */
	uint32_t last_max; /* ways of a set for CLASS_LAST */
};

/* A hit in L1 makes the line the most recent one, with or without a new
   class, or leaves it as it is (.L1::evict_unchanged). */
enum { HIT_TOUCHES, HIT_MARKS, HIT_KEEPS };

/* Nothing, the line is dropped, a store's bytes go into it if it is there, or
   into a new one. */
enum { EFFECT_NONE, EFFECT_DROPS, EFFECT_UPDATES, EFFECT_WRITES };

/* What a request needs no longer once it has been through L1. */
struct access {
	uint32_t words; /* of 4 bytes that the lanes touch, as a set */
	uint16_t ticks; /* of the L1's pipe */
	uint8_t hit_late, miss_late; /* cycles, by earlier passes through L1 */
	uint8_t effect; /* what goes past L1 does to the line there */
	bool looks;     /* its operator may hit in L1 */
	bool pairs;     /* a store of what its warp has just stored */
	bool joins;     /* a store that goes along with one before it */
};

/* Less than 0 without memory; l1_free() then, too. */
int l1_init(struct l1 *l, struct core *core, struct network *network,
	struct translation *translation);
void l1_free(struct l1 *l);
void l1_cold(struct l1 *l);
bool l1_is_settled(const struct l1 *l);
void l1_servers(struct l1 *l, struct books *books);
/* Empty, with as many lines as a launch's shared memory leaves. */
void l1_launch(struct l1 *l, uint32_t lines);
/* The same of one SM. */
void l1_launch_on(struct l1 *l, uint32_t sm, uint32_t lines);
/* What an acquire leaves of an SM's L1. */
void l1_empty(struct l1 *l, uint32_t sm);

/* The host's caches shall have the set of a line. */
void l1_prefetch(const struct l1 *l, uint32_t sm, uint32_t line);

/* A request enters the pipe; whether all that it asks for is there. */
bool l1_lookup(struct l1 *l, uint32_t request, const struct access *access);
/* A request that goes past L1, without its pipe, and writes these words. */
void l1_pass(struct l1 *l, uint32_t request, uint32_t words);
/* What a load brought; those who waited for it are served from there. False:
   it needs more, that others bring. */
bool l1_fill(struct l1 *l, uint32_t request);

#endif
