#include <string.h>

#include "harness/manual/manual.h"

void manual_put_words(FILE *out, const char *words, size_t column)
{
	size_t at = column, length;

	for (; *words; words += length, words += *words == ' ') {
		length = strcspn(words, " ");
		if (at > column && at + 1 + length > MANUAL_WIDTH) {
			fprintf(out, "\n%*s", (int)column, "");
			at = column;
		} else if (at > column) {
			fputc(' ', out);
			at++;
		}
		fwrite(words, 1, length, out);
		at += length;
	}
	fputc('\n', out);
}

void manual_put_row(
	FILE *out, size_t indent, const char *name, const char *what)
{
	size_t used = indent + strlen(name);

	fprintf(out, "%*s%s", (int)indent, "", name);
	if (used + 2 > MANUAL_COLUMN) {
		fputc('\n', out);
		used = 0;
	}
	fprintf(out, "%*s", (int)(MANUAL_COLUMN - used), "");
	manual_put_words(out, what, MANUAL_COLUMN);
}
