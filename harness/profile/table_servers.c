/* What servers did, and who waited there for whom, as tables for people. */
#include <inttypes.h>
#include <stdlib.h>

#include "harness/profile/table_parts.h"

void profile_add_share(struct text_table *t, double part, double whole)
{
	if (whole > 0)
		text_table_add(t, "%.1f %%", 100 * part / whole);
	else
		text_table_add(t, "-");
}

void profile_add_mean(struct text_table *t, double sum, uint64_t count)
{
	if (count && sum > 0)
		text_table_add(t, "%.1f", sum / (double)count);
	else
		text_table_add(t, "-");
}

/* ---- what requests took ---- */

void profile_put_answers(
	FILE *out, const struct profile *p, enum text_style style)
{
	static const char *const heads[] = {"answered by", "requests",
		"cycles each", "way", "queue", "service"};
	struct text_table t = {.left = true};
	bool any = false;
	size_t i;

	for (i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		text_table_add(&t, "%s", heads[i]);
	for (i = 0; i < JOB_ANSWER_COUNT; i++) {
		const struct job_parts *a = &p->where->took[i];

		if (!a->requests)
			continue;
		any = true;
		text_table_row(&t);
		text_table_add(&t, "%s", job_answer_names[i]);
		text_table_add(&t, "%" PRIu64, a->requests);
		profile_add_mean(&t,
			a->way_cycles + a->queue_cycles + a->service_cycles,
			a->requests);
		profile_add_mean(&t, a->way_cycles, a->requests);
		profile_add_mean(&t, a->queue_cycles, a->requests);
		profile_add_mean(&t, a->service_cycles, a->requests);
	}
	if (any) {
		text_table_put_as(&t, style, out);
		fputc('\n', out);
	}
	text_table_free(&t);
}

/* ---- servers ---- */

static void add_server(struct text_table *t, const struct job_profile *where,
	const struct job_server *s)
{
	text_table_row(t);
	text_table_add(t, "%s", s->name);
	text_table_add(t, "%" PRIu32, s->count);
	profile_add_share(t, profile_busy_share(where, s), 1);
	profile_add_share(t, profile_busiest_share(where, s), 1);
	text_table_add(t, "%s %" PRIu32, s->of, s->busiest);
	text_table_add(t, "%" PRIu64, s->served);
	text_table_add(t, "%.1f", s->waited_cycles / (double)s->served);
	text_table_add(t, "%" PRIu64, s->longest_line);
	if (s->rate > 0)
		text_table_add(t, "%.3g %s", s->rate, s->unit);
	else
		text_table_add(t, "%s", s->unit);
}

void profile_put_servers(
	FILE *out, const struct profile *p, enum text_style style)
{
	static const char *const heads[] = {"server", "count", "busy",
		"busiest", "which is", "served", "wait cycles", "longest line",
		"ceiling a cycle"};
	struct text_table t = {.left = true};
	size_t i;

	if (!p->where->server_count)
		return;
	for (i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		text_table_add(&t, "%s", heads[i]);
	for (i = 0; i < p->where->server_count; i++)
		add_server(&t, p->where, &p->where->servers[i]);
	text_table_put_as(&t, style, out);
	text_table_free(&t);
	fputc('\n', out);
}

/* ---- who waited in line for whom ---- */

#define QUEUES_SHOWN 12u

/* Those that cause the most come first. */
static int by_caused(const void *left, const void *right)
{
	const struct job_queue *a = *(const struct job_queue *const *)left;
	const struct job_queue *b = *(const struct job_queue *const *)right;

	if (a->caused_cycles != b->caused_cycles)
		return a->caused_cycles < b->caused_cycles ? 1 : -1;
	return (a > b) - (a < b);
}

static void add_queue(struct text_table *t, const struct profile *p,
	const struct job_queue *q, double all)
{
	const struct job_profile *where = p->where;
	const bool has_line = q->line < where->line_count;
	char source[PROFILE_SOURCE_BYTES];

	text_table_row(t);
	text_table_add(t, "%s", where->servers[q->server].name);
	profile_add_share(t, q->caused_cycles, all);
	text_table_add(t, "%.0f", q->caused_cycles);
	text_table_add(t, "%.0f", q->suffered_cycles);
	if (!has_line) {
		text_table_add(t, "-");
		text_table_add(t, "-");
		text_table_rest(t, "no line of this launch");
		return;
	}
	profile_source(where, &where->lines[q->line], source, sizeof(source));
	text_table_add(t, "%" PRIu32, where->lines[q->line].line);
	text_table_add(t, "%s", source);
	text_table_rest(t, "%s", p->texts[q->line]);
}

void profile_put_queues(
	FILE *out, const struct profile *p, enum text_style style)
{
	static const char *const heads[] = {
		"in line at", "share", "caused", "suffered", "line", "source"};
	const struct job_profile *where = p->where;
	const double all = profile_in_line(where);
	const struct job_queue **order =
		calloc(where->queue_count + 1, sizeof(*order));
	struct text_table t = {.left = true};
	size_t i;

	for (i = 0; order && i < where->queue_count; i++)
		order[i] = &where->queues[i];
	if (!order || !(all > 0)) {
		free(order);
		return;
	}
	qsort(order, where->queue_count, sizeof(*order), by_caused);
	for (i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		text_table_add(&t, "%s", heads[i]);
	text_table_rest(&t, "caused by");
	for (i = 0; i < where->queue_count && i < QUEUES_SHOWN; i++)
		if (order[i]->caused_cycles >= PROFILE_SHARE_LEAST * all)
			add_queue(&t, p, order[i], all);
	text_table_put_as(&t, style, out);
	fputc('\n', out);
	text_table_free(&t);
	free(order);
}
