#include <stdio.h>

#include "harness/command/run/run_printed.h"
#include "harness/visible/visible.h"

/* Line by line: what would steer a terminal is shown. */
void run_printed(const char *text, size_t bytes, bool more)
{
	char line[256];
	size_t i, end;

	for (i = 0; i < bytes; i = end) {
		for (end = i; end < bytes && end - i + 1 < sizeof(line) &&
			      text[end] != '\n';
			end++)
			line[end - i] = text[end];
		line[end - i] = 0;
		visible_put(stderr, line);
		if (end < bytes && text[end] == '\n') {
			fputc('\n', stderr);
			end++;
		}
	}
	if (more)
		fputs("nearfar: kernels printed more than 1 MiB: the rest is "
		      "left out\n",
			stderr);
}
