#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fit/chip.h"
#include "harness/fit/rotation.h"
#include "harness/map/map.h"

/* Where the widest wait of those that are delayed is looked for: one slice of
   at most 190 holds more of the lines. */
#define DELAYED_QUANTILE 0.995
#define DELAYED_SHARE    0.5
#define PROBED           8192 /* places of a page */
#define PROBED_BYTES     256

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
		.sms_per_tpc = (uint32_t)chip_known(known, "sms_per_tpc"),
	};
	rotation_choose(chip, known);
}

/* ---- near-far ---- */

static uint32_t toucher_of(const struct point *point)
{
	(void)point; /* the suite's near-far touches with SM 0 */
	return 0;
}

int chip_read_map(
	struct chip *chip, const struct point *point, struct error *error)
{
	struct map map;
	size_t sm;
	int code = map_make(point, toucher_of(point), &map, error);

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

/* ---- contention ---- */

/* Offsets that were delayed in most of the repeats, of the page that the noise
   is in: the first block's. */
static int find_together(
	struct chip *chip, const struct sample_table *t, double limit)
{
	uint8_t *votes = calloc(PROBED, 1);
	uint32_t repeats = 1, offset;
	size_t i;

	if (!votes)
		return ERR_FAILED;
	for (i = 0; i < t->count; i++) {
		if (t->repeat[i] >= repeats)
			repeats = t->repeat[i] + 1;
		if (t->warp[i] == 0 && t->iteration[i] < PROBED &&
			t->cycles[i] > limit && votes[t->iteration[i]] < 255)
			votes[t->iteration[i]]++;
	}
	for (offset = 0; offset < PROBED; offset++)
		if (2 * votes[offset] > repeats &&
			chip->together_count < CHIP_TOGETHER_MAX)
			chip->together[chip->together_count++] =
				offset * PROBED_BYTES;
	free(votes);
	return 0;
}

int chip_read_contention(
	struct chip *chip, const struct point *point, struct error *error)
{
	const struct sample_table *t = &point->samples;
	double *sorted = calloc(t->count + 1, sizeof(*sorted));
	double limit, delayed = 0;
	size_t i;
	int code = sorted ? 0 : ERR_FAILED;

	chip->slices = NAN;
	chip->together_count = 0;
	if (!code && t->count) {
		memcpy(sorted, t->cycles, t->count * sizeof(*sorted));
		stats_sort(sorted, t->count);
		limit = DELAYED_SHARE *
			stats_quantile(sorted, t->count, DELAYED_QUANTILE);
		for (i = 0; i < t->count; i++)
			delayed += t->cycles[i] > limit;
		/* Where nothing stands out, nothing was delayed. */
		if (limit > stats_quantile(sorted, t->count, 0.5)) {
			chip->slices = (double)t->count / delayed;
			code = find_together(chip, t, limit);
		}
	}
	free(sorted);
	return code ? error_set(error, ERR_FAILED, "out of memory") : 0;
}
