/* What atomics that come late, while one slice is busy, say of slices. */
#include <math.h>

#include "harness/observe/delayed.h"

/* Of each home that has late parts, their share; its own slices are one over
   it. */
static double count_slices(const struct chip *chip, const struct delayed *late)
{
	double all, delayed, of = 0, were = 0;
	size_t page;
	int home;

	for (page = 0; page < late->pages; page++)
		for (home = 0; home < (int)chip->partitions; home++) {
			delayed_count(chip, late, page, home, &all, &delayed);
			of += delayed > 0 ? all : 0;
			were += delayed;
		}
	return were > 0 ? chip->partitions * of / were : NAN;
}

static void find_together(struct chip *chip, const struct delayed *late)
{
	uint32_t part;

	for (part = 0; late->pages && part < DELAYED_PARTS; part++)
		if (delayed_is(late, 0, part) &&
			chip->together_count < CHIP_TOGETHER_MAX)
			chip->together[chip->together_count++] =
				part * DELAYED_PART_BYTES;
}

int chip_count_slices(const struct chip *chip, const struct point *point,
	double *slices, struct error *error)
{
	struct delayed late;

	if (delayed_find(chip, &point->samples, &late))
		return error_set(error, ERR_FAILED, "out of memory");
	*slices = count_slices(chip, &late);
	delayed_free(&late);
	return 0;
}

int chip_read_contention(struct chip *chip,
	const struct model_parameters *known, const struct point *point,
	struct error *error)
{
	struct delayed late;

	chip->slices = NAN;
	chip->together_count = 0;
	if (delayed_find(chip, &point->samples, &late))
		return error_set(error, ERR_FAILED, "out of memory");
	chip->slices = count_slices(chip, &late);
	find_together(chip, &late);
	if (delayed_find_first(chip, known, &late)) {
		delayed_free(&late);
		return error_set(error, ERR_FAILED, "out of memory");
	}
	delayed_free(&late);
	return 0;
}
