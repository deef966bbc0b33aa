/* Profiles of launches: made, added up, freed. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/profile/profile.h"

/* ---- life cycle ---- */

struct profile *profile_list_add(struct profile_list *list)
{
	struct profile *items =
		reallocarray(list->items, list->count + 1, sizeof(*items));

	if (!items)
		return NULL;
	list->items = items;
	items += list->count++;
	*items = (struct profile){0};
	return items;
}

static void profile_free(struct profile *p)
{
	size_t i;

	for (i = 0; p->texts && i < p->where->line_count; i++)
		free(p->texts[i]);
	for (i = 0; p->source_texts && i < p->where->line_count; i++)
		free(p->source_texts[i]);
	free(p->texts);
	free(p->source_texts);
	free(p->job);
	free(p->kernel);
	free(p->launch_name);
	free(p->module);
	free(p->machine);
	job_profile_free(p->where);
}

void profile_list_free(struct profile_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		profile_free(&list->items[i]);
	free(list->items);
	*list = (struct profile_list){0};
}

/* ---- of a run ---- */

char *profile_trimmed(const char *text, size_t length)
{
	char *copy = malloc(length + 1);
	size_t made = 0, i;

	for (i = 0; copy && i < length; i++) {
		bool blank = isspace((unsigned char)text[i]);

		if (!blank)
			copy[made++] = text[i];
		else if (made && copy[made - 1] != ' ')
			copy[made++] = ' ';
	}
	if (copy)
		copy[made - (made && copy[made - 1] == ' ')] = '\0';
	return copy;
}

/* The lines that the profile names, which ascend, in one walk. */
static int take_texts(struct profile *p, const char *ptx)
{
	const struct job_profile *where = p->where;
	uint32_t number = 1;
	size_t i;

	p->texts = calloc(where->line_count + 1, sizeof(*p->texts));
	if (!p->texts)
		return -1;
	for (i = 0; i < where->line_count; i++) {
		for (; number < where->lines[i].line; number++) {
			ptx += strcspn(ptx, "\n");
			ptx += *ptx == '\n';
		}
		p->texts[i] = profile_trimmed(ptx, strcspn(ptx, "\n"));
		if (!p->texts[i])
			return -1;
	}
	return 0;
}

static const struct job_launch *find_launch(
	const struct job *job, size_t run, struct profile *p)
{
	size_t i;

	for (i = 0; run >= job->launches[i].repeats; i++)
		run -= job->launches[i].repeats;
	p->launch = (uint32_t)i;
	p->repeat = (uint32_t)run;
	return &job->launches[i];
}

void profile_launch(const struct profile *p, char text[PROFILE_LAUNCH_BYTES])
{
	const bool named = p->launch_name != NULL;

	snprintf(text, PROFILE_LAUNCH_BYTES, "launch %" PRIu32 "%s%.60s%s",
		p->launch, named ? " '" : "", named ? p->launch_name : "",
		named ? "'" : "");
}

int profile_add(struct profile_list *list, const struct job *job, size_t run,
	const char *machine, double cycles, struct job_profile *where,
	struct error *error)
{
	struct profile *p = profile_list_add(list);
	const struct job_launch *launch;
	const struct job_module *module;

	if (!p) {
		job_profile_free(where);
		return error_set(error, ERR_FAILED, "out of memory");
	}
	launch = find_launch(job, run, p);
	module = &job->modules[launch->module];
	p->where = where;
	p->cycles = cycles;
	p->job = strdup(job->name);
	p->kernel = strdup(launch->entry);
	if (launch->name[0] && !(p->launch_name = strdup(launch->name)))
		return error_set(error, ERR_FAILED, "out of memory");
	p->module = strdup(module->path);
	p->machine = strdup(machine);
	if (p->job && p->kernel && p->module && p->machine &&
		!take_texts(p, module->text) &&
		!profile_take_sources(p, module))
		return 0;
	return error_set(error, ERR_FAILED, "out of memory");
}

/* ---- sums ---- */

static int by_source(const void *left, const void *right)
{
	const struct job_line *a = left, *b = right;

	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return (a->source_line > b->source_line) -
	       (a->source_line < b->source_line);
}

struct job_line *profile_by_source(
	const struct job_profile *where, size_t *count)
{
	struct job_line *rows = calloc(where->line_count + 1, sizeof(*rows));
	size_t made = 0, i;

	if (!rows)
		return NULL;
	for (i = 0; i < where->line_count; i++) {
		rows[i] = where->lines[i];
		rows[i].line = 0;
		if (!rows[i].source || !rows[i].source_line)
			rows[i].source = rows[i].source_line = 0;
	}
	qsort(rows, where->line_count, sizeof(*rows), by_source);
	for (i = 0; i < where->line_count; i++)
		if (made && !by_source(&rows[made - 1], &rows[i]))
			job_line_add(&rows[made - 1], &rows[i]);
		else
			rows[made++] = rows[i];
	*count = made;
	return rows;
}

void profile_source(const struct job_profile *where,
	const struct job_line *line, char *text, size_t bytes)
{
	if (!line->source || !line->source_line)
		snprintf(text, bytes, "-");
	else
		snprintf(text, bytes, "%s:%" PRIu32,
			where->sources[line->source - 1], line->source_line);
}

double profile_waited(const double wait_cycles[JOB_WAIT_COUNT])
{
	double sum = 0;
	size_t i;

	for (i = 0; i < JOB_WAIT_COUNT; i++)
		sum += wait_cycles[i];
	return sum;
}

enum job_wait profile_most(const double wait_cycles[JOB_WAIT_COUNT])
{
	size_t most = JOB_WAIT_COUNT, i;

	for (i = 0; i < JOB_WAIT_COUNT; i++)
		if (wait_cycles[i] > 0 &&
			(most == JOB_WAIT_COUNT ||
				wait_cycles[i] > wait_cycles[most]))
			most = i;
	return (enum job_wait)most;
}

uint64_t profile_found(const struct job_line *line)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < JOB_LEVEL_COUNT; i++)
		sum += line->found[i];
	return sum;
}

/* ---- lines at servers ---- */

size_t profile_queues_from(const struct job_profile *where, uint32_t line)
{
	size_t first = 0, end = where->queue_count;

	while (first < end) {
		const size_t middle = first + (end - first) / 2;

		if (where->queues[middle].line < line)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

struct job_queue profile_queued(const struct job_profile *where, uint32_t line)
{
	size_t i = profile_queues_from(where, line);
	struct job_queue sum = {.line = line};

	for (; i < where->queue_count && where->queues[i].line == line; i++) {
		sum.suffered_cycles += where->queues[i].suffered_cycles;
		sum.caused_cycles += where->queues[i].caused_cycles;
	}
	return sum;
}

struct job_queue profile_queued_by_source(
	const struct job_profile *where, const struct job_line *row)
{
	struct job_queue sum = {.line = JOB_NO_LINE};
	size_t i;

	for (i = 0; i < where->queue_count; i++) {
		const struct job_queue *q = &where->queues[i];
		struct job_line line;

		if (q->line >= where->line_count)
			continue;
		line = where->lines[q->line];
		if (!line.source || !line.source_line)
			line.source = line.source_line = 0;
		if (by_source(&line, row))
			continue;
		sum.suffered_cycles += q->suffered_cycles;
		sum.caused_cycles += q->caused_cycles;
	}
	return sum;
}

double profile_in_line(const struct job_profile *where)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < where->queue_count; i++)
		sum += where->queues[i].caused_cycles;
	return sum;
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

double profile_busy_share(
	const struct job_profile *where, const struct job_server *server)
{
	return share(server->busy_cycles, where->server_cycles * server->count);
}

size_t profile_spans(const struct job_profile *where)
{
	const double spans = where->line_cycles > 0
				     ? where->server_cycles / where->line_cycles
				     : 0;

	return spans < JOB_SPANS ? (size_t)ceil(spans) : JOB_SPANS;
}

double profile_busiest_share(
	const struct job_profile *where, const struct job_server *server)
{
	return share(server->busiest_cycles, where->server_cycles);
}

bool profile_tells(const struct profile *p, const struct job_line *line)
{
	return line->requests ||
	       profile_waited(line->wait_cycles) >
		       PROFILE_SHARE_LEAST * p->where->warp_cycles;
}
