/* Where memory began. */
#include <math.h>
#include <stdlib.h>

#include "harness/fit/late.h"

#define HASH_BITS   6
#define BLOCK_SHIFT 17
#define LEAST       64   /* late parts that tell one page from another */
#define ALIKE       0.95 /* of them, in one slice */

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
	hash->pages = chip->device.memory_bytes >> LATE_PAGE_SHIFT;
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
		n += (uint64_t)late_parity(address & h->bits[bit]) << bit;
	if (late_parity(address & h->home))
		n += h->moved;
	return (uint32_t)(n % h->slices);
}

/* Whether late parts share a slice if memory begins at page `first`. */
static bool share_slice(const struct hash *h, const uint64_t *late,
	size_t count, uint64_t first)
{
	const uint64_t begin = first << LATE_PAGE_SHIFT;
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
		for (part = 0; part < LATE_PARTS; part++)
			if (late_is(late, page, part))
				addresses[count++] =
					((uint64_t)page << LATE_PAGE_SHIFT) +
					(uint64_t)part * LATE_PART_BYTES;
	return count;
}

/* By the known machine's hash for as many slices as it has, then for as many
   as were counted, or one more or less of each home. */
int late_find_first(struct chip *chip, const struct model_parameters *known,
	const struct late *late)
{
	uint64_t *addresses =
		calloc(late->pages * LATE_PARTS + 1, sizeof(*addresses));
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
