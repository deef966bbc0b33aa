/* The head of a trace. */
#include <stdio.h>
#include <string.h>

#include "harness/trace/parts.h"

/* What "-key" says: as a number, three of them, or text. */
enum form { NUMBER, ADDRESS, EXTENT, TEXT };

static const struct key {
	const char *name;
	size_t place;
	uint64_t most;
	enum form form;
	bool required;
} keys[] = {
#define PLACE(field) offsetof(struct trace_head, field)
	{"kernel name", PLACE(name), 0, TEXT, true},
	{"grid dim", PLACE(grid), INT32_MAX, EXTENT, true},
	{"block dim", PLACE(block), 1024, EXTENT, true},
	{"shmem base_addr", PLACE(shared_base), UINT64_MAX, ADDRESS, false},
	{"shmem", PLACE(shared_bytes), UINT32_MAX, NUMBER, true},
	{"nregs", PLACE(registers), 255, NUMBER, true},
	{"local mem base_addr", PLACE(local_base), UINT64_MAX, ADDRESS, false},
	{"accelsim tracer version", PLACE(version), 1000, NUMBER, true},
	{"enable lineinfo", PLACE(has_source_lines), 1, NUMBER, false},
#undef PLACE
};
#define KEYS (sizeof(keys) / sizeof(*keys))

/* The versions whose lines are as trace.h says. */
#define VERSION_FIRST 3u
#define VERSION_LAST  6u

static void read_text(struct trace_reader *r, char *name)
{
	size_t length = strcspn(r->at, "\r\n"), i;

	while (length && r->at[length - 1] == ' ')
		length--;
	if (length >= TRACE_NAME_BYTES)
		length = TRACE_NAME_BYTES - 1;
	for (i = 0; i < length; i++)
		name[i] = strchr(" \t#", r->at[i]) ? '_' : r->at[i];
	name[length] = '\0';
}

static int read_extent(
	struct trace_reader *r, const struct key *key, uint32_t extent[3])
{
	uint64_t value = 0;
	int status = 0, i;

	if (!trace_skip(r, "("))
		return trace_fail(r, "expected (x,y,z)");
	for (i = 0; !status && i < 3; i++) {
		if (i && !trace_skip(r, ","))
			return trace_fail(r, "expected (x,y,z)");
		status = trace_number(r, 10, key->most, key->name, &value);
		extent[i] = (uint32_t)value;
	}
	return status;
}

static int read_value(
	struct trace_reader *r, const struct key *key, struct trace_head *head)
{
	char *place = (char *)head + key->place;
	uint64_t value = 0;
	int status = 0;

	switch (key->form) {
	case TEXT:
		read_text(r, place);
		break;
	case EXTENT:
		status = read_extent(r, key, (uint32_t *)(void *)place);
		break;
	case ADDRESS:
		status = trace_number(r, 16, key->most, key->name, &value);
		memcpy(place, &value, sizeof(value));
		break;
	case NUMBER:
		status = trace_number(r, 10, key->most, key->name, &value);
		if (key->most == 1)
			head->has_source_lines = value;
		else
			memcpy(place, &(uint32_t){(uint32_t)value},
				sizeof(uint32_t));
		break;
	}
	return status;
}

/* Other lines of a head say nothing that a replay needs. */
static int read_line(
	struct trace_reader *r, struct trace_head *head, unsigned *seen)
{
	unsigned i;

	for (i = 0; i < KEYS; i++)
		if (trace_skip(r, keys[i].name))
			break;
	if (i < KEYS && !trace_skip(r, "="))
		return trace_fail(r, "expected '='");
	if (i < KEYS)
		*seen |= 1u << i;
	return i < KEYS ? read_value(r, &keys[i], head) : 0;
}

int trace_read_head(struct trace_reader *r, struct trace_head *head)
{
	unsigned seen = 0, i;
	int status = 0;

	*head = (struct trace_head){.version = 0};
	while (!status && trace_next_line(r) && *r->at == '-') {
		r->at++;
		status = read_line(r, head, &seen);
		if (!status)
			trace_end_line(r);
	}
	for (i = 0; !status && i < KEYS; i++)
		if (keys[i].required && !(seen >> i & 1))
			status = trace_fail(r,
				"the head of the trace has no '-%s'",
				keys[i].name);
	if (!status &&
		(head->version < VERSION_FIRST || head->version > VERSION_LAST))
		status = trace_fail(r,
			"the trace is of tracer version %u; versions %u to %u "
			"are understood",
			head->version, VERSION_FIRST, VERSION_LAST);
	if (!status && (!head->registers || !head->name[0]))
		status = trace_fail(
			r, "a kernel has a name and at least one register");
	return status;
}
