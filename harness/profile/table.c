/* Profiles as tables for people. */
#include <inttypes.h>
#include <stdlib.h>

#include "harness/profile/table_parts.h"
#include "harness/visible/visible.h"

static void put_name(FILE *out, const char *name, enum text_style style)
{
	if (style == TEXT_MD)
		visible_put_md(out, name);
	else
		visible_put(out, name);
}

static void put_title(FILE *out, const struct profile *p, enum text_style style)
{
	char launch[PROFILE_LAUNCH_BYTES];

	profile_launch(p, launch);
	fputs(style == TEXT_MD ? "## " : "", out);
	put_name(out, p->job, style);
	fputs(": ", out);
	put_name(out, launch, style);
	fprintf(out, ", repeat %" PRIu32 ", kernel ", p->repeat);
	put_name(out, p->kernel, style);
	fputs(" of ", out);
	put_name(out, p->module, style);
	fputs(" on ", out);
	put_name(out, p->machine, style);
	fprintf(out, ": %.0f cycles\n\n", p->cycles);
}

/* ---- the stack ---- */

static void put_stack(FILE *out, const struct profile *p, enum text_style style)
{
	const struct job_profile *where = p->where;
	struct text_table t = {.left = true};
	size_t i;

	text_table_add(&t, "warps wait for");
	text_table_add(&t, "share");
	text_table_add(&t, "warp-cycles");
	text_table_add(&t, "which is");
	for (i = 0; i < JOB_WAIT_COUNT; i++) {
		text_table_row(&t);
		text_table_add(&t, "%s", job_wait_names[i]);
		profile_add_share(
			&t, where->wait_cycles[i], where->warp_cycles);
		text_table_add(&t, "%.0f", where->wait_cycles[i]);
		text_table_add(&t, "%s", job_wait_whats[i]);
	}
	text_table_row(&t);
	text_table_add(&t, "all");
	profile_add_share(&t, where->warp_cycles, where->warp_cycles);
	text_table_add(&t, "%.0f", where->warp_cycles);
	text_table_add(&t, "resident warps, cycle by cycle");
	text_table_put_as(&t, style, out);
	text_table_free(&t);
	fputc('\n', out);
}

/* ---- lines ---- */

static void add_head(struct text_table *t, const char *first)
{
	static const char *const heads[] = {"waiting", "for", "stalled",
		"suffered", "caused", "executions", "sectors/request", "L1",
		"near L2", "far L2", "DRAM", "latency cycles", "queue cycles"};
	size_t i;

	text_table_add(t, "%s", first);
	for (i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		text_table_add(t, "%s", heads[i]);
}

/* What is the same of a line of PTX and of source. */
static void add_numbers(struct text_table *t, const struct job_profile *where,
	const struct job_line *l, struct job_queue in_line)
{
	enum job_wait most = profile_most(l->wait_cycles);
	double found = (double)profile_found(l), all = profile_in_line(where);
	size_t i;

	profile_add_share(
		t, profile_waited(l->wait_cycles), where->warp_cycles);
	text_table_add(
		t, "%s", most == JOB_WAIT_COUNT ? "-" : job_wait_names[most]);
	profile_add_share(
		t, profile_waited(l->stalled_cycles), where->warp_cycles);
	profile_add_share(t, in_line.suffered_cycles, all);
	profile_add_share(t, in_line.caused_cycles, all);
	text_table_add(t, "%" PRIu64, l->executions);
	profile_add_mean(t, (double)l->sectors, l->requests);
	for (i = 0; i < JOB_LEVEL_COUNT; i++)
		profile_add_share(t, (double)l->found[i], found);
	profile_add_mean(t, l->latency_cycles, l->answered);
	profile_add_mean(t, l->took.queue_cycles, l->took.requests);
}

static int put_sources(
	FILE *out, const struct profile *p, enum text_style style)
{
	struct text_table t = {.left = true};
	char source[PROFILE_SOURCE_BYTES];
	size_t count, i;
	struct job_line *rows = profile_by_source(p->where, &count);

	if (!rows)
		return ERR_FAILED;
	add_head(&t, "source line");
	for (i = 0; i < count; i++) {
		if (!profile_tells(p, &rows[i]))
			continue;
		profile_source(p->where, &rows[i], source, sizeof(source));
		text_table_row(&t);
		text_table_add(&t, "%s", source);
		add_numbers(&t, p->where, &rows[i],
			profile_queued_by_source(p->where, &rows[i]));
	}
	/* A single row without a source says nothing. */
	if (count && rows[count - 1].source) {
		text_table_put_as(&t, style, out);
		fputc('\n', out);
	}
	text_table_free(&t);
	free(rows);
	return 0;
}

static void put_lines(FILE *out, const struct profile *p, enum text_style style)
{
	const struct job_profile *where = p->where;
	struct text_table t = {.left = true};
	size_t others = 0, i;

	add_head(&t, "line");
	text_table_rest(&t, "PTX");
	for (i = 0; i < where->line_count; i++) {
		const struct job_line *l = &where->lines[i];

		if (!profile_tells(p, l)) {
			others++;
			continue;
		}
		text_table_row(&t);
		text_table_add(&t, "%" PRIu32, l->line);
		add_numbers(&t, where, l, profile_queued(where, (uint32_t)i));
		text_table_rest(&t, "%s", p->texts[i]);
	}
	text_table_put_as(&t, style, out);
	text_table_free(&t);
	if (others)
		fprintf(out,
			"\n%zu other lines have less than %.1f %% of the "
			"waiting each.\n",
			others, 100 * PROFILE_SHARE_LEAST);
}

static int put(
	const struct profile_list *list, enum text_style style, FILE *out)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		fputs(i ? "\n" : "", out);
		put_title(out, &list->items[i], style);
		put_stack(out, &list->items[i], style);
		profile_put_answers(out, &list->items[i], style);
		profile_put_servers(out, &list->items[i], style);
		profile_put_queues(out, &list->items[i], style);
		if (put_sources(out, &list->items[i], style))
			return ERR_FAILED;
		put_lines(out, &list->items[i], style);
	}
	return 0;
}

int profile_put_table(const struct profile_list *list, FILE *out)
{
	return put(list, TEXT_PLAIN, out);
}

int profile_put_md(const struct profile_list *list, FILE *out)
{
	return put(list, TEXT_MD, out);
}
