/* What stands in line over time, and what warps wait for by line, as pictures.
 */
#include <math.h>
#include <stdlib.h>

#include "harness/base/text_table.h"
#include "harness/explain/explain_picture.h"
#include "harness/visible/visible.h"

/* ---- lines in front of servers ---- */

#define SERVERS_MOST 4u

struct chosen {
	const struct job_server *servers[SERVERS_MOST];
	size_t count;
};

static bool is_chosen(const struct chosen *c, const struct job_server *s)
{
	size_t i;

	for (i = 0; i < c->count; i++)
		if (c->servers[i] == s)
			return true;
	return false;
}

/* Those at which the most is waited, most first. */
static struct chosen choose(const struct job_profile *w)
{
	struct chosen c = {.count = 0};
	size_t i;

	while (c.count < SERVERS_MOST && profile_spans(w)) {
		const struct job_server *most = NULL;

		for (i = 0; i < w->server_count; i++) {
			const struct job_server *s = &w->servers[i];

			if (s->waited_cycles > 0 && !is_chosen(&c, s) &&
				(!most ||
					s->waited_cycles > most->waited_cycles))
				most = s;
		}
		if (!most)
			break;
		c.servers[c.count++] = most;
	}
	return c;
}

bool explain_has_queues(const struct explanation *e)
{
	return choose(e->profile->where).count > 0;
}

static double longest_of(
	const struct job_profile *w, const struct job_server *s)
{
	double most = 0;
	size_t i;

	for (i = 0; i < profile_spans(w); i++)
		most = fmax(most, s->in_line[i]);
	return most;
}

/* ---- as text ---- */

#define LONGEST_LEAST 0.5

/* From none to the most of all rows. */
static const char levels[] = " .:-=+*#";

static void add_row(const struct job_profile *w, const struct job_server *s,
	double most, struct text_table *t)
{
	const double high = sizeof(levels) - 2;
	char cells[JOB_SPANS + 1], number[16];
	size_t i;

	for (i = 0; i < profile_spans(w); i++)
		cells[i] = levels[(size_t)ceil(high * s->in_line[i] / most)];
	cells[i] = '\0';
	text_table_row(t);
	text_table_add(t, "%s", s->name);
	picture_number(longest_of(w, s), number);
	text_table_add(t, "%s", number);
	text_table_add(t, "|%s|", cells);
}

void explain_put_queue_rows(const struct explanation *e, FILE *out)
{
	const struct job_profile *w = e->profile->where;
	const struct chosen c = choose(w);
	struct text_table t = {.left = true};
	double most = 0;
	size_t i;

	for (i = 0; i < c.count; i++)
		most = fmax(most, longest_of(w, c.servers[i]));
	if (most < LONGEST_LEAST)
		return;
	text_table_add(&t, "in line at all");
	text_table_add(&t, "most");
	text_table_add(
		&t, "over time: a column is %.0f cycles", w->line_cycles);
	for (i = 0; i < c.count; i++)
		if (longest_of(w, c.servers[i]) >= LONGEST_LEAST)
			add_row(w, c.servers[i], most, &t);
	text_table_put(&t, out);
	text_table_free(&t);
	fputc('\n', out);
}

/* ---- as a picture ---- */

/* The least of 1, 2, 5, 10, ... that is as much; at least 1. */
static double rounded_up(double value)
{
	const double decade = value > 1 ? pow(10, floor(log10(value))) : 1;
	const double part = value / decade;

	return decade * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static double longest(const struct job_profile *w, const struct chosen *c)
{
	double most = 0;
	size_t i;

	for (i = 0; i < c->count; i++)
		most = fmax(most, longest_of(w, c->servers[i]));
	return rounded_up(most);
}

static void put_line(const struct job_profile *w, const struct job_server *s,
	size_t colour, double most, FILE *out)
{
	const double spans = w->server_cycles / w->line_cycles;
	size_t i;

	fprintf(out, "<polyline class=\"c%zu silicon\" points=\"", colour);
	for (i = 0; i < profile_spans(w); i++) {
		const double begin = (double)i, end = fmin(begin + 1, spans);

		fprintf(out, "%.1f,%.1f %.1f,%.1f ",
			picture_across(begin / spans),
			picture_up(s->in_line[i] / most),
			picture_across(end / spans),
			picture_up(s->in_line[i] / most));
	}
	fputs("\"/>\n", out);
}

#define KEY_WIDTH 132
#define KEY_ROW   13

/* Names stand within the diagram, each behind a piece of its line. */
static void put_key(const struct chosen *c, FILE *out)
{
	size_t i;

	for (i = 0; i < c->count; i++) {
		const double x = PICTURE_WIDTH - PICTURE_RIGHT - KEY_WIDTH;
		const double y = PICTURE_TOP + 4 + (double)i * KEY_ROW;

		fprintf(out,
			"<polyline class=\"c%zu silicon\" points=\"%.1f,%.1f "
			"%.1f,%.1f\"/>",
			i, x, y, x + 14, y);
		picture_text(out, x + 19, y + 4, "start", "word",
			c->servers[i]->name);
	}
}

void explain_put_queues(
	const struct explanation *e, const struct picture_place *at, FILE *out)
{
	const struct job_profile *w = e->profile->where;
	const struct chosen c = choose(w);
	const double most = longest(w, &c);
	char number[16];
	size_t i;

	picture_open("half", PICTURE_WIDTH, PICTURE_HEIGHT,
		"how many stand in line at servers, over time", at, out);
	picture_level(0, "0", out);
	picture_number(most / 2, number);
	picture_level(0.5, most >= 2 ? number : "0.5", out);
	picture_number(most, number);
	picture_level(1, number, out);
	for (i = c.count; i-- > 0;)
		put_line(w, c.servers[i], i, most, out);
	put_key(&c, out);
	picture_cycles(w->server_cycles, out);
	picture_text(out, picture_across(0.5), PICTURE_HEIGHT - 5, "middle",
		"soft", "in line at all servers of a kind");
	fputs("</svg>\n", out);
}

/* ---- waits by line ---- */

#define LINES_MOST  10u
#define LINE_HEIGHT 17
#define BAR_LEFT    100.0
#define BAR_WIDTH   64.0
#define TEXT_LEFT   214
#define PLACE_BYTES 17 /* that have room, of a place and of a text */
#define TEXT_BYTES  37

/* The end of a place says the most. */
static void put_place(const struct explanation *e, const struct job_line *l,
	double y, FILE *out)
{
	char place[256], cut[256];
	size_t length;

	explain_line_place(e, l, place, sizeof(place));
	visible_copy(place, cut, sizeof(cut));
	length = visible_length(cut);
	picture_text(out, 4, y, "start", "word",
		length < PLACE_BYTES ? cut : cut + length - PLACE_BYTES + 1);
}

static void put_bar(const struct explanation *e, const struct job_line *l,
	double most, double y, FILE *out)
{
	const double all = e->profile->where->warp_cycles;
	double at = BAR_LEFT;
	char text[16];
	size_t i;

	for (i = 0; i < JOB_WAIT_COUNT; i++) {
		const double wide = BAR_WIDTH * l->wait_cycles[i] / most;

		if (wide < 0.05)
			continue;
		fprintf(out,
			"<rect class=\"w%zu\" x=\"%.1f\" y=\"%.1f\" "
			"width=\"%.1f\" height=\"9\"><title>%s</title></rect>",
			i, at, y - 8, wide, job_wait_names[i]);
		at += wide;
	}
	snprintf(text, sizeof(text), "%.1f %%",
		all > 0 ? 100 * profile_waited(l->wait_cycles) / all : 0);
	picture_text(out, TEXT_LEFT - 6, y, "end", "word", text);
}

static int by_place(const void *left, const void *right)
{
	const struct job_line *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return (a->source_line > b->source_line) -
	       (a->source_line < b->source_line);
}

static void put_rows(const struct explanation *e, struct job_line *rows,
	size_t count, FILE *out)
{
	const double most = count ? profile_waited(rows[0].wait_cycles) : 0;
	char text[TEXT_BYTES];
	size_t i;

	qsort(rows, count, sizeof(*rows), by_place);
	for (i = 0; i < count; i++) {
		const double y = PICTURE_TOP + 10 + (double)i * LINE_HEIGHT;

		put_place(e, &rows[i], y, out);
		if (most > 0)
			put_bar(e, &rows[i], most, y, out);
		visible_copy(
			explain_line_text(e, &rows[i]), text, sizeof(text));
		picture_text(out, TEXT_LEFT, y, "start", "code", text);
		fputc('\n', out);
	}
}

void explain_put_waits(
	const struct explanation *e, const struct picture_place *at, FILE *out)
{
	size_t count = 0;
	struct job_line *rows = explain_lines(e, &count);

	picture_open("half", PICTURE_WIDTH, PICTURE_HEIGHT,
		"what warps wait for, by line", at, out);
	if (rows)
		put_rows(e, rows, count < LINES_MOST ? count : LINES_MOST, out);
	fputs("</svg>\n", out);
	free(rows);
}
