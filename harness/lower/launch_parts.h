#ifndef NEARFAR_LOWER_LAUNCH_PARTS_H
#define NEARFAR_LOWER_LAUNCH_PARTS_H

/* A kernel under construction: what launch.c, shape.c and prologue.c share. */
#include "harness/program/launch.h"
#include "harness/lower/body.h"

struct launch {
	const struct program *p;
	const struct step *step;
	const struct device *device;
	struct ptx_kernel *kernel;
	struct ptx_writer w;
	struct region regions[PROGRAM_REGIONS_MAX];
	size_t region_count;
	unsigned base[PROGRAM_BUFFERS_MAX];
	unsigned control, output, zero;        /* d */
	unsigned tid, lane, warp, role, block; /* r */
	uint32_t blocks, foreground_blocks;
	bool background; /* some role repeats until the others have ended */
	uint32_t scratch, samples;
	bool together; /* the blocks wait for each other */
	bool release_fences;
	unsigned exit;
};

static inline const struct role *ptx_role_at(const struct launch *l, uint32_t i)
{
	return launch_role(l->p, l->step, i);
}

static inline uint32_t ptx_blocks_of(const struct launch *l, uint32_t i)
{
	return role_blocks(l->p, ptx_role_at(l, i), l->device->sm_count);
}

/* shape.c: grid, block, where the output lies, and how many blocks an SM
   holds. */
void ptx_shape(struct launch *l);
/* prologue.c: the parameters, which role and block this is, and the wait for
   the others. */
void ptx_prologue(struct launch *l);

#endif
