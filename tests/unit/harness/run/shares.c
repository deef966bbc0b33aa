#include <criterion/criterion.h>
#include <stdlib.h>

#include "harness/run/registry.h"
#include "harness/run/shares.h"
#include "harness/run/variants.h"

static const struct device chip = {
	.sm_count = 100, .l2_bytes = 8 << 20, .persisting_bytes_max = 5 << 20};

static void expect_numbers(
	const char *words, const struct device *device, const char *numbers)
{
	char *text = shares_expand(words, device);

	cr_expect_str_eq(text, numbers, "%s: %s", words, text);
	free(text);
}

Test(shares, are_numbers_of_the_device)
{
	expect_numbers("--footprint %L/4 -x 1,%S/2,%S-2,%S", &chip,
		"--footprint 2097152 -x 1,50,98,100");
	expect_numbers("0,%P,%P/2,%P*3/4", &chip, "0,5242880,2621440,3932160");
	expect_numbers("%S/1000,%L/1e9,%P/1e9", &chip, "1,4096,0");
}

Test(shares, a_device_without_the_thing_has_none_of_it)
{
	const struct device old = {.sm_count = 13, .l2_bytes = 1 << 20};

	expect_numbers("%P,%P*2", &old, "0,0");
}

Test(shares, what_is_none_stays)
{
	expect_numbers("", &chip, "");
	expect_numbers("50%,%X,%s,16MiB%", &chip, "50%,%X,%s,16MiB%");
}

Test(shares, options_have_the_numbers)
{
	const struct bench *bench = bench_find("residency");
	const struct given_option given = {"carveout", "0,%P,%L"};
	struct given_option options[BENCH_OPTIONS_MAX];
	struct variants v;
	struct error error;
	size_t i;

	cr_assert_eq(variants_init(&v, bench, &given, 1, &chip, &error), 0);
	cr_assert_eq(v.count, 3);
	variants_get(&v, bench, 1, options);
	for (i = 0; i < v.option_count; i++)
		if (!strcmp(options[i].name, "carveout"))
			cr_expect_str_eq(options[i].text, "5242880");
	variants_free(&v);
}

Test(shares, a_value_in_two_spellings_is_named_twice)
{
	const struct bench *bench = bench_find("residency");
	const struct given_option given = {"carveout", "5242880,%P"};
	struct variants v;
	struct error error;

	cr_expect_eq(
		variants_init(&v, bench, &given, 1, &chip, &error), ERR_USAGE);
	cr_expect_str_eq(error.text, "--carveout: '5242880' is named twice");
}
