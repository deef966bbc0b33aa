#include <stdlib.h>
#include <string.h>

#include "harness/base/emit.h"
#include "harness/base/text_table.h"
#include "harness/marks/marks.h"
#include "harness/page/parts.h"

/* Adds `number` to the ones that end with 0. */
static int refer(size_t **numbers, size_t number)
{
	size_t count = 0, *more;

	while (*numbers && (*numbers)[count])
		if ((*numbers)[count++] == number)
			return 0;
	more = reallocarray(*numbers, count + 2, sizeof(*more));
	if (!more)
		return ERR_FAILED;
	more[count] = number;
	more[count + 1] = 0;
	*numbers = more;
	return 0;
}

static int add(struct page_notes *notes, size_t series, const char *text)
{
	size_t i = 0;

	while (i < notes->count && strcmp(notes->texts[i], text))
		i++;
	if (i == notes->count) {
		char **texts = reallocarray(
			notes->texts, notes->count + 1, sizeof(*texts));

		if (!texts)
			return ERR_FAILED;
		notes->texts = texts;
		texts[i] = strdup(text);
		if (!texts[i])
			return ERR_FAILED;
		notes->count++;
	}
	return refer(&notes->of[series], i + 1);
}

/* "2 points left out, from 4GiB on: the reason" of those that follow each
   other; where their reasons differ, the first stands for all. */
static int add_skipped(
	struct page_notes *notes, size_t index, const struct series *series)
{
	size_t i, end;

	for (i = 0; i < series->point_count; i = end) {
		const char *reason = series->points[i].skipped;
		char x[EMIT_NUMBER_BYTES], *text;
		bool alike = true;
		int code;

		for (end = i + 1; reason && end < series->point_count &&
				  series->points[end].skipped;
			end++)
			alike &= !strcmp(series->points[end].skipped, reason);
		if (!reason)
			continue;
		text_table_x(series->axis, series->points[i].x, x);
		if (asprintf(&text, "%zu point%s left out, from %s on: %s%s",
			    end - i, end - i == 1 ? "" : "s", x, reason,
			    alike ? "" : ", and the like") < 0)
			return ERR_FAILED;
		code = add(notes, index, text);
		free(text);
		if (code)
			return code;
	}
	return 0;
}

/* "wide-interval: 3 points, first at 4KiB: the sentence" of each mark. */
static int add_marks(
	struct page_notes *notes, size_t index, const struct series *series)
{
	int mark;

	for (mark = 0; mark < MARK_COUNT; mark++) {
		char x[EMIT_NUMBER_BYTES], *text;
		size_t i = 0, count = 0, k;
		int code;

		for (k = series->point_count; k-- > 0;) {
			if (!(series->points[k].marks >> mark & 1))
				continue;
			i = k;
			count++;
		}
		if (!count)
			continue;
		text_table_x(series->axis, series->points[i].x, x);
		if (asprintf(&text, "%s: %zu point%s, the first at %s: %s",
			    mark_names[mark], count, count == 1 ? "" : "s", x,
			    mark_sentences[mark]) < 0)
			return ERR_FAILED;
		code = add(notes, index, text);
		free(text);
		if (code)
			return code;
	}
	return 0;
}

static int add_facts(
	struct page_notes *notes, size_t index, const struct series *series)
{
	static const char *const keys[] = {
		"warning", "bias", FACT_TIME, FACT_VALUES, FACT_NOTE};
	const struct facts *facts = &series->provenance;
	size_t i, k;

	for (i = 0; i < facts->count; i++)
		for (k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
			if (!strcmp(facts->items[i].key, keys[k]) &&
				add(notes, index, facts->items[i].value))
				return ERR_FAILED;
	return 0;
}

int page_notes_find(const struct page_input *input, struct page_notes *notes,
	struct error *error)
{
	struct page_notes made = {.series_count = input->count};
	size_t i;

	made.of = calloc(input->count + 1, sizeof(*made.of));
	for (i = 0; made.of && i < input->count; i++) {
		const struct series *series = input->series[i].series;

		if (add_facts(&made, i, series) ||
			add_skipped(&made, i, series) ||
			add_marks(&made, i, series)) {
			page_notes_free(&made);
			break;
		}
	}
	if (!made.of)
		return error_set(error, ERR_FAILED, "out of memory");
	*notes = made;
	return 0;
}

void page_notes_free(struct page_notes *notes)
{
	size_t i;

	for (i = 0; i < notes->count; i++)
		free(notes->texts[i]);
	for (i = 0; notes->of && i < notes->series_count; i++)
		free(notes->of[i]);
	free(notes->texts);
	free(notes->of);
	*notes = (struct page_notes){0};
}
