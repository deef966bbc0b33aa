#ifndef NEARFAR_FLEET_VERDICTS_H
#define NEARFAR_FLEET_VERDICTS_H

/*
 * Which devices of a fleet are not like the others.
 *
 * Two things of each figure of a device are compared with the same of its
 * peers, the devices of its SKU: the level, which is the median of the device's
 * past, or the last day's value where the past has too few days; and
 * the change, which is the last day's value less that median. What
 * has changed for all peers alike (a driver, a summer) is no device's fault:
 * so a change is judged by how far it is from the peers' median change. With
 * too few peers a level cannot be judged, and a change is judged by
 * the spread of the device's own days, if they are enough.
 *
 * The width of a small crowd is not well known. For most figures it is known
 * what chips of a kind differ by: `chips` of figures.def, from the first takes
 * of seven chips. They were taken at different times, so it bounds what the
 * days of one chip differ by, too. The two widths are put together (robust.h):
 * three peers, or three days, are enough. A figure without `chips` needs eight.
 *
 * A distance is counted in widths of the crowd (robust.h), but no width is
 * less than what the figure is known to: the grain of the figure (a step g,
 * as noise, is g / sqrt(12) wide; n counted events scatter by the root of n),
 * the device's own interval where nothing else is known, and, of what is one
 * day's value, what the median peer's days differ by; of a median of n
 * days, 1.25 / sqrt(n) of that. Where all that is 0, nothing is compared. What
 * has the middle in its own interval is not off. (Intervals of three repeats
 * are about as wide as the repeats are apart, and say little of how far off
 * their median is: so they are no width.)
 *
 * Many comparisons are made, so some distances are large by chance. The
 * comparisons of one device depend on each other (a slow DRAM is slow in every
 * part), so its least chance is multiplied by their number (Bonferroni, which
 * holds under any dependence). Devices are many and mostly well, and what
 * matters is how many of those accused are well: so the devices' chances are
 * judged together by Benjamini and Hochberg's rule (robust.h), by which a
 * share of `fdr` of the accused is expected to be well. Bonferroni over
 * devices, too, would miss weak faults in large fleets. Devices that are
 * accused only by a share of VERDICTS_BORDER_FDR are borderline.
 */
#include "harness/fleet/store.h"

#define VERDICTS_PEERS_MIN     3 /* and days of a past */
#define VERDICTS_PEERS_UNKNOWN 8 /* for figures without `chips` */
#define VERDICTS_BORDER_FDR    0.1

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
	bool border;   /* of a device that is not odd, but nearly */
};

struct verdicts {
	struct verdict *items; /* device by device, the least likely first, and
				  so what is odd of each */
	size_t count;
	size_t odd;    /* devices */
	size_t border; /* the same, borderline; behind the odd ones in `items`
			*/
	size_t judged; /* devices that could be compared at all */
	size_t comparisons;
};

/* ERR_FAILED without memory. verdicts_free(), also after an error. */
int verdicts_find(const struct fleet_devices *devices, double fdr,
	struct verdicts *found, struct error *error);
void verdicts_free(struct verdicts *found);

/* All comparisons of one device, whether odd or not: up to 2 * FIGURE_COUNT
   in `verdicts`. */
int verdicts_of(const struct fleet_devices *devices,
	const struct fleet_device *device, struct verdict *verdicts,
	size_t *count, struct error *error);

#endif
