/*
 * Reads lines "KIND VERSION TEXT", a form of forms.py each, and says of each
 * "+", or "-" and the reader's sentence. KIND: `i`, instructions, which stand
 * behind forms.head, or `m`, what stands in a module. A byte 1 in TEXT stands
 * for the end of a line. A form that the model has not is PTX all the same: the
 * reader takes the module that it stands in.
 * usage: forms_read HEAD
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/ptx/ptx.h"

#define PLAIN_HEAD ".target sm_90\n.address_size 64\n"
#define TAIL       "L2: ret;\n}\n"

static char head[4096];

static int read_head(const char *path)
{
	FILE *in = fopen(path, "r");
	size_t length = in ? fread(head, 1, sizeof(head) - 1, in) : 0;

	if (in)
		fclose(in);
	head[length] = 0;
	if (length)
		return 0;
	fprintf(stderr, "forms_read: there is no '%s'\n", path);
	return 1;
}

/* The module that the line's form stands in. */
static void write_module(const char *line, char *text, size_t bytes)
{
	const bool is_body = line[0] == 'i';
	char *end;

	snprintf(text, bytes, ".version %.3s\n%s%s%s", line + 2,
		is_body ? head : PLAIN_HEAD, line + strlen("i 9.0 "),
		is_body ? TAIL : "");
	for (end = text; *end; end++)
		if (*end == 1)
			*end = '\n';
}

static void judge(const char *text)
{
	struct ptx_module module;
	struct error error = {""};
	int code = ptx_parse("form", text, strlen(text), &module, &error);

	if (code)
		printf("- %s\n", error.text);
	else
		puts("+");
	if (!code)
		ptx_free(&module);
}

int main(int count, char **arguments)
{
	static char line[1 << 17], text[1 << 18];

	if (read_head(count > 1 ? arguments[1] : "tests/ptx/forms.head"))
		return EXIT_FAILURE;
	while (fgets(line, sizeof(line), stdin)) {
		write_module(line, text, sizeof(text));
		judge(text);
	}
	return 0;
}
