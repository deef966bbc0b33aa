#include <string.h>

#include "harness/command/topics.h"

const struct topic *topic_find(const char *name)
{
	const struct topic *t;

	for (t = topics; t->name; t++)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}

void topics_put_list(FILE *out)
{
	const struct topic *t;

	for (t = topics; t->name; t++)
		fprintf(out, "    %-9s %.*s\n", t->name,
			(int)strcspn(t->text, ".\n"), t->text);
}
