#include <string.h>
#include <unistd.h>

#include "harness/fit/device.h"
#include "harness/fit/folder.h"
#include "harness/observe/rotation.h"
#include "harness/series/io.h"

int folder_path(const char *folder, const char *name, const char *ending,
	char path[FOLDER_PATH_BYTES], struct error *error)
{
	int length = snprintf(
		path, FOLDER_PATH_BYTES, "%s/%s%s", folder, name, ending);

	if (length < 0 || length >= FOLDER_PATH_BYTES)
		return error_set(error, ERR_USAGE,
			"the name of the folder '%s' is too long", folder);
	return 0;
}

int folder_check_device(
	const char *folder, const struct device *device, struct error *error)
{
	char path[FOLDER_PATH_BYTES];
	struct device before;
	int code = folder_path(folder, "device", ".json", path, error);

	if (code || access(path, F_OK))
		return code;
	code = device_read(&before, path, error);
	if (!code && (strcmp(before.name, device->name) ||
			     before.sm_count != device->sm_count ||
			     before.l2_bytes != device->l2_bytes))
		return error_set(error, ERR_USAGE,
			"'%s' holds measurements of another device: %s, %u SMs",
			folder, before.name, before.sm_count);
	return code;
}

static int learn_point(const struct measure *row, const struct point *point,
	struct chip *chip, const struct model_parameters *known,
	struct error *error)
{
	int code;

	if (point->skipped || !point->samples.count)
		return 0;
	if (row->use == USE_GEOMETRY)
		return chip_read_contention(chip, known, point, error);
	code = chip_read_map(chip, point, error);
	if (!code)
		rotation_choose(chip, known);
	return code;
}

int folder_learn(const char *folder, const struct measure *row,
	struct chip *chip, const struct model_parameters *known,
	struct error *error)
{
	struct series_list list = {0};
	char path[FOLDER_PATH_BYTES];
	int code;

	if (row->use != USE_GEOMETRY && row->use != USE_BOTH)
		return 0;
	code = folder_path(folder, row->name, ".json.gz", path, error);
	if (code || access(path, F_OK))
		return code;
	code = series_read(path, &list, error);
	if (!code && row->program == measure_write_gpcs)
		chip_read_gpcs(chip, &list);
	else if (!code && list.count && list.items[0].point_count)
		code = learn_point(
			row, &list.items[0].points[0], chip, known, error);
	series_list_free(&list);
	return code;
}
