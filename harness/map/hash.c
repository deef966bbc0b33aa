#include "harness/map/map.h"

#define LEAST_PAGE_SHIFT 16

/* One equation: the parity of `bits` of the hash is `value`. */
struct row {
	uint32_t bits;
	bool value;
};

/* By leading bit; without one, `bits` is 0. */
struct system {
	struct row rows[MAP_PAGE_SHIFT];
	unsigned page_shift;
};

/* What the homes are known of. */
struct homes {
	const uint8_t *home;
	size_t lines;
	uint64_t first_bytes, stride_bytes;
};

static uint32_t bits_mask(unsigned page_shift)
{
	return (1u << page_shift) - (1u << MAP_LINE_SHIFT);
}

static struct row add(struct row a, struct row b)
{
	return (struct row){a.bits ^ b.bits, a.value != b.value};
}

static void insert(struct system *s, struct row row)
{
	int bit;

	for (bit = (int)s->page_shift - 1; bit >= MAP_LINE_SHIFT; bit--) {
		if (!(row.bits >> bit & 1))
			continue;
		if (!s->rows[bit].bits) {
			s->rows[bit] = row;
			return;
		}
		row = add(row, s->rows[bit]);
	}
}

/* No row holds the leading bit of another. */
static void reduce(struct system *s)
{
	const int end = (int)s->page_shift;
	int bit, other;

	for (bit = MAP_LINE_SHIFT; bit < end; bit++)
		for (other = bit + 1; other < end; other++)
			if (s->rows[bit].bits && s->rows[other].bits >> bit & 1)
				s->rows[other] =
					add(s->rows[other], s->rows[bit]);
}

static uint32_t within_page(uint64_t offset, unsigned page_shift)
{
	return (uint32_t)offset & bits_mask(page_shift);
}

static void collect(
	const struct homes *h, struct system *s, struct map_hash *hash)
{
	const unsigned shift = s->page_shift;
	uint64_t begin = h->first_bytes, offset = h->first_bytes;
	size_t line, begin_line = 0;

	for (line = 0; line < h->lines; line++, offset += h->stride_bytes) {
		if (line == 0 || (offset ^ begin) >> shift) {
			begin = offset;
			begin_line = line;
			continue;
		}
		hash->equations++;
		insert(s, (struct row){within_page(offset, shift) ^
					       within_page(begin, shift),
				  h->home[line] != h->home[begin_line]});
		if (h->home[line] != h->home[line - 1])
			hash->change_bytes = h->stride_bytes;
	}
}

/* Bits that are free are taken as 0. */
static void read_off(const struct system *s, struct map_hash *hash)
{
	uint32_t free_bits = bits_mask(s->page_shift);
	unsigned bit;

	for (bit = MAP_LINE_SHIFT; bit < s->page_shift; bit++)
		if (s->rows[bit].bits)
			free_bits &= ~(1u << bit);
	hash->open = free_bits;
	for (bit = MAP_LINE_SHIFT; bit < s->page_shift; bit++) {
		if (!s->rows[bit].bits)
			continue;
		hash->rank++;
		if (s->rows[bit].value)
			hash->bits |= 1u << bit;
		if (s->rows[bit].bits & free_bits)
			hash->open |= 1u << bit;
	}
}

static void find_grain(struct map_hash *hash)
{
	uint32_t settled = hash->bits & ~hash->open;

	hash->grain_bytes = settled & -settled;
	hash->grain_open = (hash->open & (hash->grain_bytes - 1)) != 0;
}

/* The flip of a page is that which fits most of its lines. */
static size_t unexplained(
	const struct homes *h, uint32_t bits, unsigned page_shift)
{
	uint64_t offset = h->first_bytes, page = offset >> page_shift;
	size_t line, sum = 0, wrong[2] = {0, 0};

	for (line = 0; line < h->lines; line++, offset += h->stride_bytes) {
		unsigned parity = (unsigned)__builtin_parity(
			within_page(offset, page_shift) & bits);

		if (offset >> page_shift != page) {
			sum += wrong[0] < wrong[1] ? wrong[0] : wrong[1];
			wrong[0] = wrong[1] = 0;
			page = offset >> page_shift;
		}
		wrong[h->home[line] == parity]++;
	}
	return sum + (wrong[0] < wrong[1] ? wrong[0] : wrong[1]);
}

static struct map_hash solve(const struct homes *h, unsigned page_shift)
{
	struct system s = {.page_shift = page_shift};
	struct map_hash hash = {.page_shift = page_shift};

	collect(h, &s, &hash);
	reduce(&s);
	read_off(&s, &hash);
	find_grain(&hash);
	hash.contradictions = unexplained(h, hash.bits, page_shift);
	return hash;
}

void map_hash_solve(const uint8_t *home, size_t lines, uint64_t first_bytes,
	uint64_t stride_bytes, struct map_hash *hash)
{
	const struct homes homes = {home, lines, first_bytes, stride_bytes};
	unsigned shift;

	for (shift = MAP_PAGE_SHIFT; shift >= LEAST_PAGE_SHIFT; shift--) {
		*hash = solve(&homes, shift);
		if (!hash->contradictions)
			return;
	}
	*hash = solve(&homes, MAP_PAGE_SHIFT);
}
