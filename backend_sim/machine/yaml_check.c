#include <stdbool.h>

#include "backend_sim/machine/yaml_check.h"

#define YAML_DEPTH_MAX  8     /* of brackets: a machine has three */
#define YAML_EVENTS_MAX 65536 /* keys, values, brackets: a machine has 2000 */

struct checked {
	const char *source;
	struct error *error;
};

int yaml_fail(
	const yaml_parser_t *parser, const char *source, struct error *error)
{
	if (parser->error == YAML_MEMORY_ERROR || !parser->problem)
		return error_set(error, ERR_FAILED,
			"out of memory while reading '%s'", source);
	return error_set(error, ERR_USAGE, "%s:%zu:%zu: %s", source,
		parser->problem_mark.line + 1, parser->problem_mark.column + 1,
		parser->problem);
}

static int fail_event(const struct checked *r, const yaml_event_t *event,
	const char *sentence)
{
	return error_set(r->error, ERR_USAGE, "%s:%zu:%zu: %s", r->source,
		event->start_mark.line + 1, event->start_mark.column + 1,
		sentence);
}

/* Less deep than a machine is, and not much more than one has. */
static int check_event(const struct checked *r, const yaml_event_t *event,
	unsigned *depth, unsigned *documents, unsigned *events)
{
	if (event->type == YAML_SEQUENCE_START_EVENT ||
		event->type == YAML_MAPPING_START_EVENT)
		++*depth;
	if (event->type == YAML_SEQUENCE_END_EVENT ||
		event->type == YAML_MAPPING_END_EVENT)
		--*depth;
	if (*depth > YAML_DEPTH_MAX)
		return fail_event(r, event, "this is nested too deep");
	if (event->type == YAML_ALIAS_EVENT)
		return fail_event(
			r, event, "a machine file has no aliases (*NAME)");
	if (event->type == YAML_DOCUMENT_START_EVENT && ++*documents > 1)
		return fail_event(r, event, "a machine file has one document");
	if (++*events > YAML_EVENTS_MAX)
		return fail_event(r, event, "a machine file ends before this");
	return 0;
}

int yaml_check(const char *text, size_t length, const char *source,
	struct error *error)
{
	const struct checked checked = {source, error}, *r = &checked;
	unsigned depth = 0, documents = 0, events = 0;
	yaml_parser_t parser;
	yaml_event_t event;
	bool over = false;
	int code = 0;

	if (!yaml_parser_initialize(&parser))
		return error_set(error, ERR_FAILED, "out of memory");
	yaml_parser_set_input_string(
		&parser, (const unsigned char *)text, length);
	while (!code && !over) {
		if (!yaml_parser_parse(&parser, &event)) {
			code = yaml_fail(&parser, source, error);
			break;
		}
		over = event.type == YAML_STREAM_END_EVENT;
		code = check_event(r, &event, &depth, &documents, &events);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return code;
}
