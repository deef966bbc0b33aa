#ifndef NEARFAR_OBSERVE_CHIP_H
#define NEARFAR_OBSERVE_CHIP_H

/*
 * The geometry of a chip, as far as the driver and two series say it, and what
 * the nearest known machine lends to it.
 *
 * Sides come from near-far. GPCs are never seen: TPCs belong to them in
 * rotation, so the sides of successive TPCs repeat with the number of GPCs
 * until a GPC has all of its own. The known machine's rotation is kept where it
 * gives the sides that were seen, else the least change of it that does. With
 * one side the number of GPCs is that of which half, reading at once, get least
 * for each SM: what a GPC is given.
 *
 * Slices are counted by contention: of the lines of contiguous memory, which
 * fill the slices evenly, the share that one busy slice delays is one over
 * their number. With two partitions a busy slice delays lines of its own home,
 * and on silicon those whose copies it keeps; each is a share of one home's.
 * Where the known machine's hash puts all that are late into one slice, it is
 * this chip's, too, and says at which page memory began. It is tried with the
 * known machine's number of slices, and with those about as many as were
 * counted: the home bits are the chip's own within a page, and beyond it the
 * known machine's or the least that the pages show.
 */
#include <stdbool.h>
#include <stdint.h>

#include "harness/contract/backend.h"
#include "harness/contract/parameters.h"
#include "harness/series/series.h"

#define CHIP_SMS_MAX      512
#define CHIP_GPCS_MAX     16
#define CHIP_TOGETHER_MAX 128
#define CHIP_GPCS_BENCH   "fit-gpcs-"

struct chip {
	struct device device;
	bool mapped; /* near-far was read */
	unsigned partitions;
	uint8_t side[CHIP_SMS_MAX]; /* of each SM */
	uint64_t home_hash_mask;    /* within a page */
	bool hash_settled;
	unsigned page_shift; /* the largest page at which one hash gives all
				homes */
	double slices;       /* that hold lines; NaN: not counted */
	/* the page at which memory began, by the known machine's hash; -1: not
	   found */
	int64_t page_first;
	uint64_t home_beyond; /* if it was found: the hash beyond a page */
	/* of the first page of the contention probe, 256 bytes each, all of
	   one slice: their offsets */
	uint32_t together[CHIP_TOGETHER_MAX];
	uint32_t together_count;
	/* the rotation */
	uint32_t sms_per_tpc, gpc_count;
	uint64_t gpc_tpcs, gpc_side_mask;
	uint32_t gpc_of_rest;
	bool rotation_is_known; /* the known machine's, unchanged */
	bool rotation_fits;     /* it gives the sides that were seen */
	bool gpcs_seen;         /* by what TPCs of one GPC share */
};

/* A chip of which only the driver has spoken, with a known machine's rotation.
 */
void chip_start(struct chip *chip, const struct device *device,
	const struct model_parameters *known);

/* What near-far says; ERR_USAGE for a series that is no near-far with samples.
 */
int chip_read_map(
	struct chip *chip, const struct point *point, struct error *error);

/* The TPCs of a chip, and those whose number leaves `rest` when it is divided.
 */
uint32_t chip_tpc_count(const struct chip *chip);
uint32_t chip_tpcs_of(const struct chip *chip, unsigned divisor, uint32_t rest);

/* The number of GPCs, of the series of the measure gpcs (the name of each is
   CHIP_GPCS_BENCH and a number): the known machine's,
   if no other binds its SMs by more. Where no number binds any, and where there
   are sides, the chip is left. */
void chip_read_gpcs(struct chip *chip, const struct series_list *list);

/* What the contention probe says, and where memory began if the known machine's
   hash gives what was delayed. */
int chip_read_contention(struct chip *chip,
	const struct model_parameters *known, const struct point *point,
	struct error *error);

/* Of it the slices alone, by the partitions and the home hash of `chip`;
   NaN: nothing was delayed. */
int chip_count_slices(const struct chip *chip, const struct point *point,
	double *slices, struct error *error);

/* The value of a parameter in a list; NaN: there is none. */
double chip_known(const struct model_parameters *known, const char *name);

#endif
