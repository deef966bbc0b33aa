/* Devices and their days, from the store. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/fleet/parts.h"

#define DAY_S 86400

static void copy_text(char *to, sqlite3_stmt *s, int column)
{
	const char *text = (const char *)sqlite3_column_text(s, column);

	snprintf(to, FINGERPRINT_KEY, "%s", text ? text : "");
}

int fleet_read_device(struct fleet *fleet, sqlite3_stmt *s,
	struct fleet_device *device, struct error *error)
{
	const void *last = sqlite3_column_blob(s, 8);
	const int last_bytes = sqlite3_column_bytes(s, 8);
	char what[FINGERPRINT_KEY + 16];
	int bytes, code;

	device->id = sqlite3_column_int64(s, 0);
	copy_text(device->name, s, 1);
	copy_text(device->sku, s, 2);
	copy_text(device->software, s, 3);
	device->first_day = sqlite3_column_int(s, 4);
	device->last.day = sqlite3_column_int(s, 5);
	device->days = (unsigned)sqlite3_column_int(s, 6);
	device->past_days = (unsigned)sqlite3_column_int(s, 7);
	snprintf(what, sizeof(what), "device '%s'", device->name);
	code = fleet_unseal(fleet,
		fleet_sum_of_device(device, last, last_bytes), s, 9, what,
		&bytes, error);
	if (code)
		return code;
	fleet_unpack(
		fleet, last, last_bytes, device->last.value, device->last.half);
	fleet_unpack(fleet, sqlite3_column_blob(s, 9), bytes,
		device->past_median, device->past_deviation);
	return 0;
}

int fleet_load(
	struct fleet *fleet, struct fleet_devices *devices, struct error *error)
{
	sqlite3_stmt *s = fleet_statement(fleet, GET_DEVICES, error);
	size_t capacity = 0;
	int step, code;

	*devices = (struct fleet_devices){0};
	if (!s)
		return ERR_FAILED;
	while ((step = sqlite3_step(s)) == SQLITE_ROW) {
		if (devices->count == capacity) {
			struct fleet_device *more;

			capacity = capacity ? 2 * capacity : 64;
			more = realloc(
				devices->items, capacity * sizeof(*more));
			if (!more)
				return error_set(error, ERR_FAILED,
					"out of memory for the fleet");
			devices->items = more;
		}
		code = fleet_read_device(
			fleet, s, &devices->items[devices->count++], error);
		if (code)
			return code;
	}
	return step == SQLITE_DONE ? 0 : fleet_fail(fleet, error);
}

void fleet_devices_free(struct fleet_devices *devices)
{
	free(devices->items);
	*devices = (struct fleet_devices){0};
}

int fleet_find(const struct fleet_devices *devices, const char *name,
	const struct fleet_device **found, struct error *error)
{
	const size_t length = strlen(name);
	size_t i, like = 0;

	for (i = 0; i < devices->count; i++) {
		const struct fleet_device *device = &devices->items[i];

		if (strncmp(device->name, name, length) != 0)
			continue;
		*found = device;
		if (!device->name[length])
			return 0;
		like++;
	}
	if (like == 1)
		return 0;
	return error_set(error, ERR_USAGE,
		like ? "'%s' begins the names of %zu devices"
		     : "the store has no device '%s' (`nearfar fleet list`)",
		name, like);
}

int fleet_days(struct fleet *fleet, const struct fleet_device *device,
	int (*take)(void *argument, const struct fleet_day *day),
	void *argument, struct error *error)
{
	sqlite3_stmt *s = fleet_statement(fleet, GET_DAYS, error);
	char what[FINGERPRINT_KEY + 32], text[FLEET_DAY_BYTES];
	struct fleet_day day;
	int step, bytes, code;

	if (!s)
		return ERR_FAILED;
	sqlite3_bind_int64(s, 1, device->id);
	while ((step = sqlite3_step(s)) == SQLITE_ROW) {
		day.day = sqlite3_column_int(s, 0);
		fleet_day_format(day.day, text);
		snprintf(what, sizeof(what), "'%s' on %s", device->name, text);
		code = fleet_unseal(fleet,
			fleet_sum_of_row(device->id, day.day), s, 1, what,
			&bytes, error);
		if (code)
			return code;
		fleet_unpack(fleet, sqlite3_column_blob(s, 1), bytes, day.value,
			day.half);
		if (take(argument, &day))
			return error_set(
				error, ERR_FAILED, "the days cannot be taken");
	}
	return step == SQLITE_DONE ? 0 : fleet_fail(fleet, error);
}

/* ---- days ---- */

bool fleet_day_parse(const char *text, int *day)
{
	struct tm when = {0};
	const char *end = strptime(text, "%Y-%m-%d", &when);
	const int month_day = when.tm_mday;
	const time_t seconds = timegm(&when);

	/* timegm() mends the 31st of February, which is no day. */
	if (!end || when.tm_mday != month_day)
		return false;
	*day = (int)(seconds / DAY_S);
	return true;
}

void fleet_day_format(int day, char text[FLEET_DAY_BYTES])
{
	const time_t seconds = (time_t)day * DAY_S;
	struct tm when;

	gmtime_r(&seconds, &when);
	strftime(text, FLEET_DAY_BYTES, "%Y-%m-%d", &when);
}
