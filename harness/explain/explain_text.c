/* An explanation for people. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/text_table.h"
#include "harness/explain/explain.h"
#include "harness/visible/visible.h"

#define PLACE_BYTES 256
#define BAR_CELLS   20

/* Servers that are less busy are summed up. */
#define BUSY_LEAST 0.05
#define ROWS_MOST  16u

#define LINES_MOST 6u
#define TEXT_BYTES 72 /* of a line */

/* Binds that are named, and the share that one needs. */
#define BINDS_MOST 8u
#define BIND_LEAST 0.02

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void add_percent(struct text_table *t, double part, double whole)
{
	if (whole > 0)
		text_table_add(t, "%.1f %%", 100 * part / whole);
	else
		text_table_add(t, "-");
}

/* ---- what it is of ---- */

static void put_title(const struct explanation *e, FILE *out)
{
	const struct profile *p = e->profile;
	char launch[PROFILE_LAUNCH_BYTES];

	profile_launch(p, launch);
	visible_put(out, p->job);
	fputs(": ", out);
	visible_put(out, launch);
	fputs(", kernel ", out);
	visible_put(out, p->kernel);
	fputs(" of ", out);
	visible_put(out, p->module);
	fputs(" on ", out);
	visible_put(out, p->machine);
	fprintf(out, ": %.0f cycles\n", p->cycles);
	if (p->where->occupancy.sms)
		fprintf(out,
			"%.1f %% of them before the first block is there and "
			"after the last one has ended\n",
			100 * share(p->cycles - p->where->occupancy.cycles,
				      p->cycles));
	fputc('\n', out);
}

/* ---- ceilings ---- */

static void bar(double part, char text[BAR_CELLS + 1])
{
	const double all = part < 0 ? 0 : part > 1 ? 1 : part;
	const size_t cells = (size_t)(all * BAR_CELLS + 0.5);

	memset(text, '#', cells);
	memset(text + cells, '.', BAR_CELLS - cells);
	text[BAR_CELLS] = '\0';
}

static void add_server(const struct explanation *e, struct text_table *t,
	const struct job_server *s)
{
	const struct job_profile *where = e->profile->where;
	char cells[BAR_CELLS + 1];

	text_table_row(t);
	text_table_add(t, "%s", s->name);
	add_percent(t, profile_busy_share(where, s), 1);
	add_percent(t, profile_busiest_share(where, s), 1);
	text_table_add(t, "%s %" PRIu32, s->of, s->busiest);
	bar(profile_busiest_share(where, s), cells);
	text_table_add(t, "%s", cells);
	text_table_add(t, "%" PRIu32, s->count);
	text_table_add(t, "%.3g", explain_reached(e, s));
	if (s->rate > 0)
		text_table_add(t, "%.3g", s->rate);
	else
		text_table_add(t, "-");
	text_table_add(t, "%s", s->unit);
}

static void put_ceilings(const struct explanation *e, FILE *out)
{
	static const char *const heads[] = {"server", "busy", "busiest",
		"which is", "", "count", "reached", "ceiling", "a cycle each"};
	const struct job_profile *where = e->profile->where;
	struct text_table t = {.left = true};
	size_t shown = 0, idle = 0, i;
	double most = 0;

	if (!where->server_count)
		fputs("Servers and lines in front of them are not counted in "
		      "launches that overlap: waits in line count as "
		      "latency.\n",
			out);
	for (i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		text_table_add(&t, "%s", heads[i]);
	for (i = 0; i < where->server_count; i++) {
		const struct job_server *s = &where->servers[i];
		const double busy = profile_busiest_share(where, s);

		if (busy >= BUSY_LEAST && shown < ROWS_MOST) {
			add_server(e, &t, s);
			shown++;
			continue;
		}
		idle++;
		most = busy > most ? busy : most;
	}
	if (shown)
		text_table_put(&t, out);
	text_table_free(&t);
	if (idle)
		fprintf(out,
			"%zu other kinds of servers are busy for at most %.1f "
			"%% of the launch.\n",
			idle, 100 * most);
	fputc('\n', out);
}

/* ---- occupancy ---- */

static void put_occupancy(const struct explanation *e, FILE *out)
{
	const struct job_occupancy *o = &e->profile->where->occupancy;
	const double never = (double)(o->sms - o->sms_used) * o->cycles;
	char limited[96];

	if (!o->sms)
		return;
	explain_limited(o, limited);
	fprintf(out,
		"occupancy  %.0f %% of an SM's %" PRIu32
		" warps at most, limited by %s; %.0f %% of the chip's "
		"reached\n",
		100 * explain_occupancy_most(o), o->warps_per_sm, limited,
		100 * explain_occupancy(o));
	fprintf(out,
		"blocks     %" PRIu64 " of %" PRIu32 " threads, %" PRIu32
		" registers, %" PRIu64 " bytes of shared memory; %" PRIu32
		" an SM (by warps %" PRIu32 ", registers %" PRIu32
		", shared memory %" PRIu32 ", blocks %" PRIu32 ")\n",
		o->blocks, o->block_threads, o->registers, o->shared_bytes,
		o->blocks_per_sm, o->limits[JOB_LIMIT_WARPS],
		o->limits[JOB_LIMIT_REGISTERS], o->limits[JOB_LIMIT_SHARED],
		o->limits[JOB_LIMIT_BLOCKS]);
	fprintf(out,
		"waves      %.2f; %" PRIu32 " of %" PRIu32
		" SMs have blocks; the tail, from the first SM that has none "
		"left, is %.1f %% of the time, and costs these SMs %.1f %%\n\n",
		explain_waves(o), o->sms_used, o->sms,
		100 * share(o->tail_cycles, o->cycles),
		100 * share(o->idle_cycles - o->start_cycles - never,
			      (double)o->sms_used * o->cycles));
}

/* ---- memory ---- */

static void add_operator(struct text_table *t, const struct explain_operator *o)
{
	uint64_t found = 0;
	size_t i;

	for (i = 0; i < JOB_LEVEL_COUNT; i++)
		found += o->found[i];
	text_table_row(t);
	text_table_add(t, "%s", o->name);
	text_table_add(t, "%" PRIu64, o->requests);
	text_table_add(
		t, "%.2f", share((double)o->sectors, (double)o->requests));
	text_table_add(t, "%" PRIu64, o->sectors);
	add_percent(t, (double)o->bytes, 32.0 * (double)o->sectors);
	for (i = 0; i < JOB_LEVEL_COUNT; i++)
		add_percent(t, (double)o->found[i], (double)found);
}

static void put_memory(const struct explanation *e, FILE *out)
{
	static const char *const heads[] = {"operator", "requests",
		"sectors/request", "sectors", "wanted", "L1", "near L2",
		"far L2", "DRAM"};
	const struct job_profile *where = e->profile->where;
	struct text_table t = {.left = true};
	size_t i;

	for (i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		text_table_add(&t, "%s", heads[i]);
	for (i = 0; i < e->operator_count; i++)
		add_operator(&t, &e->operators[i]);
	if (e->operator_count)
		text_table_put(&t, out);
	text_table_free(&t);
	if (where->fetched_sectors)
		fprintf(out,
			"L2 fetched %" PRIu64
			" sectors from DRAM, of which nobody asked for %.1f "
			"%%.\n",
			where->fetched_sectors,
			100 * share((double)where->unused_sectors,
				      (double)where->fetched_sectors));
	if (e->operator_count || where->fetched_sectors)
		fputc('\n', out);
}

/* ---- waits by line ---- */

static void add_line(const struct explanation *e, struct text_table *t,
	const struct job_line *l)
{
	const struct job_profile *where = e->profile->where;
	const double part =
		share(profile_waited(l->wait_cycles), where->warp_cycles);
	const enum job_wait most = profile_most(l->wait_cycles);
	char text[PLACE_BYTES], cells[BAR_CELLS + 1];

	explain_line_place(e, l, text, sizeof(text));
	bar(part, cells);
	text_table_row(t);
	text_table_add(t, "%s", text);
	text_table_add(t, "%.1f %%", 100 * part);
	text_table_add(t, "%s", cells);
	text_table_add(
		t, "%s", most == JOB_WAIT_COUNT ? "-" : job_wait_names[most]);
	visible_copy(explain_line_text(e, l), text, TEXT_BYTES);
	text_table_add(t, "%s", text);
}

static void put_lines(const struct explanation *e, FILE *out)
{
	static const char *const heads[] = {
		"waited for", "waiting", "", "most of it for", ""};
	struct text_table t = {.left = true};
	size_t count, i;
	struct job_line *rows = explain_lines(e, &count);

	if (rows && count) {
		for (i = 0; i < sizeof(heads) / sizeof(*heads); i++)
			text_table_add(&t, "%s", heads[i]);
		for (i = 0; i < count && i < LINES_MOST; i++)
			add_line(e, &t, &rows[i]);
		text_table_put(&t, out);
		fputc('\n', out);
	}
	text_table_free(&t);
	free(rows);
}

/* ---- binds ---- */

/* What stands there: of a line of PTX the statement, of a source line, which
   may have several, the operation. */
static void put_operation(
	const struct explanation *e, const struct explain_bind *bind, FILE *out)
{
	const struct job_line *l = bind->line;
	const char *ends = l && l->source && l->source_line ? " ;" : ";";
	char text[96];

	if (!l)
		return;
	explain_operation(e->profile->texts[l - e->profile->where->lines], ends,
		text, sizeof(text));
	fputs(" (", out);
	visible_put(out, text);
	fputs(")", out);
}

static void put_bind(
	const struct explanation *e, const struct explain_bind *bind, FILE *out)
{
	char place[PLACE_BYTES];
	double passes;

	explain_place(e, bind, place, sizeof(place));
	fprintf(out, "binds: %s, at ", bind->server);
	visible_put(out, place);
	fprintf(out, ", %.0f %%", 100 * bind->share);
	put_operation(e, bind, out);
	passes = bind->line ? explain_passes(e, bind->line) : 0;
	if (passes > 1.5 && !strcmp(bind->server, "load_store_pipe"))
		fprintf(out, ": %.1f passes through the banks an access",
			passes);
	fputc('\n', out);
}

static void put_binds(const struct explanation *e, FILE *out)
{
	size_t i;

	for (i = 0; i < e->bind_count && i < BINDS_MOST; i++)
		if (!i || e->binds[i].share >= BIND_LEAST)
			put_bind(e, &e->binds[i], out);
	fputc('\n', out);
}

/* ---- what would help ---- */

static void put_sentence(
	const struct explanation *e, const struct explain_what_if *w, FILE *out)
{
	char place[PLACE_BYTES];

	if (w->of && w->of->line) {
		explain_place(e, w->of, place, sizeof(place));
		fputs("At ", out);
		visible_put(out, place);
	} else {
		fputs("Launch", out);
	}
	if (*w->advice)
		fprintf(out, ": %s. With %s (%s) ", w->advice, w->what,
			w->change);
	else
		fprintf(out, ": %s (%s): ", w->what, w->change);
	fprintf(out, "the launch takes %.0f cycles%s, %.1f %% less%s.\n",
		w->cycles, w->at_most ? " at least" : "", 100 * w->gain,
		w->at_most ? " at most" : "");
}

static void put_tried(const struct explain_what_if *w, FILE *out)
{
	if (*w->failed) {
		fprintf(out, "  %s: not run: ", w->change);
		visible_put(out, w->failed);
		fputc('\n', out);
	} else {
		fprintf(out, "  %s: %.0f cycles, %+.1f %%\n", w->change,
			w->cycles, -100 * w->gain);
	}
}

static void put_what_ifs(const struct explanation *e, FILE *out)
{
	size_t proposed = 0, i;

	if (!e->asked)
		return;
	for (i = 0; i < e->what_if_count; i++)
		if (e->what_ifs[i].proposed) {
			put_sentence(e, &e->what_ifs[i], out);
			proposed++;
		}
	if (!proposed)
		fputs("Nothing that was tried gains more than the model's "
		      "error.\n",
			out);
	fprintf(out,
		"The model's error in cycles is %.1f %% in the median (%s%s); "
		"smaller gains are not proposed. The model ran %zu times more, "
		"of %u at most.\n",
		e->error.percent, e->error.kind,
		e->error.known ? ""
			       : "; of another chip: this machine was not "
				 "measured",
		e->what_if_count, EXPLAIN_RUNS_MOST);
	if (e->what_if_count > proposed)
		fputs("Also tried:\n", out);
	for (i = 0; i < e->what_if_count; i++)
		if (!e->what_ifs[i].proposed)
			put_tried(&e->what_ifs[i], out);
}

void explain_put_text(const struct explanation *e, FILE *out)
{
	put_title(e, out);
	put_ceilings(e, out);
	explain_put_queue_rows(e, out);
	put_occupancy(e, out);
	put_memory(e, out);
	put_lines(e, out);
	put_binds(e, out);
	put_what_ifs(e, out);
	if (e->assumed)
		fprintf(out, "Not fitted yet: the time of %s.\n", e->assumed);
}
