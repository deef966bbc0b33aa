#ifndef NEARFAR_BESIDE_H
#define NEARFAR_BESIDE_H

/* What a launch has to do with others that are alive at the same time. */
#include <stdbool.h>
#include <stdint.h>

struct execution;

/* In data of events, above what the station itself wants; in the warp of a
   request of the copy engine, above the copy. */
#define GRID_NUMBER_SHIFT 8
#define GRID_DATUM        255u
#define GRID_BULK_SHIFT   24
#define GRIDS_MAX         32u /* that are alive at the same time */

/* Bytes of global memory that a lane, or lanes side by side from it on, read or
   write. */
struct beside_access {
	uint64_t offset, bytes; /* in the job's memory */
	unsigned lane;
	bool writes;
	bool orders; /* an atomic, or an access that orders others */
};

/*
 * What a launch says to those that it shares the chip with (streams.h).
 */
struct beside {
	/* The place of the block in `slot`, or of its whole cluster, is free
	   from a cycle on. */
	void (*vacated)(struct execution *x, uint32_t slot, uint64_t cycle);
	/* The chip knows from a cycle on that the warp's block has executed
	   griddepcontrol.launch_dependents; for the first time. */
	void (*triggered)(struct execution *x, uint32_t warp, uint64_t cycle);
	/* The warp comes to griddepcontrol.wait. True: it goes on at an event,
	   when what its launch depends on is over. */
	bool (*waits)(struct execution *x, uint32_t warp);
	/* Before or behind its values. False: the run has failed. */
	bool (*touches)(struct execution *x, uint32_t warp, uint32_t pc,
		const struct beside_access *access);
};

#endif
