#ifndef NEARFAR_SPLIT_COST_H
#define NEARFAR_SPLIT_COST_H

/*
 * What a run of a program costs, as a number of accesses, by which `plan` says
 * how alike parts are: the model's time goes with the lines that it
 * looks up, and a GPU's with accesses that wait for each other.
 *
 * An instruction costs, each time that a warp executes it, the lines that the
 * warp's lanes may touch: all of them for a chase or a random address, those
 * that the distance of its lanes spans for an affine one, one without global
 * memory. A role is the sum of its instructions, as often as its loops say,
 * in all of its warps; a background role repeats its body until the other
 * roles of its launch have finished, so that each of its warps costs at least
 * as much as one of theirs. A program is the sum of its launches.
 */
#include "harness/program/program.h"

/* Of each run, before its first access: to open, to build, to write down. */
#define COST_OF_A_RUN 1000.0

/* `sm_count` resolves roles on all or on all other SMs. */
double cost_program(const struct program *p, uint32_t sm_count);

#endif
