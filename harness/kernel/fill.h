#ifndef NEARFAR_KERNEL_FILL_H
#define NEARFAR_KERNEL_FILL_H

/*
 * The first content of a job's buffers. An element is a pure function of the
 * buffer's description and the element's index, so that both backends begin
 * with the same bytes. Whole numbers wrap around in their type; floats are
 * rounded to the nearest.
 *
 *   zero          0
 *   iota          first + index * step, and with `below` a random whole number
 *                 less than it besides: with below <= step the elements ascend,
 *                 as the row starts of a sparse matrix or sorted keys do
 *   random        of floats: in [0, 1), a multiple of 2^-significant bits
 *                 of whole numbers: all bits, or with `below` less than it
 *                 power=P raises a draw in [0, 1) to the P-th power first, so
 *                 that small elements are frequent
 *   permutation   the numbers 0 .. elements - 1, each once
 *   ring          a list of slots of `slot` bytes (0: one element each). The
 *                 first element of a slot is the index, in elements, of the
 *                 first element of the next slot; all others are 0. The list
 *                 visits each slot once before it comes back, one after the
 *                 other or shuffled
 *   file          the first bytes of a file
 *
 * Draws and permutations are those of permute.h.
 */
#include "harness/kernel/job.h"

/* The content of a buffer of a job that is made and not read. */
struct job_content {
	/* Writes `bytes` of it from `offset` on, over zeros; all that is left,
	   or both are multiples of 4096. `addresses`: of the job's buffers. */
	void (*write)(const void *of, const uint64_t *addresses,
		uint64_t offset, uint64_t bytes, unsigned char *to);
	const void *of;
};

/* Writes `bytes` of the buffer's content from `offset` on; both are whole
   elements. */
void fill_write(const struct job_buffer *buffer, uint64_t offset,
	uint64_t bytes, void *to);

/* The bits of one element; not for JOB_FILL_FILE. */
uint64_t fill_element(const struct job_buffer *buffer, uint64_t index);

#endif
