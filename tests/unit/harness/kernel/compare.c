#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/kernel/compare.h"

static int compare_with_digest(const struct job_buffer *b, const char *digest,
	const void *content, struct error *error)
{
	char found[DIGEST_BYTES];

	compare_digest(b, content, found);
	return compare_digests(b, digest, found, error);
}

static struct job_buffer buffer_of(
	enum element_type type, enum job_compare compare, uint64_t bytes)
{
	struct job_buffer b = {
		.name = "b", .type = type, .compare = compare, .bytes = bytes};

	return b;
}

Test(compare, exact_names_the_element)
{
	struct job_buffer b =
		buffer_of(ELEMENT_S32, JOB_COMPARE_EXACT, 4 * sizeof(int32_t));
	int32_t x[] = {1, 2, 3, 4}, y[] = {1, 2, -3, 4};
	char digest[DIGEST_BYTES];
	struct error e;

	cr_expect_eq(compare_contents(&b, x, x, &e), 0);
	cr_expect_eq(compare_contents(&b, x, y, &e), ERR_GATE);
	cr_expect_str_eq(e.text, "buffer 'b': element 2 is -3 instead of 3");
	compare_digest(&b, x, digest);
	cr_expect_eq(compare_with_digest(&b, digest, x, &e), 0);
	cr_expect_eq(compare_with_digest(&b, digest, y, &e), ERR_GATE);
	cr_expect_eq(compare_with_digest(&b, "none", x, &e), ERR_USAGE);
}

Test(compare, multisets_have_no_order_but_counts)
{
	struct job_buffer b = buffer_of(ELEMENT_U16, JOB_COMPARE_MULTISET, 6);
	uint16_t x[] = {1, 1, 2}, y[] = {2, 1, 1}, z[] = {2, 2, 1};
	char digest[DIGEST_BYTES];
	struct error e;

	compare_digest(&b, x, digest);
	cr_expect_eq(compare_contents(&b, x, y, &e), 0);
	cr_expect_eq(compare_with_digest(&b, digest, y, &e), 0);
	cr_expect_eq(compare_contents(&b, x, z, &e), ERR_GATE);
	cr_expect_eq(compare_with_digest(&b, digest, z, &e), ERR_GATE);
}

Test(compare, floats_may_be_so_many_steps_apart)
{
	struct job_buffer b = buffer_of(ELEMENT_F32, JOB_COMPARE_ULP, 400);
	float x[100], y[100];
	char digest[DIGEST_BYTES];
	struct error e;
	int i;

	for (i = 0; i < 100; i++)
		y[i] = x[i] = (float)i - 50;
	b.ulps = 2;
	compare_digest(&b, x, digest);
	for (i = 0; i < 100; i++)
		y[i] = nextafterf(nextafterf(x[i], 1e9f), 1e9f);
	cr_expect_eq(compare_contents(&b, x, y, &e), 0, "%s", e.text);
	cr_expect_eq(compare_with_digest(&b, digest, y, &e), 0, "%s", e.text);
	y[7] = nextafterf(y[7], 1e9f);
	cr_expect_eq(compare_contents(&b, x, y, &e), ERR_GATE);
	for (i = 0; i < 100; i++)
		y[i] = nextafterf(y[i], 1e9f);
	cr_expect_eq(compare_with_digest(&b, digest, y, &e), ERR_GATE);
	cr_expect_eq(compare_with_digest(&b, "ulp:1,2", y, &e), ERR_USAGE);
}

Test(compare, steps_cross_zero_and_know_no_nan)
{
	uint64_t one = element_float_bits(ELEMENT_F16, 1);
	uint64_t nan = element_float_bits(ELEMENT_F16, NAN);

	cr_expect_eq(compare_ulps(ELEMENT_F16, 0, 0x8000), 0);
	cr_expect_eq(compare_ulps(ELEMENT_F16, 1, 0x8001), 2);
	cr_expect_eq(compare_ulps(ELEMENT_F16, one, one + 5), 5);
	cr_expect_eq(compare_ulps(ELEMENT_F16, nan, nan + 1), 0);
	cr_expect_eq(compare_ulps(ELEMENT_F16, nan, one), UINT64_MAX);
	cr_expect_eq(compare_ulps(ELEMENT_F64, 0x8000000000000001, 1), 2);
}

/* A longer buffer has samples everywhere: a range that is wrong is found. */
Test(compare, samples_are_spread_over_the_buffer)
{
	static double x[4096], y[4096];
	struct job_buffer b =
		buffer_of(ELEMENT_F64, JOB_COMPARE_ULP, sizeof(x));
	char digest[DIGEST_BYTES];
	struct error e;
	int i, k;

	for (i = 0; i < 4096; i++)
		x[i] = i;
	compare_digest(&b, x, digest);
	for (i = 0; i < 4096; i += 256) {
		memcpy(y, x, sizeof(x));
		for (k = 0; k < 256; k++)
			y[i + k] += 0.5;
		cr_expect_eq(compare_with_digest(&b, digest, y, &e), ERR_GATE);
	}
}

/* A buffer of fewer elements than a digest has: its last one stands for the
   rest, and nothing behind it is looked at. */
Test(compare, samples_end_with_the_buffer)
{
	const float x[] = {1, 2, 3, 4}, y[] = {1, 2, 3, 5};
	struct job_buffer b = buffer_of(ELEMENT_F32, JOB_COMPARE_ULP, 12);
	char digests[2][DIGEST_BYTES];
	const char *at;

	compare_digest(&b, x, digests[0]);
	compare_digest(&b, y, digests[1]);
	cr_expect_str_eq(digests[0], digests[1]);
	at = "ulp:3f800000,40000000,40400000,40400000,";
	cr_expect_eq(strncmp(digests[0], at, strlen(at)), 0, "%s", digests[0]);
}
