#ifndef NEARFAR_ACCESS_H
#define NEARFAR_ACCESS_H

/* An access of a warp to memory: where its lanes go, and the values. */
#include <string.h>

#include "backend_sim/grid/grid.h"

struct access_of {
	struct execution *x;
	struct grid *g;
	struct kernel_warp *k;
	const struct code_insn *c;
	uint32_t warp, pc;
	uint32_t mask; /* lanes that execute */
	uint64_t address[LANES];
	/* lanes by where they go; remote: to shared memory of other blocks */
	uint32_t shared, remote, local, global;
	uint8_t *place[LANES]; /* where the lane's first byte is */
	bool alike;            /* all lanes are at one address of global memory,
				  as access_places() knows */
	/* what a lane loads of memory whose content is not there yet */
	uint8_t made[LANES][SPACE_LOOK_BYTES];
};

/* That of the lanes in `mask`, before their addresses are known, which are not
   cleared. */
static inline void access_begin(struct access_of *a, struct execution *x,
	uint32_t warp, const struct code_insn *c, uint32_t pc, uint32_t mask)
{
	a->x = x;
	a->g = x->grid;
	a->k = &x->grid->warps[warp];
	a->c = c;
	a->warp = warp;
	a->pc = pc;
	a->mask = mask;
	a->alike = false;
	a->shared = a->remote = a->local = a->global = 0;
}

/* The lanes' addresses: of the base's row and the offset. */
void access_addresses(struct access_of *a, const struct row *base,
	bool has_base, uint64_t offset, bool is_wide);
/* Finds each lane's place; false: the run has failed, with the reason. */
bool access_places(struct access_of *a, uint8_t space, uint32_t bytes);
/* Of a lane in shared memory, its own or remote: the slot of the block that has
   it. */
uint32_t access_block(const struct access_of *a, unsigned lane);
/* The same where each lane reads so many bytes of global memory: a lane that
   reads none has no place, and leaves the mask. */
bool access_sized(struct access_of *a, const uint32_t bytes[LANES]);
/* Lanes whose address belongs to nothing, or not to global memory, leave the
   mask: a prefetch of them is dropped. */
void access_drop(struct access_of *a, uint8_t space);
/* Finds the line of global memory that begins at each lane's address. */
bool access_lines(struct access_of *a);
/* Loads, stores or changes what is there. */
void access_values(struct access_of *a);

/* What 1, 2, 4 or 8 bytes hold. Each width is read by itself: the host takes
   long to read as a whole what it has just written in parts. */
static inline uint64_t access_bits(const uint8_t *place, unsigned bytes)
{
	uint64_t wide;
	uint32_t word;
	uint16_t half;

	switch (bytes) {
	case 8:
		memcpy(&wide, place, sizeof(wide));
		return wide;
	case 4:
		memcpy(&word, place, sizeof(word));
		return word;
	case 2:
		memcpy(&half, place, sizeof(half));
		return half;
	default:
		return *place;
	}
}

/* The same as a signed number, in 64 bits. */
static inline uint64_t access_signed(uint64_t bits, unsigned bytes)
{
	unsigned shift = 64 - 8 * bytes;

	return (uint64_t)((int64_t)(bits << shift) >> shift);
}

/* ---- dense.c ---- */

/* A whole warp loads or stores words side by side: one run of bytes, in one
   region. Does that at once, and says where the run begins; false: it is no
   such access, and nothing was done. */
bool dense_values(const struct access_of *a, uint64_t *offset);
/* A whole warp's next instruction is `pc`, and the registers are as it will
   find them: if there is one, and it is such an access, its run is kept until
   then. */
void dense_find(const struct grid *g, struct kernel_warp *k, uint32_t pc);
/* The host's caches shall have the run that is kept for the access at `pc`, and
   the sets of its lines in L1. */
void dense_foresee(const struct execution *x, uint32_t warp, uint32_t pc);

/* ---- memory.c ---- */

/* What the access costs whose lanes are in `global`, `shared` and `local`:
   `bytes` a lane; of cp.async, what it reads. */
void memory_cost(struct access_of *a, uint32_t bytes);
void memory_copy_cost(struct access_of *from);

#endif
