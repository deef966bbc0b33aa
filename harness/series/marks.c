#include <string.h>

#include "harness/base/emit.h"
#include "harness/base/text_table.h"
#include "harness/series/marks.h"
#include "harness/series/series.h"

const char *const mark_names[MARK_COUNT] = {
#define MARK(name, text, rule, sentence) text,
#include "harness/series/marks.def"
#undef MARK
};

const char *const mark_sentences[MARK_COUNT] = {
#define MARK(name, text, rule, sentence) sentence,
#include "harness/series/marks.def"
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

uint32_t marks_of(const struct series *series)
{
	uint32_t marks = 0;
	size_t i;

	for (i = 0; i < series->point_count; i++)
		marks |= series->points[i].marks;
	return marks;
}

static int first_of(uint32_t marks)
{
	return __builtin_ctz(marks);
}

int marks_gate(const struct series_list *list, struct error *error)
{
	const struct series *series = NULL;
	const struct point *first = NULL;
	size_t marked = 0, points = 0, i, k;
	char x[EMIT_NUMBER_BYTES];

	for (i = 0; i < list->count; i++)
		for (k = 0; k < list->items[i].point_count; k++) {
			const struct point *p = &list->items[i].points[k];

			points++;
			marked += p->marks != 0;
			if (first || !p->marks)
				continue;
			series = &list->items[i];
			first = p;
		}
	if (!first)
		return 0;
	text_table_x(series->axis, first->x, x);
	return error_set(error, ERR_GATE,
		"%zu of %zu points %s marked, '%s' at %s %s first: %s", marked,
		points, marked == 1 ? "is" : "are", series->bench, series->axis,
		x, mark_sentences[first_of(first->marks)]);
}
