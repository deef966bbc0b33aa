#ifndef NEARFAR_EXPLAIN_PICTURE_H
#define NEARFAR_EXPLAIN_PICTURE_H

/*
 * Pictures of a launch as SVG: their colours are the page's (assets/page.css),
 * or those of a file that stands for itself (explain_put_svg).
 */
#include "harness/explain/explain.h"

/* Where it stands within another picture; NULL: in a page, as wide as that. */
struct picture_place {
	double x, y, width, height;
};

/* Units as boxes, traffic on arrows, load by colour. */
void explain_put_memory(
	const struct explanation *e, const struct picture_place *at, FILE *out);
/* Resident warps and SMs that work, over time. */
void explain_put_spans(
	const struct explanation *e, const struct picture_place *at, FILE *out);
/* How many stand in line, over time, at the servers at which most do. */
void explain_put_queues(
	const struct explanation *e, const struct picture_place *at, FILE *out);
/* Instructions a cycle over instructions a sector, for each level, below what
   the level and the schedulers can carry. */
void explain_put_roofline(
	const struct explanation *e, const struct picture_place *at, FILE *out);
/* What warps wait for, by line, beside what stands in the line. */
void explain_put_waits(
	const struct explanation *e, const struct picture_place *at, FILE *out);

/* Whether the launch has such a picture. */
bool explain_has_spans(const struct explanation *e);
bool explain_has_queues(const struct explanation *e);
bool explain_has_roofline(const struct explanation *e);

/* All of them as a file of its own, light or dark as its reader is. */
void explain_put_svg(const struct explanation *e, FILE *out);

/* ---- for the files of pictures ---- */

/* Begins a picture of `width` by `height` units. `label`: for screen readers.
 */
void picture_open(const char *style, double width, double height,
	const char *label, const struct picture_place *at, FILE *out);

/* A diagram of half a page: of 0 to 1, to the right and up. */
#define PICTURE_WIDTH  460
#define PICTURE_HEIGHT 200
#define PICTURE_LEFT   44
#define PICTURE_RIGHT  22
#define PICTURE_TOP    14
#define PICTURE_BOTTOM 34
double picture_across(double part);
double picture_up(double part);
/* A line across, with its value. */
void picture_level(double part, const char *label, FILE *out);
/* The axis below, from 0 to `cycles`. */
void picture_cycles(double cycles, FILE *out);

/* By name; NULL: it did nothing. */
const struct job_server *picture_server(
	const struct explanation *e, const char *name);
/* Units that all of them carried. */
double picture_units(const struct job_server *server);
/* "1.07 M"; `text` has 16 bytes. */
void picture_number(double value, char *text);
/* Text of others, too. */
void picture_text(FILE *out, double x, double y, const char *anchor,
	const char *style, const char *text);

#endif
