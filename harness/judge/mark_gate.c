#include "harness/base/emit.h"
#include "harness/base/text_table.h"
#include "harness/judge/mark_gate.h"
#include "harness/marks/marks.h"

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
