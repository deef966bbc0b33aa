#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/units.h"
#include "harness/split/split.h"

int split_find(const char *text, struct split_place *place, struct error *error)
{
	const char *slash = strrchr(text, '/');
	const char *number = slash ? slash + 1 : text;
	char build[FINGERPRINT_BYTES];
	uint64_t value = 0;
	int code;

	*place = (struct split_place){0};
	if (units_parse_count(number, &value, error))
		return error_set(error, ERR_USAGE,
			"'--shard %s' is not DIR/N: the folder of a split and "
			"the number of a shard",
			text);
	place->folder =
		slash ? strndup(text, (size_t)(slash - text)) : strdup(".");
	if (!place->folder)
		return error_set(error, ERR_FAILED, "out of memory");
	code = split_read(place->folder, &place->split, error);
	if (code)
		return code;
	if (!value || value > place->split.shard_count)
		return error_set(error, ERR_USAGE,
			"'%s' has the shards 1 to %zu, not %" PRIu64,
			place->folder, place->split.shard_count, value);
	fingerprint_build(build);
	if (strcmp(build, place->split.build))
		return error_set(error, ERR_FAILED,
			"'%s/plan.json' was made by another build of nearfar "
			"(%s, not %s), which may measure others",
			place->folder, place->split.build, build);
	place->number = (size_t)value;
	return 0;
}

void split_place_free(struct split_place *place)
{
	split_free(&place->split);
	free(place->folder);
	place->folder = NULL;
}
