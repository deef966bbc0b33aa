#include <criterion/criterion.h>
#include <math.h>

#include "harness/observe/map_figures.h"

TestSuite(map_figures, .timeout = 60);

/* Two SMs, one a side, and four lines, of which the first two are at home with
   the first SM. */
static double cycles[] = {200, 210, 410, 420, 430, 440, 220, 240};
static uint8_t sm_side[] = {0, 1}, line_side[] = {0, 0, 1, 1};
static struct map map = {
	.cells = {.sms = 2,
		.lines = 4,
		.repeats = 1,
		.cycles = cycles,
		.noise_cycles = NAN},
	.sides = {.count = 2,
		.sm = sm_side,
		.line = line_side,
		.sm_count = {1, 1}},
	.hash = {.bits = 0x3000},
	.floor = {{.line_share = 1, .rest_cycles = 3}, {.rest_cycles = 4}},
};

static struct observed observe(enum map_figure which)
{
	struct observed figure;
	struct error error;

	cr_assert_eq(map_observe(&map, which, &figure, &error), 0);
	return figure;
}

Test(map_figures, each_is_read_off_its_cells)
{
	static const struct {
		enum map_figure which;
		double value;
	} cases[] = {
		{MAP_NEAR, 215},
		{MAP_FAR, 425},
		{MAP_NEAR_MEAN, 217.5},
		{MAP_FAR_MEAN, 425},
		{MAP_SM, 230},
		{MAP_LINE, 240},
		{MAP_REST, 4},
		{MAP_SM_TERM, 0},
		{MAP_LINE_TERM, 5},
		{MAP_PRODUCT_TERM, 0},
		{MAP_SIDE_COUNT, 2},
		{MAP_SIDE_SMS, 1},
		{MAP_HASH, 0x3000},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect_float_eq(observe(cases[i].which).value,
			cases[i].value, 1e-9, "%zu", i);
	cr_expect(
		observe(MAP_NEAR).low <= 215 && observe(MAP_NEAR).high >= 215);
}

Test(map_figures, one_side_has_nothing_far)
{
	map.sides.count = 1;
	cr_expect(isnan(observe(MAP_FAR).value));
	cr_expect(isnan(observe(MAP_FAR_MEAN).value));
	cr_expect(isnan(observe(MAP_HASH).value));
	cr_expect_eq(observe(MAP_SIDE_COUNT).value, 1);
}

Test(map_figures, a_touch_is_shown_where_both_homes_were_read)
{
	struct map_reads *reads = map.touch.reads[MAP_FIRST][1];

	cr_expect(isnan(observe(MAP_NEAR_LOAD).value));
	reads[0] = (struct map_reads){.count = 3, .median_cycles = 260};
	cr_expect(isnan(observe(MAP_NEAR_LOAD).value));
	reads[1] = (struct map_reads){.count = 3, .median_cycles = 460};
	cr_expect_eq(observe(MAP_NEAR_LOAD).value, 260);
	cr_expect_eq(observe(MAP_FAR_LOAD).value, 460);
}
