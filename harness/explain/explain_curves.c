/* How full the chip was over time, and a roofline by level, as pictures. */
#include <math.h>

#include "harness/explain/explain_picture.h"

/* ---- spans ---- */

bool explain_has_spans(const struct explanation *e)
{
	return e->profile->where->occupancy.span_count > 0;
}

static double warps_share(const struct job_occupancy *o, uint32_t i)
{
	const double most = (double)o->sms * o->warps_per_sm;

	return most > 0 ? o->spans[i].warps / most : 0;
}

static void put_steps(const struct job_occupancy *o, bool warps, FILE *out)
{
	uint32_t i;

	fprintf(out, "<path class=\"%s\" d=\"M%.1f,%.1f",
		warps ? "c0 silicon bars" : "c1 model", picture_across(0),
		picture_up(0));
	for (i = 0; i < o->span_count; i++) {
		const double part = warps ? warps_share(o, i)
					  : (double)o->spans[i].sms / o->sms;

		fprintf(out, "V%.1fH%.1f", picture_up(part > 1 ? 1 : part),
			picture_across((i + 1.0) / o->span_count));
	}
	fprintf(out, "V%.1f\" %s/>\n", picture_up(0),
		warps ? "" : "fill=\"none\" stroke-width=\"1.6\"");
}

void explain_put_spans(
	const struct explanation *e, const struct picture_place *at, FILE *out)
{
	const struct job_occupancy *o = &e->profile->where->occupancy;

	picture_open("half", PICTURE_WIDTH, PICTURE_HEIGHT,
		"resident warps and SMs that work, over time", at, out);
	picture_level(0, "0 %", out);
	picture_level(0.5, "50 %", out);
	picture_level(1, "100 %", out);
	if (o->sms) {
		put_steps(o, true, out);
		put_steps(o, false, out);
	}
	picture_cycles(o->span_cycles * o->span_count, out);
	picture_text(out, picture_across(0.5), PICTURE_HEIGHT - 5, "middle",
		"soft", "warps of the chip (area); SMs that work (dashed)");
	fputs("</svg>\n", out);
}

/* ---- roofline ---- */

/* Sectors that a level carries, and those that it can carry in a cycle. */
struct level {
	const char *name;
	double sectors, most;
};

#define LEVELS 3u

static struct level level_of(const struct explanation *e, const char *name,
	const char *server, double sectors)
{
	const struct job_server *s = picture_server(e, server);
	const struct level none = {name, 0, 0};

	if (!s || !(s->rate > 0))
		return none;
	return (struct level){
		name, picture_units(s) * sectors, s->rate * s->count * sectors};
}

/* Of L1 a line has at most four sectors. */
static void find_levels(const struct explanation *e, struct level all[LEVELS])
{
	all[0] = level_of(e, "L1", "l1", 4);
	all[1] = level_of(e, "L2", "crossbar_to_sms", 1);
	all[2] = level_of(e, "DRAM", "dram_bus", 1);
}

static double instructions(const struct explanation *e)
{
	const struct job_server *s = picture_server(e, "issue");

	return s ? (double)s->served : 0;
}

bool explain_has_roofline(const struct explanation *e)
{
	struct level all[LEVELS];
	size_t i;

	find_levels(e, all);
	for (i = 0; i < LEVELS; i++)
		if (all[i].sectors > 0 && instructions(e) > 0)
			return true;
	return false;
}

/* Decades: instructions a sector from 0.01 to 1000; a cycle from 0.1 to 1000.
 */
#define X_LOW  -2.0
#define X_HIGH 3.0
#define Y_LOW  -1.0
#define Y_HIGH 3.0

static double place(double value, double low, double high)
{
	const double part = value > 0 ? (log10(value) - low) / (high - low) : 0;

	return part < 0 ? 0 : part > 1 ? 1 : part;
}

/* The level's slope, up to what the schedulers can issue. */
static void put_roof(
	const struct level *l, size_t colour, double most, FILE *out)
{
	const double low = pow(10, X_LOW), high = pow(10, X_HIGH);
	const double begin = fmax(low, pow(10, Y_LOW) / l->most);
	const double bend = most / l->most;

	fprintf(out,
		"<polyline class=\"c%zu silicon\" points=\"%.1f,%.1f "
		"%.1f,%.1f %.1f,%.1f\"/>",
		colour, picture_across(place(begin, X_LOW, X_HIGH)),
		picture_up(place(begin * l->most, Y_LOW, Y_HIGH)),
		picture_across(place(bend, X_LOW, X_HIGH)),
		picture_up(place(most, Y_LOW, Y_HIGH)),
		picture_across(place(high, X_LOW, X_HIGH)),
		picture_up(place(most, Y_LOW, Y_HIGH)));
}

static void put_point(const struct level *l, size_t colour, double count,
	double cycles, FILE *out)
{
	const double x =
		picture_across(place(count / l->sectors, X_LOW, X_HIGH));
	const double y = picture_up(place(count / cycles, Y_LOW, Y_HIGH));

	fprintf(out,
		"<circle class=\"c%zu bars\" cx=\"%.1f\" cy=\"%.1f\" "
		"r=\"4.5\"/>",
		colour, x, y);
	/* One above the other: levels may meet. */
	picture_text(
		out, x, y - 9 - 12 * (double)colour, "middle", "word", l->name);
}

static void put_decades(FILE *out)
{
	char text[16];
	int i;

	for (i = (int)Y_LOW; i <= (int)Y_HIGH; i++) {
		snprintf(text, sizeof(text), "%g", pow(10, i));
		picture_level((i - Y_LOW) / (Y_HIGH - Y_LOW), text, out);
	}
	for (i = (int)X_LOW; i <= (int)X_HIGH; i++) {
		snprintf(text, sizeof(text), "%g", pow(10, i));
		picture_text(out,
			picture_across((i - X_LOW) / (X_HIGH - X_LOW)),
			PICTURE_HEIGHT - 20, "middle", "soft", text);
	}
}

void explain_put_roofline(
	const struct explanation *e, const struct picture_place *at, FILE *out)
{
	const struct job_server *issue = picture_server(e, "issue");
	const double cycles = e->profile->where->server_cycles;
	struct level all[LEVELS];
	size_t i;

	picture_open("half", PICTURE_WIDTH, PICTURE_HEIGHT,
		"instructions of warps a cycle over those a sector, by level",
		at, out);
	put_decades(out);
	find_levels(e, all);
	for (i = 0; i < LEVELS; i++) {
		if (!(all[i].sectors > 0) || !issue || !(cycles > 0))
			continue;
		put_roof(&all[i], i, issue->rate * issue->count, out);
		put_point(&all[i], i, instructions(e), cycles, out);
	}
	picture_text(out, picture_across(0.5), PICTURE_HEIGHT - 5, "middle",
		"soft", "instructions a sector; up: a cycle of the chip");
	fputs("</svg>\n", out);
}
