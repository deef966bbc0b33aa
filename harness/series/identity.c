#include <stdlib.h>
#include <string.h>

#include "harness/base/stream.h"
#include "harness/visible/visible.h"
#include "harness/series/identity.h"

/* The set that is looked at. */
struct group {
	const struct series *const *series;
	size_t count;
};

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool differs(
	const struct group *group, enum trait_kind kind, const char *name)
{
	const char *first = series_trait(group->series[0], kind, name);
	size_t i;

	for (i = 1; i < group->count; i++)
		if (!same_text(
			    first, series_trait(group->series[i], kind, name)))
			return true;
	return false;
}

/* ---- keys ---- */

static bool has_key(
	const struct identity *identity, enum trait_kind kind, const char *name)
{
	size_t i;

	for (i = 0; i < identity->key_count; i++)
		if (identity->keys[i].kind == kind &&
			!strcmp(identity->keys[i].name, name))
			return true;
	return false;
}

static int add_key(
	struct identity *identity, enum trait_kind kind, const char *name)
{
	struct trait_key *keys = reallocarray(
		identity->keys, identity->key_count + 1, sizeof(*keys));

	if (!keys)
		return ERR_FAILED;
	identity->keys = keys;
	keys[identity->key_count] = (struct trait_key){kind, strdup(name)};
	return keys[identity->key_count++].name ? 0 : ERR_FAILED;
}

static int add_if_differs(const struct group *group, enum trait_kind kind,
	const char *name, struct identity *identity)
{
	if (has_key(identity, kind, name) || !differs(group, kind, name))
		return 0;
	return add_key(identity, kind, name);
}

static int add_options(const struct group *group, struct identity *identity)
{
	size_t i, k;
	int code = 0;

	for (i = 0; !code && i < group->count; i++) {
		const struct facts *options = &group->series[i]->options;

		for (k = 0; !code && k < options->count; k++)
			code = add_if_differs(group, TRAIT_OPTION,
				options->items[k].key, identity);
	}
	return code;
}

static int add_sets_of(const struct group *group, const struct series *series,
	struct identity *identity)
{
	char *name = NULL;
	size_t i = 0;
	int code;

	do {
		free(name);
		code = series_set_name(series, i++, &name);
		if (!code && name)
			code = add_if_differs(group, TRAIT_SET, name, identity);
	} while (!code && name);
	free(name);
	return code;
}

static int add_sets(const struct group *group, struct identity *identity)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < group->count; i++)
		code = add_sets_of(group, group->series[i], identity);
	return code;
}

static int add_keys(const struct group *group, struct identity *identity)
{
	size_t i;
	int code = add_if_differs(group, TRAIT_BENCH, "bench", identity);

	if (!code)
		code = add_options(group, identity);
	if (!code)
		code = add_sets(group, identity);
	for (i = 0; !code && trait_origins[i]; i++)
		code = add_if_differs(
			group, TRAIT_ORIGIN, trait_origins[i], identity);
	return code;
}

/* ---- labels ---- */

/* What a series reads for a key that it has not. */
static const char *absent(const struct series *series, enum trait_kind kind)
{
	return kind == TRAIT_SET && facts_find(&series->provenance, "machine")
		       ? "default"
		       : "";
}

static void put_word(const struct series *series, const struct trait_key *key,
	size_t run, const char **gap, FILE *out)
{
	const char *value = series_trait(series, key->kind, key->name);
	const bool late = key->kind >= TRAIT_ORIGIN;

	if (key->kind == TRAIT_RUN) {
		fprintf(out, "%srun %zu", **gap ? ", " : "", run);
		*gap = " ";
		return;
	}
	if (!value)
		value = absent(series, key->kind);
	if (!*value)
		return;
	fputs(**gap && late ? ", " : *gap, out);
	if (key->kind == TRAIT_BENCH || key->kind == TRAIT_ORIGIN)
		fputs(value, out);
	else
		fprintf(out, "%s=%s", key->name, value);
	*gap = " ";
}

/* NULL without memory. */
static char *make_label(const struct identity *identity,
	const struct series *series, size_t run)
{
	const char *gap = "";
	char *label = NULL;
	size_t bytes, i;
	FILE *out = stream_open_text(&label, &bytes);

	if (!out)
		return NULL;
	for (i = 0; i < identity->key_count; i++)
		put_word(series, &identity->keys[i], run, &gap, out);
	if (!*gap)
		fputs(series->bench, out);
	if (!fclose(out))
		return label;
	free(label);
	return NULL;
}

static void free_labels(struct identity *identity)
{
	size_t i;

	for (i = 0; identity->labels && i < identity->count; i++)
		free(identity->labels[i]);
	free(identity->labels);
	identity->labels = NULL;
}

static int make_labels(const struct group *group, const size_t *runs,
	struct identity *identity)
{
	size_t i;

	free_labels(identity);
	identity->labels = calloc(group->count + 1, sizeof(char *));
	for (i = 0; identity->labels && i < group->count; i++) {
		identity->labels[i] =
			make_label(identity, group->series[i], runs[i]);
		if (!identity->labels[i])
			return ERR_FAILED;
	}
	return identity->labels ? 0 : ERR_FAILED;
}

/* ---- series that are still alike ---- */

struct labelled {
	const char *label;
	size_t series;
};

static int by_label(const void *a, const void *b)
{
	const struct labelled *one = a, *two = b;
	const int order = strcmp(one->label, two->label);

	return order ? order
		     : (one->series > two->series) -
			       (one->series < two->series);
}

/* Fills `sorted` and counts the series in `runs`: 1 for the first of those
   with one label. Returns how many come after a first. */
static size_t count_alike(
	const struct identity *identity, struct labelled *sorted, size_t *runs)
{
	size_t alike = 0, i;

	for (i = 0; i < identity->count; i++)
		sorted[i] = (struct labelled){identity->labels[i], i};
	qsort(sorted, identity->count, sizeof(*sorted), by_label);
	for (i = 0; i < identity->count; i++) {
		const bool again =
			i && !strcmp(sorted[i].label, sorted[i - 1].label);

		runs[sorted[i].series] =
			again ? runs[sorted[i - 1].series] + 1 : 1;
		alike += again;
	}
	return alike;
}

/* Whether two series of one label differ in the detail. */
static bool parts_alike(const struct group *group,
	const struct labelled *sorted, const char *name)
{
	size_t i;

	for (i = 1; i < group->count; i++)
		if (!strcmp(sorted[i].label, sorted[i - 1].label) &&
			!same_text(series_trait(group->series[sorted[i].series],
					   TRAIT_DETAIL, name),
				series_trait(
					group->series[sorted[i - 1].series],
					TRAIT_DETAIL, name)))
			return true;
	return false;
}

/* Details, and at last the run, until no two labels are alike. */
static int part_alike(const struct group *group, struct labelled *sorted,
	size_t *runs, struct identity *identity)
{
	size_t i;
	int code = make_labels(group, runs, identity);

	for (i = 0; !code && count_alike(identity, sorted, runs); i++) {
		if (!trait_details[i]) {
			code = add_key(identity, TRAIT_RUN, "run");
			return code ? code : make_labels(group, runs, identity);
		}
		if (!parts_alike(group, sorted, trait_details[i]))
			continue;
		code = add_key(identity, TRAIT_DETAIL, trait_details[i]);
		if (!code)
			code = make_labels(group, runs, identity);
	}
	return code;
}

/* ---- words ---- */

static int make_words(const struct group *group, const size_t *runs,
	struct identity *identity)
{
	size_t i, k, at = 0;
	char run[24];

	identity->words =
		calloc(group->count * identity->key_count + 1, sizeof(char *));
	if (!identity->words)
		return ERR_FAILED;
	for (i = 0; i < group->count; i++)
		for (k = 0; k < identity->key_count; k++) {
			const struct trait_key *key = &identity->keys[k];
			const char *value = series_trait(
				group->series[i], key->kind, key->name);

			snprintf(run, sizeof(run), "%zu", runs[i]);
			if (!value)
				value = key->kind == TRAIT_RUN
						? run
						: absent(group->series[i],
							  key->kind);
			identity->words[at] = strdup(value);
			if (!identity->words[at++])
				return ERR_FAILED;
		}
	return 0;
}

int identity_make(const struct series *const *series, size_t count,
	struct identity *identity, struct error *error)
{
	const struct group group = {series, count};
	struct identity made = {.count = count};
	struct labelled *sorted = calloc(count + 1, sizeof(*sorted));
	size_t *runs = calloc(count + 1, sizeof(*runs));
	int code = sorted && runs ? 0 : ERR_FAILED;

	if (!code && count)
		code = add_keys(&group, &made);
	if (!code)
		code = part_alike(&group, sorted, runs, &made);
	if (!code)
		code = make_words(&group, runs, &made);
	free(sorted);
	free(runs);
	if (code) {
		identity_free(&made);
		code = error_set(error, ERR_FAILED, "out of memory");
	}
	*identity = made;
	return code;
}

int identity_of_list(const struct series_list *list, struct identity *identity,
	struct error *error)
{
	const struct series **all = calloc(list->count + 1, sizeof(*all));
	size_t i;
	int code;

	if (!all)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < list->count; i++)
		all[i] = &list->items[i];
	code = identity_make(all, list->count, identity, error);
	free(all);
	return code;
}

void identity_free(struct identity *identity)
{
	size_t i;

	free_labels(identity);
	for (i = 0;
		identity->words && i < identity->count * identity->key_count;
		i++)
		free(identity->words[i]);
	free(identity->words);
	for (i = 0; i < identity->key_count; i++)
		free(identity->keys[i].name);
	free(identity->keys);
	*identity = (struct identity){0};
}

void identity_put_title(const struct identity *identity, size_t series,
	const char *bench, FILE *out)
{
	const char *label = identity->labels[series];
	const bool named =
		identity->key_count && identity->keys[0].kind == TRAIT_BENCH;

	if (!named && strcmp(label, bench)) {
		visible_put_md(out, bench);
		fputc(' ', out);
	}
	visible_put_md(out, label);
}

size_t identity_key(const struct identity *identity, const char *name)
{
	size_t i = 0;

	while (i < identity->key_count && strcmp(identity->keys[i].name, name))
		i++;
	return i;
}

const char *identity_word(
	const struct identity *identity, size_t series, size_t key)
{
	return identity->words[series * identity->key_count + key];
}
