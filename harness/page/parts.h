#ifndef NEARFAR_PAGE_PARTS_H
#define NEARFAR_PAGE_PARTS_H

/*
 * What the files of this room share: the series of a report with what is said
 * of them, and the parts that a page has. The parts are made in the order in
 * which they stand here; each reads those before it.
 */
#include <stdbool.h>
#include <stdio.h>

#include "harness/map/map.h"
#include "harness/profile/profile.h"
#include "harness/page/page.h"
#include "harness/report/compare.h"
#include "harness/report/table.h"
#include "harness/series/sample_sets.h"
#include "harness/stats/histogram.h"
#include "harness/stats/modes.h"

/* ---- series and who made them ---- */

#define PAGE_ROLES(R)                                                          \
	R(SILICON, "silicon")                                                  \
	R(PUBLISHED, "published")                                              \
	R(MODEL, "model")

enum page_role {
#define PAGE_ROLE_ENUM(name, text) ROLE_##name,
	PAGE_ROLES(PAGE_ROLE_ENUM)
#undef PAGE_ROLE_ENUM
		ROLE_COUNT
};

extern const char *const page_role_names[ROLE_COUNT];

struct page_series {
	const struct series *series;
	enum page_role role;
	const char *path;
};

/* Samples without a series: the sets of one file. */
struct page_samples {
	const char *path;
	struct sample_sets sets;
};

/* Where the time of kernels went, as one file says it. */
struct page_profiles {
	const char *path;
	struct profile_list list;
};

struct page_input {
	struct series_list *files;
	size_t file_count;
	struct page_series *series; /* of all files, in order */
	size_t count;
	struct page_samples *samples;
	size_t sample_count;
	struct page_profiles *profiles;
	size_t profile_count;
	/* The series to judge by (silicon and published) and those to judge,
	   as lists that borrow what is in them. */
	struct series_list bases, news;
	struct comparison_list compared;
};

int page_input_read(const char *const *paths, size_t count,
	struct page_input *input, struct error *error);
void page_input_free(struct page_input *input);

/* The device or machine that a series is of. */
const char *page_who(const struct series *series);
/* The comparison in which `series` is the new one; NULL without. */
const struct comparison *page_judged(
	const struct page_input *input, const struct series *series);
/* The comparison in which `series` is the base; NULL without. */
const struct comparison *page_judging(
	const struct page_input *input, const struct series *series);
/* The index of a series of a comparison, which is a copy. */
size_t page_index(const struct page_input *input, const struct series *series);

/* ---- notes ---- */

/* What must be known of series: points left out, warnings. Equal sentences
   are one note, numbered from 1 in the order of the series. */
struct page_notes {
	char **texts;
	size_t count;
	size_t **of; /* of[series]: numbers of its notes, ended by 0 */
	size_t series_count;
};

int page_notes_find(const struct page_input *input, struct page_notes *notes,
	struct error *error);
void page_notes_free(struct page_notes *notes);

/* ---- charts ---- */

#define PAGE_SECTIONS(S)                                                       \
	S(LATENCY, "Latency")                                                  \
	S(BANDWIDTH, "Bandwidth")                                              \
	S(ATOMICS, "Atomics")                                                  \
	S(SHARES, "Where lines were found")                                    \
	S(OTHER, "Other curves")

enum page_section {
#define PAGE_SECTION_ENUM(name, text) SECTION_##name,
	PAGE_SECTIONS(PAGE_SECTION_ENUM)
#undef PAGE_SECTION_ENUM
		SECTION_COUNT
};

extern const char *const page_section_names[SECTION_COUNT];

/* Colours of which the curves are shown at first. */
#define PAGE_COLOURS_SHOWN 6

struct page_curve {
	size_t series;   /* an index of the input's */
	char *label;     /* what tells it from the others of its chart */
	unsigned colour; /* partners have the same */
	bool shown;      /* at first */
};

/* The series of one bench and axis with the same metrics. */
struct page_chart {
	enum page_section section;
	const struct series *first;
	int metric; /* that is shown at first */
	bool log2;
	struct page_curve *curves;
	size_t count;
};

struct page_charts {
	struct page_chart *items;
	size_t count;
};

int page_charts_make(const struct page_input *input, struct page_charts *charts,
	struct error *error);
void page_charts_free(struct page_charts *charts);

/* ---- distributions ---- */

/* Values that are no distribution if they are fewer: where the series says
   that each load was timed, and elsewhere. */
#define PAGE_SAMPLES_LEAST 200
#define PAGE_VALUES_LEAST  1000
#define PAGE_BINS_MOST     160

struct page_spread {
	char *label;
	enum page_role role;
	struct histogram bins;
	struct modes modes;
};

/* Samples of one place, by each who has some. */
struct page_place {
	double x; /* NaN: the samples have no place */
	struct page_spread *items;
	size_t count;
};

struct page_histogram {
	const struct series *series; /* NULL: of a file of samples */
	char *title;
	const char *axis;
	struct page_place *places;
	size_t count;
};

struct page_histograms {
	struct page_histogram *items;
	size_t count;
};

int page_histograms_make(const struct page_input *input,
	struct page_histograms *histograms, struct error *error);
void page_histograms_free(struct page_histograms *histograms);

/* ---- maps ---- */

struct page_map {
	size_t series;
	struct map map;
	size_t *sm_order, *line_order; /* sorted by side, then by latency */
};

struct page_maps {
	struct page_map *items;
	size_t count;
};

int page_maps_make(const struct page_input *input, struct page_maps *maps,
	struct error *error);
void page_maps_free(struct page_maps *maps);

/* ---- tables of where lines were found ---- */

/* Pairs side by side, then what only one side has. */
#define PAGE_CELL_LISTS 3

struct page_cells {
	struct series_list series[PAGE_CELL_LISTS + 1]; /* borrow */
	struct table_list lists[PAGE_CELL_LISTS];
};

int page_cells_make(const struct page_input *input, struct page_cells *cells,
	struct error *error);
void page_cells_free(struct page_cells *cells);

/* ---- the page ---- */

struct page {
	const struct page_words *words;
	struct page_input input;
	struct page_notes notes;
	struct page_charts charts;
	struct page_histograms histograms;
	struct page_maps maps;
	struct page_cells cells;
};

/* HTML. */
void page_put_tiles(const struct page *page, FILE *out);
int page_put_profiles(const struct page *page, FILE *out, struct error *error);
/* explained.c: what binds a launch. */
int page_put_explained(const struct profile *p, FILE *out, struct error *error);
void page_put_provenance(const struct page *page, FILE *out);

/* What is shown without scripts, as SVG with a legend: the curves of a chart
   that are shown at first, with the errors of those that are judged; the
   samples of one place. */
int page_put_picture(const struct page *page, const struct page_chart *chart,
	FILE *out, struct error *error);
int page_put_bars(const struct page_histogram *histogram,
	const struct page_place *place, FILE *out, struct error *error);

/* The data of the scripts, as one JSON object; assets/data.js reads it. */
void page_put_data(const struct page *page, FILE *out);
void page_put_charts_data(const struct page *page, FILE *out);
void page_put_histograms_data(const struct page *page, FILE *out);
void page_put_maps_data(const struct page *page, FILE *out);
void page_put_cells_data(const struct page *page, FILE *out);

/* A number of `digits` significant ones; null if it is not finite. */
void data_put_number(double value, int digits, FILE *out);
/* "KEY": "TEXT", with the comma and the key. */
void data_put_text(const char *key, const char *text, FILE *out);

#endif
