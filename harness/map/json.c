#include <math.h>
#include <stdlib.h>

#include "harness/map/text.h"

/* What is not finite is null. */
static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* Takes the value in; without memory there is no list any more. */
static void append(json_t **list, json_t *value)
{
	if (json_array_append_new(*list, value)) {
		json_decref(*list);
		*list = NULL;
	}
}

static json_t *whole(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *range(struct map_range r)
{
	return json_pack("[o, o]", number(r.low), number(r.high));
}

static json_t *bit_list(uint32_t bits)
{
	json_t *list = json_array();
	unsigned bit;

	for (bit = 0; list && bit < 32; bit++)
		if (bits >> bit & 1)
			append(&list, whole(bit));
	return list;
}

static json_t *slices_of(const struct map_slices *s, unsigned side)
{
	json_t *list = json_array();
	size_t i;

	if (!s->resolved[side]) {
		json_decref(list);
		return json_null();
	}
	for (i = 0; list && i < s->count; i++)
		if (s->items[i].side == side)
			append(&list,
				json_pack("{s:o, s:o, s:o}", "lines",
					whole(s->items[i].lines), "mean_cycles",
					number(s->items[i].mean_cycles),
					"range_cycles",
					range(s->items[i].cycles)));
	return list;
}

static json_t *floor_of(const struct map_floor *f)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "mean_cycles",
		number(f->mean_cycles), "sm_share", number(f->sm_share),
		"line_share", number(f->line_share), "product_share",
		number(f->product_share), "rest_share", number(f->rest_share),
		"rest_cycles", number(f->rest_cycles));
}

static json_t *side_of(const struct map *m, unsigned side)
{
	char name[2] = {(char)('A' + side), '\0'};
	char *ranges = map_sm_ranges(m, side);
	json_t *object = json_pack("{s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o}",
		"side", name, "line_count", whole(m->sides.line_count[side]),
		"sm_count", whole(m->sides.sm_count[side]), "sms", ranges,
		"floor", floor_of(&m->floor[side]), "slices",
		slices_of(&m->slices, side), "slice_within_cycles",
		m->slices.resolved[side] ? number(m->slices.within_cycles[side])
					 : json_null(),
		"slice_between_cycles",
		m->slices.resolved[side]
			? number(m->slices.between_cycles[side])
			: json_null());

	free(ranges);
	return object;
}

static json_t *sides(const struct map *m)
{
	json_t *list = json_array();
	unsigned side;

	for (side = 0; list && side < m->sides.count; side++)
		append(&list, side_of(m, side));
	return list;
}

static json_t *homes(const struct map *m)
{
	const struct map_hash *h = &m->hash;
	char letters[MAP_BLOCKS + 1];

	if (m->sides.count == 1)
		return json_null();
	map_home_letters(m, letters);
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}",
		"blocks_4kib", letters, "page_bytes",
		whole((size_t)1 << h->page_shift), "hash_bits",
		bit_list(h->bits), "hash_bits_open", bit_list(h->open),
		"equations", whole(h->equations), "rank", whole(h->rank),
		"contradictions", whole(h->contradictions), "change_bytes",
		h->change_bytes ? whole(h->change_bytes) : json_null(),
		"grain_bytes",
		h->grain_bytes ? whole(h->grain_bytes) : json_null(),
		"grain_open", h->grain_open);
}

static json_t *touches(const struct map_touch *t)
{
	json_t *list = json_array();
	size_t name, i;

	for (name = 0; list && name < MAP_TOUCH_COUNT; name++)
		for (i = 0; i < 4; i++) {
			const struct map_reads *r =
				&t->reads[name][i / 2][i % 2];

			if (!r->count)
				continue;
			append(&list,
				json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o}",
					"region", map_touch_names[name],
					"reader_side",
					i / 2 ? "other" : "toucher", "home",
					i % 2 ? "far" : "near", "median_cycles",
					number(r->median_cycles), "p5_cycles",
					number(r->p5_cycles), "p95_cycles",
					number(r->p95_cycles), "count",
					whole(r->count)));
		}
	return list;
}

json_t *map_json(const struct map *m)
{
	const struct map_sides *s = &m->sides;

	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
		"s:o}",
		"sm_count", whole(m->cells.sms), "line_count",
		whole(m->cells.lines), "repeat_count", whole(m->cells.repeats),
		"noise_cycles", number(m->cells.noise_cycles), "near_cycles",
		range(s->near), "far_cycles",
		s->count == 2 ? range(s->far) : json_null(), "contradictions",
		whole(s->contradictions), "pair_count", whole(s->pairs),
		"pair_split_count", whole(s->pairs_split), "sides", sides(m),
		"homes", homes(m), "toucher", whole(m->touch.toucher),
		"touches", touches(&m->touch));
}
