#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/fleet/parts.h"

#define CACHE          "-65536" /* KiB */
#define BUSY_MS        10000
#define SCHEMA_VERSION 2          /* 1: rows without checksums */
#define SCHEMA_MARK    0x6e66666c /* "nffl", SQLite's application id */

static const char schema[] =
	"CREATE TABLE columns(number INTEGER PRIMARY KEY, name TEXT UNIQUE);"
	"CREATE TABLE devices(id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT "
	"NULL, sku TEXT NOT NULL, software TEXT NOT NULL, first_day INTEGER, "
	"last_day INTEGER, days INTEGER, past_days INTEGER, last BLOB, past "
	"BLOB);"
	"CREATE TABLE pasts(device INTEGER PRIMARY KEY, days BLOB);"
	"CREATE TABLE days(device INTEGER, day INTEGER, figures BLOB, PRIMARY "
	"KEY(device, day)) WITHOUT ROWID;"
	"CREATE TABLE maps(device INTEGER PRIMARY KEY, map TEXT);"
	"PRAGMA application_id = 1852204652;"
	"PRAGMA user_version = 2";

#define DEVICE_COLUMNS                                                         \
	"SELECT id, name, sku, software, first_day, last_day, days, "          \
	"past_days, last, past FROM devices "

static const char *const texts[STATEMENT_COUNT] = {
	[FIND_DEVICE] = DEVICE_COLUMNS "WHERE name = ?",
	[ADD_DEVICE] = "INSERT INTO devices(name, sku, software) VALUES(?, ?, "
		       "'')",
	[SET_DEVICE] = "UPDATE devices SET sku = ?2, software = ?3, first_day "
		       "= ?4, last_day = ?5, days = ?6, past_days = ?7, last "
		       "= ?8, past = ?9 WHERE id = ?1",
	[GET_PAST] = "SELECT days FROM pasts WHERE device = ?",
	[SET_PAST] = "REPLACE INTO pasts(device, days) VALUES(?, ?)",
	[SET_DAY] = "REPLACE INTO days(device, day, figures) VALUES(?, ?, ?)",
	[SET_MAP] = "REPLACE INTO maps(device, map) VALUES(?, ?)",
	[GET_DEVICES] = DEVICE_COLUMNS "ORDER BY name",
	[GET_DAYS] = "SELECT day, figures FROM days WHERE device = ? ORDER BY "
		     "day",
};

int fleet_fail(struct fleet *fleet, struct error *error)
{
	return error_set(error, ERR_FAILED, "'%s': %s", fleet->path,
		sqlite3_errmsg(fleet->db));
}

sqlite3_stmt *fleet_statement(
	struct fleet *fleet, enum fleet_statement which, struct error *error)
{
	sqlite3_stmt **s = &fleet->statements[which];

	if (!*s && sqlite3_prepare_v3(fleet->db, texts[which], -1,
			   SQLITE_PREPARE_PERSISTENT, s, NULL) != SQLITE_OK) {
		fleet_fail(fleet, error);
		return NULL;
	}
	sqlite3_reset(*s);
	sqlite3_clear_bindings(*s);
	return *s;
}

static int no_store(const struct fleet *fleet, struct error *error)
{
	return error_set(error, ERR_USAGE,
		"'%s' is no store of fingerprints, which 'fleet add' makes",
		fleet->path);
}

static int execute(struct fleet *fleet, const char *text, struct error *error)
{
	if (sqlite3_exec(fleet->db, text, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	return sqlite3_errcode(fleet->db) == SQLITE_NOTADB
		       ? no_store(fleet, error)
		       : fleet_fail(fleet, error);
}

int fleet_begin(struct fleet *fleet, struct error *error)
{
	return execute(fleet, "BEGIN IMMEDIATE", error);
}

int fleet_commit(struct fleet *fleet, struct error *error)
{
	return execute(fleet, "COMMIT", error);
}

/* ---- columns ---- */

static int read_columns(struct fleet *fleet, struct error *error)
{
	sqlite3_stmt *s;
	int id, step;

	for (id = 0; id < FIGURE_COUNT; id++)
		fleet->column_of[id] = -1;
	if (sqlite3_prepare_v2(fleet->db,
		    "SELECT name FROM columns ORDER BY number", -1, &s,
		    NULL) != SQLITE_OK)
		return fleet_fail(fleet, error);
	while ((step = sqlite3_step(s)) == SQLITE_ROW &&
		fleet->column_count < FLEET_COLUMNS_MAX) {
		id = figure_find((const char *)sqlite3_column_text(s, 0));
		fleet->figure_of[fleet->column_count] = id;
		if (id >= 0)
			fleet->column_of[id] = fleet->column_count;
		fleet->column_count++;
	}
	sqlite3_finalize(s);
	return step == SQLITE_DONE ? 0 : fleet_fail(fleet, error);
}

/* For each figure that has none yet. */
static int add_columns(struct fleet *fleet, struct error *error)
{
	char text[128];
	int id, code = 0;

	for (id = 0; !code && id < FIGURE_COUNT; id++) {
		if (fleet->column_of[id] >= 0)
			continue;
		snprintf(text, sizeof(text),
			"INSERT INTO columns VALUES(%d, '%s')",
			fleet->column_count, figure_about[id].name);
		code = execute(fleet, text, error);
		fleet->figure_of[fleet->column_count] = id;
		fleet->column_of[id] = fleet->column_count++;
	}
	return code;
}

void fleet_pack(const struct fleet *fleet, const float *first,
	const float *second, float *blob)
{
	int column, id;

	for (column = 0; column < fleet->column_count; column++) {
		id = fleet->figure_of[column];
		blob[2 * column] = id < 0 ? NAN : first[id];
		blob[2 * column + 1] = id < 0 ? NAN : second[id];
	}
}

void fleet_unpack(const struct fleet *fleet, const float *blob, int bytes,
	float *first, float *second)
{
	const int columns = bytes / (int)(2 * sizeof(*blob));
	int id;

	for (id = 0; id < FIGURE_COUNT; id++) {
		const int at = fleet->column_of[id];
		const bool there = at >= 0 && at < columns;

		first[id] = there ? blob[2 * at] : NAN;
		second[id] = there ? blob[2 * at + 1] : NAN;
	}
}

/* ---- opening ---- */

/* The one number that a statement gives. */
static int ask(
	struct fleet *fleet, const char *text, int *value, struct error *error)
{
	sqlite3_stmt *s = NULL;
	int code = 0;

	if (sqlite3_prepare_v2(fleet->db, text, -1, &s, NULL) == SQLITE_OK &&
		sqlite3_step(s) == SQLITE_ROW)
		*value = sqlite3_column_int(s, 0);
	else if (sqlite3_errcode(fleet->db) == SQLITE_NOTADB)
		code = no_store(fleet, error);
	else
		code = fleet_fail(fleet, error);
	sqlite3_finalize(s);
	return code;
}

/* An empty file becomes a store; any other must be one. */
static int check_schema(
	struct fleet *fleet, bool create, bool *is_new, struct error *error)
{
	int mark = 0, version = 0, tables = 0;
	int code = ask(fleet, "PRAGMA application_id", &mark, error);

	if (!code)
		code = ask(fleet, "PRAGMA user_version", &version, error);
	if (!code)
		code = ask(fleet, "SELECT count(*) FROM sqlite_master", &tables,
			error);
	if (code)
		return code;
	*is_new = create && !mark && !tables;
	if (!*is_new && mark != SCHEMA_MARK)
		return no_store(fleet, error);
	fleet->is_sealed = *is_new || version > 1;
	if (!*is_new && (version < 1 || version > SCHEMA_VERSION))
		return error_set(error, ERR_USAGE,
			"'%s' is a store of another version of nearfar",
			fleet->path);
	return 0;
}

/* What is written has all tables and columns that this version knows. */
static int prepare(struct fleet *fleet, struct error *error)
{
	bool is_new;
	int code = execute(fleet, "PRAGMA cache_size = " CACHE, error);

	if (!code)
		code = fleet_begin(fleet, error);
	if (!code)
		code = check_schema(fleet, true, &is_new, error);
	if (!code && is_new)
		code = execute(fleet, schema, error);
	if (!code)
		code = read_columns(fleet, error);
	if (!code)
		code = add_columns(fleet, error);
	return code ? code : fleet_commit(fleet, error);
}

static int look(struct fleet *fleet, struct error *error)
{
	bool is_new;
	int code = check_schema(fleet, false, &is_new, error);

	return code ? code : read_columns(fleet, error);
}

int fleet_open(struct fleet **fleet, const char *path, bool create,
	struct error *error)
{
	const int flags = create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
				 : SQLITE_OPEN_READONLY;
	struct fleet *opened;
	int code;

	if (!create && access(path, F_OK))
		return error_set(error, ERR_USAGE,
			"there is no store '%s' (`nearfar fleet add` makes "
			"one, --store names it)",
			path);
	opened = calloc(1, sizeof(*opened));
	if (!opened)
		return error_set(error, ERR_FAILED, "out of memory");
	opened->path = path;
	if (sqlite3_open_v2(path, &opened->db, flags, NULL) != SQLITE_OK) {
		code = fleet_fail(opened, error);
	} else {
		sqlite3_busy_timeout(opened->db, BUSY_MS);
		code = create ? prepare(opened, error) : look(opened, error);
	}
	if (code)
		fleet_close(opened);
	else
		*fleet = opened;
	return code;
}

void fleet_close(struct fleet *fleet)
{
	size_t i;

	if (!fleet)
		return;
	for (i = 0; i < STATEMENT_COUNT; i++)
		sqlite3_finalize(fleet->statements[i]);
	sqlite3_close(fleet->db);
	free(fleet);
}
