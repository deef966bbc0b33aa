#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "harness/base/emit.h"
#include "harness/base/output.h"
#include "harness/timeline/chrome.h"
#include "harness/timeline/layout.h"

struct writer {
	FILE *out;
	const struct timeline *t;
	const struct chrome_about *about;
	struct layout layout;
	bool begun; /* there is an event before */
};

/* ---- times ---- */

#define TICKS_A_US 10000 /* of 0.1 ns */

static int64_t ticks_of(const struct writer *w, double cycles)
{
	return (int64_t)floor(cycles / w->t->clock_hz * 1e6 * TICKS_A_US);
}

static void put_us(FILE *out, const char *key, int64_t ticks)
{
	fprintf(out, ",\"%s\":%" PRId64 ".%04d", key, ticks / TICKS_A_US,
		(int)(ticks % TICKS_A_US));
}

/* ---- names ---- */

static void begin_event(struct writer *w, const char *kind)
{
	fprintf(w->out, "%s{\"ph\":\"%s\"", w->begun ? ",\n" : "\n", kind);
	w->begun = true;
}

static void put_member(FILE *out, const char *key, const char *text)
{
	fprintf(out, ",\"%s\":", key);
	emit_json_string(out, text);
}

static void put_name(struct writer *w, const char *what, uint32_t process,
	uint32_t thread, const char *name)
{
	begin_event(w, "M");
	put_member(w->out, "name", what);
	fprintf(w->out, ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"args\":{",
		process, thread);
	fputs("\"name\":", w->out);
	emit_json_string(w->out, name);
	fputs("}}", w->out);
}

static void put_sort_index(struct writer *w, const char *what, uint32_t process,
	uint32_t thread, uint32_t index)
{
	begin_event(w, "M");
	put_member(w->out, "name", what);
	fprintf(w->out,
		",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
		",\"args\":{\"sort_index\":%" PRIu32 "}}",
		process, thread, index);
}

static void name_process(struct writer *w, uint32_t process)
{
	const struct timeline_servers *s;
	char name[64] = "launches";

	if (process >= LAYOUT_SERVERS) {
		s = &w->t->servers[process - LAYOUT_SERVERS];
		snprintf(name, sizeof(name), "%s", s->name);
	} else if (process >= LAYOUT_SMS) {
		snprintf(name, sizeof(name), "SM %" PRIu32,
			process - LAYOUT_SMS);
	}
	put_name(w, "process_name", process, 0, name);
	put_sort_index(w, "process_sort_index", process, 0, process);
}

static void name_thread(struct writer *w, uint32_t process, uint32_t thread)
{
	char name[64] = "launches";

	if (process >= LAYOUT_SERVERS)
		snprintf(name, sizeof(name), "%s %" PRIu32,
			w->t->servers[process - LAYOUT_SERVERS].of, thread - 1);
	else if (thread >= LAYOUT_REQUESTS)
		snprintf(name, sizeof(name), "requests %" PRIu32,
			thread - LAYOUT_REQUESTS);
	else if (process >= LAYOUT_SMS)
		snprintf(name, sizeof(name), "warp place %" PRIu32, thread - 1);
	put_name(w, "thread_name", process, thread, name);
	put_sort_index(w, "thread_sort_index", process, thread, thread);
}

/* Threads are in the order of their processes. A kind of servers that is only
   counted has no thread. */
static void put_names(struct writer *w)
{
	uint32_t named = 0, process, i;
	size_t k;

	for (k = 0; k < w->layout.thread_count; k++) {
		process = (uint32_t)(w->layout.threads[k] >> 32);
		if (process != named && process < LAYOUT_SERVERS)
			name_process(w, process);
		named = process;
		name_thread(w, process, (uint32_t)w->layout.threads[k]);
	}
	for (i = 0; i < TIMELINE_KINDS_MAX; i++)
		if (w->t->servers[i].name)
			name_process(w, LAYOUT_SERVERS + i);
}

/* ---- spans ---- */

/* The line of the launch's module, without blanks around it. */
static void put_text(const struct writer *w, const struct timeline_span *s)
{
	const struct job *job = w->about->job;
	const char *text;
	char line[160];
	uint32_t i;

	if (!job || s->launch >= job->launch_count)
		return;
	text = job->modules[job->launches[s->launch].module].text;
	for (i = 1; i < s->line && *text; i++) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	text += strspn(text, " \t");
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
	put_member(w->out, "ptx", line);
}

static void put_span_name(const struct writer *w, const struct timeline_span *s)
{
	char name[128];

	if (s->what == TIMELINE_WARP)
		snprintf(name, sizeof(name), "%s %" PRIu32, s->name, s->warp);
	else
		snprintf(name, sizeof(name), "%s%s",
			s->what == TIMELINE_WAY     ? "to "
			: s->what == TIMELINE_QUEUE ? "queue: "
						    : "",
			s->name);
	put_member(w->out, "name", name);
}

static void put_number(FILE *out, const char *key, double value)
{
	fprintf(out, ",\"%s\":", key);
	emit_json_number(out, value);
}

static void put_args(const struct writer *w, const struct timeline_span *s)
{
	const bool whole =
		s->what == TIMELINE_REQUEST || s->what == TIMELINE_WORK;

	fputs(",\"args\":{\"begin_cycle\":", w->out);
	emit_json_number(w->out, s->begin);
	put_number(w->out, "cycles", s->end - s->begin);
	if (whole || s->what == TIMELINE_WARP)
		put_number(w->out, "sm", s->place);
	if (s->warp != TIMELINE_NONE && (whole || s->what == TIMELINE_WARP))
		put_number(w->out, "warp", s->warp);
	if (whole)
		fprintf(w->out, ",\"address\":\"0x%" PRIx64 "\"", s->address);
	if (s->what == TIMELINE_REQUEST)
		put_number(w->out, "sectors", s->sectors);
	if (s->line && (whole || s->what == TIMELINE_WAIT)) {
		put_number(w->out, "line", s->line);
		put_text(w, s);
	}
	fputs("}}", w->out);
}

static void put_span(struct writer *w, size_t index)
{
	const struct timeline_span *s = &w->t->spans[index];
	const int64_t begin = ticks_of(w, s->begin);

	begin_event(w, "X");
	put_span_name(w, s);
	put_member(w->out, "cat", timeline_names[s->what]);
	fprintf(w->out, ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32,
		layout_process(s), layout_thread(&w->layout, w->t, index));
	put_us(w->out, "ts", begin);
	put_us(w->out, "dur", ticks_of(w, s->end) - begin);
	put_args(w, s);
}

/* ---- counters ---- */

static void put_counter(struct writer *w, uint32_t kind, uint32_t step)
{
	const struct timeline_servers *s = &w->t->servers[kind];
	const double cycles = w->t->step_cycles;
	const double at = w->t->origin + step * cycles;

	begin_event(w, "C");
	put_member(w->out, "name", "in line, served");
	fprintf(w->out, ",\"pid\":%" PRIu32 ",\"tid\":0",
		LAYOUT_SERVERS + kind);
	put_us(w->out, "ts", ticks_of(w, at));
	fputs(",\"args\":{\"in line\":", w->out);
	emit_json_number(w->out, s->queued[step] / cycles);
	put_number(w->out, "served", s->served[step] / cycles);
	fputs("}}", w->out);
}

/* Where it changes. */
static void put_counters(struct writer *w, uint32_t kind)
{
	const struct timeline_servers *s = &w->t->servers[kind];
	uint32_t i;

	for (i = 0; s->name && i < w->t->steps_max; i++)
		if (i ? s->queued[i] != s->queued[i - 1] ||
					s->served[i] != s->served[i - 1]
		      : s->queued[i] > 0 || s->served[i] > 0)
			put_counter(w, kind, i);
}

/* ---- the file ---- */

static void put_about(const struct writer *w)
{
	const struct timeline *t = w->t;
	FILE *out = w->out;

	fputs("\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"schema\":",
		out);
	emit_json_string(out, CHROME_SCHEMA);
	if (w->about->ran)
		put_member(out, "ran", w->about->ran);
	if (w->about->backend)
		put_member(out, "backend", w->about->backend);
	if (w->about->machine)
		put_member(out, "machine", w->about->machine);
	put_number(out, "clock_hz", t->clock_hz);
	put_number(out, "from_cycle", t->from);
	put_number(out, "until_cycle", t->until);
	put_number(out, "limit", t->limit);
	put_number(out, "left_out", (double)t->left_out);
	put_number(out, "counter_step_cycles", t->step_cycles);
	fputs("}}\n", out);
}

static void put_all(struct writer *w)
{
	uint32_t kind;
	size_t i;

	fputs("{\"traceEvents\":[", w->out);
	put_names(w);
	for (i = 0; i < w->t->count; i++)
		put_span(w, w->layout.order[i]);
	for (kind = 0; kind < TIMELINE_KINDS_MAX; kind++)
		put_counters(w, kind);
	put_about(w);
}

int chrome_write(const struct timeline *t, const struct chrome_about *about,
	FILE *out, struct error *error)
{
	struct writer w = {.out = out, .t = t, .about = about};

	if (t->failed || layout_make(&w.layout, t)) {
		layout_free(&w.layout);
		return error_set(
			error, ERR_FAILED, "out of memory for the trace");
	}
	put_all(&w);
	layout_free(&w.layout);
	return ferror(out) ? error_set(error, ERR_FAILED,
				     "the trace was not written")
			   : 0;
}

int chrome_check_path(const char *path, struct error *error)
{
	size_t length = strlen(path);

	if (!strcmp(path, "-"))
		return 0;
	if (length > 3 && !strcmp(path + length - 3, ".gz"))
		length -= 3;
	if (length >= 5 && !strncmp(path + length - 5, ".json", 5))
		return 0;
	return error_set(error, ERR_USAGE,
		"'--trace %s' ends neither in .json nor in .json.gz", path);
}

int chrome_write_file(const struct timeline *t,
	const struct chrome_about *about, const char *path, struct error *error)
{
	struct output output;
	int code = output_open(&output, path, error);

	if (code)
		return code;
	code = chrome_write(t, about, output.stream, error);
	if (code) {
		output_abort(&output);
		return code;
	}
	return output_commit(&output, error);
}
