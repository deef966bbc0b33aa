/* Binds: what has a share, by place. */
#include <stdlib.h>
#include <string.h>

#include "harness/explain/explain_finding.h"

static const char *thing_name(const struct finding *f, size_t thing)
{
	return thing < f->where->server_count
		       ? f->where->servers[thing].name
		       : explain_cause_names[thing - f->where->server_count];
}

/* Binds are of source lines; without them, of lines of PTX; those of a program,
   whose loops are written out, of its instructions. The PTX line is the one
   with the most. */
struct candidate {
	struct explain_bind bind;
	double most;
	const char *text; /* of a program's line; else NULL */
};

/* Up to the operands. */
static int by_operation(const char *a, const char *b)
{
	const size_t bytes = strcspn(a, " "), others = strcspn(b, " ");
	const int order = strncmp(a, b, bytes < others ? bytes : others);

	return order ? order : (bytes > others) - (bytes < others);
}

static int by_line(const struct candidate *x, const struct candidate *y)
{
	const struct job_line *a = x->bind.line, *b = y->bind.line;
	const bool sourced = a->source && a->source_line;

	if (x->text && y->text)
		return by_operation(x->text, y->text);
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->source_line != b->source_line)
		return a->source_line < b->source_line ? -1 : 1;
	return sourced ? 0 : (a > b) - (a < b);
}

static int by_place(const void *left, const void *right)
{
	const struct candidate *x = left, *y = right;
	const int order = strcmp(x->bind.server, y->bind.server);

	if (order || !x->bind.line || !y->bind.line)
		return order ? order
			     : (x->bind.line != NULL) - (y->bind.line != NULL);
	return by_line(x, y);
}

static int by_share(const void *left, const void *right)
{
	const struct explain_bind *a = left, *b = right;

	if (a->share != b->share)
		return a->share < b->share ? 1 : -1;
	return strcmp(a->server, b->server);
}

static size_t join(struct candidate *all, size_t count)
{
	size_t made = 0, i;

	if (count)
		qsort(all, count, sizeof(*all), by_place);
	for (i = 0; i < count; i++) {
		struct candidate *last = made ? &all[made - 1] : NULL;

		if (!last || by_place(last, &all[i])) {
			all[made] = all[i];
			all[made++].most = all[i].bind.share;
			continue;
		}
		if (all[i].bind.share > last->most) {
			last->most = all[i].bind.share;
			last->bind.line = all[i].bind.line;
		}
		last->bind.share += all[i].bind.share;
	}
	return made;
}

static const char *text_of(const struct finding *f, size_t line)
{
	return f->e->placed && line < f->where->line_count
		       ? f->e->profile->texts[line]
		       : NULL;
}

#define LEAST_SHARE 1e-4

int finding_list(struct finding *f, struct error *error)
{
	const struct job_profile *w = f->where;
	const size_t lines = w->line_count + 1;
	struct explanation *e = f->e;
	struct candidate *all = NULL, *next;
	size_t count = 0, thing, line;

	for (thing = 0; thing < things(f); thing++)
		for (line = 0; line < lines; line++) {
			const double share = *weight(f, thing, line);

			if (share < LEAST_SHARE)
				continue;
			next = reallocarray(all, count + 1, sizeof(*all));
			if (!next) {
				free(all);
				return error_set(
					error, ERR_FAILED, "out of memory");
			}
			all = next;
			all[count++] = (struct candidate){
				.bind = {thing_name(f, thing),
					line < w->line_count ? &w->lines[line]
							     : NULL,
					share},
				.text = text_of(f, line)};
		}
	count = join(all, count);
	e->binds = calloc(count + 1, sizeof(*e->binds));
	if (!e->binds) {
		free(all);
		return error_set(error, ERR_FAILED, "out of memory");
	}
	for (e->bind_count = 0; e->bind_count < count; e->bind_count++)
		e->binds[e->bind_count] = all[e->bind_count].bind;
	free(all);
	qsort(e->binds, count, sizeof(*e->binds), by_share);
	return 0;
}
