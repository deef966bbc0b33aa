#ifndef NEARFAR_LAUNCH_H
#define NEARFAR_LAUNCH_H

/*
 * A launch of a program: how many blocks and warps its roles have, which SM
 * runs which role, whether blocks wait for each other, and what a block takes:
 * registers, shared memory, room on an SM.
 */
#include <stdbool.h>
#include <stdint.h>

#include "harness/program/program.h"

/* The launch's role `i`. */
static inline const struct role *launch_role(
	const struct program *p, const struct step *launch, uint32_t i)
{
	return &p->roles[launch->role_first + i];
}

/* Blocks that a role runs on a device of `sm_count` SMs. */
uint32_t role_blocks(
	const struct program *p, const struct role *role, uint32_t sm_count);

/*
 * Who runs on an SM: a role that names it, or else the role that takes all
 * others. Neither: a role that names no SMs may use it. Its blocks on the SM
 * are the role's blocks rank * role.blocks and on.
 */
struct launch_slot {
	uint32_t role_plus_1; /* of the launch; 0: none */
	uint32_t rank;        /* of the SM among those of the role */
};

/* Of each of `sm_count` SMs. A role that names an SM which is not there has no
   block there. */
void launch_slots(const struct program *p, const struct step *launch,
	uint32_t sm_count, struct launch_slot *slots);

/* Whether the blocks wait for each other before they begin. */
bool launch_starts_together(const struct program *p, const struct step *launch);

/*
 * Registers of a thread of the launch: as it says, or by rule: 16, and one for
 * each word that the loads of an unrolled iteration bring, and two for each
 * random address of it; a multiple of 8, 32 to 248. The assembler's own count,
 * which the CUDA backend reports, is 14 and those words for loads by value.
 */
uint32_t launch_registers(const struct program *p, const struct step *launch);

/* What an SM has for blocks. */
struct sm_limits {
	uint32_t warps, blocks, registers;
	uint64_t shared_bytes;          /* of all blocks together */
	uint64_t shared_reserved_bytes; /* of each, by the driver */
};

/* Blocks of a grid of the role that an SM holds at once; at least one. */
uint32_t launch_resident(const struct program *p, const struct step *launch,
	const struct role *role, const struct sm_limits *limits);

/*
 * Static shared memory of each block of a launch, as the PTX writer hands it
 * out: LAUNCH_CLAIM_BYTES, eight bytes a thread, of which four are in use, then
 * the samples of a region whose iterations are timed, four bytes each. It
 * leaves L1 that much less, as when silicon was measured.
 */
#define LAUNCH_CLAIM_BYTES 16
uint32_t launch_threads(const struct program *p, const struct step *launch);
uint32_t launch_static_bytes(
	const struct program *p, const struct step *launch);

/*
 * What an SM sets aside for a block that has so many bytes of shared memory,
 * static and dynamic, and so many that the driver keeps: whole units of 128 B.
 * Source: NVIDIA, CUDA C++ Programming Guide, compute capability 8.0 to 9.0; an
 * H200 holds five blocks of 272 B and 1 KiB in 8 KiB, not six.
 */
uint64_t launch_block_shared(uint64_t bytes, uint64_t reserved_bytes);

/*
 * The share of an SM's `of_bytes` of shared memory, in percent, that a
 * program's launch prefers which has `blocks` on an SM, of `block_bytes` each,
 * as launch_block_shared() says. L1 should be as large as it can be, but blocks
 * that wait for each other must all fit: too small a share would leave them
 * waiting for a block that never starts.
 */
unsigned launch_carveout_percent(
	uint64_t block_bytes, uint32_t blocks, uint64_t of_bytes);

#endif
