#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stream.h"
#include "harness/map/text.h"

#define SLICES_A_LINE 4

void map_home_letters(const struct map *map, char letters[MAP_BLOCKS + 1])
{
	size_t line;

	memset(letters, '.', MAP_BLOCKS);
	letters[MAP_BLOCKS] = '\0';
	for (line = 0; line < map->cells.lines; line++) {
		uint64_t block =
			map_offset(&map->cells, line) / MAP_BLOCK_BYTES;
		char letter = map->sides.line[line] ? 'B' : 'A';

		if (block >= MAP_BLOCKS)
			break;
		if (letters[block] == '.')
			letters[block] = letter;
		else if (letters[block] != letter)
			letters[block] = '?';
	}
}

char *map_sm_ranges(const struct map *map, unsigned side)
{
	size_t sms = map->cells.sms, first, last, bytes;
	const char *comma = "";
	char *text = NULL;
	FILE *out = stream_open_text(&text, &bytes);

	if (!out)
		return NULL;
	for (first = 0; first < sms; first = last + 1) {
		last = first;
		if (map->sides.sm[first] != side)
			continue;
		while (last + 1 < sms && map->sides.sm[last + 1] == side)
			last++;
		fprintf(out, "%s%zu", comma, first);
		comma = ",";
		if (last > first)
			fprintf(out, "-%zu", last);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

void map_bit_names(uint32_t bits, char *text, size_t bytes)
{
	unsigned bit;
	size_t used = 0;

	snprintf(text, bytes, "none");
	for (bit = 0; bit < 32 && used < bytes; bit++)
		if (bits >> bit & 1)
			used += (size_t)snprintf(text + used, bytes - used,
				"%s%u", used ? " " : "", bit);
}

static void put_cells(const struct map *m, FILE *out)
{
	fprintf(out, "%zu SMs, %zu lines, %zu repeat%s", m->cells.sms,
		m->cells.lines, m->cells.repeats,
		m->cells.repeats == 1 ? "" : "s");
	if (isfinite(m->cells.noise_cycles))
		fprintf(out, ", noise %.1f cycles a sample",
			m->cells.noise_cycles);
	fputc('\n', out);
	if (m->sides.count == 1) {
		fprintf(out,
			"one side: %.0f to %.0f cycles, no split into "
			"near and far that SMs and lines agree on\n",
			m->sides.near.low, m->sides.near.high);
		return;
	}
	fprintf(out,
		"near %.0f to %.0f cycles, far %.0f to %.0f; %zu of %zu cells "
		"contradict their side and home\n",
		m->sides.near.low, m->sides.near.high, m->sides.far.low,
		m->sides.far.high, m->sides.contradictions,
		m->cells.sms * m->cells.lines);
}

static void put_sides(const struct map *m, FILE *out)
{
	unsigned side;

	fprintf(out, "\n%4s  %5s  %5s  %s\n", "side", "lines", "SMs",
		"which SMs");
	for (side = 0; side < m->sides.count; side++) {
		char *ranges = map_sm_ranges(m, side);

		if (!ranges)
			stream_fail(out);
		fprintf(out, "%4c  %5zu  %5zu  %s\n", 'A' + (int)side,
			m->sides.line_count[side], m->sides.sm_count[side],
			ranges ? ranges : "");
		free(ranges);
	}
	fprintf(out,
		"TPC pairs (SMs 2k and 2k + 1): %zu, of which %zu are on "
		"two sides\n",
		m->sides.pairs, m->sides.pairs_split);
}

static void put_homes(const struct map *m, FILE *out)
{
	char letters[MAP_BLOCKS + 1], bits[64];
	const struct map_hash *h = &m->hash;

	map_home_letters(m, letters);
	map_bit_names(h->bits, bits, sizeof(bits));
	fprintf(out,
		"\nhomes of the first %d blocks of %d bytes (.: no line "
		"there, ?: lines disagree)\n  %s\n",
		MAP_BLOCKS, MAP_BLOCK_BYTES, letters);
	fprintf(out,
		"home hash: parity of the bits %s of an address within "
		"its %u %ciB page\n",
		bits, 1u << (h->page_shift - (h->page_shift < 20 ? 10 : 20)),
		h->page_shift < 20 ? 'K' : 'M');
	fprintf(out,
		"  %zu equations of rank %u for %d bits; %zu lines "
		"contradict\n",
		h->equations, h->rank, (int)h->page_shift - MAP_LINE_SHIFT,
		h->contradictions);
	map_bit_names(h->open, bits, sizeof(bits));
	if (h->open)
		fprintf(out, "  not settled by these lines: bits %s\n", bits);
	if (h->grain_bytes)
		fprintf(out,
			"  grain: %s%u bytes, by the lowest bit that matters\n",
			h->grain_open ? "at most " : "", h->grain_bytes);
	if (h->change_bytes)
		fprintf(out, "  homes change between lines %llu bytes apart\n",
			(unsigned long long)h->change_bytes);
}

static void put_slice(const struct map_slice *slice, size_t number, FILE *out)
{
	fprintf(out, "%s  %c%-2zu %3zu %5.1f %3.0f-%3.0f",
		number % SLICES_A_LINE ? " " : "\n", 'A' + slice->side, number,
		slice->lines, slice->mean_cycles, slice->cycles.low,
		slice->cycles.high);
}

static void put_slices(const struct map *m, FILE *out)
{
	const struct map_slices *s = &m->slices;
	size_t i, number = 0;
	unsigned side;

	fputc('\n', out);
	for (side = 0; side < m->sides.count; side++) {
		fprintf(out, "slices of %c: ", 'A' + (int)side);
		if (!s->resolved[side])
			fputs("not resolvable\n", out);
		else
			fprintf(out,
				"%zu; lines of one are linked by %.2f cycles "
				"(rms) at most, "
				"two are %.2f apart at least\n",
				s->side_count[side], s->within_cycles[side],
				s->between_cycles[side]);
	}
	if (!s->count)
		return;
	fputs("slice, its lines, near latency: mean, range in cycles", out);
	for (i = 0; i < s->count; i++, number++) {
		if (i && s->items[i].side != s->items[i - 1].side)
			number = 0;
		put_slice(&s->items[i], number, out);
	}
	fputc('\n', out);
}

static void put_floor(const struct map *m, FILE *out)
{
	unsigned side;

	fprintf(out,
		"\nfloor plan: shares of the variance of near latencies\n"
		"%4s  %11s  %8s  %10s  %13s  %10s  %11s\n",
		"side", "mean_cycles", "sm_share", "line_share",
		"product_share", "rest_share", "rest_cycles");
	for (side = 0; side < m->sides.count; side++) {
		const struct map_floor *f = &m->floor[side];

		fprintf(out,
			"%4c  %11.1f  %8.3f  %10.3f  %13.3f  %10.3f  %11.2f\n",
			'A' + (int)side, f->mean_cycles, f->sm_share,
			f->line_share, f->product_share, f->rest_share,
			f->rest_cycles);
	}
}

static void put_touch(const struct map *m, FILE *out)
{
	size_t name, i, count = 0;

	for (name = 0; name < MAP_TOUCH_COUNT; name++)
		for (i = 0; i < 4; i++)
			count += m->touch.reads[name][i / 2][i % 2].count;
	if (!count)
		return;
	fprintf(out,
		"\nafter a flush, SM %u loads every line (cold); then each SM "
		"a share, twice\n"
		"%6s  %11s  %7s  %13s  %9s  %10s  %5s\n",
		m->touch.toucher, "region", "reader_side", "home_is",
		"median_cycles", "p5_cycles", "p95_cycles", "count");
	for (name = 0; name < MAP_TOUCH_COUNT; name++)
		for (i = 0; i < 4; i++) {
			const struct map_reads *r =
				&m->touch.reads[name][i / 2][i % 2];

			if (!r->count)
				continue;
			fprintf(out,
				"%6s  %11s  %7s  %13.1f  %9.1f  %10.1f  "
				"%5zu\n",
				map_touch_names[name],
				i / 2 ? "other" : "toucher's",
				i % 2 ? "far" : "near", r->median_cycles,
				r->p5_cycles, r->p95_cycles, r->count);
		}
}

void map_put_touches(const struct map *map, enum text_style style, FILE *out)
{
	static const char *const heads[] = {"region", "reader_side", "home_is",
		"median_cycles", "p5_cycles", "p95_cycles", "count"};
	struct text_table table = {0};
	size_t name, i;

	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		text_table_add(&table, "%s", heads[i]);
	for (name = 0; name < MAP_TOUCH_COUNT; name++)
		for (i = 0; i < 4; i++) {
			const struct map_reads *r =
				&map->touch.reads[name][i / 2][i % 2];

			if (!r->count)
				continue;
			text_table_row(&table);
			text_table_add(&table, "%s", map_touch_names[name]);
			text_table_add(
				&table, "%s", i / 2 ? "other" : "toucher's");
			text_table_add(&table, "%s", i % 2 ? "far" : "near");
			text_table_add(&table, "%.1f", r->median_cycles);
			text_table_add(&table, "%.1f", r->p5_cycles);
			text_table_add(&table, "%.1f", r->p95_cycles);
			text_table_add(&table, "%zu", r->count);
		}
	text_table_put_as(&table, style, out);
	text_table_free(&table);
}

void map_put_table(const struct map *map, FILE *out)
{
	put_cells(map, out);
	put_sides(map, out);
	if (map->sides.count == 2)
		put_homes(map, out);
	put_slices(map, out);
	put_floor(map, out);
	put_touch(map, out);
}
