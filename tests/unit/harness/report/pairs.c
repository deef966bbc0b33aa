#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/pairs.h"

TestSuite(pairs, .timeout = 60);

/* `set` of NULL: measured on silicon. */
static struct series *add(
	struct series_list *list, const char *op, const char *set)
{
	struct series *series = series_list_add(list);

	series->bench = strdup("pointer-chase");
	series->axis = strdup("footprint_bytes");
	facts_add(&series->options, "op", "%s", op);
	facts_add(&series->provenance, "backend", set ? "sim" : "cuda");
	if (set)
		facts_add(&series->provenance, "machine", "h200-sxm");
	if (set && *set)
		facts_add(&series->provenance, "set", "%s", set);
	return series;
}

static struct series_pairs find(
	const struct series_list *base, const struct series_list *new)
{
	struct series_pairs pairs;
	struct error error;

	cr_assert_eq(0, series_pairs_find(base, new, &pairs, &error));
	return pairs;
}

static void expect_pair(
	const struct series_pairs *pairs, size_t index, size_t base, size_t new)
{
	cr_assert_lt(index, pairs->count);
	cr_expect_eq(pairs->items[index].base, &pairs->base->items[base]);
	cr_expect_eq(pairs->items[index].new, &pairs->new->items[new]);
}

static char *alone_text(const struct series_pairs *pairs)
{
	char *text = NULL;
	size_t bytes;
	struct error error;
	FILE *out = open_memstream(&text, &bytes);

	cr_assert_eq(0, series_pairs_put_alone(pairs, "", out, &error));
	fclose(out);
	return text;
}

Test(pairs, what_ifs_meet_their_own)
{
	struct series_list base = {0}, new = {0};
	struct series_pairs pairs;

	add(&base, "ld.ca", "a=1");
	add(&base, "ld.ca", "a=2");
	add(&new, "ld.ca", "a=2");
	add(&new, "ld.ca", "a=1");
	pairs = find(&base, &new);
	cr_assert_eq(pairs.count, 2);
	expect_pair(&pairs, 0, 0, 1);
	expect_pair(&pairs, 1, 1, 0);
	series_pairs_free(&pairs);
	series_list_free(&base);
	series_list_free(&new);
}

Test(pairs, one_measurement_meets_all_what_ifs)
{
	static const char *const labels[] = {"a=default", "a=1", "a=2", "a=3"};
	struct series_list base = {0}, new = {0};
	struct series_pairs pairs;
	struct identity identity;
	struct error error;
	size_t i;

	add(&base, "ld.ca", NULL);
	add(&new, "ld.ca", "");
	add(&new, "ld.ca", "a=1");
	add(&new, "ld.ca", "a=2");
	add(&new, "ld.ca", "a=3");
	pairs = find(&base, &new);
	cr_assert_eq(pairs.count, 4);
	cr_expect_eq(pairs.only_base + pairs.only_new, 0);
	cr_assert_eq(0, series_pairs_identity(
				pairs.items, pairs.count, &identity, &error));
	for (i = 0; i < 4; i++) {
		expect_pair(&pairs, i, 0, i);
		cr_expect_str_eq(identity.labels[i], labels[i]);
	}
	identity_free(&identity);
	series_pairs_free(&pairs);
	pairs = find(&new, &base);
	cr_assert_eq(pairs.count, 4);
	expect_pair(&pairs, 3, 3, 0);
	series_pairs_free(&pairs);
	series_list_free(&base);
	series_list_free(&new);
}

/* A what-if whose partner is missing is not compared with another's. */
Test(pairs, a_missing_what_if_is_named)
{
	struct series_list base = {0}, new = {0};
	struct series_pairs pairs;
	char *text;

	add(&base, "ld.ca", "a=1");
	add(&base, "ld.ca", "a=2");
	add(&base, "ld.ca", "a=3");
	add(&new, "ld.ca", "a=1");
	add(&new, "ld.ca", "a=3");
	pairs = find(&base, &new);
	cr_assert_eq(pairs.count, 2);
	expect_pair(&pairs, 1, 2, 1);
	text = alone_text(&pairs);
	cr_expect_str_eq(text,
		"series: 1 only in the base, 0 only in the new\n"
		"only in the base: pointer-chase a=2; the nearest in the new "
		"has a nearer partner\n");
	free(text);
	series_pairs_free(&pairs);
	series_list_free(&base);
	series_list_free(&new);
}

Test(pairs, the_option_that_differs_is_named)
{
	struct series_list base = {0}, new = {0};
	struct series_pairs pairs;
	struct error error;
	char *text;

	add(&base, "ld.ca", "");
	add(&base, "ld.cs", "");
	add(&new, "ld.cg", "");
	facts_add(&base.items[0].options, "lanes", "1");
	facts_add(&new.items[0].options, "lanes", "32");
	pairs = find(&base, &new);
	cr_assert_eq(pairs.count, 0);
	text = alone_text(&pairs);
	cr_expect(strstr(text, "\nonly in the base: pointer-chase op=ld.ca "
			       "lanes=1; the nearest in the new has op=ld.cg "
			       "instead of ld.ca, lanes=32 instead of 1\n"),
		"%s", text);
	cr_expect(strstr(text, "\nonly in the new: pointer-chase; the nearest "
			       "in the base has op=ld.cs instead of ld.cg\n"),
		"%s", text);
	free(text);
	cr_expect_eq(ERR_FAILED, series_pairs_none(&pairs, &error));
	cr_expect_str_eq(error.text,
		"no series of the two files are partners; only in the base: "
		"pointer-chase op=ld.ca lanes=1; the nearest in the new has "
		"op=ld.cg instead of ld.ca, lanes=32 instead of 1");
	series_pairs_free(&pairs);
	series_list_free(&base);
	series_list_free(&new);
}

/* Every series is in a pair or alone, whatever the lists. */
Test(pairs, nothing_is_lost)
{
	static const char *const sets[] = {NULL, "", "a=1", "a=2"};
	static const char *const ops[] = {"x", "y"};
	struct random_state random;
	int round;

	random_init(&random, 9);
	for (round = 0; round < 300; round++) {
		struct series_list lists[2] = {{0}};
		struct series_pairs pairs;
		size_t side, i, k, seen;

		for (side = 0; side < 2; side++)
			for (i = random_below(&random, 6); i-- > 0;)
				add(&lists[side], ops[random_below(&random, 2)],
					sets[random_below(&random, 4)]);
		pairs = find(&lists[0], &lists[1]);
		for (side = 0; side < 2; side++)
			for (i = 0; i < lists[side].count; i++) {
				const struct series *s = &lists[side].items[i];

				for (seen = k = 0; k < pairs.count; k++)
					seen += pairs.items[k].base == s ||
						pairs.items[k].new == s;
				for (k = 0;
					k < pairs.only_base + pairs.only_new;
					k++)
					seen += pairs.alone[k].series == s;
				cr_assert_geq(seen, 1);
			}
		series_pairs_free(&pairs);
		series_list_free(&lists[0]);
		series_list_free(&lists[1]);
	}
}
