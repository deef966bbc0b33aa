/* Where memory began. */
#include <math.h>
#include <stdlib.h>

#include "harness/observe/delayed.h"

#define HASH_BITS   6
#define BLOCK_SHIFT 17
#define LEAST       64   /* late parts that tell one page from another */
#define ALIKE       0.95 /* of them, in one slice */

#define WITHIN_PAGE  ((UINT64_C(1) << DELAYED_PAGE_SHIFT) - 1)
#define BEYOND_TRIED 32 /* sets of bits above a page's: 16 pages show five */

/* The known machine's: parities of address bits, and a block's number (the
   parameters slice_hash_mask_0 to 5 and slice_pair). Which home it is comes
   from the chip within a page; beyond it the bits are the known machine's, or
   those that give each page the home that its late parts need. */
struct hash {
	uint64_t bits[HASH_BITS], home, beyond;
	bool beyond_is_known;
	uint32_t slices, moved;
	uint64_t pages; /* of its memory */
};

/* Addresses from where memory begins, in their order. */
struct list {
	uint64_t *items;
	size_t count, pages;
	uint8_t *flips; /* of the home of each page, as found */
};

/* For as many slices of a home; false if there is none that a page of this
   size could follow. */
static bool take_hash(const struct chip *chip,
	const struct model_parameters *known, uint32_t slices,
	struct hash *hash)
{
	const uint64_t home = chip->partitions == 2 ? UINT64_MAX : 0;
	char name[] = "slice_hash_mask_0";
	uint32_t pair;
	int bit;

	for (bit = 0; bit < HASH_BITS; bit++) {
		name[sizeof(name) - 2] = (char)('0' + bit);
		hash->bits[bit] = (uint64_t)chip_known(known, name);
	}
	hash->home = chip->home_hash_mask & home;
	hash->beyond = (uint64_t)chip_known(known, "home_hash_mask") & home &
		       ~WITHIN_PAGE;
	hash->slices = slices;
	hash->pages = chip->device.memory_bytes >> DELAYED_PAGE_SHIFT;
	if (hash->slices < 2)
		return false;
	pair = (uint32_t)chip_known(known, "slice_pair") % hash->slices;
	hash->moved = (hash->slices - pair) % hash->slices;
	return true;
}

static uint32_t slice_of(const struct hash *h, uint64_t address, int flip)
{
	uint64_t n = address >> BLOCK_SHIFT << HASH_BITS;
	int bit;

	for (bit = 0; bit < HASH_BITS; bit++)
		n += (uint64_t)delayed_parity(address & h->bits[bit]) << bit;
	if (delayed_parity(address & h->home) != flip)
		n += h->moved;
	return (uint32_t)(n % h->slices);
}

static int known_flip(const struct hash *h, uint64_t address)
{
	return delayed_parity(address & h->beyond);
}

/* How many of a page's late parts, from `*i` on, are not of the slice. */
static size_t others_of_page(const struct hash *h, const struct list *late,
	size_t *i, uint64_t begin, uint32_t slice)
{
	const uint64_t page = late->items[*i] >> DELAYED_PAGE_SHIFT;
	size_t others[2] = {0, 0};
	int flip;

	for (; *i < late->count &&
		late->items[*i] >> DELAYED_PAGE_SHIFT == page;
		++*i)
		for (flip = 0; flip < 2; flip++)
			others[flip] += slice_of(h, begin + late->items[*i],
						flip) != slice;
	flip = h->beyond_is_known
		       ? known_flip(h, begin + (page << DELAYED_PAGE_SHIFT))
		       : others[1] < others[0];
	late->flips[page] = (uint8_t)flip;
	return others[flip];
}

/* Whether late parts share a slice if memory begins at page `first`; with the
   home of its first part flipped or not, for as many as are others. */
static bool share_slice(
	const struct hash *h, const struct list *late, uint64_t first, int flip)
{
	const double most = (1 - ALIKE) * (double)late->count;
	const uint64_t begin = first << DELAYED_PAGE_SHIFT;
	const uint32_t slice = slice_of(h, begin + late->items[0], flip);
	size_t i = 0, others = 0;

	while (i < late->count && (double)others <= most)
		others += others_of_page(h, late, &i, begin, slice);
	return (double)others <= most;
}

/* -1: wherever memory begins, late parts are of several slices. */
static int64_t first_page(const struct hash *h, const struct list *late)
{
	uint64_t first;

	for (first = 0; first < h->pages; first++)
		if (share_slice(h, late, first, 0) ||
			share_slice(h, late, first, 1))
			return (int64_t)first;
	return -1;
}

/* The least bits beyond a page that flip the homes of its pages so. */
static bool find_beyond(
	const struct list *late, uint64_t first, uint64_t *beyond)
{
	uint64_t bits, page, moved;
	bool gives;

	for (bits = 0; bits < BEYOND_TRIED; bits++) {
		for (page = 0, gives = true; gives && page < late->pages;
			page++) {
			moved = (first + page) ^ first;
			gives = delayed_parity(moved & bits) ==
				(late->flips[page] ^ late->flips[0]);
		}
		if (gives) {
			*beyond = bits << DELAYED_PAGE_SHIFT;
			return true;
		}
	}
	return false;
}

static int list_late(const struct delayed *late, struct list *list)
{
	size_t page;
	uint32_t part;

	*list = (struct list){
		.items = calloc(
			late->pages * DELAYED_PARTS + 1, sizeof(uint64_t)),
		.flips = calloc(late->pages + 1, 1),
		.pages = late->pages,
	};
	if (!list->items || !list->flips)
		return ERR_FAILED;
	for (page = 0; page < late->pages; page++)
		for (part = 0; part < DELAYED_PARTS; part++)
			if (delayed_is(late, page, part))
				list->items[list->count++] =
					((uint64_t)page << DELAYED_PAGE_SHIFT) +
					(uint64_t)part * DELAYED_PART_BYTES;
	return 0;
}

/* By the known machine's hash for as many slices of a home. */
static bool try_slices(struct chip *chip, const struct model_parameters *known,
	const struct list *late, double slices, bool beyond_is_known)
{
	struct hash hash = {.beyond_is_known = beyond_is_known};
	int64_t first;

	if (!take_hash(chip, known, (uint32_t)slices, &hash))
		return false;
	first = first_page(&hash, late);
	if (first < 0 ||
		(!beyond_is_known &&
			!find_beyond(late, (uint64_t)first, &hash.beyond)))
		return false;
	chip->page_first = first;
	chip->home_beyond = hash.beyond;
	chip->slices = hash.slices * chip->partitions;
	return true;
}

/* As many slices as the known machine has, with its home bits beyond a page;
   then as many as were counted, or one or two more or less of each home. */
static void find_first(struct chip *chip, const struct model_parameters *known,
	const struct list *late)
{
	const double was = chip_known(known, "l2_slices_used");
	const double counted = round(chip->slices / chip->partitions);
	const double steps[] = {0, 1, -1, 2, -2};
	size_t i;

	if (try_slices(chip, known, late, was / chip->partitions, true))
		return;
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (counted + steps[i] >= 2 &&
			try_slices(
				chip, known, late, counted + steps[i], false))
			return;
}

int delayed_find_first(struct chip *chip, const struct model_parameters *known,
	const struct delayed *late)
{
	struct list list;
	int code = list_late(late, &list);

	chip->page_first = -1;
	if (!code && list.count >= LEAST &&
		chip->page_shift == DELAYED_PAGE_SHIFT &&
		chip_known(known, "l2_partitions") == chip->partitions)
		find_first(chip, known, &list);
	free(list.items);
	free(list.flips);
	return code;
}
