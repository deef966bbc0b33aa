/* Where sectors were found, by operator: from the text of lines of PTX. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "harness/explain/explain.h"

/* Words that say how an access treats caches, or what it is. */
static const char *const kept[] = {"global", "const", "local", "generic", "nc",
	"ca", "cg", "cs", "lu", "cv", "wb", "wt", "volatile", "relaxed",
	"acquire", "release", "acq_rel", "async", "bulk", "tensor",
	"evict_first", "evict_last", "evict_normal", "no_allocate",
	"evict_unchanged", "cache_hint", "64B", "128B", "256B"};

static bool is_kept(const char *word, size_t bytes)
{
	size_t i;

	for (i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (strlen(kept[i]) == bytes && !memcmp(kept[i], word, bytes))
			return true;
	return false;
}

/* Past the guard "@%p1 ", and a label. */
static const char *begin_of(const char *text)
{
	const char *colon;

	while (*text == '{' || isspace((unsigned char)*text))
		text++;
	colon = strchr(text, ':');
	if (colon && isspace((unsigned char)colon[1]) &&
		strcspn(text, " ") > (size_t)(colon - text))
		text = colon + 2;
	if (*text == '@') {
		text += strcspn(text, " ");
		text += strspn(text, " ");
	}
	return text;
}

void explain_operation(
	const char *ptx, const char *ends, char *text, size_t bytes)
{
	const char *begin = begin_of(ptx);

	snprintf(text, bytes, "%.*s", (int)strcspn(begin, ends), begin);
}

/* "ld.global.nc.L2::128B.v4.f32" is "ld.global.nc.L2::128B". */
static void name_of(const char *text, char *name, size_t bytes)
{
	size_t length, made = 0;
	bool first = true;

	for (text = begin_of(text); *text; text += length, first = false) {
		const char *word = text + (*text == '.'), *bare = word;
		size_t whole;

		whole = strcspn(word, ". \t;");
		length = (size_t)(word - text) + whole;
		if (whole > 4 &&
			(!memcmp(word, "L1::", 4) || !memcmp(word, "L2::", 4)))
			bare += 4;
		if ((first || is_kept(bare, whole - (size_t)(bare - word))) &&
			made + length + 1 < bytes) {
			memcpy(name + made, text, length);
			made += length;
		}
		if (word[whole] != '.')
			break;
	}
	name[made] = '\0';
}

static struct explain_operator *operator_of(
	struct explanation *e, const char *name)
{
	struct explain_operator *larger;
	size_t i;

	for (i = 0; i < e->operator_count; i++)
		if (!strcmp(e->operators[i].name, name))
			return &e->operators[i];
	larger = reallocarray(
		e->operators, e->operator_count + 1, sizeof(*larger));
	if (!larger)
		return NULL;
	e->operators = larger;
	larger += e->operator_count++;
	*larger = (struct explain_operator){0};
	snprintf(larger->name, sizeof(larger->name), "%s", name);
	return larger;
}

static int by_sectors(const void *left, const void *right)
{
	const struct explain_operator *a = left, *b = right;

	if (a->sectors != b->sectors)
		return a->sectors < b->sectors ? 1 : -1;
	return strcmp(a->name, b->name);
}

int explain_find_operators(struct explanation *e, struct error *error)
{
	const struct job_profile *where = e->profile->where;
	char name[sizeof(e->operators->name)];
	size_t i, k;

	for (i = 0; i < where->line_count; i++) {
		const struct job_line *l = &where->lines[i];
		struct explain_operator *o;

		if (!l->sectors)
			continue;
		name_of(e->profile->texts[i], name, sizeof(name));
		o = operator_of(e, name);
		if (!o)
			return error_set(error, ERR_FAILED, "out of memory");
		o->executions += l->executions;
		o->requests += l->requests;
		o->sectors += l->sectors;
		o->bytes += l->bytes;
		for (k = 0; k < JOB_LEVEL_COUNT; k++)
			o->found[k] += l->found[k];
	}
	if (e->operator_count)
		qsort(e->operators, e->operator_count, sizeof(*e->operators),
			by_sectors);
	return 0;
}
