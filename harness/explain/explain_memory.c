/* The memory of the chip as a picture. */
#include <stdlib.h>
#include <string.h>

#include "harness/explain/explain_picture.h"

#define WIDTH  990
#define HEIGHT 232
#define ROW    20 /* of a server in its box */

/* ---- boxes ---- */

/* A box has a server a row. */
static const struct box {
	const char *name;
	double x, y, width;
	struct {
		const char *server, *words;
	} rows[6];
} boxes[] = {
	{"SMs", 10, 24, 130,
		{{"issue", "issue"}, {"pipe_alu", "ALU"},
			{"pipe_fma_heavy", "FMA"}, {"pipe_fp64", "f64"},
			{"pipe_special", "special"},
			{"pipe_tensor", "tensor cores"}}},
	{"shared memory, barriers", 10, 184, 130,
		{{"load_store_pipe", "load/store pipe"},
			{"barrier_arrivals", "barriers"}}},
	{"L1", 230, 24, 120,
		{{"l1", "lines"}, {"register_path", "to registers"},
			{"texture_cache", "textures"}}},
	{"ports", 430, 24, 120,
		{{"sm_port_out", "SM, out"}, {"sm_port_in", "SM, in"},
			{"gpc_port_out", "GPC, out"},
			{"gpc_port_in", "GPC, in"},
			{"crossbar_to_slices", "crossbar, out"},
			{"crossbar_to_sms", "crossbar, in"}}},
	{"L2", 640, 24, 130,
		{{"slice_lookup", "lookups"}, {"slice_data", "data"},
			{"slice_write", "writes"},
			{"atomic_unit", "atomic units"}}},
	{"between the halves of L2", 640, 184, 130, {{"bridge", "bridge"}}},
	{"DRAM", 860, 24, 120,
		{{"dram_bus", "bus"}, {"dram_activates", "rows opened"},
			{"dram_bank", "banks"}}},
	{"other memory", 860, 144, 120,
		{{"peer_link_out", "peer, out"}, {"peer_link_in", "peer, in"},
			{"host_link_out", "host, out"},
			{"host_link_in", "host, in"}}},
};

#define BOX_ROWS (sizeof(boxes[0].rows) / sizeof(boxes[0].rows[0]))

static double load(const struct explanation *e, const struct job_server *s)
{
	const double part = s ? profile_busiest_share(e->profile->where, s) : 0;

	return part > 1 ? 1 : part;
}

/* Text is read on it, so that it is never full. */
static double opacity(double load)
{
	return 0.6 * load;
}

static bool is_empty(const struct explanation *e, const struct box *b)
{
	size_t i;

	for (i = 0; i < BOX_ROWS && b->rows[i].server; i++)
		if (picture_server(e, b->rows[i].server))
			return false;
	return true;
}

static void put_row(const struct explanation *e, const struct box *b, size_t i,
	double y, FILE *out)
{
	const struct job_server *s = picture_server(e, b->rows[i].server);
	char text[32];

	fprintf(out,
		"<rect class=\"load\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
		"height=\"%d\" fill-opacity=\"%.3f\"/>",
		b->x + 1, y, b->width - 2, ROW, opacity(load(e, s)));
	picture_text(out, b->x + 8, y + 14, "start", "word", b->rows[i].words);
	if (s)
		snprintf(text, sizeof(text), "%.0f %%", 100 * load(e, s));
	else
		snprintf(text, sizeof(text), "-");
	picture_text(out, b->x + b->width - 8, y + 14, "end", "word", text);
}

static void put_box(const struct explanation *e, const struct box *b, FILE *out)
{
	size_t rows = 0, i;

	while (rows < BOX_ROWS && b->rows[rows].server)
		rows++;
	picture_text(out, b->x, b->y - 6, "start", "name", b->name);
	for (i = 0; i < rows; i++)
		put_row(e, b, i, b->y + (double)i * ROW, out);
	fprintf(out,
		"<rect class=\"unit\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
		"height=\"%.1f\"/>\n",
		b->x, b->y, b->width, (double)rows * ROW);
}

/* ---- arrows ---- */

/* From left to right where it ends at the right of where it begins; what a
   server carries is written above. */
static const struct arrow {
	const char *server, *words;
	double x, y, to;
} arrows[] = {
	{"load_store_pipe", "accesses", 140, 46, 230},
	{"register_path", "bytes", 230, 82, 140},
	{"l1", "lines", 350, 46, 430},
	{"sm_port_in", "sectors", 430, 82, 350},
	{"slice_lookup", "requests", 550, 46, 640},
	{"crossbar_to_sms", "sectors", 640, 82, 550},
	{"dram_bus", "sectors", 860, 46, 770},
};

static void put_arrow(
	const struct explanation *e, const struct arrow *a, FILE *out)
{
	const struct job_server *s = picture_server(e, a->server);
	const double side = a->to > a->x ? 1 : -1;
	char number[16], text[64];

	picture_number(s ? picture_units(s) : 0, number);
	if (!e->profile->where->server_count) /* nobody counted */
		snprintf(number, sizeof(number), "-");
	snprintf(text, sizeof(text), "%s %s", number, a->words);
	fprintf(out,
		"<g class=\"%s\" opacity=\"%.3f\"><line x1=\"%.1f\" "
		"y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
		"stroke-width=\"%.1f\"/><path "
		"d=\"M%.1f,%.1fl%.1f,-5v10z\"/></g>",
		s ? "flow" : "still", s ? 0.35 + 0.65 * load(e, s) : 1, a->x,
		a->y, a->to - 8 * side, a->y, 1.5 + 4 * load(e, s), a->to, a->y,
		-9 * side);
	picture_text(out, (a->x + a->to) / 2, a->y - 7, "middle", "soft", text);
}

void explain_put_memory(
	const struct explanation *e, const struct picture_place *at, FILE *out)
{
	size_t i;

	picture_open("memory", WIDTH, HEIGHT,
		"units of the chip: the share of the launch in which the "
		"busiest of each kind works, and what they carry",
		at, out);
	for (i = 0; i < sizeof(arrows) / sizeof(*arrows); i++)
		put_arrow(e, &arrows[i], out);
	for (i = 0; i < sizeof(boxes) / sizeof(*boxes); i++)
		if (i + 1 < sizeof(boxes) / sizeof(*boxes) ||
			!is_empty(e, &boxes[i]))
			put_box(e, &boxes[i], out);
	fputs("</svg>\n", out);
}
