/* Lanes that are alike or side by side, against lanes one by one. */
#include <criterion/criterion.h>
#include <string.h>

#include "backend_sim/sm/touch.h"

TestSuite(touch, .timeout = 60);

#define LANES PROGRAM_WARP_LANES

static const struct touched_line *line_of(const struct touch *t, uint64_t line)
{
	uint32_t i;

	for (i = 0; i < t->count; i++)
		if (t->lines[i].line == line)
			return &t->lines[i];
	return NULL;
}

static void check_same(const struct touch *a, const struct touch *b)
{
	uint32_t i;

	cr_assert_eq(a->count, b->count);
	cr_expect_eq(a->data_bytes, b->data_bytes);
	for (i = 0; i < a->count; i++) {
		const struct touched_line *x = &a->lines[i];
		const struct touched_line *y = line_of(b, x->line);

		cr_assert(y);
		cr_expect_eq(x->sectors, y->sectors);
		cr_expect_eq(x->lanes, y->lanes);
		cr_expect_eq(x->words, y->words);
		cr_expect_eq(x->wide, y->wide);
		cr_expect_arr_eq(x->bytes, y->bytes, sizeof(x->bytes));
	}
}

Test(touch, lanes_at_one_offset_are_as_each_of_them)
{
	uint64_t offsets[LANES];
	uint32_t bytes, i;
	struct touch alike, each;

	for (bytes = 1; bytes <= 16; bytes *= 2) {
		for (i = 0; i < LANES; i++)
			offsets[i] = 1024 + 48;
		touch_alike(&alike, offsets[0], LANES, bytes);
		touch_offsets(&each, offsets, UINT32_MAX, bytes);
		check_same(&alike, &each);
		touch_alike(&alike, offsets[0], 1, bytes);
		touch_offsets(&each, offsets, 8, bytes);
		check_same(&alike, &each);
	}
}

/* From the last to the first they are looked at one by one. */
Test(touch, lanes_side_by_side_are_as_each_of_them)
{
	uint64_t offsets[LANES], first;
	struct touch run, each;
	uint32_t bytes, i;

	for (bytes = 1; bytes <= 16; bytes *= 2)
		for (first = 0; first < 256; first += 16) {
			for (i = 0; i < LANES; i++)
				offsets[LANES - 1 - i] = first + i * bytes;
			touch_side_by_side(&run, first, bytes);
			touch_offsets(&each, offsets, UINT32_MAX, bytes);
			check_same(&run, &each);
		}
}
