/* The lines of code that warps wait for, and what stands in them. */
#include <stdlib.h>
#include <string.h>

#include "harness/explain/explain.h"

static int by_waits(const void *left, const void *right)
{
	const struct job_line *x = left, *y = right;
	const double a = profile_waited(x->wait_cycles);
	const double b = profile_waited(y->wait_cycles);

	if (a != b)
		return a < b ? 1 : -1;
	return x->line != y->line ? (x->line > y->line) - (x->line < y->line)
				  : (x->source_line > y->source_line) -
					    (x->source_line < y->source_line);
}

struct job_line *explain_lines(const struct explanation *e, size_t *count)
{
	const struct job_profile *w = e->profile->where;
	struct job_line *rows = profile_by_source(w, count);
	size_t made = 0, i;

	if (rows && !(*count && rows[*count - 1].source)) {
		memcpy(rows, w->lines, w->line_count * sizeof(*rows));
		*count = w->line_count;
	}
	for (i = 0; rows && i < *count; i++)
		if (profile_tells(e->profile, &rows[i]))
			rows[made++] = rows[i];
	if (!rows)
		return NULL;
	*count = made;
	qsort(rows, made, sizeof(*rows), by_waits);
	return rows;
}

void explain_line_place(const struct explanation *e, const struct job_line *l,
	char *text, size_t bytes)
{
	if (l->line)
		snprintf(text, bytes, "%s:%u", e->profile->module, l->line);
	else
		profile_source(e->profile->where, l, text, bytes);
}

const char *explain_line_text(
	const struct explanation *e, const struct job_line *l)
{
	const struct profile *p = e->profile;
	const char *text = NULL;
	size_t i;

	for (i = 0; l->line && i < p->where->line_count; i++)
		if (p->where->lines[i].line == l->line)
			text = p->texts[i];
	if (!l->line)
		text = profile_source_text(p, l);
	return text ? text : "";
}
