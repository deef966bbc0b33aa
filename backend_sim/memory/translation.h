#ifndef NEARFAR_TRANSLATION_H
#define NEARFAR_TRANSLATION_H

/*
 * From an offset in a buffer to the physical line, and what that costs: pages,
 * and two levels of TLBs, the first in each SM, the second the chip's.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/core/core.h"
#include "harness/program/program.h"

/* Translations, the most recent first in each set. */
struct tlb {
	uint32_t *pages; /* + 1; 0: none; owned */
	uint32_t entries, ways;
	uint32_t shift; /* of a virtual page's number */
	struct divider in_sets;
};

struct translation {
	struct core *core;
	struct tlb *first; /* [sm]; owned */
	struct tlb second;
	uint32_t page_shift;
	uint32_t *page;               /* virtual -> physical; owned */
	uint32_t page_count;          /* of the chip's own memory */
	uint32_t host_page, page_end; /* the peer's are before, then these */
	uint32_t page_base[PROGRAM_BUFFERS_MAX]; /* first page of a buffer */
	uint64_t next[MEMORY_COUNT]; /* page, of each kind of memory */
	bool moved;                  /* some pages: translation_move() */
	uint8_t *names; /* [page]: the buffer that requests name instead of
			   their own; owned; NULL: all name their own */
};

/* Less than 0 without memory; translation_free() then, too. */
int translation_init(struct translation *t, struct core *core);
void translation_free(struct translation *t);
void translation_cold(struct translation *t);
bool translation_is_settled(const struct translation *t);
void translation_servers(struct translation *t, struct books *books);

/* Gives the program's buffers pages; the index of the first buffer for which
   there are none, or -1. */
int translation_place(struct translation *t, const struct program *p);

/* Puts whole pages of a buffer into far memory, until the next
   translation_cold(); less than 0: there is none, or not so much. */
int translation_move(struct translation *t, uint32_t buffer, uint64_t offset,
	uint64_t bytes, unsigned memory);

/* Requests for these pages name another buffer, until the next
   translation_cold(); less than 0 without memory. */
int translation_name(struct translation *t, uint32_t buffer, uint64_t offset,
	uint64_t bytes, unsigned name);

/* The virtual page of an offset in a buffer. */
static inline uint32_t translation_page(
	const struct translation *t, uint32_t buffer, uint64_t offset)
{
	return t->page_base[buffer] + (uint32_t)(offset >> t->page_shift);
}

/* The physical line of an offset on a virtual page. */
static inline uint32_t translation_line(
	const struct translation *t, uint32_t page, uint64_t offset)
{
	uint64_t within = offset & ((UINT64_C(1) << t->page_shift) - 1);

	return (t->page[page] << (t->page_shift - LINE_SHIFT)) |
	       (uint32_t)(within >> LINE_SHIFT);
}

/* A request goes to an offset on a virtual page. */
static inline void translation_lead(const struct translation *t,
	struct request *r, uint32_t page, uint64_t offset)
{
	r->line = translation_line(t, page, offset);
	r->page = page;
	if (t->names)
		r->buffer = t->names[page] & 15;
}

/* Cycles that the translation of a virtual page adds to a request of the SM: 0
   if the SM has it at hand. */
uint32_t translation_cycles(struct translation *t, uint32_t sm, uint32_t page);

#endif
