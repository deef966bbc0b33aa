#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/series/identity.h"

TestSuite(identity, .timeout = 60);

/* A series of the model, with an option and a --set ("" for none). */
static struct series *add(struct series_list *list, const char *op,
	const char *set, const char *machine)
{
	struct series *series = series_list_add(list);

	series->bench = strdup("pointer-chase");
	series->axis = strdup("footprint_bytes");
	facts_add(&series->options, "op", "%s", op);
	facts_add(&series->options, "lanes", "1");
	facts_add(&series->provenance, "backend", "sim");
	facts_add(&series->provenance, "machine", "%s", machine);
	if (*set)
		facts_add(&series->provenance, "set", "%s", set);
	facts_add(&series->provenance, "seed", "1");
	return series;
}

static struct identity make(const struct series_list *list)
{
	const struct series *items[16];
	struct identity identity;
	struct error error;
	size_t i;

	cr_assert_leq(list->count, 16);
	for (i = 0; i < list->count; i++)
		items[i] = &list->items[i];
	cr_assert_eq(0, identity_make(items, list->count, &identity, &error));
	return identity;
}

static void expect_labels(
	const struct identity *identity, const char *const *labels)
{
	size_t i;

	for (i = 0; i < identity->count; i++)
		cr_expect_str_eq(identity->labels[i], labels[i]);
}

Test(identity, one_series_is_its_bench)
{
	struct series_list list = {0};
	struct identity identity;

	add(&list, "ld.cg", "", "h200-sxm");
	identity = make(&list);
	cr_expect_eq(identity.key_count, 0);
	cr_expect_str_eq(identity.labels[0], "pointer-chase");
	identity_free(&identity);
	series_list_free(&list);
}

Test(identity, no_series_have_no_labels)
{
	struct series_list list = {0};
	struct identity identity = make(&list);

	cr_expect_eq(identity.count, 0);
	identity_free(&identity);
}

Test(identity, options_and_parameters_that_differ)
{
	static const char *const labels[] = {"op=ld.ca bridge_cycles=default",
		"op=ld.ca bridge_cycles=41", "op=ld.cg bridge_cycles=41"};
	struct series_list list = {0};
	struct identity identity;

	add(&list, "ld.ca", "", "h200-sxm");
	add(&list, "ld.ca", "bridge_cycles=41", "h200-sxm");
	add(&list, "ld.cg", "bridge_cycles=41", "h200-sxm");
	identity = make(&list);
	expect_labels(&identity, labels);
	cr_assert_eq(identity.key_count, 2);
	cr_expect_eq(identity.keys[1].kind, TRAIT_SET);
	cr_expect_eq(identity_key(&identity, "bridge_cycles"), 1);
	cr_expect_eq(identity_key(&identity, "lanes"), 2);
	cr_expect_str_eq(identity_word(&identity, 2, 1), "41");
	identity_free(&identity);
	series_list_free(&list);
}

Test(identity, the_last_set_of_a_parameter_counts)
{
	static const char *const labels[] = {
		"bridge_cycles=41", "bridge_cycles=82"};
	struct series_list list = {0};
	struct identity identity;
	struct series *series;

	add(&list, "ld.ca", "bridge_cycles=41", "h200-sxm");
	series = add(&list, "ld.ca", "bridge_cycles=41", "h200-sxm");
	facts_add(&series->provenance, "set", "bridge_cycles=82");
	identity = make(&list);
	expect_labels(&identity, labels);
	identity_free(&identity);
	series_list_free(&list);
}

Test(identity, model_and_silicon)
{
	static const char *const labels[] = {
		"l2_bytes=30MiB, sim, h200-sxm", "cuda, NVIDIA H200"};
	struct series_list list = {0};
	struct identity identity;
	struct series *silicon;

	add(&list, "ld.ca", "l2_bytes=30MiB", "h200-sxm");
	silicon = add(&list, "ld.ca", "", "");
	facts_free(&silicon->provenance);
	facts_add(&silicon->provenance, "backend", "cuda");
	facts_add(&silicon->provenance, "device.name", "NVIDIA H200");
	identity = make(&list);
	expect_labels(&identity, labels);
	identity_free(&identity);
	series_list_free(&list);
}

/* The digest is not needed where the machines' names differ. */
Test(identity, details_only_where_they_are_needed)
{
	static const char *const by_name[] = {"h200-sxm", "h100-sxm"};
	static const char *const by_digest[] = {"h200-sxm, machine.digest=1",
		"h100-sxm, machine.digest=2", "h200-sxm, machine.digest=3"};
	struct series_list list = {0};
	struct identity identity;

	facts_add(&add(&list, "ld.ca", "", "h200-sxm")->provenance,
		"machine.digest", "1");
	facts_add(&add(&list, "ld.ca", "", "h100-sxm")->provenance,
		"machine.digest", "2");
	identity = make(&list);
	expect_labels(&identity, by_name);
	identity_free(&identity);
	facts_add(&add(&list, "ld.ca", "", "h200-sxm")->provenance,
		"machine.digest", "3");
	identity = make(&list);
	expect_labels(&identity, by_digest);
	identity_free(&identity);
	series_list_free(&list);
}

Test(identity, equal_series_are_runs)
{
	static const char *const labels[] = {
		"op=ld.ca, run 1", "op=ld.ca, run 2", "op=ld.cg, run 1"};
	struct series_list list = {0};
	struct identity identity;

	add(&list, "ld.ca", "", "h200-sxm");
	add(&list, "ld.ca", "", "h200-sxm");
	add(&list, "ld.cg", "", "h200-sxm");
	identity = make(&list);
	expect_labels(&identity, labels);
	cr_assert_eq(identity.key_count, 2);
	cr_expect_str_eq(identity_word(&identity, 1, 1), "2");
	identity_free(&identity);
	series_list_free(&list);
}

Test(identity, how_far_two_are_apart)
{
	struct series_list list = {0};
	struct series *a, *b;

	add(&list, "ld.ca", "bridge_cycles=41", "h200-sxm");
	add(&list, "ld.cg", "l2_bytes=30MiB", "h100-sxm");
	a = &list.items[0];
	b = &list.items[1];
	facts_add(&a->options, "slot", "128"); /* only one has it */
	cr_expect_eq(series_options_apart(a, b), 1);
	cr_expect_eq(series_origins_apart(a, b), 3);
	cr_expect_eq(series_origins_apart(a, a), 0);
	cr_expect(series_same_kind(a, b));
	b->axis[0] = 'x';
	cr_expect_not(series_same_kind(a, b));
	series_list_free(&list);
}

/* Whatever series differ in, and if in nothing: no two labels are alike. */
Test(identity, labels_are_unique)
{
	static const char *const sets[] = {"", "a=1", "a=2", "b=1"};
	static const char *const ops[] = {"x", "x a=1", "y"};
	struct random_state random;
	int round;

	random_init(&random, 5);
	for (round = 0; round < 300; round++) {
		struct series_list list = {0};
		struct identity identity;
		size_t count = 1 + random_below(&random, 12), i, k;

		for (i = 0; i < count; i++)
			add(&list, ops[random_below(&random, 3)],
				sets[random_below(&random, 4)],
				random_below(&random, 2) ? "m" : "n");
		identity = make(&list);
		for (i = 0; i < count; i++)
			for (k = 0; k < i; k++)
				cr_assert_str_neq(
					identity.labels[i], identity.labels[k]);
		identity_free(&identity);
		series_list_free(&list);
	}
}
