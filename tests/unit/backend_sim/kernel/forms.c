/* Each operation in each form, on values that are hard: the words are those of
   an H200. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/forms/forms.h"
#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_forms, .timeout = 120);

static const struct form forms[] = {
#define FORM(set, sizes, spelling, digest) {sizes, spelling, set, digest},
#include "tests/forms/forms.def"
#undef FORM
};
#define FORM_COUNT (sizeof(forms) / sizeof(*forms))

/* So many forms that have the same values; what they leave. */
static void run_forms(const struct form *some, size_t count, struct ran *r)
{
	const struct job_wishes wishes = {.contents = true};
	char buffers[128], *ptx;
	size_t bytes;
	FILE *out = open_memstream(&ptx, &bytes);

	cr_assert_not_null(out);
	forms_write(some, count, out);
	fclose(out);
	snprintf(buffers, sizeof(buffers),
		"buffer a bytes=%u type=u64\nbuffer b bytes=%u type=u64\n",
		FORM_OWN_BYTES, FORM_LEFT_BYTES);
	kernel_run(NULL, r, ptx, buffers, "grid=1 block=1024", &wishes);
	cr_assert_eq(r->code, 0, "%s", r->error.text);
	free(ptx);
}

static const uint8_t *left_by(const struct ran *r, size_t form)
{
	return (const uint8_t *)r->result.contents[1] + form * FORM_BYTES;
}

Test(kernel_forms, have_the_words_of_silicon)
{
	size_t first, count, i;
	struct ran r;

	for (first = 0; first < FORM_COUNT; first += count) {
		const struct form *some = forms + first;

		count = forms_together(some, FORM_COUNT - first);
		run_forms(some, count, &r);
		for (i = 0; i < count; i++)
			cr_expect_eq(form_digest(left_by(&r, i)),
				some[i].digest, "%s, %s", some[i].spelling,
				some[i].sizes);
		kernel_end(&r);
	}
}

/* ---- approximations ---- */

static const struct near {
	struct form form;
	int64_t steps; /* from the model's word to the GPU's */
	int least;     /* what is nearer than 2^least is near enough; 0: not */
	uint64_t words[FORM_NEAR];
} nears[] = {
#define NEAR(set, sizes, spelling, steps, least, ...)                          \
	{{sizes, spelling, set, 0}, steps, least, {__VA_ARGS__}},
#include "tests/forms/near.def"
#undef NEAR
};
#define NEAR_COUNT (sizeof(nears) / sizeof(*nears))

/* A format by how many bits the fraction has, and all but the sign. */
struct real {
	unsigned fraction, bits;
};

static struct real real_of(const char *spelling)
{
	const char *type = strrchr(spelling, '.') + 1;

	return !strcmp(type, "f64")   ? (struct real){52, 63}
	       : !strcmp(type, "f32") ? (struct real){23, 31}
	       : *type == 'b'         ? (struct real){7, 15}
				      : (struct real){10, 15};
}

static uint64_t magnitude(struct real f, uint64_t bits)
{
	return bits & ((UINT64_C(1) << f.bits) - 1);
}

/* As whole numbers that are ordered as the reals are. */
static int64_t order(struct real f, uint64_t bits)
{
	int64_t size = (int64_t)magnitude(f, bits);

	return bits >> f.bits & 1 ? -size : size;
}

static bool is_none(struct real f, uint64_t bits)
{
	const uint64_t infinity =
		(UINT64_C(1) << f.bits) - (UINT64_C(1) << f.fraction);

	return magnitude(f, bits) > infinity;
}

static double value_of(struct real f, uint64_t bits)
{
	const int bias = (1 << (f.bits - f.fraction - 1)) - 1;
	const uint64_t fraction = bits & ((UINT64_C(1) << f.fraction) - 1);
	const int exponent = (int)(magnitude(f, bits) >> f.fraction);
	const double size =
		exponent ? ldexp((double)(fraction | UINT64_C(1) << f.fraction),
				   exponent - bias - (int)f.fraction)
			 : ldexp((double)fraction, 1 - bias - (int)f.fraction);

	return bits >> f.bits & 1 ? -size : size;
}

static bool is_near(const struct near *n, uint64_t a, uint64_t b)
{
	const struct real f = real_of(n->form.spelling);

	if (is_none(f, a) || is_none(f, b))
		return is_none(f, a) == is_none(f, b);
	return llabs(order(f, a) - order(f, b)) <= n->steps ||
	       (n->least && fabs(value_of(f, a) - value_of(f, b)) <
				    ldexp(1, n->least));
}

static void compare_near(const struct near *n, const uint8_t *left)
{
	const bool pairs = strstr(n->form.spelling, "x2") != NULL;
	uint64_t word;
	unsigned i;

	for (i = 0; i < FORM_NEAR; i++) {
		memcpy(&word, left + 8 * form_near_thread(i), sizeof(word));
		cr_expect(is_near(n, pairs ? word & 65535 : word,
				  pairs ? n->words[i] & 65535 : n->words[i]) &&
				  (!pairs || is_near(n, word >> 16,
						     n->words[i] >> 16)),
			"%s, %u: 0x%llx, not 0x%llx", n->form.spelling, i,
			(unsigned long long)word,
			(unsigned long long)n->words[i]);
	}
}

Test(kernel_forms, approximate_as_silicon_does)
{
	struct form some[NEAR_COUNT];
	size_t first, count, i;
	struct ran r;

	for (i = 0; i < NEAR_COUNT; i++)
		some[i] = nears[i].form;
	for (first = 0; first < NEAR_COUNT; first += count) {
		count = forms_together(some + first, NEAR_COUNT - first);
		run_forms(some + first, count, &r);
		for (i = 0; i < count; i++)
			compare_near(&nears[first + i], left_by(&r, i));
		kernel_end(&r);
	}
}
