/* Profiles from JSON. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/content.h"
#include "harness/profile/read_parts.h"

#define LINES_MOST 1000000u

/* ---- numbers ---- */

int profile_read_cycles(
	const struct json_place *up, const char *key, double *value)
{
	const struct json_place place = place_key(up, key);
	int code = place_number(&place, value);

	if (!code && !(*value >= 0))
		return place_fail(&place, "must not be negative");
	return code;
}

bool profile_has(const struct json_place *up, const char *key)
{
	return place_key(up, key).value != NULL;
}

/* Older profiles lack the classes that came later. */
static bool is_later(size_t wait)
{
	return wait == JOB_WAIT_CODE || wait == JOB_WAIT_DRAIN ||
	       wait == JOB_WAIT_DEPENDENCE;
}

static int read_waits(const struct json_place *up, const char *key,
	double wait_cycles[JOB_WAIT_COUNT])
{
	const struct json_place place = place_key(up, key);
	int code = place_object(&place);
	size_t i;

	for (i = 0; !code && i < JOB_WAIT_COUNT; i++)
		if (is_later(i) && !profile_has(&place, job_wait_names[i]))
			wait_cycles[i] = 0;
		else
			code = profile_read_cycles(
				&place, job_wait_names[i], &wait_cycles[i]);
	return code;
}

static int read_found(
	const struct json_place *up, uint64_t found[JOB_LEVEL_COUNT])
{
	const struct json_place place = place_key(up, "found");
	int code = place_object(&place);
	size_t i;

	for (i = 0; !code && i < JOB_LEVEL_COUNT; i++)
		code = read_u64(&place, job_level_names[i], &found[i]);
	return code;
}

static int read_parts(
	const struct json_place *up, const char *key, struct job_parts *p)
{
	const struct json_place place = place_key(up, key);
	int code;

	if ((code = place_object(&place)) ||
		(code = read_u64(&place, "requests", &p->requests)) ||
		(code = profile_read_cycles(
			 &place, "way_cycles", &p->way_cycles)) ||
		(code = profile_read_cycles(
			 &place, "queue_cycles", &p->queue_cycles)))
		return code;
	return profile_read_cycles(
		&place, "service_cycles", &p->service_cycles);
}

/* Profiles of before waits had parts lack them, and who waited for whom. */
static int read_answers(const struct json_place *up, struct job_profile *where)
{
	const struct json_place place = place_key(up, "took");
	int code = 0;
	size_t i;

	if (!profile_has(up, "took"))
		return 0;
	for (i = 0; !code && i < JOB_ANSWER_COUNT; i++)
		code = read_parts(&place, job_answer_names[i], &where->took[i]);
	return code;
}

/* ---- lines ---- */

/* 1 + the index of the name, which is added if it is new. */
static int find_source(struct job_profile *where,
	const struct json_place *place, const char *name, uint32_t *source)
{
	char **larger;
	size_t i;

	for (i = 0; i < where->source_count; i++)
		if (!strcmp(where->sources[i], name))
			break;
	*source = (uint32_t)i + 1;
	if (i < where->source_count)
		return 0;
	larger = reallocarray(where->sources, i + 1, sizeof(*larger));
	if (!larger)
		return place_no_memory(place);
	where->sources = larger;
	larger[i] = strdup(name);
	if (!larger[i])
		return place_no_memory(place);
	where->source_count++;
	return 0;
}

static int read_source(const struct json_place *up, struct job_profile *where,
	struct job_line *line)
{
	const struct json_place place = place_key(up, "source");
	const char *name;
	int code;

	if (json_is_null(place.value))
		return 0;
	code = place_string(&place, &name);
	return code ? code : find_source(where, &place, name, &line->source);
}

static int read_line(const struct json_place *place, struct job_profile *where,
	struct job_line *l, char **text, char **source_text)
{
	const struct json_place ptx = place_key(place, "ptx");
	const struct json_place source = place_key(place, "source_text");
	int code;

	if ((code = place_object(place)) ||
		(code = read_u32(place, "line", &l->line)) ||
		(code = place_copy(&ptx, text)) ||
		(code = read_source(place, where, l)) ||
		(source.value && (code = place_copy(&source, source_text))) ||
		(code = read_u32(place, "source_line", &l->source_line)) ||
		(code = read_u64(place, "executions", &l->executions)) ||
		(code = read_u64(place, "lanes", &l->lanes)) ||
		(code = read_u64(place, "requests", &l->requests)) ||
		(code = read_u64(place, "sectors", &l->sectors)) ||
		(profile_has(place, "bytes") &&
			(code = read_u64(place, "bytes", &l->bytes))) ||
		(code = read_found(place, l->found)) ||
		(code = read_u64(place, "answered", &l->answered)) ||
		(code = profile_read_cycles(
			 place, "latency_cycles", &l->latency_cycles)))
		return code;
	if ((code = read_waits(place, "wait_cycles", l->wait_cycles)) ||
		!profile_has(place, "took"))
		return code;
	code = read_waits(place, "stalled_cycles", l->stalled_cycles);
	return code ? code : read_parts(place, "took", &l->took);
}

static int read_lines(const struct json_place *up, struct profile *p)
{
	const struct json_place place = place_key(up, "lines");
	size_t count = 0, i;
	int code = place_array(&place, &count);

	if (code)
		return code;
	if (count > LINES_MOST)
		return place_fail(&place, "has more than %u lines", LINES_MOST);
	p->where->lines = calloc(count + 1, sizeof(*p->where->lines));
	p->texts = calloc(count + 1, sizeof(*p->texts));
	p->source_texts = calloc(count + 1, sizeof(*p->source_texts));
	if (!p->where->lines || !p->texts || !p->source_texts)
		return place_no_memory(&place);
	for (i = 0; !code && i < count; i++) {
		const struct json_place item = place_index(&place, i);

		p->where->line_count++;
		code = read_line(&item, p->where, &p->where->lines[i],
			&p->texts[i], &p->source_texts[i]);
	}
	return code;
}

/* ---- servers ---- */

#define SERVERS_MOST 1000u

/* A short text, into its place. */
static int read_word(
	const struct json_place *up, const char *key, char *word, size_t bytes)
{
	const struct json_place place = place_key(up, key);
	const char *text;
	int code = place_string(&place, &text);

	if (code)
		return code;
	if (strlen(text) >= bytes)
		return place_fail(
			&place, "has more than %zu characters", bytes - 1);
	strcpy(word, text);
	return 0;
}

static int read_room(const struct json_place *up, bool *is_room)
{
	const struct json_place place = place_key(up, "is_room");

	if (!json_is_boolean(place.value))
		return place_fail(&place, "must be true or false");
	*is_room = json_is_true(place.value);
	return 0;
}

/* Profiles of before lack it, and servers at which nothing stood. */
static int read_in_line(const struct json_place *up, struct job_server *s)
{
	const struct json_place place = place_key(up, "in_line");
	size_t count = 0, i;
	int code;

	if (!profile_has(up, "in_line"))
		return 0;
	code = place_array(&place, &count);
	if (!code && count > JOB_SPANS)
		return place_fail(&place, "has more than %u spans", JOB_SPANS);
	for (i = 0; !code && i < count; i++) {
		const struct json_place item = place_index(&place, i);

		code = place_number(&item, &s->in_line[i]);
		if (!code && !(s->in_line[i] >= 0))
			code = place_fail(&item, "must not be negative");
	}
	return code;
}

static int read_server(const struct json_place *place, struct job_server *s)
{
	const struct json_place served = place_key(place, "served");
	int code;

	if ((code = place_object(place)) ||
		(code = read_word(place, "server", s->name, sizeof(s->name))) ||
		(code = read_word(place, "of", s->of, sizeof(s->of))) ||
		(code = read_u32(place, "count", &s->count)) ||
		(code = read_room(place, &s->is_room)) ||
		(code = read_word(place, "unit", s->unit, sizeof(s->unit))) ||
		(code = profile_read_cycles(
			 place, "units_per_cycle", &s->rate)) ||
		(code = read_word(
			 place, "nsight", s->nsight, sizeof(s->nsight))) ||
		(code = profile_read_cycles(
			 place, "busy_cycles", &s->busy_cycles)) ||
		(code = profile_read_cycles(
			 place, "busiest_cycles", &s->busiest_cycles)) ||
		(code = read_u32(place, "busiest", &s->busiest)) ||
		(code = read_u64(place, "served", &s->served)) ||
		(code = profile_read_cycles(
			 place, "waited_cycles", &s->waited_cycles)) ||
		(code = read_u64(place, "longest_line", &s->longest_line)))
		return code;
	if (!s->served)
		return place_fail(&served, "must be 1 or more");
	return read_in_line(place, s);
}

/* Profiles of before there were servers lack them. */
static int read_servers(const struct json_place *up, struct job_profile *where)
{
	const struct json_place place = place_key(up, "servers");
	size_t count = 0, i;
	int code;

	if (!profile_has(up, "servers"))
		return 0;
	if ((code = profile_read_cycles(
		     up, "server_cycles", &where->server_cycles)) ||
		(profile_has(up, "line_cycles") &&
			(code = profile_read_cycles(
				 up, "line_cycles", &where->line_cycles))) ||
		(code = place_array(&place, &count)))
		return code;
	if (count > SERVERS_MOST)
		return place_fail(
			&place, "has more than %u servers", SERVERS_MOST);
	where->servers = calloc(count + 1, sizeof(*where->servers));
	if (!where->servers)
		return place_no_memory(&place);
	for (i = 0; !code && i < count; i++) {
		const struct json_place item = place_index(&place, i);

		code = read_server(&item, &where->servers[i]);
	}
	where->server_count = count;
	return code;
}

/* ---- launches ---- */

static int read_launch(const struct json_place *place, struct profile *p)
{
	const struct json_place job = place_key(place, "job");
	const struct json_place kernel = place_key(place, "kernel");
	const struct json_place module = place_key(place, "module");
	const struct json_place machine = place_key(place, "machine");
	const struct json_place name = place_key(place, "launch_name");
	int code;

	p->where = calloc(1, sizeof(*p->where));
	if (!p->where)
		return place_no_memory(place);
	if ((code = place_object(place)) ||
		(code = place_copy(&job, &p->job)) ||
		(code = place_copy(&kernel, &p->kernel)) ||
		(code = place_copy(&module, &p->module)) ||
		(code = place_copy(&machine, &p->machine)) ||
		(name.value && (code = place_copy(&name, &p->launch_name))) ||
		(code = read_u32(place, "launch", &p->launch)) ||
		(code = read_u32(place, "repeat", &p->repeat)) ||
		(code = profile_read_cycles(place, "cycles", &p->cycles)) ||
		(code = profile_read_cycles(
			 place, "warp_cycles", &p->where->warp_cycles)) ||
		(code = read_waits(
			 place, "wait_cycles", p->where->wait_cycles)) ||
		(code = read_answers(place, p->where)) ||
		(code = read_servers(place, p->where)) ||
		(code = profile_read_occupancy(place, p->where)) ||
		(code = read_lines(place, p)))
		return code;
	return profile_read_queues(place, p->where);
}

static int read_document(
	const struct json_place *root, struct profile_list *list)
{
	const struct json_place schema = place_key(root, "schema");
	const struct json_place all = place_key(root, "launches");
	const char *name;
	size_t count = 0, i;
	int code;

	if ((code = place_object(root)) ||
		(code = place_string(&schema, &name)))
		return code;
	if (strcmp(name, PROFILE_SCHEMA) != 0)
		return place_fail(&schema, "is '%s', but only '%s' is known",
			name, PROFILE_SCHEMA);
	code = place_array(&all, &count);
	for (i = 0; !code && i < count; i++) {
		const struct json_place item = place_index(&all, i);
		struct profile *p = profile_list_add(list);

		code = p ? read_launch(&item, p) : place_no_memory(&item);
	}
	return code;
}

static int parse(const struct content *content, struct profile_list *list,
	struct error *error)
{
	struct json_place root;
	int code = content_check_values(content, ",[{\n", error);

	if (code)
		return code;
	code = place_load(
		content->text, content->bytes, content->source, &root, error);
	if (code)
		return code;
	code = read_document(&root, list);
	json_decref(root.value);
	return code;
}

int profile_read(
	const char *path, struct profile_list *list, struct error *error)
{
	struct profile_list found = {0};
	struct content content;
	int code = content_read_text(path, CONTENT_MOST, &content, error);

	if (code)
		return code;
	code = parse(&content, &found, error);
	content_free(&content);
	if (code)
		profile_list_free(&found);
	else
		*list = found;
	return code;
}
