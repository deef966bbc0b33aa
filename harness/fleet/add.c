/* A fingerprint into the store, and the device's past with it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fleet/parts.h"
#include "harness/json/json_text.h"
#include "harness/stats/stats.h"

/* The interval on the better side: there a GPU that is well would be. One
   repeat that went wrong widens the other side, and excuses nothing. */
static double half_of(const struct figure *f, int id)
{
	switch (figure_about[id].worse) {
	case WORSE_LOW:
		return f->high - f->value;
	case WORSE_HIGH:
		return f->value - f->low;
	case WORSE_EITHER:
		break;
	}
	return (f->high - f->low) / 2;
}

static void set_last(
	struct fleet_device *device, const struct fingerprint *fingerprint)
{
	int id;

	for (id = 0; id < FIGURE_COUNT; id++) {
		const struct figure *f = &fingerprint->figures[id];

		device->last.value[id] = (float)f->value;
		device->last.half[id] = (float)half_of(f, id);
	}
}

/* What else than the device can move its figures. */
static void set_software(
	const struct fingerprint *fingerprint, char software[FINGERPRINT_KEY])
{
	static const char *const keys[] = {
		"version", "driver.version", "vbios", "machine"};
	size_t i, length = 0;

	software[0] = '\0';
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *value = facts_find(&fingerprint->identity, keys[i]);

		if (value && length < FINGERPRINT_KEY - 1)
			length += (size_t)snprintf(software + length,
				FINGERPRINT_KEY - length, "%s%s",
				length ? " " : "", value);
	}
}

/* ---- the past ---- */

/* Medians and median deviations of the days, each a pair of floats a column of
   which the first is the value. */
static void sum_up(struct fleet *fleet, const float *days, size_t width,
	struct fleet_device *device)
{
	double values[FLEET_PAST_MAX];
	unsigned day, count;
	int id;

	for (id = 0; id < FIGURE_COUNT; id++) {
		double median;

		for (day = 0, count = 0; day < device->past_days; day++) {
			const float value = days[day * width +
						 (size_t)fleet->column_of[id]];

			if (isfinite(value))
				values[count++] = value;
		}
		median = stats_median(values, count);
		for (day = 0; day < count; day++)
			values[day] = fabs(values[day] - median);
		device->past_median[id] = (float)median;
		device->past_deviation[id] = (float)stats_median(values, count);
	}
}

/* The days that are there, in rows of `width` columns, with room for one. */
static int load_past(struct fleet *fleet, struct fleet_device *device,
	size_t width, float *days, struct error *error)
{
	sqlite3_stmt *s = fleet_statement(fleet, GET_PAST, error);
	char what[FINGERPRINT_KEY + 32];
	size_t old_width, day, column;
	const float *blob = NULL;
	int step, bytes, code;

	if (!s)
		return ERR_FAILED;
	sqlite3_bind_int64(s, 1, device->id);
	step = sqlite3_step(s);
	if (step == SQLITE_ROW)
		blob = sqlite3_column_blob(s, 0);
	else if (step != SQLITE_DONE)
		return fleet_fail(fleet, error);
	if (!blob) {
		device->past_days = 0;
		return 0;
	}
	snprintf(what, sizeof(what), "the past of '%s'", device->name);
	code = fleet_unseal(fleet, fleet_sum_of_row(device->id, 0), s, 0, what,
		&bytes, error);
	if (code)
		return code;
	old_width = (size_t)bytes / sizeof(*blob) /
		    (device->past_days ? device->past_days : 1);
	for (day = 0; day < device->past_days; day++)
		for (column = 0; column < width; column++)
			days[day * width + column] =
				column < old_width
					? blob[day * old_width + column]
					: NAN;
	sqlite3_reset(s);
	return 0;
}

/* The day that was the last one until now joins the past. */
static int push_past(
	struct fleet *fleet, struct fleet_device *device, struct error *error)
{
	const size_t width = (size_t)fleet->column_count;
	float *days = calloc(
		FLEET_PAST_MAX * width + 1 + FLEET_SUM_BYTES / sizeof(*days),
		sizeof(*days));
	sqlite3_stmt *s;
	size_t column;
	int code;

	if (!days)
		return error_set(error, ERR_FAILED, "out of memory");
	code = load_past(fleet, device, width, days, error);
	for (column = 0; !code && column < width; column++) {
		const int id = fleet->figure_of[column];

		days[device->past_days * width + column] =
			id < 0 ? NAN : device->last.value[id];
	}
	s = code ? NULL : fleet_statement(fleet, SET_PAST, error);
	if (s) {
		device->past_days++;
		sum_up(fleet, days, width, device);
		sqlite3_bind_int64(s, 1, device->id);
		sqlite3_bind_blob(s, 2, days,
			fleet_seal(fleet, fleet_sum_of_row(device->id, 0), days,
				(int)(device->past_days * width *
					sizeof(*days))),
			SQLITE_STATIC);
		code = sqlite3_step(s) == SQLITE_DONE
			       ? 0
			       : fleet_fail(fleet, error);
		sqlite3_reset(s);
	} else {
		code = ERR_FAILED;
	}
	free(days);
	return code;
}

/* ---- rows ---- */

static int find(struct fleet *fleet, const struct fingerprint *fingerprint,
	struct fleet_device *device, struct error *error)
{
	sqlite3_stmt *s = fleet_statement(fleet, FIND_DEVICE, error);
	int step, code;

	if (!s)
		return ERR_FAILED;
	sqlite3_bind_text(s, 1, fingerprint->device, -1, SQLITE_STATIC);
	step = sqlite3_step(s);
	if (step != SQLITE_ROW)
		return step == SQLITE_DONE ? 0 : fleet_fail(fleet, error);
	code = fleet_read_device(fleet, s, device, error);
	if (device->past_days > FLEET_PAST_MAX)
		device->past_days = FLEET_PAST_MAX;
	sqlite3_reset(s);
	return code;
}

static int create(struct fleet *fleet, const struct fingerprint *fingerprint,
	struct fleet_device *device, struct error *error)
{
	sqlite3_stmt *s = fleet_statement(fleet, ADD_DEVICE, error);

	if (!s)
		return ERR_FAILED;
	sqlite3_bind_text(s, 1, fingerprint->device, -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 2, fingerprint->sku, -1, SQLITE_STATIC);
	if (sqlite3_step(s) != SQLITE_DONE)
		return fleet_fail(fleet, error);
	sqlite3_reset(s);
	device->id = sqlite3_last_insert_rowid(fleet->db);
	return 0;
}

static int write_device(struct fleet *fleet, const struct fleet_device *device,
	const float *last, struct error *error)
{
	const int bytes = 2 * fleet->column_count * (int)sizeof(*last);
	float past[2 * FLEET_COLUMNS_MAX + 1]; /* and the sum */
	sqlite3_stmt *s = fleet_statement(fleet, SET_DEVICE, error);

	if (!s)
		return ERR_FAILED;
	fleet_pack(fleet, device->past_median, device->past_deviation, past);
	sqlite3_bind_int64(s, 1, device->id);
	sqlite3_bind_text(s, 2, device->sku, -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 3, device->software, -1, SQLITE_STATIC);
	sqlite3_bind_int(s, 4, device->first_day);
	sqlite3_bind_int(s, 5, device->last.day);
	sqlite3_bind_int(s, 6, (int)device->days);
	sqlite3_bind_int(s, 7, (int)device->past_days);
	sqlite3_bind_blob(s, 8, last, bytes, SQLITE_STATIC);
	sqlite3_bind_blob(s, 9, past,
		fleet_seal(fleet, fleet_sum_of_device(device, last, bytes),
			past, bytes),
		SQLITE_STATIC);
	if (sqlite3_step(s) != SQLITE_DONE)
		return fleet_fail(fleet, error);
	sqlite3_reset(s);
	return 0;
}

static int write_day(struct fleet *fleet, const struct fleet_device *device,
	float *last, struct error *error)
{
	sqlite3_stmt *s = fleet_statement(fleet, SET_DAY, error);

	if (!s)
		return ERR_FAILED;
	sqlite3_bind_int64(s, 1, device->id);
	sqlite3_bind_int(s, 2, device->last.day);
	sqlite3_bind_blob(s, 3, last,
		fleet_seal(fleet,
			fleet_sum_of_row(device->id, device->last.day), last,
			2 * fleet->column_count * (int)sizeof(*last)),
		SQLITE_STATIC);
	if (sqlite3_step(s) != SQLITE_DONE)
		return fleet_fail(fleet, error);
	sqlite3_reset(s);
	return 0;
}

static int write_map(struct fleet *fleet, const struct fingerprint *fingerprint,
	const struct fleet_device *device, struct error *error)
{
	sqlite3_stmt *s;
	char *text;
	int code = 0;

	if (!fingerprint->map)
		return 0;
	s = fleet_statement(fleet, SET_MAP, error);
	if (!s)
		return ERR_FAILED;
	text = json_text_write(fingerprint->map, JSON_COMPACT);
	if (!text)
		return error_set(error, ERR_FAILED, "out of memory");
	sqlite3_bind_int64(s, 1, device->id);
	sqlite3_bind_text(s, 2, text, -1, SQLITE_STATIC);
	if (sqlite3_step(s) != SQLITE_DONE)
		code = fleet_fail(fleet, error);
	sqlite3_reset(s);
	free(text);
	return code;
}

/* ---- all of it ---- */

static void forget_past(struct fleet_device *device)
{
	int id;

	device->past_days = 0;
	for (id = 0; id < FIGURE_COUNT; id++)
		device->past_median[id] = device->past_deviation[id] = NAN;
}

/* The day before becomes past, unless this is the same day once more. */
static int turn_day(struct fleet *fleet, struct fleet_device *device,
	const char *software, int day, struct error *error)
{
	const bool same_software = !strcmp(device->software, software);
	int code = 0;

	if (!device->days)
		device->first_day = day;
	if (!device->days || !same_software)
		forget_past(device);
	else if (day != device->last.day && device->past_days < FLEET_PAST_MAX)
		code = push_past(fleet, device, error);
	if (!device->days || day != device->last.day)
		device->days++;
	device->last.day = day;
	snprintf(device->software, sizeof(device->software), "%s", software);
	return code;
}

int fleet_add(struct fleet *fleet, const struct fingerprint *fingerprint,
	int day, struct error *error)
{
	struct fleet_device device = {.id = 0};
	char software[FINGERPRINT_KEY], last_day[FLEET_DAY_BYTES];
	float last[2 * FLEET_COLUMNS_MAX + 1]; /* and the sum */
	int code = find(fleet, fingerprint, &device, error);

	set_software(fingerprint, software);
	if (!code && device.days && day < device.last.day) {
		fleet_day_format(device.last.day, last_day);
		return error_set(error, ERR_USAGE,
			"'%s' is in the store up to %s: days are added in "
			"their order",
			fingerprint->device, last_day);
	}
	if (!code && !device.id)
		code = create(fleet, fingerprint, &device, error);
	if (!code)
		code = turn_day(fleet, &device, software, day, error);
	if (code)
		return code;
	snprintf(device.name, sizeof(device.name), "%s", fingerprint->device);
	snprintf(device.sku, sizeof(device.sku), "%s", fingerprint->sku);
	set_last(&device, fingerprint);
	fleet_pack(fleet, device.last.value, device.last.half, last);
	code = write_device(fleet, &device, last, error);
	if (!code)
		code = write_day(fleet, &device, last, error);
	return code ? code : write_map(fleet, fingerprint, &device, error);
}
