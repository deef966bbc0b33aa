#ifndef NEARFAR_LOWER_H
#define NEARFAR_LOWER_H

/*
 * The PTX writer: a pure function from one launch of a program to the text
 * of one kernel, and what the runner must know to launch it. No driver, no
 * device; --dump-ptx and the ptxas tests call it anywhere.
 *
 * Every kernel is called "nearfar" and takes these .u64 parameters:
 *   control  pointer to PTX_CONTROL_BYTES, zeroed before each launch
 *   output   pointer to output_bytes, zeroed before each launch
 *   table    pointer to one struct launch_slot per SM id
 *   opaque   zero, which the assembler cannot know
 *   buffer0 .. buffer{N-1}  the program's buffers, N = buffer_count
 * Fill and flush kernels take one buffer and leave control and table alone;
 * the flush kernel uses 4 bytes of output.
 *
 * A block that does not find a place in the table exits at once, so grids
 * are larger than the blocks needed.
 */
#include <stdbool.h>

#include "harness/contract/backend.h"
#include "harness/base/error.h"
#include "harness/program/places.h"

#define PTX_CONTROL_BYTES 65536 /* arrival, done, turn, claims per SM, ... */

/* Written by each warp at the end of its role: %clock64 before and behind a
   region. */
struct ptx_warp_record {
	uint64_t start_clock, stop_clock;
};

/* Written by the first warp of a block: where it ran, and both clocks, read one
   after the other before the role and behind it. %globaltimer takes its time
   when many warps ask, so that the others do not. */
struct ptx_block_record {
	uint64_t sm;
	/* When what the block wrote had arrived; of the blocks that start last
	   in a region that writes; otherwise 0. */
	uint64_t drain_clock;
	uint64_t first_clock, first_ns;
	uint64_t last_clock, last_ns;
};

/* Where a region's data lies in the output. */
struct ptx_region {
	uint32_t region;        /* number, as in program_regions() */
	uint64_t record_offset; /* struct ptx_warp_record[warps] */
	uint64_t sample_offset; /* uint32_t[warps][samples], cycles */
	uint64_t block_offset;  /* struct ptx_block_record[blocks] */
	uint32_t warps;         /* of the role, over all its blocks */
	uint32_t blocks;        /* of the role */
	bool writes;            /* timed as a whole, and leaves writes */
	uint32_t samples;       /* a warp; 0 for TIMING_REGION */
	/* Blocks quiet_first .. quiet_end - 1 leave no records: others wait for
	   their places, and a block that has stored gives its place up later.
	   What is there at once, and what starts last, tells when the region
	   began and ended. */
	uint32_t quiet_first, quiet_end;
};

static inline bool ptx_is_quiet(const struct ptx_region *r, uint32_t block)
{
	return block >= r->quiet_first && block < r->quiet_end;
}

/*
 * What keeps the assembler from leaving values out, and later iterations
 * waiting for them, changes nothing: stores that nobody reads, or that never
 * happen, and a zero that is made of what was loaded. Who executes the text for
 * its time alone may leave such instructions' values out; a register that one
 * of them writes holds the same before.
 */
struct ptx_kernel {
	char *text;           /* owned */
	uint32_t turn_offset; /* of the word in control that says whose turn it
				 is; 0: blocks take none */
	uint32_t *idle_lines; /* of such instructions, ascending; owned */
	size_t idle_count;
	uint32_t grid, threads;
	uint32_t dynamic_shared_bytes;
	uint32_t resident; /* blocks that an SM holds at once */
	uint64_t output_bytes;
	struct ptx_region regions[PROGRAM_REGIONS_MAX];
	size_t region_count;
};

void ptx_kernel_free(struct ptx_kernel *kernel);

/* `step` is a STEP_LAUNCH of a checked program. With `places` the text says by
   `.loc` which line of the program each instruction is of; NULL: it does not.
 */
int ptx_launch(const struct program *p, uint32_t step,
	const struct program_places *places, const struct device *device,
	struct ptx_kernel *kernel, struct error *error);

/* Writes a ring buffer's links, or random data, with a grid-stride loop; the
   second buffer that it is given is the one that the links point to. */
int ptx_fill(const struct program *p, uint32_t buffer,
	const struct device *device, struct ptx_kernel *kernel,
	struct error *error);

/* Reads `bytes` of memory with every SM. */
int ptx_flush(uint64_t bytes, const struct device *device,
	struct ptx_kernel *kernel, struct error *error);

#endif
