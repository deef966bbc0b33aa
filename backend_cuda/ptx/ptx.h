#ifndef NEARFAR_PTX_H
#define NEARFAR_PTX_H

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
#include "harness/contract/backend.h"
#include "harness/base/error.h"
#include "harness/program/program.h"

#define PTX_CONTROL_BYTES 65536 /* arrival, done, turn, claims per SM, ... */

/* Written by each warp at the end of a region: one sector, so that records
   cost the memory system as little as can be. */
struct ptx_warp_record {
	uint64_t start_clock, stop_clock; /* %clock64 */
	uint64_t start_ns;                /* %globaltimer */
	uint64_t sm_and_ns; /* %smid << PTX_SM_SHIFT | ns from start to stop */
};

#define PTX_SM_SHIFT 48

/* Written by a block that waits until what the region wrote has arrived. The
   blocks that start last do; for the others it stays zero. */
struct ptx_drain_record {
	uint64_t clock, ns;
};

/* Where a region's data lies in the output. */
struct ptx_region {
	uint32_t region;        /* number, as in program_regions() */
	uint64_t record_offset; /* struct ptx_warp_record[warps] */
	uint64_t sample_offset; /* uint32_t[warps][samples], cycles */
	uint64_t drain_offset;  /* struct ptx_drain_record[blocks] */
	uint32_t warps;         /* of the role, over all its blocks */
	uint32_t blocks;  /* with a drain record: of a region that writes */
	uint32_t samples; /* a warp; 0 for TIMING_REGION */
};

struct ptx_kernel {
	char *text; /* owned: free() */
	uint32_t grid, threads;
	uint32_t dynamic_shared_bytes;
	uint32_t resident; /* blocks that an SM holds at once */
	uint64_t output_bytes;
	struct ptx_region regions[PROGRAM_REGIONS_MAX];
	size_t region_count;
};

/* `step` is a STEP_LAUNCH of a checked program. */
int ptx_launch(const struct program *p, uint32_t step,
	const struct device *device, struct ptx_kernel *kernel,
	struct error *error);

/* Writes a ring buffer's links, or random data, with a grid-stride loop. */
int ptx_fill(const struct buffer *buffer, const struct device *device,
	struct ptx_kernel *kernel, struct error *error);

/* Reads `bytes` of memory with every SM. */
int ptx_flush(uint64_t bytes, const struct device *device,
	struct ptx_kernel *kernel, struct error *error);

#endif
