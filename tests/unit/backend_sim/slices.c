#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "backend_sim/machine/slices.h"

static struct slices slices_of(const char *machine)
{
	struct machine m;
	struct error error = {""};
	struct slices s;

	cr_assert_eq(machine_load(machine, &m, &error), 0, "%s", error.text);
	cr_assert(slices_init(&s, &m));
	return s;
}

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* No two lines have the same home, slice and number. */
static void check_distinct(const char *machine)
{
	const uint32_t first = 5 * SLICES_BLOCK_LINES;
	const uint32_t count = 40 * SLICES_BLOCK_LINES;
	uint64_t *seen = malloc(count * sizeof(*seen));
	struct slices s = slices_of(machine);

	cr_assert(seen);
	for (uint32_t i = 0; i < count; i++) {
		struct slices_place p = slices_find(&s, first + i);

		cr_assert_lt(p.slice, s.in_slices.by);
		cr_assert_lt(p.home, 2);
		cr_assert_eq(p.number >> s.alike_shift, p.round);
		seen[i] = (uint64_t)p.home << 63 | (uint64_t)p.slice << 32 |
			  p.number;
	}
	qsort(seen, count, sizeof(*seen), compare);
	for (uint32_t i = 1; i < count; i++)
		cr_assert_neq(seen[i], seen[i - 1], "%s", machine);
	free(seen);
}

Test(slices, each_line_has_its_place)
{
	check_distinct("h200-sxm");
	check_distinct("h100-pcie");
	check_distinct("a100-sxm");
	check_distinct("gk110");
}

/* As the map of an H200's slices shows it: of each block and home, 256 bytes
   apart, a slice has one or two lines of either kind; of a page of 2 MiB, 21 or
   22 KiB of each home. */
Test(slices, contiguous_memory_is_even)
{
	struct slices s = slices_of("h200-sxm");
	uint32_t units[2][47] = {{0}};

	cr_expect_eq(s.in_slices.by, 47);
	cr_expect_eq(s.alike, 7);
	for (uint32_t block = 0; block < 16; block++) {
		uint32_t here[2][2][47] = {{{0}}};

		for (uint32_t i = 0; i < SLICES_BLOCK_LINES; i += 2) {
			struct slices_place p =
				slices_find(&s, block * SLICES_BLOCK_LINES + i);

			if (i & 4)
				continue;
			here[p.home][i >> 1 & 1][p.slice]++;
			units[p.home][p.slice]++;
		}
		for (int i = 0; i < 2 * 2 * 47; i++) {
			uint32_t count = (&here[0][0][0])[i];

			cr_expect(count == 1 || count == 2, "%u", count);
		}
	}
	for (int i = 0; i < 2 * 47; i++) {
		uint32_t count = (&units[0][0])[i];

		cr_expect(
			count == 42 || count == 44 || count == 43, "%u", count);
	}
}

/* The pair of lines of 256 bytes is a slice's, and one behind the other. */
Test(slices, neighbours_stay_together)
{
	struct slices s = slices_of("h200-sxm");

	for (uint32_t line = 0; line < 4 * SLICES_BLOCK_LINES; line += 2) {
		struct slices_place a = slices_find(&s, line);
		struct slices_place b = slices_find(&s, line + 1);

		cr_assert_eq(a.home, b.home);
		cr_assert_eq(a.slice, b.slice);
		cr_assert_eq(a.number + 1, b.number);
		cr_assert_eq(a.number % 2, 0);
	}
}

#define MEASURED "results/slices/h200-sxm.csv"
#define PARTS    8192 /* of 256 bytes in the page */

/* Where the memory of those runs began (h200-pages.csv). */
#define PAGE_FIRST 264u
#define PAGE_LINES 16384u

/* What two GPUs showed: of one home, parts share a slice exactly where the
   hash says so. */
Test(slices, the_measured_map_is_the_hash)
{
	struct slices s = slices_of("h200-sxm");
	unsigned long offset, contended, of_slice[2][47], gpu;
	char text[256];
	FILE *in = fopen(MEASURED, "r");
	int count = 0;

	cr_assert(in);
	memset(of_slice, 0xff, sizeof(of_slice));
	while (fgets(text, sizeof(text), in)) {
		struct slices_place p;
		uint32_t n, i;

		if (sscanf(text, "%lu,%lu,%lu", &offset, &contended, &gpu) != 3)
			continue;
		count++;
		p = slices_find(
			&s, PAGE_FIRST * PAGE_LINES + (uint32_t)(offset / 128));
		n = p.slice;
		if (of_slice[p.home][n] == ULONG_MAX)
			of_slice[p.home][n] = contended;
		cr_expect_eq(of_slice[p.home][n], contended, "%lu", offset);
		for (i = 0; i < 47; i++)
			cr_expect(i == n || of_slice[p.home][i] != contended);
	}
	fclose(in);
	cr_expect_eq(count, PARTS);
}

#define PAGES "results/slices/h200-pages.csv"

/* Which parts of a page were late: in slice `slice` of home `home`, and in the
   one before it of the other, once `hash_xor` has flipped bits of the hash. */
struct late {
	unsigned hash_xor, slice, home;
};

static bool was_late(
	const struct slices *s, const struct late *late, uint32_t line)
{
	struct slices_place p = slices_find(s, line);
	uint32_t block = line / SLICES_BLOCK_LINES;
	uint32_t hash = p.round * 47 + p.slice - 46 * p.home - 64 * block;
	uint32_t slice = (64 * block + (hash ^ late->hash_xor)) % 47;

	return slice ==
	       (p.home == late->home ? late->slice : (late->slice + 46) % 47);
}

Test(slices, pages_far_apart_are_where_the_hash_says)
{
	struct slices s = slices_of("h200-sxm");
	const struct slices_place busy =
		slices_find(&s, PAGE_FIRST * PAGE_LINES + PAGE_LINES / 2);
	FILE *in = fopen(PAGES, "r");
	unsigned races_mib, page, count = 0;
	struct late late;
	char text[256];

	cr_assert(in);
	while (fgets(text, sizeof(text), in)) {
		uint32_t first, line, wrong = 0;

		if (sscanf(text, "%u,%u,%u,%u,%u", &races_mib, &page,
			    &late.hash_xor, &late.slice, &late.home) != 5)
			continue;
		count++;
		first = (PAGE_FIRST + page * (races_mib / 2)) * PAGE_LINES;
		for (line = 0; line < PAGE_LINES; line++) {
			struct slices_place p = slices_find(&s, first + line);

			wrong += was_late(&s, &late, line) !=
				 (p.slice == busy.slice);
		}
		cr_expect_eq(wrong, 0, "page %u of %u MiB: %u lines", page,
			races_mib, wrong);
	}
	fclose(in);
	cr_expect_eq(count, 80);
}

#define LATE            "results/h100-sxm/fit/late.tsv.gz"
#define LATE_ROW        4096 /* bytes of a line of it */
#define H100_PAGE_FIRST 112u
#define STRAYS          20 /* parts that something else made late */

/* The bit of a part, in hexadecimal digits of which the last is the lowest. */
static bool late_bit(const char *digits, uint32_t part)
{
	const char digit = digits[PARTS / 4 - 1 - part / 4];
	const int value = digit <= '9' ? digit - '0' : digit - 'a' + 10;

	return value >> part % 4 & 1;
}

/* Of both homes, the parts that one busy slice of an H100 delays. */
Test(slices, an_h100_has_a_hash_of_its_own)
{
	struct slices s = slices_of("h100-sxm");
	const uint32_t first = H100_PAGE_FIRST * PAGE_LINES;
	char row[LATE_ROW], digits[LATE_ROW];
	gzFile in = gzopen(LATE, "r");
	unsigned long contended;
	uint32_t part, count = 0;

	cr_assert(in);
	while (gzgets(in, row, sizeof(row))) {
		uint32_t missing = 0, strays = 0, busy;

		if (sscanf(row, "%lu %4000s", &contended, digits) != 2)
			continue;
		count++;
		busy = slices_find(&s, first + (uint32_t)(contended / 128))
			       .slice;
		for (part = 0; part < PARTS; part++) {
			const bool same =
				slices_find(&s, first + 2 * part).slice == busy;
			const bool late = late_bit(digits, part);

			missing += same && !late;
			strays += late && !same;
		}
		cr_expect_leq(missing, 1, "%lu: %u", contended, missing);
		cr_expect_leq(strays, STRAYS, "%lu: %u", contended, strays);
	}
	gzclose(in);
	cr_expect_eq(count, 96);
}
