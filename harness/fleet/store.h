#ifndef NEARFAR_FLEET_STORE_H
#define NEARFAR_FLEET_STORE_H

/*
 * A fleet's fingerprints in one SQLite file.
 *
 *   devices  a row each: who it is, its last day's figures, and its past: the
 *            median and the median deviation of up to 32 days before
 *   pasts    those days' values, from which that is made
 *   days     a row a device and day: the value of each figure and how far its
 *            interval goes from there to the better side (where neither is
 *            better, half of it), 8 bytes together, as float
 *   maps     the map of each device's last fingerprint, as JSON
 *   columns  the figures by name, in the order in which blobs have them
 *
 * A figure that is added to figures.def becomes a column at the end of what is
 * written from then on; shorter rows lack it. Columns of which this version
 * knows no figure stay as they are in old rows.
 *
 * A past is that of one software: nearfar, driver and VBIOS. It begins anew
 * when one of them changes. Its first 32 days are kept and no later ones, so
 * that a slow drift does not become the past that it is compared with. The last
 * day is never in it.
 */
#include <stdbool.h>
#include <stdint.h>

#include "harness/fingerprint/fingerprint.h"

#define FLEET_DAY_BYTES 11 /* "2026-11-22" */
#define FLEET_PAST_MAX  32

struct fleet_day {
	int day;                                       /* since 1970-01-01 */
	float value[FIGURE_COUNT], half[FIGURE_COUNT]; /* NaN: not measured */
};

struct fleet_device {
	int64_t id;
	char name[FINGERPRINT_KEY], sku[FINGERPRINT_KEY];
	char software[FINGERPRINT_KEY];
	int first_day;
	unsigned days;
	struct fleet_day last;
	unsigned past_days; /* that the past is made of */
	float past_median[FIGURE_COUNT], past_deviation[FIGURE_COUNT];
};

struct fleet_devices {
	struct fleet_device *items;
	size_t count;
};

struct fleet;

/* ERR_USAGE for a file that is no such store, or, unless `create`, is not
   there. */
int fleet_open(struct fleet **fleet, const char *path, bool create,
	struct error *error);
void fleet_close(struct fleet *fleet);

/* What is added in between is kept together, or not at all: a store that is
   closed without a commit is as it was. */
int fleet_begin(struct fleet *fleet, struct error *error);
int fleet_commit(struct fleet *fleet, struct error *error);

/* A fingerprint of that day; the same day again replaces the first. ERR_USAGE
   for a day before the device's last. */
int fleet_add(struct fleet *fleet, const struct fingerprint *fingerprint,
	int day, struct error *error);

/* All devices, by name. fleet_devices_free(), also after an error. */
int fleet_load(struct fleet *fleet, struct fleet_devices *devices,
	struct error *error);
void fleet_devices_free(struct fleet_devices *devices);

/* The device of that name, or the only one whose name begins so; ERR_USAGE if
   there is none, or more. */
int fleet_find(const struct fleet_devices *devices, const char *name,
	const struct fleet_device **found, struct error *error);

/* Day by day, the first first. Stops where `take` does not return 0. */
int fleet_days(struct fleet *fleet, const struct fleet_device *device,
	int (*take)(void *argument, const struct fleet_day *day),
	void *argument, struct error *error);

/* ---- days ---- */

/* "2026-11-22", with anything behind it; false: no day. */
bool fleet_day_parse(const char *text, int *day);
void fleet_day_format(int day, char text[FLEET_DAY_BYTES]);

#endif
