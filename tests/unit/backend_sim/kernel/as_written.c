/* Kernels that are drawn leave the words of an interpreter that knows nothing
   of the model: as they are written, and with what the model does for the
   assembler. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/drawn.h"
#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_as_written, .timeout = 300);

#define KERNELS 400

static void leaves(const struct drawn *d, unsigned seed, bool as_written)
{
	const struct job_wishes wishes = {.contents = true,
		.max_cycles = 10000000,
		.as_written = as_written};
	const uint32_t *b;
	struct ran r;
	unsigned i;

	kernel_run(NULL, &r, d->text, BUFFERS, "grid=2 block=64", &wishes);
	cr_assert_eq(r.code, 0, "kernel %u%s: %s\n%s", seed,
		as_written ? " as written" : "", r.error.text, d->text);
	b = (const uint32_t *)(const void *)r.result.contents[1];
	for (i = 0; i < 1024; i++)
		cr_assert_eq(b[i], d->b[i],
			"kernel %u%s, element %u is %u, not %u:\n%s", seed,
			as_written ? " as written" : "", i, b[i], d->b[i],
			d->text);
	kernel_end(&r);
}

Test(kernel_as_written, drawn_kernels_leave_their_words)
{
	static struct drawn d;
	unsigned seed;

	for (seed = 1; seed <= KERNELS; seed++) {
		drawn_kernel(&d, seed);
		leaves(&d, seed, true);
		leaves(&d, seed, false);
	}
}

/* It is another code: nothing is unrolled. */
Test(kernel_as_written, is_what_the_text_has)
{
	static const char text[] =
		HEAD "mov.u32 %r4, 0;\nmov.u32 %r6, 100;\n"
		     "L: add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p0, %r4, %r6;\n"
		     "@%p0 bra L;\nst.global.u32 [%d4], %r4;\n" TAIL;
	double executed[2];
	struct ran r;
	int i;

	for (i = 0; i < 2; i++) {
		const struct job_wishes wishes = {.as_written = i};

		kernel_run(NULL, &r, text, BUFFERS, "grid=1 block=32", &wishes);
		cr_assert_eq(r.code, 0, "%s", r.error.text);
		executed[i] = kernel_counter(&r, "smsp__inst_executed.sum");
		kernel_end(&r);
	}
	cr_expect_gt(executed[1], 300);
	cr_expect_lt(executed[0], executed[1]);
}
