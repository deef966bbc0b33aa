#ifndef NEARFAR_MAP_H
#define NEARFAR_MAP_H

/*
 * What the samples of near-far say of a chip: which SMs are on which side of
 * the L2, where each line has its home and by which bits of its address, how
 * many slices there are, and what a load finds after a touch.
 *
 * The benchmark times every SM against every line, `stride_bytes` apart in a
 * buffer that begins a page; the first iteration of each of its regions leads
 * and is left out here. So line i is that of iteration i + 1, at offset
 * (i + 1) * stride_bytes. Each step below is a pure function of the steps
 * before it. Those that allocate return 0 or ERR_FAILED without memory.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "harness/series/series.h"

#define MAP_SIDES      2
#define MAP_LEAD       1 /* iterations of a region that are left out */
#define MAP_PAGE_SHIFT 21
#define MAP_LINE_SHIFT 7

/* ---- the matrix ---- */

struct map_cells {
	size_t sms, lines, repeats;
	uint64_t stride_bytes;
	double *cycles;      /* [sm * lines + line]: median over the repeats */
	double noise_cycles; /* deviation of one sample, from the first two
				repeats; NaN with one repeat */
};

/* The region "measure" of a point. ERR_USAGE if samples are missing. */
int map_cells_read(const struct point *point, struct map_cells *cells,
	struct error *error);
void map_cells_free(struct map_cells *cells);

static inline uint64_t map_offset(const struct map_cells *cells, size_t line)
{
	return (line + MAP_LEAD) * cells->stride_bytes;
}

/* ---- sides and homes ---- */

/*
 * The cells are split into near and far where that explains most of their
 * variance (Otsu 1979; the outermost thousandths do not vote). Each SM takes
 * the side, and each line the home, that fits most of its cells; SM 0 is on
 * side 0. A matrix that does not split so has one side: everything is 0. So has
 * one whose cells lie about as densely at the split as elsewhere, as distances
 * within one side do.
 */
struct map_sides {
	unsigned count; /* 1 or 2 */
	uint8_t *sm;    /* side of each SM */
	uint8_t *line;  /* home of each line */
	size_t sm_count[MAP_SIDES], line_count[MAP_SIDES];
	double split_cycles;
	struct map_range {
		double low, high;
	} near, far;           /* cycles, of the cells that do not contradict */
	size_t contradictions; /* cells that are not as side and home say */
	size_t pairs, pairs_split; /* SMs 2k and 2k + 1; on two sides */
};

int map_sides_find(const struct map_cells *cells, struct map_sides *sides);
void map_sides_free(struct map_sides *sides);

/* ---- the home hash ---- */

/*
 * The home as the parity of address bits from 7 on within a page, plus one
 * unknown flip a page, by elimination over GF(2). An equation is a line against
 * the first of its page. The page is 2 MiB, or the largest one of 64 KiB and
 * more at which no line contradicts; 2 MiB, if there is none.
 */
struct map_hash {
	unsigned page_shift; /* 21: 2 MiB */
	uint32_t bits;       /* those that matter, as a mask */
	uint32_t open;       /* those that the lines do not settle */
	size_t equations;
	unsigned rank;         /* of them; page_shift - 7 settles every bit */
	size_t contradictions; /* lines whose home the bits do not give */
	uint32_t grain_bytes;  /* by the lowest settled bit that matters: homes
				  change at this grain; 0: there is none */
	bool grain_open;       /* or at a finer one: a lower bit is open */
	uint64_t change_bytes; /* least distance of neighbouring lines of a page
				  with different homes; 0: none has */
};

void map_hash_solve(const uint8_t *home, size_t lines, uint64_t first_bytes,
	uint64_t stride_bytes, struct map_hash *hash);

/* ---- slices ---- */

/*
 * Lines of one slice are equally far from each SM. The near cells of a side
 * are first reduced to a few places of each line (products of an SM term and
 * a line term, the largest first), which leaves most of the noise behind. Of
 * the tree that links the lines by their least distances, the links within
 * slices are noise and those between them are not: the tree is cut at the
 * widest ratio of successive links, if one is wide enough. Slices that are as
 * near to each other as noise count as one.
 */
struct map_slice {
	uint8_t side;
	size_t lines;
	double mean_cycles;
	struct map_range cycles; /* over SMs and lines */
};

struct map_slices {
	bool resolved[MAP_SIDES];
	size_t side_count[MAP_SIDES];
	double within_cycles[MAP_SIDES];  /* the longest link that was kept */
	double between_cycles[MAP_SIDES]; /* the shortest that was cut */
	struct map_slice *items;          /* side by side, nearest first */
	size_t count;
};

int map_slices_find(const struct map_cells *cells,
	const struct map_sides *sides, struct map_slices *slices);
void map_slices_free(struct map_slices *slices);

/* ---- the floor plan ---- */

/*
 * The near cells of a side as mean + SM term + line term + product of another
 * SM term and another line term (the largest singular vectors of what the
 * first three leave). Shares are of the variance around the mean; NaN where
 * nothing varies or a side is empty.
 */
struct map_floor {
	double mean_cycles;
	double sm_share, line_share, product_share, rest_share;
	double rest_cycles; /* root mean square */
};

int map_floor_fit(const struct map_cells *cells, const struct map_sides *sides,
	unsigned side, struct map_floor *floor);

/* ---- what a touch leaves ---- */

#define MAP_TOUCHES(T)                                                         \
	T(COLD, "cold")                                                        \
	T(FIRST, "first")                                                      \
	T(SECOND, "second")

enum map_touch_region {
#define MAP_TOUCH_ENUM(name, text) MAP_##name,
	MAP_TOUCHES(MAP_TOUCH_ENUM)
#undef MAP_TOUCH_ENUM
		MAP_TOUCH_COUNT
};

extern const char *const map_touch_names[MAP_TOUCH_COUNT];

struct map_touch {
	uint32_t toucher; /* its SM */
	/* [region][reader on the toucher's side, other][home near, far] */
	struct map_reads {
		size_t count;
		double median_cycles, p5_cycles, p95_cycles;
	} reads[MAP_TOUCH_COUNT][2][2];
};

/* Regions that the point lacks have counts of 0. */
int map_touch_read(const struct point *point, const struct map_cells *cells,
	const struct map_sides *sides, uint32_t toucher,
	struct map_touch *touch);

/* ---- all of it ---- */

struct map {
	struct map_cells cells;
	struct map_sides sides;
	struct map_hash hash;
	struct map_slices slices;
	struct map_floor floor[MAP_SIDES];
	struct map_touch touch;
};

/* `toucher` is the SM that the benchmark was told. */
int map_make(const struct point *point, uint32_t toucher, struct map *map,
	struct error *error);
/* Of a point of the series, by its option `toucher`. */
int map_of_series(const struct series *series, const struct point *point,
	struct map *map, struct error *error);
void map_free(struct map *map);

#endif
