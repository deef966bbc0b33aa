/* Profiles as JSON. */
#include <inttypes.h>

#include "harness/base/emit.h"
#include "harness/profile/read_parts.h"

static void put_text(
	FILE *out, const char *key, const char *text, const char *gap)
{
	fprintf(out, "%s\"%s\": ", gap, key);
	emit_json_string(out, text);
	fputc(',', out);
}

static void put_waits(
	FILE *out, const char *key, const double cycles[JOB_WAIT_COUNT])
{
	size_t i;

	fprintf(out, "\"%s\": {", key);
	for (i = 0; i < JOB_WAIT_COUNT; i++) {
		fprintf(out, "%s\"%s\": ", i ? ", " : "", job_wait_names[i]);
		emit_json_number(out, cycles[i]);
	}
	fputc('}', out);
}

static void put_number(FILE *out, const char *key, double value)
{
	fprintf(out, ", \"%s\": ", key);
	emit_json_number(out, value);
}

static void put_parts(FILE *out, const char *key, const struct job_parts *p)
{
	fprintf(out, "\"%s\": {\"requests\": %" PRIu64, key, p->requests);
	put_number(out, "way_cycles", p->way_cycles);
	put_number(out, "queue_cycles", p->queue_cycles);
	put_number(out, "service_cycles", p->service_cycles);
	fputc('}', out);
}

static void put_queues(FILE *out, const char *key,
	const struct job_profile *where, uint32_t line)
{
	size_t i = profile_queues_from(where, line), first = i;

	fprintf(out, "\"%s\": [", key);
	for (; i < where->queue_count && where->queues[i].line == line; i++) {
		const struct job_queue *q = &where->queues[i];

		fputs(i > first ? ", {\"server\": " : "{\"server\": ", out);
		emit_json_string(out, where->servers[q->server].name);
		put_number(out, "suffered_cycles", q->suffered_cycles);
		put_number(out, "caused_cycles", q->caused_cycles);
		fputc('}', out);
	}
	fputc(']', out);
}

static void put_source(FILE *out, const struct profile *p, uint32_t source)
{
	fputs(", \"source\": ", out);
	if (source)
		emit_json_string(out, p->where->sources[source - 1]);
	else
		fputs("null", out);
}

static void put_line(FILE *out, const struct profile *p, size_t index)
{
	const struct job_line *l = &p->where->lines[index];
	size_t i;

	fprintf(out, "%s\n        {\"line\": %" PRIu32 ", \"ptx\": ",
		index ? "," : "", l->line);
	emit_json_string(out, p->texts[index]);
	put_source(out, p, l->source);
	if (p->source_texts && p->source_texts[index]) {
		fputs(", \"source_text\": ", out);
		emit_json_string(out, p->source_texts[index]);
	}
	fprintf(out,
		", \"source_line\": %" PRIu32 ", \"executions\": %" PRIu64
		", \"lanes\": %" PRIu64 ", \"requests\": %" PRIu64
		", \"sectors\": %" PRIu64 ", \"found\": {",
		l->source_line, l->executions, l->lanes, l->requests,
		l->sectors);
	for (i = 0; i < JOB_LEVEL_COUNT; i++)
		fprintf(out, "%s\"%s\": %" PRIu64, i ? ", " : "",
			job_level_names[i], l->found[i]);
	fprintf(out,
		"}, \"bytes\": %" PRIu64 ", \"answered\": %" PRIu64
		", \"latency_cycles\": ",
		l->bytes, l->answered);
	emit_json_number(out, l->latency_cycles);
	fputs(", ", out);
	put_waits(out, "wait_cycles", l->wait_cycles);
	fputs(", ", out);
	put_waits(out, "stalled_cycles", l->stalled_cycles);
	fputs(", ", out);
	put_parts(out, "took", &l->took);
	fputs(", ", out);
	put_queues(out, "queues", p->where, (uint32_t)index);
	fputc('}', out);
}

static void put_in_line(
	FILE *out, const struct job_profile *where, const struct job_server *s)
{
	size_t i;

	fputs(", \"in_line\": [", out);
	for (i = 0; i < profile_spans(where); i++)
		fprintf(out, "%s%.4g", i ? ", " : "", s->in_line[i]);
	fputc(']', out);
}

static void put_server(FILE *out, const struct profile *p, size_t index)
{
	const struct job_server *s = &p->where->servers[index];

	fprintf(out, "%s\n        {\"server\": ", index ? "," : "");
	emit_json_string(out, s->name);
	fputs(", \"of\": ", out);
	emit_json_string(out, s->of);
	fprintf(out, ", \"count\": %" PRIu32 ", \"is_room\": %s, \"unit\": ",
		s->count, s->is_room ? "true" : "false");
	emit_json_string(out, s->unit);
	put_number(out, "units_per_cycle", s->rate);
	fputs(", \"nsight\": ", out);
	emit_json_string(out, s->nsight);
	put_number(out, "busy_share", profile_busy_share(p->where, s));
	put_number(out, "busiest_share", profile_busiest_share(p->where, s));
	fprintf(out, ", \"busiest\": %" PRIu32, s->busiest);
	put_number(out, "busy_cycles", s->busy_cycles);
	put_number(out, "busiest_cycles", s->busiest_cycles);
	fprintf(out, ", \"served\": %" PRIu64, s->served);
	put_number(out, "waited_cycles", s->waited_cycles);
	fprintf(out, ", \"longest_line\": %" PRIu64, s->longest_line);
	if (s->waited_cycles > 0)
		put_in_line(out, p->where, s);
	fputc('}', out);
}

static void put_servers(FILE *out, const struct profile *p)
{
	size_t i;

	fputs(",\n      \"server_cycles\": ", out);
	emit_json_number(out, p->where->server_cycles);
	put_number(out, "line_cycles", p->where->line_cycles);
	fputs(",\n      \"servers\": [", out);
	for (i = 0; i < p->where->server_count; i++)
		put_server(out, p, i);
	fputs("\n      ]", out);
}

static void put_answers(FILE *out, const struct job_profile *where)
{
	size_t i;

	fputs(",\n      \"took\": {", out);
	for (i = 0; i < JOB_ANSWER_COUNT; i++) {
		fputs(i ? ",\n        " : "\n        ", out);
		put_parts(out, job_answer_names[i], &where->took[i]);
	}
	fputs("\n      }", out);
}

static void put_launch(FILE *out, const struct profile *p)
{
	size_t i;

	put_text(out, "job", p->job, "\n    {");
	put_text(out, "kernel", p->kernel, "\n      ");
	if (p->launch_name)
		put_text(out, "launch_name", p->launch_name, "\n      ");
	put_text(out, "module", p->module, "\n      ");
	put_text(out, "machine", p->machine, "\n      ");
	fprintf(out,
		"\n      \"launch\": %" PRIu32 ",\n      \"repeat\": %" PRIu32
		",\n      \"cycles\": ",
		p->launch, p->repeat);
	emit_json_number(out, p->cycles);
	fputs(",\n      \"warp_cycles\": ", out);
	emit_json_number(out, p->where->warp_cycles);
	fputs(",\n      ", out);
	put_waits(out, "wait_cycles", p->where->wait_cycles);
	put_answers(out, p->where);
	put_servers(out, p);
	profile_put_occupancy(out, p->where);
	fputs(",\n      ", out);
	put_queues(out, "other_queues", p->where, JOB_NO_LINE);
	fputs(",\n      \"lines\": [", out);
	for (i = 0; i < p->where->line_count; i++)
		put_line(out, p, i);
	fputs("\n      ]\n    }", out);
}

int profile_put_json(const struct profile_list *list, FILE *out)
{
	size_t i;

	fputs("{\n  \"schema\": \"" PROFILE_SCHEMA "\",\n  \"launches\": [",
		out);
	for (i = 0; i < list->count; i++) {
		fputs(i ? "," : "", out);
		put_launch(out, &list->items[i]);
	}
	fputs("\n  ]\n}\n", out);
	return 0;
}
