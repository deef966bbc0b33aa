#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "harness/series/pieces.h"
#include "tests/unit/series_fixture.h"

TestSuite(pieces, .timeout = 60);

#define LINES 400000

/* Lines of several lengths, more than two pieces of them. */
static void write_lines(const char *path)
{
	gzFile file = gzopen(path, "wb1");
	size_t i;

	for (i = 0; i < LINES; i++)
		gzprintf(file, "%zu%s\n", i, i % 3 ? "" : ",padding");
	gzclose(file);
}

Test(pieces, every_line_comes_once_and_whole)
{
	char *path = fixture_path("lines.txt.gz");
	struct error error = {""};
	struct pieces pieces;
	size_t line = 0, count = 0;
	int code;

	write_lines(path);
	cr_assert_eq(pieces_open(path, &pieces, &error), 0);
	while ((code = pieces_next(&pieces, &error)) > 0) {
		char *text = pieces.text, *next;

		count++;
		cr_assert_eq(pieces.line, line + 1);
		cr_assert_eq(strlen(text), pieces.bytes);
		for (; text && *text; text = next, line++) {
			next = strchr(text, '\n');
			if (next)
				*next++ = '\0';
			cr_assert_eq(strtoul(text, NULL, 10), line);
			cr_assert_str_eq(strchr(text, ',') ? ",padding" : "",
				line % 3 ? "" : ",padding");
		}
	}
	cr_assert_eq(code, 0);
	cr_assert_eq(line, LINES);
	cr_assert_gt(count, 2);
	pieces_close(&pieces);
	fixture_remove(path);
}

Test(pieces, an_endless_line_is_refused)
{
	struct error error = {""};
	struct pieces pieces;

	cr_assert_eq(pieces_open("/dev/zero", &pieces, &error), 0);
	cr_assert_eq(pieces_next(&pieces, &error), ERR_USAGE);
	cr_assert(strstr(error.text, "/dev/zero:1: the line is longer"));
	pieces_close(&pieces);
}
