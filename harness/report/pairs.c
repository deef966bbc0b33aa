#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stream.h"
#include "harness/visible/visible.h"
#include "harness/report/pairs.h"
#include "harness/series/identity.h"

#define NOBODY SIZE_MAX

/* Indices into the other list. A fan of pairs shows in the side that has many:
   the single one has the first of them. */
struct partners {
	const struct series_list *base, *new;
	size_t *of_base, *of_new;
};

static bool agree(const struct series *a, const struct series *b)
{
	return series_same_kind(a, b) && !series_options_apart(a, b);
}

static size_t count_kind(
	const struct series_list *list, const struct series *series)
{
	size_t count = 0, i;

	for (i = 0; i < list->count; i++)
		count += series_same_kind(&list->items[i], series);
	return count;
}

static bool may_pair(const struct partners *p, const struct series *a,
	const struct series *b)
{
	return agree(a, b) ||
	       (series_same_kind(a, b) && count_kind(p->base, a) == 1 &&
		       count_kind(p->new, a) == 1);
}

/* One to one, of those that are at most so far apart in their origins. */
static void pair_free(struct partners *p, size_t i, size_t most)
{
	const struct series *series = &p->base->items[i];
	size_t best = NOBODY, nearest = most, k;

	for (k = 0; k < p->new->count; k++) {
		const struct series *other = &p->new->items[k];
		size_t apart;

		if (p->of_new[k] != NOBODY || !may_pair(p, series, other))
			continue;
		apart = series_origins_apart(series, other);
		if (apart < nearest || (apart == nearest && best == NOBODY)) {
			best = k;
			nearest = apart;
		}
	}
	if (best == NOBODY)
		return;
	p->of_base[i] = best;
	p->of_new[best] = i;
}

/* The only series of `list` that agrees with `series`. */
static size_t only_one(
	const struct series_list *list, const struct series *series)
{
	size_t found = NOBODY, i;

	for (i = 0; i < list->count; i++) {
		if (!agree(&list->items[i], series))
			continue;
		if (found != NOBODY)
			return NOBODY;
		found = i;
	}
	return found;
}

static void pair_all(struct partners *p)
{
	size_t i;

	for (i = 0; i < p->base->count; i++)
		pair_free(p, i, 0);
	for (i = 0; i < p->base->count; i++)
		if (p->of_base[i] == NOBODY)
			pair_free(p, i, SIZE_MAX);
	for (i = 0; i < p->base->count; i++)
		if (p->of_base[i] == NOBODY)
			p->of_base[i] = only_one(p->new, &p->base->items[i]);
	for (i = 0; i < p->new->count; i++)
		if (p->of_new[i] == NOBODY)
			p->of_new[i] = only_one(p->base, &p->new->items[i]);
}

/* ---- what came of it ---- */

static const struct series *find_nearest(
	const struct series_list *list, const struct series *series)
{
	const struct series *best = NULL;
	size_t nearest = 0, i;

	for (i = 0; i < list->count; i++) {
		const struct series *other = &list->items[i];
		size_t apart;

		if (!series_same_kind(series, other))
			continue;
		apart = series_options_apart(series, other);
		if (!best || apart < nearest) {
			best = other;
			nearest = apart;
		}
	}
	return best;
}

static void collect_pairs(const struct partners *p, struct series_pairs *pairs)
{
	size_t i, k;

	for (i = 0; i < p->base->count; i++)
		for (k = 0; k < p->new->count; k++)
			if (p->of_base[i] == k || p->of_new[k] == i)
				pairs->items[pairs->count++] =
					(struct series_pair){&p->base->items[i],
						&p->new->items[k]};
}

/* Those of `list` without a partner; returns how many. */
static size_t collect_alone(const struct series_list *list,
	const size_t *partners, const struct series_list *others, bool in_base,
	struct series_alone *alone)
{
	size_t count = 0, i;

	for (i = 0; i < list->count; i++)
		if (partners[i] == NOBODY)
			alone[count++] = (struct series_alone){&list->items[i],
				find_nearest(others, &list->items[i]), in_base};
	return count;
}

int series_pairs_find(const struct series_list *base,
	const struct series_list *new, struct series_pairs *pairs,
	struct error *error)
{
	const size_t most = base->count + new->count + 1;
	struct partners p = {base, new, calloc(most, sizeof(*p.of_base)),
		calloc(most, sizeof(*p.of_new))};
	struct series_pairs found = {
		.items = calloc(most, sizeof(*found.items)),
		.alone = calloc(most, sizeof(*found.alone)),
		.base = base,
		.new = new};
	size_t i;
	int result = p.of_base && p.of_new && found.items && found.alone
			     ? 0
			     : error_set(error, ERR_FAILED, "out of memory");

	for (i = 0; !result && i < most; i++)
		p.of_base[i] = p.of_new[i] = NOBODY;
	if (!result) {
		pair_all(&p);
		collect_pairs(&p, &found);
		found.only_base =
			collect_alone(base, p.of_base, new, true, found.alone);
		found.only_new = collect_alone(new, p.of_new, base, false,
			found.alone + found.only_base);
		*pairs = found;
	} else {
		series_pairs_free(&found);
	}
	free(p.of_base);
	free(p.of_new);
	return result;
}

void series_pairs_free(struct series_pairs *pairs)
{
	free(pairs->items);
	free(pairs->alone);
	*pairs = (struct series_pairs){0};
}

/* ---- what tells them apart ---- */

static int by_address(const void *a, const void *b)
{
	const struct series *const one = *(const struct series *const *)a;
	const struct series *const two = *(const struct series *const *)b;

	return (one > two) - (one < two);
}

/* One side of the pairs; true if a series stands there twice. */
static bool take_side(const struct series_pair *pairs, size_t count, bool new,
	const struct series **sorted)
{
	size_t i;

	for (i = 0; i < count; i++)
		sorted[i] = new ? pairs[i].new : pairs[i].base;
	qsort(sorted, count, sizeof(*sorted), by_address);
	for (i = 1; i < count; i++)
		if (sorted[i] == sorted[i - 1])
			return true;
	return false;
}

int series_pairs_identity(const struct series_pair *pairs, size_t count,
	struct identity *identity, struct error *error)
{
	const struct series **side = calloc(count + 1, sizeof(*side));
	bool by_new;
	size_t i;
	int result;

	if (!side)
		return error_set(error, ERR_FAILED, "out of memory");
	by_new = take_side(pairs, count, false, side) && count &&
		 pairs[0].new && !take_side(pairs, count, true, side);
	for (i = 0; i < count; i++)
		side[i] = by_new ? pairs[i].new : pairs[i].base;
	result = identity_make(side, count, identity, error);
	free(side);
	return result;
}

/* ---- in words ---- */

/* The options in which `near` differs, and whether there is one. */
static bool put_differences(
	const struct series *series, const struct series *near, FILE *out)
{
	const char *gap = " has ";
	size_t i;

	for (i = 0; i < series->options.count; i++) {
		const struct fact *option = &series->options.items[i];
		const char *there =
			series_trait(near, TRAIT_OPTION, option->key);

		if (!there || !strcmp(there, option->value))
			continue;
		fputs(gap, out);
		visible_put_md(out, option->key);
		fputc('=', out);
		visible_put_md(out, there);
		fputs(" instead of ", out);
		visible_put_md(out, option->value);
		gap = ", ";
	}
	return *gap == ',';
}

static void put_alone(const struct series_alone *alone,
	const struct identity *identity, size_t index, FILE *out)
{
	const char *here = alone->in_base ? "base" : "new";
	const char *there = alone->in_base ? "new" : "base";
	const struct series *series = alone->series;

	fprintf(out, "only in the %s: ", here);
	identity_put_title(identity, index, series->bench, out);
	if (!alone->nearest) {
		fputs(" over ", out);
		visible_put_md(out, series->axis);
		fprintf(out, ", which the %s does not have", there);
		return;
	}
	fprintf(out, "; the nearest in the %s", there);
	if (!put_differences(series, alone->nearest, out))
		fputs(" has a nearer partner", out);
}

/* Those of one list that are alone. */
static int put_side(const struct series_pairs *pairs, bool in_base,
	const char *bullet, const char *end, FILE *out, struct error *error)
{
	const struct series_list *list = in_base ? pairs->base : pairs->new;
	const size_t first = in_base ? 0 : pairs->only_base;
	const size_t count = in_base ? pairs->only_base : pairs->only_new;
	struct identity identity;
	size_t i;
	int result;

	if (!count)
		return 0;
	result = identity_of_list(list, &identity, error);
	if (result)
		return result;
	for (i = first; i < first + count; i++) {
		const struct series_alone *alone = &pairs->alone[i];

		fputs(bullet, out);
		put_alone(alone, &identity,
			(size_t)(alone->series - list->items), out);
		fputs(end, out);
	}
	identity_free(&identity);
	return 0;
}

int series_pairs_put_alone(const struct series_pairs *pairs, const char *bullet,
	FILE *out, struct error *error)
{
	int result;

	if (!pairs->only_base && !pairs->only_new)
		return 0;
	fprintf(out, "%sseries: %zu only in the base, %zu only in the new\n",
		bullet, pairs->only_base, pairs->only_new);
	result = put_side(pairs, true, bullet, "\n", out, error);
	if (!result)
		result = put_side(pairs, false, bullet, "\n", out, error);
	return result;
}

/* Those of `some`, in one line. */
static char *alone_text(const struct series_pairs *some, const char *before,
	struct error *error)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = stream_open_text(&text, &bytes);
	int result = out ? put_side(some, true, before, "", out, error) : 0;

	if (!result && out)
		result = put_side(some, false, before, "", out, error);
	if (!out || fclose(out))
		result = error_set(error, ERR_FAILED, "out of memory");
	if (!result)
		return text;
	free(text);
	return NULL;
}

char *series_pairs_alone_text(
	const struct series_pairs *pairs, size_t index, struct error *error)
{
	const bool in_base = index < pairs->only_base;
	const struct series_pairs one = {.alone = &pairs->alone[index],
		.only_base = in_base,
		.only_new = !in_base,
		.base = pairs->base,
		.new = pairs->new};

	return alone_text(&one, "", error);
}

int series_pairs_none(const struct series_pairs *pairs, struct error *error)
{
	char *text;

	if (!pairs->only_base && !pairs->only_new)
		return error_set(error, ERR_FAILED,
			"no series of the two files are partners: there is "
			"none");
	text = series_pairs_alone_text(pairs, 0, error);
	if (text)
		error_set(error, ERR_FAILED,
			"no series of the two files are partners; %s", text);
	free(text);
	return ERR_FAILED;
}
