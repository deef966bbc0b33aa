#include "harness/map/map.h"

#define BITS_MASK ((1u << MAP_PAGE_SHIFT) - (1u << MAP_LINE_SHIFT))

/* One equation: the parity of `bits` of the hash is `value`. */
struct row {
	uint32_t bits;
	bool value;
};

/* By leading bit; without one, `bits` is 0. */
struct system {
	struct row rows[MAP_PAGE_SHIFT];
};

static struct row add(struct row a, struct row b)
{
	return (struct row){a.bits ^ b.bits, a.value != b.value};
}

static void insert(struct system *s, struct row row)
{
	int bit;

	for (bit = MAP_PAGE_SHIFT - 1; bit >= MAP_LINE_SHIFT; bit--) {
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
	int bit, other;

	for (bit = MAP_LINE_SHIFT; bit < MAP_PAGE_SHIFT; bit++)
		for (other = bit + 1; other < MAP_PAGE_SHIFT; other++)
			if (s->rows[bit].bits && s->rows[other].bits >> bit & 1)
				s->rows[other] =
					add(s->rows[other], s->rows[bit]);
}

static uint32_t within_page(uint64_t offset)
{
	return (uint32_t)offset & BITS_MASK;
}

static void collect(const uint8_t *home, size_t lines, uint64_t first_bytes,
	uint64_t stride_bytes, struct system *s, struct map_hash *hash)
{
	uint64_t begin = first_bytes, offset = first_bytes;
	size_t line, begin_line = 0;

	for (line = 0; line < lines; line++, offset += stride_bytes) {
		if (line == 0 || (offset ^ begin) >> MAP_PAGE_SHIFT) {
			begin = offset;
			begin_line = line;
			continue;
		}
		hash->equations++;
		insert(s, (struct row){within_page(offset) ^ within_page(begin),
				  home[line] != home[begin_line]});
		if (home[line] != home[line - 1])
			hash->change_bytes = stride_bytes;
	}
}

/* Bits that are free are taken as 0. */
static void read_off(const struct system *s, struct map_hash *hash)
{
	uint32_t free_bits = BITS_MASK;
	int bit;

	for (bit = MAP_LINE_SHIFT; bit < MAP_PAGE_SHIFT; bit++)
		if (s->rows[bit].bits)
			free_bits &= ~(1u << bit);
	hash->open = free_bits;
	for (bit = MAP_LINE_SHIFT; bit < MAP_PAGE_SHIFT; bit++) {
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
static size_t unexplained(const uint8_t *home, size_t lines,
	uint64_t first_bytes, uint64_t stride_bytes, uint32_t bits)
{
	uint64_t offset = first_bytes, page = first_bytes >> MAP_PAGE_SHIFT;
	size_t line, sum = 0, wrong[2] = {0, 0};

	for (line = 0; line < lines; line++, offset += stride_bytes) {
		unsigned parity =
			(unsigned)__builtin_parity(within_page(offset) & bits);

		if (offset >> MAP_PAGE_SHIFT != page) {
			sum += wrong[0] < wrong[1] ? wrong[0] : wrong[1];
			wrong[0] = wrong[1] = 0;
			page = offset >> MAP_PAGE_SHIFT;
		}
		wrong[home[line] == parity]++;
	}
	return sum + (wrong[0] < wrong[1] ? wrong[0] : wrong[1]);
}

void map_hash_solve(const uint8_t *home, size_t lines, uint64_t first_bytes,
	uint64_t stride_bytes, struct map_hash *hash)
{
	struct system s = {0};

	*hash = (struct map_hash){0};
	collect(home, lines, first_bytes, stride_bytes, &s, hash);
	reduce(&s);
	read_off(&s, hash);
	find_grain(hash);
	hash->contradictions =
		unexplained(home, lines, first_bytes, stride_bytes, hash->bits);
}
