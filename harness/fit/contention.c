/* What atomics that come late, while one slice is busy, say of slices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fit/chip.h"
#include "harness/stats/stats.h"

#define PARTS       8192 /* of a page */
#define PART_BYTES  256
#define PAGE_SHIFT  21
#define PAGES_MAX   64
#define SLICES_MAX  256 /* of one home: what is rarer is no slice */
#define STRAY_SHARE 0.5 /* of the fullest home's late parts: fewer are none */
#define HASH_BITS   6
#define BLOCK_SHIFT 17
#define LEAST       64   /* late parts that tell one page from another */
#define ALIKE       0.95 /* of them, in one slice */

/* Late in most of the repeats, by page. */
struct late {
	size_t pages;
	uint8_t (*votes)[PARTS];
	uint32_t repeats;
};

static int parity(uint64_t bits)
{
	return __builtin_parityll(bits);
}

/* Which home it is moves from page to page. */
static int home_of(const struct chip *chip, uint32_t part)
{
	return chip->partitions == 2 &&
	       parity((uint64_t)part * PART_BYTES & chip->home_hash_mask);
}

/* ---- who is late ---- */

/* The widest gap, by ratio, above the median, if it is wider than all that
   lies below it: so far from its home's others is only what had to wait. */
static double limit_between(const double *sorted, size_t count)
{
	double widest = 1, limit = INFINITY;
	size_t i;

	for (i = count / 2; i + 1 < count; i++) {
		const double ratio = sorted[i + 1] / sorted[i];

		if (!(ratio > widest))
			continue;
		widest = ratio;
		limit = sorted[i + 1] - sorted[i] > sorted[i] - sorted[0]
				? sqrt(sorted[i] * sorted[i + 1])
				: INFINITY;
	}
	return limit;
}

static double limit_of_home(const struct chip *chip,
	const struct sample_table *t, uint32_t page, int home, double *values)
{
	size_t count = 0, i;

	for (i = 0; i < t->count; i++)
		if (t->warp[i] == page &&
			home_of(chip, t->iteration[i]) == home)
			values[count++] = t->cycles[i];
	stats_sort(values, count);
	return limit_between(values, count);
}

static void vote(const struct chip *chip, const struct sample_table *t,
	double *values, struct late *late)
{
	double limit[PAGES_MAX][2];
	uint32_t page;
	size_t i;
	int home;

	for (page = 0; page < late->pages; page++)
		for (home = 0; home < (int)chip->partitions; home++)
			limit[page][home] =
				limit_of_home(chip, t, page, home, values);
	for (i = 0; i < t->count; i++) {
		const uint32_t part = t->iteration[i];

		page = t->warp[i];
		if (page < late->pages && part < PARTS &&
			t->cycles[i] > limit[page][home_of(chip, part)] &&
			late->votes[page][part] < 255)
			late->votes[page][part]++;
	}
}

static bool is_late(const struct late *late, size_t page, uint32_t part)
{
	return 2u * late->votes[page][part] > late->repeats;
}

/* Of the parts of a page with one home: all, and the late ones. */
static void count_late(const struct chip *chip, const struct late *late,
	size_t page, int home, double *all, double *delayed)
{
	uint32_t part;

	*all = *delayed = 0;
	for (part = 0; part < PARTS; part++) {
		if (home_of(chip, part) != home)
			continue;
		*all += 1;
		*delayed += is_late(late, page, part);
	}
}

static void forget(
	const struct chip *chip, struct late *late, size_t page, int home)
{
	uint32_t part;

	for (part = 0; part < PARTS; part++)
		if (home_of(chip, part) == home)
			late->votes[page][part] = 0;
}

/* A few that are late of a home, where others have a slice's worth, were
   delayed by something else. */
static void forget_strays(const struct chip *chip, struct late *late)
{
	double counts[PAGES_MAX][2], all, fullest = 0;
	size_t page;
	int home;

	for (page = 0; page < late->pages; page++)
		for (home = 0; home < (int)chip->partitions; home++) {
			count_late(chip, late, page, home, &all,
				&counts[page][home]);
			fullest = fmax(fullest, counts[page][home]);
			if (counts[page][home] * SLICES_MAX < all)
				counts[page][home] = 0;
		}
	for (page = 0; page < late->pages; page++)
		for (home = 0; home < (int)chip->partitions; home++)
			if (counts[page][home] <= STRAY_SHARE * fullest)
				forget(chip, late, page, home);
}

static int find_late(const struct chip *chip, const struct sample_table *t,
	struct late *late)
{
	double *values = calloc(t->count + 1, sizeof(*values));
	size_t i;

	*late = (struct late){.repeats = 1};
	for (i = 0; i < t->count; i++) {
		if (t->warp[i] < PAGES_MAX && t->warp[i] >= late->pages)
			late->pages = t->warp[i] + 1;
		if (t->repeat[i] >= late->repeats)
			late->repeats = t->repeat[i] + 1;
	}
	late->votes = calloc(late->pages + 1, sizeof(*late->votes));
	if (!values || !late->votes) {
		free(values);
		free(late->votes);
		return ERR_FAILED;
	}
	vote(chip, t, values, late);
	free(values);
	forget_strays(chip, late);
	return 0;
}

/* ---- how many slices ---- */

/* Of each home that has late parts, their share; its own slices are one over
   it. */
static double count_slices(const struct chip *chip, const struct late *late)
{
	double all, delayed, of = 0, were = 0;
	size_t page;
	int home;

	for (page = 0; page < late->pages; page++)
		for (home = 0; home < (int)chip->partitions; home++) {
			count_late(chip, late, page, home, &all, &delayed);
			of += delayed > 0 ? all : 0;
			were += delayed;
		}
	return were > 0 ? chip->partitions * of / were : NAN;
}

static void find_together(struct chip *chip, const struct late *late)
{
	uint32_t part;

	for (part = 0; late->pages && part < PARTS; part++)
		if (is_late(late, 0, part) &&
			chip->together_count < CHIP_TOGETHER_MAX)
			chip->together[chip->together_count++] =
				part * PART_BYTES;
}

/* ---- where memory began ---- */

/* The known machine's: parities of address bits, and a block's number (the
   parameters slice_hash_mask_0 to 5 and slice_pair). */
struct hash {
	uint64_t bits[HASH_BITS], home;
	uint32_t slices, moved;
	uint64_t pages; /* of its memory */
};

/* For as many slices of a home; false if there is none that a page of this
   size could follow. */
static bool take_hash(const struct chip *chip,
	const struct model_parameters *known, uint32_t slices,
	struct hash *hash)
{
	char name[] = "slice_hash_mask_0";
	uint32_t pair;
	int bit;

	for (bit = 0; bit < HASH_BITS; bit++) {
		name[sizeof(name) - 2] = (char)('0' + bit);
		hash->bits[bit] = (uint64_t)chip_known(known, name);
	}
	hash->home = chip->partitions == 2
			     ? (uint64_t)chip_known(known, "home_hash_mask")
			     : 0;
	hash->slices = slices;
	hash->pages = chip->device.memory_bytes >> PAGE_SHIFT;
	if (hash->slices < 2 ||
		chip_known(known, "l2_partitions") != chip->partitions)
		return false;
	pair = (uint32_t)chip_known(known, "slice_pair") % hash->slices;
	hash->moved = (hash->slices - pair) % hash->slices;
	return true;
}

static uint32_t slice_of(const struct hash *h, uint64_t address)
{
	uint64_t n = address >> BLOCK_SHIFT << HASH_BITS;
	int bit;

	for (bit = 0; bit < HASH_BITS; bit++)
		n += (uint64_t)parity(address & h->bits[bit]) << bit;
	if (parity(address & h->home))
		n += h->moved;
	return (uint32_t)(n % h->slices);
}

/* Whether late parts share a slice if memory begins at page `first`. */
static bool share_slice(const struct hash *h, const uint64_t *late,
	size_t count, uint64_t first)
{
	const uint64_t begin = first << PAGE_SHIFT;
	const uint32_t slice = slice_of(h, begin + late[0]);
	size_t i, others = 0;

	for (i = 1; i < count && (double)others <= (1 - ALIKE) * (double)count;
		i++)
		others += slice_of(h, begin + late[i]) != slice;
	return (double)others <= (1 - ALIKE) * (double)count;
}

/* -1: wherever memory begins, late parts are of several slices. */
static int64_t first_page(
	const struct hash *h, const uint64_t *late, size_t count)
{
	uint64_t first;

	for (first = 0; first < h->pages; first++)
		if (share_slice(h, late, count, first))
			return (int64_t)first;
	return -1;
}

static size_t list_late(const struct late *late, uint64_t *addresses)
{
	size_t count = 0, page;
	uint32_t part;

	for (page = 0; page < late->pages; page++)
		for (part = 0; part < PARTS; part++)
			if (is_late(late, page, part))
				addresses[count++] =
					((uint64_t)page << PAGE_SHIFT) +
					(uint64_t)part * PART_BYTES;
	return count;
}

/* By the known machine's hash for as many slices as it has, then for as many
   as were counted, or one more or less of each home. */
static int find_first(struct chip *chip, const struct model_parameters *known,
	const struct late *late)
{
	uint64_t *addresses =
		calloc(late->pages * PARTS + 1, sizeof(*addresses));
	const double was = chip_known(known, "l2_slices_used");
	const double counted = round(chip->slices / chip->partitions);
	const double tried[] = {
		was / chip->partitions, counted, counted - 1, counted + 1};
	struct hash hash;
	size_t count, i;

	if (!addresses)
		return ERR_FAILED;
	count = list_late(late, addresses);
	chip->page_first = -1;
	for (i = 0; count >= LEAST && chip->page_first < 0 &&
		    i < sizeof(tried) / sizeof(tried[0]);
		i++) {
		if (!take_hash(chip, known, (uint32_t)tried[i], &hash))
			continue;
		chip->page_first = first_page(&hash, addresses, count);
		if (chip->page_first >= 0)
			chip->slices = hash.slices * chip->partitions;
	}
	free(addresses);
	return 0;
}

int chip_count_slices(const struct chip *chip, const struct point *point,
	double *slices, struct error *error)
{
	struct late late;

	if (find_late(chip, &point->samples, &late))
		return error_set(error, ERR_FAILED, "out of memory");
	*slices = count_slices(chip, &late);
	free(late.votes);
	return 0;
}

int chip_read_contention(struct chip *chip,
	const struct model_parameters *known, const struct point *point,
	struct error *error)
{
	struct late late;

	chip->slices = NAN;
	chip->together_count = 0;
	if (find_late(chip, &point->samples, &late))
		return error_set(error, ERR_FAILED, "out of memory");
	chip->slices = count_slices(chip, &late);
	find_together(chip, &late);
	if (find_first(chip, known, &late)) {
		free(late.votes);
		return error_set(error, ERR_FAILED, "out of memory");
	}
	free(late.votes);
	return 0;
}
