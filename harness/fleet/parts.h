#ifndef NEARFAR_FLEET_PARTS_H
#define NEARFAR_FLEET_PARTS_H

/* What the files of the store share. */
#include <sqlite3.h>

#include "harness/fleet/store.h"

#define FLEET_COLUMNS_MAX 512

enum fleet_statement {
	FIND_DEVICE,
	ADD_DEVICE,
	SET_DEVICE,
	GET_PAST,
	SET_PAST,
	SET_DAY,
	SET_MAP,
	GET_DEVICES,
	GET_DAYS,
	STATEMENT_COUNT
};

struct fleet {
	sqlite3 *db;
	const char *path;
	sqlite3_stmt *statements[STATEMENT_COUNT]; /* made when first used */
	int figure_of[FLEET_COLUMNS_MAX]; /* of a column; -1: unknown here */
	int column_of[FIGURE_COUNT];
	int column_count;
};

/* ERR_FAILED with what SQLite says. */
int fleet_fail(struct fleet *fleet, struct error *error);

/* Ready to be bound; NULL with the error. */
sqlite3_stmt *fleet_statement(
	struct fleet *fleet, enum fleet_statement which, struct error *error);

/* Values as columns: `width` floats a figure, the first from `first`, the
   second from `second`. What a short blob lacks is NaN. */
void fleet_pack(const struct fleet *fleet, const float *first,
	const float *second, float *blob);
void fleet_unpack(const struct fleet *fleet, const float *blob, int bytes,
	float *first, float *second);

#endif
