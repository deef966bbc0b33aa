#include <string.h>

#include "harness/page/parts.h"

void html_put(const char *text, FILE *out)
{
	static const struct {
		char character;
		const char *spelling;
	} escapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"},
		{'"', "&quot;"}, {'\'', "&#39;"}};
	const size_t count = sizeof(escapes) / sizeof(escapes[0]);
	size_t i;

	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		for (i = 0; i < count && escapes[i].character != *text; i++)
			;
		if (i < count)
			fputs(escapes[i].spelling, out);
		else
			fputc(c < 0x20 || c == 0x7f ? ' ' : c, out);
	}
}
