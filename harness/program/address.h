#ifndef NEARFAR_ADDRESS_H
#define NEARFAR_ADDRESS_H

/*
 * Where an access goes: the one definition of the arithmetic of addresses,
 * used by the model and by the static account. The PTX writer emits the same
 * arithmetic.
 */
#include "harness/program/permute.h"
#include "harness/program/program.h"

/* Which thread, in which iteration. */
struct whereabouts {
	uint32_t lane, warp, block; /* warp in its block, block in its role */
	uint32_t warps_per_block;
	uint32_t insn; /* index in program.insns: the stream of draws */
	uint32_t loop[PROGRAM_DEPTH_MAX]; /* counters, outermost first */
};

/* The modulus: wrap_bytes, else the buffer's size; 0: no wrap (shared). */
static inline uint64_t address_span(
	const struct program *p, const struct address *a)
{
	if (a->wrap_bytes || a->mode == ADDRESS_SHARED)
		return a->wrap_bytes;
	return p->buffers[a->buffer].bytes;
}

/*
 * The draw of a random address: a slot in [0, count). Who draws, and in which
 * iteration, are spread by odd factors and mixed once: a gather's rate is that
 * of the memory only if a GPU draws in a few instructions.
 */
#define ADDRESS_DRAW_WHO 0x27d4eb2fu
static const uint32_t address_draw_loop[PROGRAM_DEPTH_MAX] = {
	0x9e3779b1u, 0x85ebca6bu, 0xc2b2ae35u};

static inline uint32_t address_draw_seed(const struct program *p, uint32_t insn)
{
	return permute_mix(p->seed + insn);
}

static inline uint32_t address_draw(const struct program *p,
	const struct address *a, const struct whereabouts *w, uint32_t count)
{
	uint32_t warp = w->block * w->warps_per_block + w->warp;
	uint32_t who = a->per == DRAW_PER_LANE ? warp * 32u + w->lane : warp;
	uint32_t x = address_draw_seed(p, w->insn) + who * ADDRESS_DRAW_WHO;
	int d;

	for (d = 0; d < PROGRAM_DEPTH_MAX; d++)
		x += w->loop[d] * address_draw_loop[d];
	return (uint32_t)(((uint64_t)permute_mix(x) * count) >> 32);
}

/*
 * The byte offset in the buffer (or in shared memory). Not for chases, whose
 * offset is that of the current slot.
 */
uint64_t address_offset(const struct program *p, const struct address *a,
	const struct whereabouts *w);

/* Those of `lanes` lanes, from that of *first on. */
void address_offsets(const struct program *p, const struct address *a,
	const struct whereabouts *first, uint32_t lanes, uint64_t *offsets);

/*
 * What a loop must do to make an address, as the PTX writer does it; the model
 * charges the same. `insn` is one of the role's, of which there are `blocks`.
 */

/* The largest offset of the terms, without a draw, and with or without the
   innermost loop's; a double, since 64 bits may not hold it. */
double address_bound(const struct program *p, const struct role *role,
	uint32_t blocks, uint32_t insn, bool innermost);

/* Whether the terms reach beyond the span. */
bool address_wraps(const struct program *p, const struct role *role,
	uint32_t blocks, uint32_t insn);

/* Whether the copies of an unrolled body differ by a constant alone, which an
   instruction adds by itself: nothing wraps within an iteration. */
bool address_is_straight(const struct program *p, const struct role *role,
	uint32_t blocks, uint32_t insn);

/* The first buffer of the ring that goes through `buffer`: itself as a rule. */
static inline uint32_t program_ring_first(
	const struct program *p, uint32_t buffer)
{
	uint32_t i;

	for (i = 0; i < buffer; i++)
		if (i + p->buffers[i].through > buffer)
			return i;
	return buffer;
}

/* The one that its slots point to. */
static inline uint32_t program_ring_next(
	const struct program *p, uint32_t buffer)
{
	uint32_t first = program_ring_first(p, buffer);

	return buffer + 1 < first + p->buffers[first].through ? buffer + 1
							      : first;
}

/* The position in its ring at which thread `thread` of `threads` starts. */
static inline uint32_t chase_start(
	uint32_t slots, uint32_t rings, uint32_t thread, uint32_t threads)
{
	uint32_t sharers = (threads + rings - 1) / rings;

	return (uint32_t)((uint64_t)slots * (thread / rings) / sharers);
}

#endif
