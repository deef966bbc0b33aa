/* Each operation in each form, on values that are hard: the words are those of
   an H200. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/forms/forms.h"
#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_forms, .timeout = 120);

static const struct form forms[] = {
#define FORM(set, sizes, spelling, digest) {sizes, spelling, set, digest},
#include "tests/forms/forms.def"
#undef FORM
};
#define FORM_COUNT (sizeof(forms) / sizeof(*forms))

/* So many forms that have the same values. */
static void run_forms(const struct form *some, size_t count)
{
	const struct job_wishes wishes = {.contents = true};
	char buffers[128], *ptx;
	size_t bytes, i;
	FILE *out = open_memstream(&ptx, &bytes);
	struct ran r;

	cr_assert_not_null(out);
	forms_write(some, count, out);
	fclose(out);
	snprintf(buffers, sizeof(buffers),
		"buffer a bytes=%u type=u64\nbuffer b bytes=%u type=u64\n",
		FORM_OWN_BYTES, FORM_LEFT_BYTES);
	kernel_run(NULL, &r, ptx, buffers, "grid=1 block=1024", &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	for (i = 0; i < count; i++)
		cr_expect_eq(form_digest((const uint8_t *)r.result.contents[1] +
					 i * FORM_BYTES),
			some[i].digest, "%s, %s", some[i].spelling,
			some[i].sizes);
	kernel_end(&r);
	free(ptx);
}

Test(kernel_forms, have_the_words_of_silicon)
{
	size_t first, count;

	for (first = 0; first < FORM_COUNT; first += count) {
		count = forms_together(forms + first, FORM_COUNT - first);
		run_forms(forms + first, count);
	}
}
