#include <string.h>

#include "harness/command/topics/topics.h"

const struct topic *topic_find(const char *name)
{
	const struct topic *t;

	for (t = topics; t->name; t++)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}

int topic_section(const struct topic *topic)
{
	static const char *const written[] = {
		"programs", "jobs", "machines", "formats"};
	size_t i;

	for (i = 0; i < sizeof(written) / sizeof(written[0]); i++)
		if (!strcmp(written[i], topic->name))
			return 5;
	return 7;
}

int topic_put(const struct topic *topic, FILE *out, struct error *error)
{
	const char *line = topic->text;
	size_t length;
	int code = 0;

	for (; !code && *line; line += length + (line[length] == '\n')) {
		length = strcspn(line, "\n");
		if (*line == '@')
			code = topic_put_part(line + 1, length - 1, out, error);
		else
			fprintf(out, "%.*s\n", (int)length, line);
	}
	return code;
}

void topics_put_list(FILE *out)
{
	const struct topic *t;

	for (t = topics; t->name; t++)
		fprintf(out, "    %-9s %.*s\n", t->name,
			(int)strcspn(t->text, ".\n"), t->text);
}
