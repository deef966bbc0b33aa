#ifndef NEARFAR_PAGE_TILES_H
#define NEARFAR_PAGE_TILES_H

/*
 * Tiles: the numbers that a reader asks for first, each in a small table. A
 * tile whose series are not there is not written. Where the report has
 * silicon (or published curves) and a model of the same series, the numbers of
 * the model stand beside.
 */
#include "harness/page/parts.h"

void tiles_levels(const struct page *page, FILE *out);
void tiles_near_far(const struct page *page, FILE *out);
void tiles_ceilings(const struct page *page, FILE *out);
void tiles_tlb(const struct page *page, FILE *out);
void tiles_agreement(const struct page *page, FILE *out);

/* Opens and closes a tile; the head has `count` columns. */
void tile_open(
	const char *title, const char *const *heads, size_t count, FILE *out);
void tile_close(FILE *out);
/* A row: its name, then its cells. */
void tile_row(const char *name, FILE *out);
void tile_row_end(FILE *out);
void tile_number(double value, FILE *out);
/* "283.4" and, small, "280 .. 286". */
void tile_interval(double value, double low, double high, FILE *out);
void tile_text(const char *text, FILE *out);

/* The series that a tile is about: those that judge or are alone, of `bench`
   and with `metric`. Ends with the input's count. */
size_t tile_next(
	const struct page *page, size_t from, const char *bench, int metric);
/* The series that is judged by this one; NULL without. */
const struct series *tile_partner(
	const struct page *page, const struct series *series);

#endif
