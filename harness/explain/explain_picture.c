/* What pictures share, and all of them as one file. */
#include <string.h>

#include "harness/explain/explain_picture.h"
#include "harness/visible/visible.h"

/* ---- parts ---- */

const struct job_server *picture_server(
	const struct explanation *e, const char *name)
{
	const struct job_profile *w = e->profile->where;
	size_t i;

	for (i = 0; i < w->server_count; i++)
		if (!strcmp(w->servers[i].name, name))
			return &w->servers[i];
	return NULL;
}

double picture_units(const struct job_server *server)
{
	return server->rate > 0 ? server->busy_cycles * server->rate
				: (double)server->served;
}

void picture_number(double value, char *text)
{
	static const char *const ends[] = {"", " k", " M", " G", " T", " P"};
	size_t i = 0;

	for (; value >= 999.5 && i + 1 < sizeof(ends) / sizeof(*ends); i++)
		value /= 1000;
	snprintf(text, 16, "%.*f%s",
		!i || value >= 99.5 ? 0
		: value >= 9.95     ? 1
				    : 2,
		value, ends[i]);
}

void picture_text(FILE *out, double x, double y, const char *anchor,
	const char *style, const char *text)
{
	fprintf(out,
		"<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" "
		"text-anchor=\"%s\">",
		style, x, y, anchor);
	visible_put_html(out, text);
	fputs("</text>", out);
}

void picture_open(const char *style, double width, double height,
	const char *label, const struct picture_place *at, FILE *out)
{
	fprintf(out, "<svg class=\"picture %s\" viewBox=\"0 0 %g %g\" ", style,
		width, height);
	if (at)
		fprintf(out, "x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" ",
			at->x, at->y, at->width, at->height);
	fprintf(out, "role=\"img\" aria-label=\"%s\">\n", label);
}

/* ---- diagrams ---- */

double picture_across(double part)
{
	return PICTURE_LEFT +
	       part * (PICTURE_WIDTH - PICTURE_LEFT - PICTURE_RIGHT);
}

double picture_up(double part)
{
	return PICTURE_HEIGHT - PICTURE_BOTTOM -
	       part * (PICTURE_HEIGHT - PICTURE_TOP - PICTURE_BOTTOM);
}

void picture_level(double part, const char *label, FILE *out)
{
	const double y = picture_up(part);

	fprintf(out, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
		PICTURE_LEFT, PICTURE_WIDTH - PICTURE_RIGHT, y, y);
	picture_text(out, PICTURE_LEFT - 6, y + 4, "end", "soft", label);
}

void picture_cycles(double cycles, FILE *out)
{
	char number[16], text[64];

	picture_number(cycles, number);
	snprintf(text, sizeof(text), "%s cycles", number);
	picture_text(out, PICTURE_WIDTH - PICTURE_RIGHT, PICTURE_HEIGHT - 18,
		"end", "soft", text);
	picture_text(
		out, PICTURE_LEFT, PICTURE_HEIGHT - 18, "start", "soft", "0");
}

/* ---- all of them ---- */

#define WIDTH  990
#define HALF   (WIDTH / 2.0)
#define TITLE  28
#define MEMORY 232
#define ROW    (HALF / PICTURE_WIDTH * PICTURE_HEIGHT)

/* The colours of the page (assets/page.css), and what pictures use of it. */
static const char styles[] =
	":root{--paper:#fff;--ink:#1b1f24;--soft:#57606a;--line:#d5d9de;"
	"--grid:#e8eaed;--c0:#1f5fb4;--c1:#c2410c;--c2:#0f766e;--c3:#8e3fa8;"
	"--c4:#8a6100;--c5:#b91c53;--c6:#3f6212;--c7:#4b5563}"
	"@media (prefers-color-scheme:dark){:root{--paper:#14171a;"
	"--ink:#e4e7ea;--soft:#a3abb4;--line:#353b42;--grid:#282d33;"
	"--c0:#6cabff;--c1:#ff9455;--c2:#3fc9b8;--c3:#d08be6;--c4:#e0b23c;"
	"--c5:#ff7fa8;--c6:#9fd356;--c7:#aab4bf}}"
	"text{font:11px system-ui,sans-serif;fill:var(--soft)}"
	".name,.word,.code{fill:var(--ink)}.name{font-weight:600}"
	".code{font-family:ui-monospace,monospace;white-space:pre}"
	"line{stroke:var(--grid)}polyline{fill:none;stroke-width:1.6}"
	".unit{fill:none;stroke:var(--soft)}.load{fill:var(--c1)}"
	".flow line{stroke:var(--c1)}.flow path{fill:var(--c1)}"
	".still line{stroke:var(--line)}.still path{fill:var(--line)}"
	".bars{fill-opacity:.25;stroke-width:1.2}.model{stroke-dasharray:6 4}"
	".c0{stroke:var(--c0)}.c1{stroke:var(--c1)}.c2{stroke:var(--c2)}"
	".c3{stroke:var(--c3)}.bars.c0{fill:var(--c0)}.bars.c1{fill:var(--c1)}"
	".bars.c2{fill:var(--c2)}"
	".w0{fill:var(--c7)}.w1{fill:var(--c6);fill-opacity:.45}"
	".w2{fill:var(--c6)}.w3{fill:var(--c4)}.w4{fill:var(--c3)}"
	".w5{fill:var(--c2)}.w6{fill:var(--c0)}.w7{fill:var(--c1)}"
	".w8{fill:var(--c5)}.w9{fill:var(--c3);fill-opacity:.45}"
	".w10{fill:var(--c0);fill-opacity:.45}"
	".w11{fill:var(--c4);fill-opacity:.45}"
	".w12{fill:var(--c7);fill-opacity:.45}";

static void put_title(const struct explanation *e, FILE *out)
{
	const struct profile *p = e->profile;
	char text[512], launch[PROFILE_LAUNCH_BYTES];

	profile_launch(p, launch);
	snprintf(text, sizeof(text), "%.100s, %s: %.200s on %.80s, %.0f cycles",
		p->job, launch, p->kernel, p->machine, p->cycles);
	picture_text(out, 10, 18, "start", "name", text);
}

void explain_put_svg(const struct explanation *e, FILE *out)
{
	const struct picture_place memory = {0, TITLE, WIDTH, MEMORY};
	const double first = TITLE + MEMORY, second = first + ROW;
	const struct picture_place corners[] = {{0, first, HALF, ROW},
		{HALF, first, HALF, ROW}, {0, second, HALF, ROW},
		{HALF, second, HALF, ROW}};
	const double height = second + ROW;

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d "
		"%.0f\" width=\"%d\" height=\"%.0f\"><style>%s</style><rect "
		"width=\"%d\" height=\"%.0f\" fill=\"var(--paper)\"/>\n",
		WIDTH, height, WIDTH, height, styles, WIDTH, height);
	put_title(e, out);
	explain_put_memory(e, &memory, out);
	if (explain_has_spans(e))
		explain_put_spans(e, &corners[0], out);
	if (explain_has_queues(e))
		explain_put_queues(e, &corners[1], out);
	if (explain_has_roofline(e))
		explain_put_roofline(e, &corners[2], out);
	explain_put_waits(e, &corners[3], out);
	fputs("</svg>\n", out);
}
