#ifndef NEARFAR_EXPLAIN_PICTURE_H
#define NEARFAR_EXPLAIN_PICTURE_H

/*
 * Pictures of a launch as SVG: their colours are the page's (assets/page.css),
 * or those of a file that stands for itself (explain_put_svg). All text in them
 * is the program's own, or numbers.
 */
#include "harness/explain/explain.h"

/* Units as boxes, traffic on arrows, load by colour. */
void explain_put_memory(const struct explanation *e, FILE *out);
/* Resident warps and SMs that work, over time; nothing where nobody knows. */
void explain_put_spans(const struct explanation *e, FILE *out);
/* Instructions a cycle over instructions a sector, for each level, below what
   the level and the schedulers can carry. */
void explain_put_roofline(const struct explanation *e, FILE *out);

/* Whether the launch has such a picture. */
bool explain_has_spans(const struct explanation *e);
bool explain_has_roofline(const struct explanation *e);

/* The first of them as a file of its own, light or dark as its reader is. */
void explain_put_svg(const struct explanation *e, FILE *out);

/* ---- for the files of pictures ---- */

/* By name; NULL: it did nothing. */
const struct job_server *picture_server(
	const struct explanation *e, const char *name);
/* Units that all of them carried. */
double picture_units(const struct job_server *server);
/* "1.07 M"; `text` has 16 bytes. */
void picture_number(double value, char *text);
void picture_text(FILE *out, double x, double y, const char *anchor,
	const char *style, const char *text);

#endif
