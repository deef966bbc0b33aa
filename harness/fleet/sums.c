/* Checksums of a store's rows: a bit that flips on a disk is no fault of a GPU.
 */
#include <string.h>
#include <zlib.h>

#include "harness/fleet/parts.h"

static void add(struct fleet_sum *sum, const void *bytes, size_t count)
{
	sum->crc = (uint32_t)crc32(sum->crc, bytes, (unsigned)count);
}

static void add_number(struct fleet_sum *sum, int64_t number)
{
	add(sum, &number, sizeof(number));
}

static void add_text(struct fleet_sum *sum, const char *text)
{
	add(sum, text, strlen(text) + 1);
}

struct fleet_sum fleet_sum_of_device(
	const struct fleet_device *device, const void *last, int last_bytes)
{
	struct fleet_sum sum = {0};

	add_text(&sum, device->name);
	add_text(&sum, device->sku);
	add_text(&sum, device->software);
	add_number(&sum, device->id);
	add_number(&sum, device->first_day);
	add_number(&sum, device->last.day);
	add_number(&sum, device->days);
	add_number(&sum, device->past_days);
	add(&sum, last, (size_t)last_bytes);
	return sum;
}

struct fleet_sum fleet_sum_of_row(int64_t device, int day)
{
	struct fleet_sum sum = {0};

	add_number(&sum, device);
	add_number(&sum, day);
	return sum;
}

int fleet_seal(
	const struct fleet *fleet, struct fleet_sum sum, void *blob, int bytes)
{
	if (!fleet->is_sealed)
		return bytes;
	add(&sum, blob, (size_t)bytes);
	memcpy((char *)blob + bytes, &sum.crc, FLEET_SUM_BYTES);
	return bytes + FLEET_SUM_BYTES;
}

int fleet_unseal(struct fleet *fleet, struct fleet_sum sum, sqlite3_stmt *s,
	int column, const char *what, int *bytes, struct error *error)
{
	const char *blob = sqlite3_column_blob(s, column);
	uint32_t crc = 0;

	*bytes = sqlite3_column_bytes(s, column);
	if (!fleet->is_sealed)
		return 0;
	*bytes -= FLEET_SUM_BYTES;
	if (*bytes >= 0) {
		add(&sum, blob, (size_t)*bytes);
		memcpy(&crc, blob + *bytes, sizeof(crc));
	}
	if (*bytes < 0 || crc != sum.crc)
		return error_set(error, ERR_FAILED,
			"'%s' is damaged: %s is not as it was written",
			fleet->path, what);
	return 0;
}
