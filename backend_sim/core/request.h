#ifndef NEARFAR_REQUEST_H
#define NEARFAR_REQUEST_H

/*
 * What travels through the chip: a line of a warp instruction.
 */
#include <stdbool.h>
#include <stdint.h>

#include "harness/program/program.h"

struct core;

#define NONE UINT32_MAX

/* Requests that one SM may hold in the pool at once. */
#define SM_REQUESTS_MAX 4096u

#define SECTORS_ALL 15u /* of a line, as a set */

/* How many sectors a mask of four holds. */
static inline unsigned sector_count(unsigned mask)
{
	return (UINT64_C(0x4332322132212110) >> (4 * (mask & 15))) & 15;
}

/* Eviction classes, in the order in which lines go. */
enum { CLASS_FIRST, CLASS_NORMAL, CLASS_LAST };

enum request_kind {
	REQUEST_LOAD,
	REQUEST_STORE,
	REQUEST_ATOMIC,
	REQUEST_REDUCTION,
	REQUEST_PREFETCH, /* into L2; answered, nobody waits */
	REQUEST_SECOND,   /* the second line of .L2::256B; not answered */
	REQUEST_WRITEBACK,
	REQUEST_DISCARD,
	REQUEST_PRIORITY, /* applypriority */
};

#define REQUEST_BUFFERS 16 /* what request.buffer can name */

/* Half a cache line of the host, for tens of thousands are under way at once
   and each event touches one. What only the SM needs is not here but in struct
   access, what few need in struct links. */
struct request {
	uint32_t line; /* physical address / 128 */
	uint32_t warp; /* index, NONE for those nobody waits for */
	union {
		uint32_t page; /* in the SM: virtual, of the machine's size */
		uint32_t set;  /* beyond it: in the slice */
	};
	union {
		uint32_t ready; /* in the SM: a hit's data would be there */
		struct {        /* low bits */
			uint16_t sent;   /* a load's turn at its slice */
			uint16_t number; /* of loads that came to slices;
					    in the SM: of its stores */
		};
	};
	uint32_t wait_next; /* next waiter on the same list */
	uint16_t sm : 11, gpc : 5;
	uint8_t waited : 7;            /* by table: others wait for it */
	uint8_t answered : 1;          /* its slice has sent its reply */
	uint8_t slice;                 /* within a partition */
	uint8_t kind : 4, texture : 4; /* its cache, + 1; 0: L1 */
	uint8_t demand : 4, fetch : 4; /* sectors: asked for; on their
					  way into the home slice */
	union {
		uint8_t whole : 4; /* stores, atomics: sectors in full */
		struct {
			uint8_t later : 4; /* loads: sectors that others bring
					      to its L1 */
			uint8_t bring : 4; /* far loads: the reply leaves near
					    */
		};
	};
	union {
		struct { /* the prefetch-size hint, bytes / 32; index,
			    PROGRAM_BUFFERS_MAX: unknown */
			uint8_t prefetch : 4, buffer : 4;
		};
		struct { /* atomics: their value joins a row of others; each
			    pass has a head, be its operand the only one;
			    it stands in line before its unit; it adds
			    floats */
			uint8_t joins : 1, headed : 1, in_line : 1,
				floats : 1, : 4;
		};
	};
	uint8_t operands : 6, l1_hit : 2; /* atomics: distinct words; loads:
					     where they were found, FOUND_*;
					     what a hit does to the line's
					     place in L1 */
	uint8_t passes : 6;               /* atomics: lanes over distinct
					     words, rounded up; loads: how
					     many its reply is for, or that
					     one that waits needs its own */
	uint8_t side : 1, home : 1;       /* of the SM; of the line */
	uint8_t l1_class : 2, l2_class : 2;
	uint8_t credit : 3; /* sectors it holds of the SM's limit */
	uint8_t looked : 1; /* counted as hit or miss of L2 */
	uint8_t waits : 4;  /* what of the warp waits for it: WAITS_* */
	uint8_t l1_allocate : 1, l1_owner : 1;
	uint8_t gpc_owner : 1; /* others of its GPC can find it, to wait */
	uint8_t copies : 1;    /* leaves a near copy on its way back */
};

_Static_assert(sizeof(struct request) == 32, "two requests are a cache line");
_Static_assert(PROGRAM_BUFFERS_MAX < 16, "request.buffer has four bits");

/* Nothing but a fence of the system, once a write has left the chip; fences, of
   which each round parts the stores before it from those behind it
   (kernel/fence.c); a scoreboard; a group of copies. */
enum {
	WAITS_LEFT,
	WAITS_STORE,
	WAITS_OTHER_STORE,
	WAITS_BOARD,
	WAITS_COPY = WAITS_BOARD + 6,
	WAITS_END = 16
};

/* What is known of a request while it is under way, where a profile is made. */
struct request_note {
	uint64_t since;   /* the warp sent it */
	uint32_t sender;  /* asks.sender */
	uint32_t late;    /* cycles that its translation took */
	uint16_t sectors; /* that it asked for */
	uint16_t in_l1;   /* of these, where L1 had some and not all */
	uint16_t stale;   /* words that L1 had, and another SM has newer */
};

/* Where the data of a load were found. */
enum { FOUND_L1, FOUND_NEAR, FOUND_FAR, FOUND_DRAM };

static inline void request_found(struct request *r, unsigned where)
{
	if (r->kind == REQUEST_LOAD)
		r->operands = where & 63;
}

/* From the pool; as it is: the caller fills it. Without room the core has
   failed. */
uint32_t request_take(struct core *core);
/* One that no warp sends. */
uint32_t request_new(struct core *core, enum request_kind kind, uint32_t line);
void request_free(struct core *core, uint32_t request);

/* Home, slice and set of the request's line. */
void request_place(const struct core *core, struct request *r);

/* The request changes its line in an atomic unit. */
static inline bool request_is_atomic(const struct request *r)
{
	return r->kind == REQUEST_ATOMIC || r->kind == REQUEST_REDUCTION;
}

/* A pass of an atomic travels as one flit, with its only operand, or as a head
   and a flit for each sector. */
static inline uint32_t request_pass_flits(const struct request *r)
{
	return sector_count(r->demand) + r->headed;
}

/* A reduction that has been answered, and waits in its slice. */
static inline bool request_stays(const struct request *r)
{
	return r->kind == REQUEST_REDUCTION && r->warp == NONE;
}

/* The first cache a request looks in, as a place in the table of fetches. */
static inline uint32_t request_cache(const struct request *r)
{
	return (uint32_t)r->texture << 16 | r->sm;
}

#endif
