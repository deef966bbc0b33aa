/* Profiles as CSV: a row for each line of PTX of each launch. */
#include <inttypes.h>

#include "harness/base/emit.h"
#include "harness/profile/profile.h"

static void put_head(FILE *out)
{
	size_t i;

	fputs("job,kernel,machine,launch,repeat,cycles,line,source,source_line,"
	      "executions,lanes,requests,sectors",
		out);
	for (i = 0; i < JOB_LEVEL_COUNT; i++)
		fprintf(out, ",found_%s", job_level_names[i]);
	fputs(",answered,latency_cycles", out);
	for (i = 0; i < JOB_WAIT_COUNT; i++)
		fprintf(out, ",wait_%s_cycles", job_wait_names[i]);
	for (i = 0; i < JOB_WAIT_COUNT; i++)
		fprintf(out, ",stalled_%s_cycles", job_wait_names[i]);
	fputs(",way_cycles,queue_cycles,service_cycles,suffered_cycles,"
	      "caused_cycles",
		out);
	fputs(",ptx\n", out);
}

static void put_launch(FILE *out, const struct profile *p)
{
	emit_csv_string(out, p->job);
	fputc(',', out);
	emit_csv_string(out, p->kernel);
	fputc(',', out);
	emit_csv_string(out, p->machine);
	fprintf(out, ",%" PRIu32 ",%" PRIu32 ",", p->launch, p->repeat);
	emit_csv_number(out, p->cycles);
}

static void put_number(FILE *out, double value)
{
	fputc(',', out);
	emit_csv_number(out, value);
}

static void put_line(FILE *out, const struct profile *p, size_t index)
{
	const struct job_line *l = &p->where->lines[index];
	const struct job_queue q = profile_queued(p->where, (uint32_t)index);
	size_t i;

	put_launch(out, p);
	fprintf(out, ",%" PRIu32 ",", l->line);
	if (l->source)
		emit_csv_string(out, p->where->sources[l->source - 1]);
	fprintf(out,
		",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
		l->source_line, l->executions, l->lanes, l->requests,
		l->sectors);
	for (i = 0; i < JOB_LEVEL_COUNT; i++)
		fprintf(out, ",%" PRIu64, l->found[i]);
	fprintf(out, ",%" PRIu64 ",", l->answered);
	emit_csv_number(out, l->latency_cycles);
	for (i = 0; i < JOB_WAIT_COUNT; i++)
		put_number(out, l->wait_cycles[i]);
	for (i = 0; i < JOB_WAIT_COUNT; i++)
		put_number(out, l->stalled_cycles[i]);
	put_number(out, l->took.way_cycles);
	put_number(out, l->took.queue_cycles);
	put_number(out, l->took.service_cycles);
	put_number(out, q.suffered_cycles);
	put_number(out, q.caused_cycles);
	fputc(',', out);
	emit_csv_string(out, p->texts[index]);
	fputc('\n', out);
}

int profile_put_csv(const struct profile_list *list, FILE *out)
{
	size_t i, k;

	put_head(out);
	for (i = 0; i < list->count; i++)
		for (k = 0; k < list->items[i].where->line_count; k++)
			put_line(out, &list->items[i], k);
	return 0;
}
