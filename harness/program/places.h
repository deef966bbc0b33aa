#ifndef NEARFAR_PROGRAM_PLACES_H
#define NEARFAR_PROGRAM_PLACES_H

/* Where the text of a program has each of its items: lines, from 1. Who shows
   what a program's kernels do names these. */
#include "harness/program/program.h"

struct program_places {
	const char *name; /* of the text: a file's, or a bench's; borrowed */
	const char *text; /* borrowed */
	uint32_t steps[PROGRAM_STEPS_MAX];
	uint32_t roles[PROGRAM_ROLES_MAX];
	uint32_t insns[PROGRAM_INSNS_MAX];
};

#endif
