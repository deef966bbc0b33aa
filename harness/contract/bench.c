#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/contract/bench.h"

static size_t index_of(const struct bench_args *args, const char *name)
{
	size_t i;

	for (i = 0; args->options[i].name; i++)
		if (!strcmp(args->options[i].name, name))
			return i;
	fprintf(stderr,
		"nearfar: a bench asks for its option '%s', which its "
		"table does not have\n",
		name);
	abort();
}

double bench_number(const struct bench_args *args, const char *name)
{
	return args->values[index_of(args, name)].number;
}

const char *bench_text(const struct bench_args *args, const char *name)
{
	return args->values[index_of(args, name)].text;
}
