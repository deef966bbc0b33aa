#ifndef NEARFAR_FLEET_JUDGE_H
#define NEARFAR_FLEET_JUDGE_H

/*
 * Which devices of a fleet are not like the others.
 *
 * Two things of each figure of a device are compared with the same of its
 * peers, the devices of its SKU: the level, which is the median of the device's
 * past, or the last day's value where the past has fewer than eight days; and
 * the change, which is the last day's value less that median. What
 * has changed for all peers alike (a driver, a summer) is no device's fault:
 * so a change is judged by how far it is from the peers' median change. With
 * fewer than eight peers a level cannot be judged, and a change is judged by
 * the spread of the device's own days, if it has eight.
 *
 * A distance is counted in widths of the crowd (robust.h), but no width is
 * less than what the figure is known to: the grain of the figure (a step g,
 * as noise, is g / sqrt(12) wide; n counted events scatter by the root of n),
 * the device's own interval, and, of what is one day's value, what the median
 * peer's days differ by; of a median of n days, 1.25 / sqrt(n) of that. Where
 * all that is 0, nothing is compared.
 *
 * Many comparisons are made, so some distances are large by chance. The
 * comparisons of one device depend on each other (a slow DRAM is slow in every
 * part), so its least chance is multiplied by their number (Bonferroni, which
 * holds under any dependence). Devices are many and mostly well, and what
 * matters is how many of those accused are well: so the devices' chances are
 * judged together by Benjamini and Hochberg's rule (robust.h), by which a
 * share of `fdr` of the accused is expected to be well. Bonferroni over
 * devices, too, would miss weak faults in large fleets.
 */
#include "harness/fleet/store.h"

#define JUDGE_PEERS_MIN 8 /* also days of a past */

enum verdict_kind { VERDICT_LEVEL, VERDICT_CHANGE };

struct verdict {
	const struct fleet_device *device;
	enum figure_id figure;
	enum verdict_kind kind;
	double value;
	double middle; /* that the value is compared with */
	double scale;  /* a width */
	double z;      /* widths, signed */
	double chance; /* of the device, all its comparisons counted */
	double least;  /* the least chance of the device */
	size_t crowd;  /* peers, or days */
	bool usual;    /* the value is a median of the past */
	bool alone;    /* days: the crowd is the device's own past */
};

struct judgement {
	struct verdict *items; /* device by device, the least likely first, and
				  so what is odd of each */
	size_t count;
	size_t odd;    /* devices */
	size_t judged; /* devices that could be compared at all */
	size_t comparisons;
};

/* ERR_FAILED without memory. judgement_free(), also after an error. */
int judge_fleet(const struct fleet_devices *devices, double fdr,
	struct judgement *judgement, struct error *error);
void judgement_free(struct judgement *judgement);

/* All comparisons of one device, whether odd or not: up to 2 * FIGURE_COUNT
   in `verdicts`. */
int judge_device(const struct fleet_devices *devices,
	const struct fleet_device *device, struct verdict *verdicts,
	size_t *count, struct error *error);

#endif
