#include <string.h>

#include "harness/command/help/lines.h"

#define WIDTH 79

void lines_put(FILE *out, const char *indent, int columns, const char *name,
	const char *text)
{
	const int margin = (int)strlen(indent) + (name ? columns : 0);
	int at = margin;

	if (name)
		fprintf(out, "%s%-*s", indent, columns, name);
	else
		fputs(indent, out);
	if (name && (int)strlen(name) >= columns)
		fprintf(out, "\n%*s", margin, "");
	while (*text) {
		const int width = (int)strcspn(text, " ");

		if (at > margin && at + 1 + width > WIDTH) {
			fprintf(out, "\n%*s", margin, "");
			at = margin;
		}
		at += fprintf(
			out, "%s%.*s", at > margin ? " " : "", width, text);
		text += width;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}
