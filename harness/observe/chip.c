#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/observe/chip.h"
#include "harness/observe/rotation.h"
#include "harness/map/map.h"

double chip_known(const struct model_parameters *known, const char *name)
{
	const struct model_parameter *p = model_parameters_find(known, name);

	return p ? p->value : NAN;
}

void chip_start(struct chip *chip, const struct device *device,
	const struct model_parameters *known)
{
	*chip = (struct chip){
		.device = *device,
		.partitions = 1,
		.page_shift = MAP_PAGE_SHIFT,
		.slices = NAN,
		.page_first = -1,
		.sms_per_tpc = (uint32_t)chip_known(known, "sms_per_tpc"),
	};
	rotation_choose(chip, known);
}

/* ---- near-far ---- */

int chip_read_map(
	struct chip *chip, const struct point *point, struct error *error)
{
	struct map map;
	size_t sm;
	int code = map_make(point, 0, &map, error);

	if (code)
		return code;
	chip->mapped = true;
	chip->partitions = map.sides.count;
	for (sm = 0; sm < map.cells.sms && sm < CHIP_SMS_MAX; sm++)
		chip->side[sm] = map.sides.sm[sm];
	chip->page_shift = map.hash.page_shift;
	chip->home_hash_mask = map.hash.bits;
	chip->hash_settled = map.sides.count == 2 && !map.hash.open &&
			     !map.hash.contradictions;
	map_free(&map);
	return 0;
}
