/* An explanation as JSON: results/schema/explain.schema.json. */
#include <inttypes.h>

#include "harness/base/emit.h"
#include "harness/explain/explain.h"

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void put_text_or_null(FILE *out, const char *key, const char *text)
{
	fprintf(out, ",\n  \"%s\": ", key);
	if (text)
		emit_json_string(out, text);
	else
		fputs("null", out);
}

static void put_head(const struct explanation *e, FILE *out)
{
	const struct profile *p = e->profile;
	const struct job_occupancy *o = &p->where->occupancy;

	fputs("{\n  \"schema\": \"" EXPLAIN_SCHEMA "\"", out);
	put_text_or_null(out, "job", p->job);
	put_text_or_null(out, "kernel", p->kernel);
	put_text_or_null(out, "module", p->module);
	put_text_or_null(out, "machine", p->machine);
	fprintf(out, ",\n  \"launch\": %" PRIu32 ",\n  \"repeat\": %" PRIu32,
		p->launch, p->repeat);
	emit_json_number_member(out, "cycles", p->cycles);
	emit_json_number_member(out, "block_cycles", o->cycles);
	put_text_or_null(out, "not_fitted", e->assumed);
}

static void put_ceilings(const struct explanation *e, FILE *out)
{
	const struct job_profile *where = e->profile->where;
	size_t i;

	fputs(",\n  \"ceilings\": [", out);
	for (i = 0; i < where->server_count; i++) {
		const struct job_server *s = &where->servers[i];

		fprintf(out, "%s\n    {\"server\": ", i ? "," : "");
		emit_json_string(out, s->name);
		emit_json_string_member(out, "of", s->of);
		emit_json_number_member(out, "count", s->count);
		fprintf(out, ", \"is_room\": %s",
			s->is_room ? "true" : "false");
		emit_json_number_member(
			out, "busy_share", profile_busy_share(where, s));
		emit_json_number_member(
			out, "busiest_share", profile_busiest_share(where, s));
		emit_json_number_member(out, "busiest", s->busiest);
		emit_json_number_member(
			out, "reached_per_cycle", explain_reached(e, s));
		emit_json_number_member(out, "ceiling_per_cycle", s->rate);
		emit_json_string_member(out, "unit", s->unit);
		fputc('}', out);
	}
	fputs("\n  ]", out);
}

static void put_occupancy(const struct explanation *e, FILE *out)
{
	const struct job_occupancy *o = &e->profile->where->occupancy;
	char limited[96];
	size_t i;

	explain_limited(o, limited);
	fputs(",\n  \"occupancy\": {\"limited_by\": ", out);
	emit_json_string(out, limited);
	emit_json_number_member(
		out, "theoretical_share", explain_occupancy_most(o));
	emit_json_number_member(out, "reached_share", explain_occupancy(o));
	emit_json_number_member(out, "warps_per_sm", o->warps_per_sm);
	emit_json_number_member(out, "blocks", (double)o->blocks);
	emit_json_number_member(out, "block_threads", o->block_threads);
	emit_json_number_member(out, "registers", o->registers);
	emit_json_number_member(out, "shared_bytes", (double)o->shared_bytes);
	emit_json_number_member(out, "blocks_per_sm", o->blocks_per_sm);
	fputs(", \"limits\": {", out);
	for (i = 0; i < JOB_LIMIT_COUNT; i++)
		fprintf(out, "%s\"%s\": %" PRIu32, i ? ", " : "",
			job_limit_names[i], o->limits[i]);
	fputc('}', out);
	emit_json_number_member(out, "waves", explain_waves(o));
	emit_json_number_member(out, "sms", o->sms);
	emit_json_number_member(out, "sms_used", o->sms_used);
	emit_json_number_member(
		out, "tail_share", share(o->tail_cycles, o->cycles));
	emit_json_number_member(out, "idle_share",
		share(o->idle_cycles, (double)o->sms * o->cycles));
	fputc('}', out);
}

static void put_operator(const struct explain_operator *o, FILE *out)
{
	uint64_t found = 0;
	size_t i;

	for (i = 0; i < JOB_LEVEL_COUNT; i++)
		found += o->found[i];
	fputs("{\"operator\": ", out);
	emit_json_string(out, o->name);
	emit_json_number_member(out, "executions", (double)o->executions);
	emit_json_number_member(out, "requests", (double)o->requests);
	emit_json_number_member(out, "sectors", (double)o->sectors);
	emit_json_number_member(out, "sectors_per_request",
		share((double)o->sectors, (double)o->requests));
	emit_json_number_member(out, "wanted_bytes", (double)o->bytes);
	fputs(", \"found_share\": {", out);
	for (i = 0; i < JOB_LEVEL_COUNT; i++) {
		fprintf(out, "%s\"%s\": ", i ? ", " : "", job_level_names[i]);
		emit_json_number(
			out, share((double)o->found[i], (double)found));
	}
	fputs("}}", out);
}

static void put_memory(const struct explanation *e, FILE *out)
{
	const struct job_profile *where = e->profile->where;
	size_t i;

	fprintf(out,
		",\n  \"memory\": {\"fetched_sectors\": %" PRIu64
		", \"unused_sectors\": %" PRIu64 ", \"operators\": [",
		where->fetched_sectors, where->unused_sectors);
	for (i = 0; i < e->operator_count; i++) {
		fprintf(out, "%s\n    ", i ? "," : "");
		put_operator(&e->operators[i], out);
	}
	fputs("\n  ]}", out);
}

static void put_place(
	const struct explanation *e, const struct explain_bind *bind, FILE *out)
{
	const char *file;
	uint32_t line;

	explain_file(e, bind, &file, &line);
	fputs(", \"file\": ", out);
	if (file)
		emit_json_string(out, file);
	else
		fputs("null", out);
	if (file)
		fprintf(out, ", \"line\": %" PRIu32, line);
	else
		fputs(", \"line\": null", out);
	if (bind->line)
		fprintf(out, ", \"ptx_line\": %" PRIu32, bind->line->line);
	else
		fputs(", \"ptx_line\": null", out);
}

static void put_binds(const struct explanation *e, FILE *out)
{
	size_t i;

	fputs(",\n  \"binds\": [", out);
	for (i = 0; i < e->bind_count; i++) {
		const struct explain_bind *bind = &e->binds[i];

		fprintf(out, "%s\n    {\"server\": ", i ? "," : "");
		emit_json_string(out, bind->server);
		put_place(e, bind, out);
		emit_json_number_member(out, "share", bind->share);
		fputc('}', out);
	}
	fputs("\n  ]", out);
}

static void put_what_if(
	const struct explanation *e, const struct explain_what_if *w, FILE *out)
{
	fputs("{\"change\": ", out);
	emit_json_string(out, w->change);
	emit_json_string_member(out, "what", w->what);
	if (*w->advice)
		emit_json_string_member(out, "advice", w->advice);
	if (w->of) {
		emit_json_string_member(out, "server", w->of->server);
		put_place(e, w->of, out);
	}
	if (*w->failed) {
		emit_json_string_member(out, "failed", w->failed);
	} else {
		emit_json_number_member(out, "cycles", w->cycles);
		emit_json_number_member(out, "gain", w->gain);
	}
	fprintf(out, ", \"at_most\": %s, \"proposed\": %s}",
		w->at_most ? "true" : "false", w->proposed ? "true" : "false");
}

static void put_what_ifs(const struct explanation *e, FILE *out)
{
	size_t i;

	fputs(",\n  \"error\": {\"kind\": ", out);
	emit_json_string(out, e->error.kind);
	emit_json_number_member(out, "percent", e->error.percent);
	fprintf(out, ", \"of_this_machine\": %s}",
		e->error.known ? "true" : "false");
	fprintf(out, ",\n  \"runs_most\": %u,\n  \"what_ifs\": [",
		e->asked ? EXPLAIN_RUNS_MOST : 0);
	for (i = 0; i < e->what_if_count; i++) {
		fprintf(out, "%s\n    ", i ? "," : "");
		put_what_if(e, &e->what_ifs[i], out);
	}
	fputs("\n  ]", out);
}

void explain_put_json(const struct explanation *e, FILE *out)
{
	put_head(e, out);
	put_ceilings(e, out);
	put_occupancy(e, out);
	put_memory(e, out);
	put_binds(e, out);
	put_what_ifs(e, out);
	fputs("\n}\n", out);
}
