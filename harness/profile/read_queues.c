/* Who waited for whom at servers, from JSON. */
#include <stdlib.h>
#include <string.h>

#include "harness/profile/read_parts.h"

#define QUEUES_MOST 1000000u

static int find_server(const struct json_place *place,
	const struct job_profile *where, uint32_t *server)
{
	const struct json_place at = place_key(place, "server");
	const char *name;
	int code = place_string(&at, &name);

	for (*server = 0; !code && *server < where->server_count; ++*server)
		if (!strcmp(where->servers[*server].name, name))
			return 0;
	return code ? code : place_fail(&at, "is none of the servers");
}

/* Those of a line come one after the other, as servers do. */
static int read_queue(const struct json_place *place, uint32_t line,
	struct job_profile *where)
{
	const struct job_queue *last =
		where->queue_count ? &where->queues[where->queue_count - 1]
				   : NULL;
	struct job_queue q = {.line = line};
	struct job_queue *larger;
	int code;

	if ((code = place_object(place)) ||
		(code = find_server(place, where, &q.server)) ||
		(code = profile_read_cycles(
			 place, "suffered_cycles", &q.suffered_cycles)) ||
		(code = profile_read_cycles(
			 place, "caused_cycles", &q.caused_cycles)))
		return code;
	if (last && last->line == line && last->server >= q.server)
		return place_fail(place, "is not behind the one before it in "
					 "the order of the servers");
	if (where->queue_count == QUEUES_MOST)
		return place_fail(place, "is one of more than %u", QUEUES_MOST);
	larger = reallocarray(
		where->queues, where->queue_count + 1, sizeof(*larger));
	if (!larger)
		return place_no_memory(place);
	where->queues = larger;
	larger[where->queue_count++] = q;
	return 0;
}

static int read_queues(const struct json_place *up, const char *key,
	uint32_t line, struct job_profile *where)
{
	const struct json_place place = place_key(up, key);
	size_t count = 0, i;
	int code;

	if (!profile_has(up, key))
		return 0;
	code = place_array(&place, &count);
	for (i = 0; !code && i < count; i++) {
		const struct json_place item = place_index(&place, i);

		code = read_queue(&item, line, where);
	}
	return code;
}

int profile_read_queues(const struct json_place *up, struct job_profile *where)
{
	const struct json_place lines = place_key(up, "lines");
	int code = 0;
	size_t i;

	for (i = 0; !code && i < where->line_count; i++) {
		const struct json_place line = place_index(&lines, i);

		code = read_queues(&line, "queues", (uint32_t)i, where);
	}
	return code ? code
		    : read_queues(up, "other_queues", JOB_NO_LINE, where);
}
