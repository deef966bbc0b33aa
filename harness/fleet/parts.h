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
	bool is_sealed; /* rows have checksums */
};

/* ERR_FAILED with what SQLite says. */
int fleet_fail(struct fleet *fleet, struct error *error);

/* Ready to be bound; NULL with the error. */
sqlite3_stmt *fleet_statement(
	struct fleet *fleet, enum fleet_statement which, struct error *error);

/* ---- sums.c: checksums of rows ---- */

#define FLEET_SUM_BYTES 4

/* A blob ends with the CRC-32 of what its row holds. Stores of the first
   version have none: nothing is added there, and nothing is checked. */
struct fleet_sum {
	uint32_t crc;
};
struct fleet_sum fleet_sum_of_device(
	const struct fleet_device *device, const void *last, int last_bytes);
struct fleet_sum fleet_sum_of_row(int64_t device, int day);

/* The blob's bytes with the sum behind them; `blob` has room for it. */
int fleet_seal(
	const struct fleet *fleet, struct fleet_sum sum, void *blob, int bytes);
/* The blob of a column, and its bytes without the sum. ERR_FAILED if the row is
   not as it was written: `what` names it. */
int fleet_unseal(struct fleet *fleet, struct fleet_sum sum, sqlite3_stmt *s,
	int column, const char *what, int *bytes, struct error *error);

/* ---- load.c ---- */

/* A row of DEVICE_COLUMNS (store.c). ERR_FAILED if it is damaged. */
int fleet_read_device(struct fleet *fleet, sqlite3_stmt *s,
	struct fleet_device *device, struct error *error);

/* ---- store.c ---- */

/* Values as columns: `width` floats a figure, the first from `first`, the
   second from `second`. What a short blob lacks is NaN. */
void fleet_pack(const struct fleet *fleet, const float *first,
	const float *second, float *blob);
void fleet_unpack(const struct fleet *fleet, const float *blob, int bytes,
	float *first, float *second);

#endif
