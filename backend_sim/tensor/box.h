#ifndef NEARFAR_TENSOR_BOX_H
#define NEARFAR_TENSOR_BOX_H

/*
 * The box of a tensor that a copy moves, as runs of bytes that lie side by side
 * in global and in shared memory.
 *
 * In shared memory the box lies row after row, the innermost dimension's
 * elements side by side. With a swizzle a row takes the whole span (32, 64 or
 * 128 bytes), and pieces of 16 bytes change places by the bits of their address
 * above the span. Elements outside of the tensor have no bytes in global
 * memory: a load fills them, a store leaves them out, but for what is in one
 * piece of 16 bytes with the last element inside.
 *
 * Of an interleaved tensor dimension 0 counts pixels of 16 or 32 bytes, and the
 * last dimension but one slices of channels, of which a copy moves one.
 *
 * Source: PTX ISA 9.0, section 5.5; what the words of shared and global memory
 * were after 5,000 copies of an H200.
 */
#include <stdbool.h>
#include <stdint.h>

#include "harness/tensor/map.h"

/* A run's address, if its elements are outside of the tensor. */
#define TENSOR_OUTSIDE UINT64_MAX

/* What a run's offsets in shared memory are multiples of, with a swizzle. */
#define TENSOR_PIECE_BYTES 16u

struct tensor_run {
	uint64_t global; /* address */
	uint32_t shared; /* address */
	uint32_t bytes;
};

/* What a load fills with if its map has fill=nan, whatever the type: the bits
   of every 8 bytes. */
#define TENSOR_NAN UINT64_C(0x7ff77ff77ff77ff7)

/* What a load makes of a word of tf32: rounded to the nearest, ties to even;
   what is no number has one representation. */
static inline uint32_t tensor_tf32(uint32_t word)
{
	if ((word & 0x7fffffffu) > 0x7f800000u)
		return 0x7fffe000u;
	if ((word & 0x7f800000u) == 0x7f800000u)
		return word;
	return (word + 0xfffu + (word >> 13 & 1)) & ~0x1fffu;
}

/* Takes a run; false: no more. */
typedef bool (*tensor_run_fn)(void *object, const struct tensor_run *run);

/* Bytes that a load completes at its barrier: those of the whole box, inside of
   the tensor or not. */
uint64_t tensor_box_bytes(const struct tensor_map *m);

/* The first address of shared memory behind the box. */
uint64_t tensor_box_end(const struct tensor_map *m, uint32_t shared);

/* Whether hardware takes a box that begins there: its innermost coordinate is
   one of whole pieces of 16 bytes. */
bool tensor_box_begins(const struct tensor_map *m, const int32_t *at);

/* The runs of the box at coordinates `at`, in the order of shared memory but
   for the swizzle. `stores`: of a store or a reduction. False: `take` said so.
 */
bool tensor_box_runs(const struct tensor_map *m, const int32_t *at,
	uint32_t shared, bool stores, tensor_run_fn take, void *object);

#endif
