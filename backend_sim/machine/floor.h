#ifndef NEARFAR_FLOOR_H
#define NEARFAR_FLOOR_H

/*
 * The floor plan, as the SM x line matrix of an H200 shows it: TPCs belong to
 * GPCs in rotation, until a GPC has all that it takes so; those left over at
 * the end belong to one GPC. Within a GPC TPCs belong to its CPCs in rotation.
 * A side has GPCs and slices left and right of its middle; an SM sits the
 * farther out the higher its CPC. The round trip to a near slice is the mean
 * plus an SM term, a slice term, and the product of the two positions.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/machine/costs.h"

#define GPCS_MAX 32
#define GPC_CPCS 3

struct floor_sm {
	uint8_t side, gpc, cpc; /* cpc: of its GPC */
	uint16_t tpc;           /* which of its GPC */
	bool rest;              /* left over by the rotation */
};

struct floor {
	uint32_t sm_count, gpc_count;
	uint32_t slices;      /* of a partition */
	struct floor_sm *sms; /* owned */
	uint16_t *order;      /* owned; the SMs GPC by GPC, those left over
				 first, by number */
	uint16_t *route;      /* owned; [sm][slice]: cycles to a slice of the
				 SM's side and back */
};

/* Less than 0 without memory; floor_free() then, too. */
int floor_init(struct floor *f, const struct costs *cost);
void floor_free(struct floor *f);

/* A number in [-1, 1] that belongs to a seed and an index. */
double floor_draw(uint32_t seed, uint32_t index);

#endif
