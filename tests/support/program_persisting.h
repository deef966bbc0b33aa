#ifndef NEARFAR_PROGRAM_PERSISTING_H
#define NEARFAR_PROGRAM_PERSISTING_H

/*
 * Random programs in which what stays in L2 decides: hot lines are loaded by a
 * policy or under a window, with or without a carve-out; a stream goes by that
 * is about as large as the L2 of a small machine; a reset, another window or
 * another carve-out may come before it, or behind it and before a second one;
 * then the hot lines are timed one by one. Random programs of single accesses
 * hardly ever fill a set, so that they see nothing of all this.
 */
#include "harness/program/program.h"

void program_persisting(struct program *p, uint32_t seed);

#endif
