#ifndef NEARFAR_TESTS_FORMS_H
#define NEARFAR_TESTS_FORMS_H

/*
 * Operations on values that are hard, as kernels: a row says an operation in a
 * form, a module has the operations of up to FORMS_MAX rows of one set of
 * values, and each of FORM_THREADS threads leaves a word of 64 bits of each.
 *
 * Thread t has three values of the set, a, b and c: those at t % 32, t / 32,
 * and one of all the others. Registers hold them, a2 in 16 bits, a4 in 32, a8
 * in 64, a16 {a8, b8} in 128, likewise b and c (b16: {b8, a8}, c16: {c8, a8});
 * predicates pa, pb and pc are a bit of the place in the set. The registers
 * r s t u v w x y of the same sizes are for results, the predicates p and q,
 * too. k4 is a mask of lanes that differs from warp to warp, and the predicate
 * in says whether the lane is one of them. A thread has 32 bytes of its own in
 * global memory at m8, in shared memory at z8 (generic: g8), in local memory at
 * l8 (generic: h8); values of the set stand at k8 in constants, and at n8 in
 * global memory that nobody writes.
 *
 * `sizes` of a row says what stands around the spelling:
 *
 *   "244"    the result's register and those of the sources, sizes in bytes. A
 *            result p is a predicate, P two; a source p is one. What stands
 *            behind a comma follows the last source. Sources are a, b, c, c
 *   "G44"    the spelling is of ld, st, red or atom, the sizes those of its
 *            registers (w: 16), the letter says of which memory: G global,
 *            S shared, L local, C constants, N global and read alone; g, s and
 *            l by a generic address. The results are what memory holds, and
 *            what registers have got
 *   "=r4,p"  the spelling is whole instructions, the list what they leave: M is
 *            the thread's global memory
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FORM_THREADS 1024u
#define FORM_BYTES   (8 * FORM_THREADS)
#define FORMS_MAX    32u
#define FORM_VALUES  32u /* of a set */

/* The bytes of the buffers a, where threads have their own, and b, where rows
   leave their words. */
#define FORM_OWN_BYTES  (32 * FORM_THREADS)
#define FORM_LEFT_BYTES (FORMS_MAX * FORM_BYTES)

/*
 * The sets of values. HALF, BHALF, SINGLE, DOUBLE: f16, bf16, f32, f64 of every
 * kind; HALVES, BHALVES: pairs of the former; WHOLE: limits of whole numbers,
 * and what shifts by the width and beyond; EIGHTS: pairs of e4m3 and e5m2;
 * TIES: f32 between what tf32, e4m3 and e5m2 have, and beyond, HALF_TIES: pairs
 * of f16, the same; BOUNDS: pairs of f16 and bf16, some out of bounds; USUAL:
 * f32 of no special kind
 */
#define FORM_SETS(SET)                                                         \
	SET(HALF)                                                              \
	SET(BHALF)                                                             \
	SET(HALVES)                                                            \
	SET(BHALVES)                                                           \
	SET(SINGLE)                                                            \
	SET(DOUBLE)                                                            \
	SET(WHOLE)                                                             \
	SET(EIGHTS)                                                            \
	SET(TIES)                                                              \
	SET(HALF_TIES)                                                         \
	SET(BOUNDS)                                                            \
	SET(USUAL)

enum set {
#define SET(name) name,
	FORM_SETS(SET)
#undef SET
		SET_COUNT
};

struct form {
	const char *sizes, *spelling;
	enum set set;
	uint32_t digest; /* of the words that a GPU left */
};

extern const uint64_t form_sets[SET_COUNT][FORM_VALUES];

/* Of an approximation the words of some threads are kept, instead of a digest:
   near.def. */
#define FORM_NEAR 32u

/* The i-th of those threads; together they have all values as a and as b. */
static inline unsigned form_near_thread(unsigned i)
{
	return i + 32 * ((5 * i + 7) & 31);
}

/* How many of `count` rows, from the first on, stand in one module: those of
   the same set, FORMS_MAX at the most. */
size_t forms_together(const struct form *forms, size_t count);

/* Writes the module of so many rows: entry k(a, b), for FORM_THREADS threads of
   one block. */
void forms_write(const struct form *forms, size_t count, FILE *out);

/* Of the FORM_BYTES that a row left, by FNV-1a. */
uint32_t form_digest(const uint8_t *bytes);

#endif
