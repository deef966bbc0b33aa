#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/map/map.h"
#include "harness/stats/values.h"

const char *const map_touch_names[MAP_TOUCH_COUNT] = {
#define MAP_TOUCH_NAME(name, text) text,
	MAP_TOUCHES(MAP_TOUCH_NAME)
#undef MAP_TOUCH_NAME
};

/* One region of a point, and who read what in it. */
struct reading {
	const struct sample_table *table;
	uint32_t region;
	uint32_t share_lines; /* of one warp, the lead included */
	struct values groups[2][2];
};

static void count_share(struct reading *r)
{
	size_t row;

	for (row = 0; row < r->table->count; row++)
		if (r->table->region[row] == r->region &&
			r->table->iteration[row] >= r->share_lines)
			r->share_lines = r->table->iteration[row] + 1;
}

/* Reader b's share begins at the b-th share; line 0 is that of iteration 1. */
static int sort_sample(struct reading *r, const struct map_cells *cells,
	const struct map_sides *sides, uint32_t toucher, size_t row)
{
	const struct sample_table *t = r->table;
	uint64_t line = (uint64_t)t->warp[row] * r->share_lines +
			t->iteration[row] - MAP_LEAD;
	uint16_t sm = t->sm[row];

	if (line >= cells->lines || sm >= cells->sms ||
		!isfinite(t->cycles[row]))
		return 0;
	return values_add(&r->groups[sides->sm[sm] != sides->sm[toucher]]
				    [sides->sm[sm] != sides->line[line]],
		t->cycles[row]);
}

static struct map_reads summarize(struct values *values)
{
	stats_sort(values->items, values->count);
	return (struct map_reads){
		.count = values->count,
		.median_cycles =
			stats_quantile(values->items, values->count, 0.5),
		.p5_cycles = stats_quantile(values->items, values->count, 0.05),
		.p95_cycles =
			stats_quantile(values->items, values->count, 0.95),
	};
}

static int read_region(const struct point *point, uint32_t region,
	const struct map_cells *cells, const struct map_sides *sides,
	uint32_t toucher, struct map_reads reads[2][2])
{
	struct reading r = {.table = &point->samples, .region = region};
	size_t row, i;
	int code = 0;

	count_share(&r);
	for (row = 0; row < r.table->count && !code; row++)
		if (r.table->region[row] == region &&
			r.table->iteration[row] >= MAP_LEAD)
			code = sort_sample(&r, cells, sides, toucher, row);
	for (i = 0; i < 4; i++) {
		reads[i / 2][i % 2] = summarize(&r.groups[i / 2][i % 2]);
		values_free(&r.groups[i / 2][i % 2]);
	}
	return code;
}

int map_touch_read(const struct point *point, const struct map_cells *cells,
	const struct map_sides *sides, uint32_t toucher,
	struct map_touch *touch)
{
	size_t i, name;
	int code = 0;

	*touch = (struct map_touch){.toucher = toucher};
	for (i = 0; i < point->region_count && !code; i++)
		for (name = 0; name < MAP_TOUCH_COUNT && !code; name++)
			if (!strcmp(point->regions[i], map_touch_names[name]))
				code = read_region(point, (uint32_t)i, cells,
					sides, toucher, touch->reads[name]);
	return code;
}
