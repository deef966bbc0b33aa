#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/map/map.h"
#include "harness/map/text.h"
#include "harness/map/rank_one.h"

TestSuite(map, .timeout = 120);

#define SMS   12
#define LINES 200
#define NEAR  290.0
#define FAR   490.0

static struct random_state rng;

static double uniform(double low, double high)
{
	return low + (high - low) * 0x1p-53 * (double)(random_next(&rng) >> 11);
}

/* ---- matrices with known sides ---- */

static double matrix[SMS * LINES];
static uint8_t side_of[SMS], home_of[LINES];
static const struct map_cells cells = {
	.sms = SMS,
	.lines = LINES,
	.repeats = 1,
	.stride_bytes = 4224,
	.cycles = matrix,
};

static double *at(size_t sm, size_t line)
{
	return &matrix[sm * LINES + line];
}

/* Pairs of SMs on sides in no order, SM 0 on side 0; noise is +- `noise`. */
static void two_sides(double noise)
{
	size_t sm, line;

	random_init(&rng, 7);
	for (sm = 0; sm < SMS; sm++)
		side_of[sm] = "\0\1\1\0\1\0"[sm / 2];
	for (line = 0; line < LINES; line++)
		home_of[line] = (uint8_t)random_below(&rng, 2);
	for (sm = 0; sm < SMS; sm++)
		for (line = 0; line < LINES; line++)
			*at(sm, line) =
				(side_of[sm] == home_of[line] ? NEAR : FAR) +
				uniform(-noise, noise);
}

static void check_sides(const struct map_sides *s, size_t contradictions)
{
	cr_assert_eq(s->count, 2);
	cr_expect_arr_eq(s->sm, side_of, SMS);
	cr_expect_arr_eq(s->line, home_of, LINES);
	cr_expect_eq(
		s->contradictions, contradictions, "%zu", s->contradictions);
	cr_expect_eq(s->sm_count[0] + s->sm_count[1], SMS);
	cr_expect_eq(s->sm_count[0], 6);
	cr_expect_eq(s->line_count[0] + s->line_count[1], LINES);
}

Test(map, sides_without_exception)
{
	struct map_sides s;

	two_sides(60);
	cr_assert_eq(map_sides_find(&cells, &s), 0);
	check_sides(&s, 0);
	cr_expect_eq(s.pairs, 6);
	cr_expect_eq(s.pairs_split, 0);
	cr_expect(s.near.low >= 230 && s.near.high <= 350);
	cr_expect(s.far.low >= 430 && s.far.high <= 550);
	map_sides_free(&s);
}

Test(map, contradictions_are_counted)
{
	struct map_sides s;
	size_t i;

	two_sides(20);
	for (i = 0; i < 30; i++) /* of SM 0, which names the side, too */
		*at(i % 10, i * 6) = NEAR + FAR - *at(i % 10, i * 6);
	cr_assert_eq(map_sides_find(&cells, &s), 0);
	check_sides(&s, 30);
	map_sides_free(&s);
}

Test(map, a_spike_does_not_move_the_split)
{
	struct map_sides s;

	two_sides(20);
	*at(3, 5) = 1e6;
	cr_assert_eq(map_sides_find(&cells, &s), 0);
	cr_expect(s.split_cycles > 310 && s.split_cycles < 470);
	check_sides(&s, side_of[3] == home_of[5]);
	map_sides_free(&s);
}

Test(map, a_split_pair_is_seen)
{
	struct map_sides s;
	size_t line;

	two_sides(20);
	for (line = 0; line < LINES; line++)
		*at(1, line) = NEAR + FAR - *at(1, line);
	cr_assert_eq(map_sides_find(&cells, &s), 0);
	cr_expect_eq(s.pairs_split, 1);
	cr_expect_eq(s.sm[1], 1);
	cr_expect_eq(s.contradictions, 0);
	map_sides_free(&s);
}

Test(map, noise_is_one_side)
{
	struct map_sides s;
	size_t i;

	random_init(&rng, 3);
	for (i = 0; i < SMS * LINES; i++)
		matrix[i] = uniform(250, 350);
	cr_assert_eq(map_sides_find(&cells, &s), 0);
	cr_expect_eq(s.count, 1);
	cr_expect_eq(s.sm_count[0], SMS);
	cr_expect_eq(s.line_count[0], LINES);
	cr_expect_eq(s.contradictions, 0);
	map_sides_free(&s);
}

/* What an SM and a line on one die do to each other has a sign: it splits the
   cells as sides would, but without a gap between. */
Test(map, distances_within_one_side_are_no_sides)
{
	struct map_sides s;
	size_t sm, line;
	double x, y;

	two_sides(0);
	for (sm = 0; sm < SMS; sm++)
		for (line = 0; line < LINES; line++) {
			x = (double)(sm % 4 + 1) / 4;
			y = (double)(line % 8 + 2) / 9;
			*at(sm, line) =
				300 + (side_of[sm] == home_of[line] ? -1 : 1) *
					      (2 + 40 * x * y);
		}
	cr_assert_eq(map_sides_find(&cells, &s), 0);
	cr_expect_eq(s.count, 1);
	map_sides_free(&s);
}

/* ---- the hash ---- */

#define HASH_LINES 1024
#define WITHIN     0x1fff80u /* bits 7 to 20 */

static uint8_t homes[HASH_LINES];

/* Each page has a flip of its own. */
static void make_homes(uint32_t mask, uint64_t stride)
{
	uint64_t flips = random_next(&rng), i;

	for (i = 0; i < HASH_LINES; i++) {
		uint64_t offset = (i + 1) * stride;

		homes[i] = __builtin_parityll(offset & mask & WITHIN) ^
			   (flips >> (offset >> 21) % 64 & 1);
	}
}

Test(map, random_masks_are_recovered)
{
	struct map_hash h;
	int round;

	random_init(&rng, 11);
	for (round = 0; round < 200; round++) {
		uint32_t mask = (uint32_t)random_next(&rng) & WITHIN;

		make_homes(mask, 4224);
		map_hash_solve(homes, HASH_LINES, 4224, 4224, &h);
		cr_assert_eq(h.bits, mask, "%x, not %x", h.bits, mask);
		cr_assert_eq(h.open, 0);
		cr_assert_eq(h.rank, 14);
		cr_assert_eq(h.contradictions, 0);
		cr_assert_eq(h.equations, HASH_LINES - 3);
		cr_assert_eq(h.grain_bytes, mask & -mask);
		cr_assert_not(h.grain_open);
	}
}

/* Pages of 64 KiB lie anywhere: bits above them say nothing. */
Test(map, a_hash_is_found_within_small_pages)
{
	struct map_hash h;
	size_t i;

	for (i = 0; i < HASH_LINES; i++) {
		uint64_t offset = 4224 * (i + 1);
		uint64_t page = (offset >> 16) * 2654435761u >> 7;

		homes[i] = (uint8_t)__builtin_parityll(
			(offset & 0xb000) ^ (page & 1) << 12);
	}
	map_hash_solve(homes, HASH_LINES, 4224, 4224, &h);
	cr_expect_eq(h.page_shift, 16);
	cr_expect_eq(h.contradictions, 0);
	cr_expect_eq(h.bits, 0xb000);
	cr_expect_eq(h.open, 0);
}

Test(map, bits_that_do_not_vary_are_open)
{
	struct map_hash h;

	random_init(&rng, 1);
	make_homes(0xab000, 8192);
	map_hash_solve(homes, HASH_LINES, 8192, 8192, &h);
	cr_expect_eq(h.open, 0x1f80, "%x", h.open);
	cr_expect_eq(h.bits, 0xab000 & ~0x1f80u, "%x", h.bits);
	cr_expect_eq(h.contradictions, 0);
	cr_expect_eq(h.change_bytes, 8192);
	cr_expect_eq(h.grain_bytes, 8192);
	cr_expect(h.grain_open);
}

Test(map, bits_that_vary_together_are_open)
{
	/* 3 lines, one equation each: offsets 0, 0x3000, 0x6000. */
	const uint8_t three[] = {0, 1, 1};
	struct map_hash h;

	map_hash_solve(three, 3, 0, 0x3000, &h);
	cr_expect_eq(h.rank, 2);
	cr_expect_eq(h.open, WITHIN, "%x", h.open);
	cr_expect_eq(h.grain_bytes, 0);
	cr_expect_eq(h.contradictions, 0);
}

Test(map, a_wrong_line_contradicts)
{
	struct map_hash h;

	random_init(&rng, 2);
	make_homes(0xab000, 4224);
	homes[HASH_LINES - 1] ^= 1;
	homes[700] ^= 1;
	map_hash_solve(homes, HASH_LINES, 4224, 4224, &h);
	cr_expect_eq(h.bits, 0xab000);
	cr_expect_eq(h.contradictions, 2);
}

/* ---- products, floor plan, slices ---- */

Test(map, the_product_is_found)
{
	const double u[] = {1, -2, 0.5}, v[] = {3, 1, -1, 2};
	double product[12], row[3], column[4], explained;
	size_t i;

	for (i = 0; i < 12; i++)
		product[i] = u[i / 4] * v[i % 4];
	explained = rank_one_fit(product, 3, 4, row, column);
	cr_expect_float_eq(explained, square_sum(u, 3) * square_sum(v, 4), 1e-9,
		"%g", explained);
	cr_expect_float_eq(square_sum(row, 3), 1, 1e-12);
	rank_one_subtract(product, 3, 4, row, column);
	cr_expect(square_sum(product, 12) < 1e-18);
}

Test(map, the_larger_product_comes_first)
{
	/* Singular values 5 and 2. */
	const double two[] = {5, 0, 0, 0, 2, 0};
	double row[2], column[3];

	cr_expect_float_eq(rank_one_fit(two, 2, 3, row, column), 25, 1e-6);
	cr_expect_float_eq(fabs(row[0]), 1, 1e-4);
}

Test(map, zeros_have_no_product)
{
	const double zeros[6] = {0};
	double row[2], column[3];

	cr_expect_eq(rank_one_fit(zeros, 2, 3, row, column), 0);
	cr_expect_eq(square_sum(column, 3), 0);
}

/* A term with mean 0 and mean square 1 over any even count. */
static double sign(size_t i)
{
	return i % 2 ? 1 : -1;
}

/* Orthogonal to sign() in any four. */
static double other_sign(size_t i)
{
	return i / 2 % 2 ? 1 : -1;
}

Test(map, the_floor_plan_has_its_shares)
{
	uint8_t zero[LINES] = {0};
	const struct map_sides s = {.count = 1,
		.sm = zero,
		.line = zero,
		.sm_count = {SMS, 0},
		.line_count = {LINES, 0}};
	struct map_floor floor, none;
	size_t sm, line;

	for (sm = 0; sm < SMS; sm++)
		for (line = 0; line < LINES; line++)
			*at(sm, line) = 300 + 3 * sign(sm) + 5 * sign(line) +
					4 * other_sign(sm) * other_sign(line) +
					1 * sign(sm) * sign(line);
	cr_assert_eq(map_floor_fit(&cells, &s, 0, &floor), 0);
	cr_expect_float_eq(floor.mean_cycles, 300, 1e-9);
	cr_expect_float_eq(floor.sm_share, 9.0 / 51, 1e-6);
	cr_expect_float_eq(floor.line_share, 25.0 / 51, 1e-6);
	cr_expect_float_eq(floor.product_share, 16.0 / 51, 1e-6);
	cr_expect_float_eq(floor.rest_share, 1.0 / 51, 1e-6);
	cr_expect_float_eq(floor.rest_cycles, 1, 1e-4);
	cr_assert_eq(map_floor_fit(&cells, &s, 1, &none), 0);
	cr_expect(isnan(none.mean_cycles) && isnan(none.sm_share));
}

/* Slices of `count` a side, `apart` cycles from one to the next. */
static void make_slices(size_t count, double apart, double noise)
{
	size_t sm, line;

	two_sides(noise);
	for (sm = 0; sm < SMS; sm++)
		for (line = 0; line < LINES; line++)
			*at(sm, line) += apart * (double)(line % count) *
					 (1 + 0.3 * sign(sm));
}

Test(map, slices_are_counted)
{
	struct map_sides sides;
	struct map_slices s;
	size_t i, lines = 0;

	make_slices(7, 5, 1);
	cr_assert_eq(map_sides_find(&cells, &sides), 0);
	cr_assert_eq(map_slices_find(&cells, &sides, &s), 0);
	cr_expect(s.resolved[0] && s.resolved[1]);
	cr_expect_eq(s.side_count[0], 7, "%zu", s.side_count[0]);
	cr_expect_eq(s.side_count[1], 7, "%zu", s.side_count[1]);
	cr_assert_eq(s.count, 14);
	for (i = 0; i < s.count; i++) {
		double mean = NEAR + 5 * (double)(i % 7);

		lines += s.items[i].lines;
		cr_expect_eq(s.items[i].side, i / 7);
		cr_expect_float_eq(s.items[i].mean_cycles, mean, 1);
		cr_expect(s.items[i].cycles.low < mean);
		cr_expect(s.items[i].cycles.high > mean);
	}
	cr_expect_eq(lines, LINES);
	map_slices_free(&s);
	map_sides_free(&sides);
}

Test(map, noise_has_no_slices)
{
	struct map_sides sides;
	struct map_slices s;

	make_slices(7, 0.1, 5);
	cr_assert_eq(map_sides_find(&cells, &sides), 0);
	cr_assert_eq(map_slices_find(&cells, &sides, &s), 0);
	cr_expect_not(s.resolved[0]);
	cr_expect_not(s.resolved[1]);
	cr_expect_eq(s.count, 0);
	map_slices_free(&s);
	map_sides_free(&sides);
}

/* ---- points ---- */

static char names[][8] = {"measure", "cold", "first"};
static char *region_names[] = {names[0], names[1], names[2]};

static void add(struct point *p, uint32_t repeat, uint16_t region, uint16_t sm,
	uint32_t iteration, double cycles)
{
	const struct sample sample = {.cycles = cycles,
		.iteration = iteration,
		.warp = region == 1 ? 0 : sm,
		.sm = sm,
		.region = region};

	cr_assert_eq(sample_table_add(&p->samples, repeat, &sample), 0);
}

/* Two SMs on two sides, 5 lines with homes A A B B A, 3 repeats, the second
   of which is slow. Iteration 0 leads with nonsense. */
static struct point make_point(void)
{
	struct point p = {
		.x = 4096, .regions = region_names, .region_count = 3};
	const char *home = "AABBA";
	uint32_t repeat, i;
	uint16_t sm;

	for (repeat = 0; repeat < 3; repeat++)
		for (sm = 0; sm < 2; sm++)
			for (i = 0; i < 6; i++)
				add(&p, repeat, 0, sm, i,
					i == 0 ? 9999
					: (home[i - 1] == 'B') == sm
						? NEAR + 40 * (repeat == 1)
						: FAR + 40 * (repeat == 1));
	for (i = 0; i < 6; i++) /* by SM 0, 1000 cycles for line 0, ... */
		add(&p, 0, 1, 0, i, 999 + i);
	for (sm = 0; sm < 2; sm++) /* shares of 3: lines 0 1, then 3 4 */
		for (i = 0; i < 3; i++)
			add(&p, 0, 2, sm, i, 100 * (sm + 1) + i);
	return p;
}

static void drop_point(struct point *p)
{
	p->regions = NULL;
	p->region_count = 0;
	point_free(p);
}

Test(map, cells_are_medians_without_the_lead)
{
	struct point p = make_point();
	struct map_cells read;
	struct error error = {""};
	size_t i;

	cr_assert_eq(map_cells_read(&p, &read, &error), 0, "%s", error.text);
	cr_expect_eq(read.sms, 2);
	cr_expect_eq(read.lines, 5);
	cr_expect_eq(read.repeats, 3);
	for (i = 0; i < 10; i++)
		cr_expect_eq(read.cycles[i],
			("AABBA"[i % 5] == 'B') == i / 5 ? NEAR : FAR);
	cr_expect_float_eq(read.noise_cycles, 40 * 1.4826 / sqrt(2), 0.01);
	cr_expect_eq(map_offset(&read, 0), 4096);
	map_cells_free(&read);
	drop_point(&p);
}

Test(map, missing_samples_are_refused)
{
	struct point p = make_point(), none = {.x = 4096};
	struct map_cells read;
	struct error error = {""};

	cr_expect_eq(map_cells_read(&none, &read, &error), ERR_USAGE);
	cr_expect(strstr(error.text, "'measure'"), "%s", error.text);
	none.x = NAN;
	cr_expect_eq(map_cells_read(&none, &read, &error), ERR_USAGE);
	cr_expect(strstr(error.text, "stride"), "%s", error.text);
	p.samples.region[7] = 1; /* SM 1, iteration 1 */
	cr_expect_eq(map_cells_read(&p, &read, &error), ERR_USAGE);
	cr_expect(strstr(error.text, "29 samples"), "%s", error.text);
	p.samples.region[7] = 0;
	p.samples.iteration[7] = 2; /* twice, and once not at all */
	cr_expect_eq(map_cells_read(&p, &read, &error), ERR_USAGE);
	cr_expect_str_eq(
		error.text, "SM 1 has no sample of line 0 in repeat 0");
	drop_point(&p);
}

static void check_reads(
	const struct map_reads *reads, size_t count, double median)
{
	cr_expect_eq(reads->count, count, "%zu", reads->count);
	if (count)
		cr_expect_float_eq(reads->median_cycles, median, 1e-9, "%g",
			reads->median_cycles);
}

Test(map, touches_are_sorted)
{
	struct point p = make_point();
	struct map m;
	struct error error = {""};

	cr_assert_eq(map_make(&p, 0, &m, &error), 0, "%s", error.text);
	cr_expect_eq(m.sides.contradictions, 0);
	/* SM 0, near: lines 0, 1, 4; far: 2, 3. */
	check_reads(&m.touch.reads[MAP_COLD][0][0], 3, 1001);
	check_reads(&m.touch.reads[MAP_COLD][0][1], 2, 1002.5);
	check_reads(&m.touch.reads[MAP_COLD][1][0], 0, 0);
	/* SM 0 reads lines 0 and 1, SM 1 lines 3 (near to it) and 4. */
	check_reads(&m.touch.reads[MAP_FIRST][0][0], 2, 101.5);
	check_reads(&m.touch.reads[MAP_FIRST][0][1], 0, 0);
	check_reads(&m.touch.reads[MAP_FIRST][1][0], 1, 201);
	check_reads(&m.touch.reads[MAP_FIRST][1][1], 1, 202);
	check_reads(&m.touch.reads[MAP_SECOND][0][0], 0, 0);
	map_free(&m);
	cr_expect_eq(map_make(&p, 2, &m, &error), ERR_USAGE);
	drop_point(&p);
}

/* ---- words ---- */

Test(map, letters_ranges_and_bits)
{
	uint8_t sms[] = {0, 0, 1, 0, 1, 1, 1, 0}, lines[] = {0, 1, 1, 1, 0};
	const struct map m = {
		.cells = {.sms = 8, .lines = 5, .stride_bytes = 2048},
		.sides = {.count = 2, .sm = sms, .line = lines},
	};
	char letters[MAP_BLOCKS + 1], bits[64];
	char *a = map_sm_ranges(&m, 0), *b = map_sm_ranges(&m, 1);

	cr_expect_str_eq(a, "0-1,3,7");
	cr_expect_str_eq(b, "2,4-6");
	free(a);
	free(b);
	/* Offsets 2048 (block 0); 4096, 6144 (1); 8192, 10240 (2). */
	map_home_letters(&m, letters);
	cr_expect_eq(strlen(letters), MAP_BLOCKS);
	cr_expect_eq(strncmp(letters, "AB?..", 5), 0, "%s", letters);
	map_bit_names(0xab000, bits, sizeof(bits));
	cr_expect_str_eq(bits, "12 13 15 17 19");
	map_bit_names(0, bits, sizeof(bits));
	cr_expect_str_eq(bits, "none");
}

Test(map, json_says_the_same)
{
	struct point p = make_point();
	struct map m;
	struct error error = {""};
	json_t *j, *side, *touches;

	cr_assert_eq(map_make(&p, 0, &m, &error), 0, "%s", error.text);
	j = map_json(&m);
	cr_assert_not_null(j);
	cr_expect_eq(json_integer_value(json_object_get(j, "sm_count")), 2);
	cr_expect_eq(
		json_integer_value(json_object_get(j, "contradictions")), 0);
	side = json_array_get(json_object_get(j, "sides"), 1);
	cr_expect_str_eq(json_string_value(json_object_get(side, "sms")), "1");
	cr_expect_eq(
		json_integer_value(json_object_get(side, "line_count")), 2);
	touches = json_object_get(j, "touches");
	cr_expect_eq(json_array_size(touches), 5);
	json_decref(j);
	map_free(&m);
	drop_point(&p);
}
