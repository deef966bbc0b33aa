#include <string.h>

#include "harness/marks/marks.h"

const char *const mark_names[MARK_COUNT] = {
#define MARK(name, text, rule, sentence) text,
#include "harness/marks/marks.def"
#undef MARK
};

const char *const mark_sentences[MARK_COUNT] = {
#define MARK(name, text, rule, sentence) sentence,
#include "harness/marks/marks.def"
#undef MARK
};

int mark_find(const char *name)
{
	int mark;

	for (mark = 0; mark < MARK_COUNT; mark++)
		if (!strcmp(mark_names[mark], name))
			return mark;
	return -1;
}

void marks_letters(uint32_t marks, char text[MARKS_LETTERS_BYTES])
{
	int mark;

	for (mark = 0; mark < MARK_COUNT; mark++)
		if (marks >> mark & 1) {
			*text = marks & ((1u << mark) - 1) ? ',' : '[';
			text[1] = (char)('a' + mark);
			text += 2;
		}
	if (marks)
		*text++ = ']';
	*text = '\0';
}

static void put_list(
	uint32_t marks, const char *gap, const char *quote, FILE *out)
{
	const char *before = "";
	int mark;

	for (mark = 0; mark < MARK_COUNT; mark++)
		if (marks >> mark & 1) {
			fprintf(out, "%s%s%s%s", before, quote,
				mark_names[mark], quote);
			before = gap;
		}
}

void marks_put_names(uint32_t marks, FILE *out)
{
	put_list(marks, " ", "", out);
}

void marks_put_json(uint32_t marks, FILE *out)
{
	fputc('[', out);
	put_list(marks, ", ", "\"", out);
	fputc(']', out);
}

void marks_put_footnotes(uint32_t marks, const char *bullet, FILE *out)
{
	int mark;

	fputs(marks ? "\n" : "", out);
	for (mark = 0; mark < MARK_COUNT; mark++)
		if (marks >> mark & 1)
			fprintf(out, "%s%c: %s\n", bullet, 'a' + mark,
				mark_sentences[mark]);
}
