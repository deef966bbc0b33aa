#ifndef NEARFAR_PROGRAM_RANDOM_H
#define NEARFAR_PROGRAM_RANDOM_H

/*
 * Random legal programs: every operation, qualifier, address mode, step and
 * placement of the format appears sooner or later. The same seed and knobs
 * give the same program.
 */
#include "harness/program/program.h"

struct program_random {
	uint32_t seed;
	uint32_t launches;     /* at most */
	uint32_t roles;        /* of a launch, at most */
	uint32_t insns;        /* of a role, at most, repeats not counted */
	uint32_t iterations;   /* of a repeat, at most */
	uint32_t depth;        /* of repeats, at most */
	uint32_t threads;      /* of a block, at most */
	uint32_t sms;          /* of the device */
	uint32_t sm_arch;      /* instructions need no more than this */
	uint64_t buffer_bytes; /* at most, 4 KiB or more */
	bool host_actions;
};

/* Small enough for a cycle-stepped model; sm_120, so everything. */
extern const struct program_random program_random_default;

void program_random(struct program *p, const struct program_random *knobs);

#endif
