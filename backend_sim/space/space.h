#ifndef NEARFAR_SPACE_H
#define NEARFAR_SPACE_H

/*
 * The memory of a job: its buffers and the variables of its modules, in one
 * range of addresses. A kernel's loads and stores work on it as they are
 * issued.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend_sim/values/format.h"
#include "backend_sim/trace/trace_kernel.h"
#include "harness/base/error.h"
#include "harness/kernel/job.h"
#include "harness/ptx/ptx.h"

/* Where the range begins: as high as a driver's, below all windows. */
#define SPACE_BASE UINT64_C(0x7f0000000000)

/*
 * What a cooperative launch has for its grid, at the address that %envreg1 (the
 * upper half) and %envreg2 have: three words of four bytes, 16, the grid's
 * barrier (0), and 1. Each launch begins with these values. Later launches of
 * the stream that are not cooperative have the address, too; earlier ones have
 * 0. Source: what a kernel reads there on an H200, driver 580.
 */
#define SPACE_GRID_BYTES 64u
#define SPACE_GRID_WORDS                                                       \
	{                                                                      \
		16, 0, 1                                                       \
	}

/*
 * A buffer's first content is made where the buffer is touched, piece by piece:
 * pieces begin at multiples of SPACE_PIECE_BYTES. Of a piece of a program's
 * buffer that is only read the words are made that are read, until they have
 * been so many: a chase through memory that is larger than the host's caches
 * takes no more of it than it touches.
 */
#define SPACE_PIECE_BYTES 4096u
#define SPACE_LOOKS_MAX   (SPACE_PIECE_BYTES / PROGRAM_LINE_BYTES)
#define SPACE_LOOK_BYTES  16u /* at once, most */

struct space_region {
	char name[JOB_BUFFER_BYTES + 16];
	uint64_t first, bytes; /* offset in the range */
	uint64_t *written;     /* a bit for each piece; NULL: all is there;
				  owned */
	uint8_t *looks; /* of each piece that is not written; NULL: a look
			   touches; owned */
	const struct job_buffer *buffer; /* whose content is written; not
					    owned */
};

/* Lines of a module's text whose instructions are idle (needs.h). */
struct space_lines {
	const uint32_t *lines; /* ascending; not owned */
	size_t count;
};

struct needs;

struct space {
	uint8_t *bytes; /* owned: mapped, and zero until it is touched */
	uint64_t size;
	struct space_region *regions; /* owned; ascending */
	uint32_t region_count;
	uint64_t *addresses; /* of the job's buffers; owned */
	unsigned char (*map_bytes)[TENSOR_MAP_BYTES]; /* of each; owned */
	uint64_t *map_addresses; /* where these lie; owned */
	uint64_t **variables; /* [module][variable], as code_make() takes them;
				 owned */
	struct ptx_module *modules; /* owned */
	uint32_t module_count;
	struct trace_kernel *traces; /* [module]; owned */
	struct trace_pages pages;    /* that traces touch; owned */
	uint64_t traced_first;       /* they begin at this offset */
	uint64_t print_first; /* where records of what kernels print lie */
	uint64_t grids_first; /* what launches that are cooperative have for
				 their grids: SPACE_GRID_BYTES each */
	struct printed printed;
	uint64_t local_first; /* thread-local memory begins at this offset */
	/* What of it decides, where values that decide nothing are left out;
	   NULL: all are computed; not owned */
	struct needs *needs;
	/* Of kernels of a program: buffers that are looked at when the job is
	   over, and so decide, too; idle lines by module, or NULL; not owned */
	const uint32_t *kept;
	size_t kept_count;
	const struct space_lines *idle;
	/* by module: the address of the word that says whose turn it is
	   (lower.h), or 0; NULL: no block takes turns. Not owned */
	const uint64_t *turns;
};

/* Reads the modules, and gives all memory a place and its content; the job
   stays while the space is. Of the host's memory the space has what is touched,
   and SPACE_HUGE_BYTES at most besides. A trace has no values: its pages are
   lines for the caches, behind all else. ERR_USAGE for a module that can't be
   read, ERR_FAILED without memory; space_free() then, too. */
#define SPACE_HUGE_BYTES (UINT64_C(256) << 20)
int space_make(struct space *s, const struct job *job, struct error *error);
void space_free(struct space *s);

/* Makes the content of `bytes` from an offset in the range on, where that is
   not made yet; of a region with `written`. */
void space_touch(const struct space *s, const struct space_region *r,
	uint64_t offset, uint64_t bytes);

/* The place from which `bytes` at an offset in the range, a multiple of
   `bytes`, are read: `made` where their piece need not be made. */
uint8_t *space_look(const struct space *s, const struct space_region *r,
	uint64_t offset, uint32_t bytes, uint8_t made[SPACE_LOOK_BYTES]);

/* The address of the words that a launch of the job has for its grid; 0: it has
   none. */
uint64_t space_grid(
	const struct space *s, const struct job *job, size_t launch);
/* A cooperative launch begins. */
void space_begin_grid(struct space *s, uint64_t address);

/* The region that has all of `bytes` from an offset on, or NULL. */
const struct space_region *space_find(
	const struct space *s, uint64_t offset, uint32_t bytes);
/* The same, with their content. */
const struct space_region *space_take(
	const struct space *s, uint64_t offset, uint32_t bytes);

#endif
