#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/async/async.h"

void async_run(struct ran *r, const char *body, const struct job_wishes *wishes)
{
	char ptx[8192];

	snprintf(ptx, sizeof(ptx), "%s%s%s", HEAD, body, TAIL);
	kernel_run(NULL, r, ptx, BUFFERS, "grid=8 block=128", wishes);
}

void async_fails(const char *body, const char *part)
{
	const struct job_wishes wishes = {.max_cycles = 100000000};
	struct ran r;

	async_run(&r, body, &wishes);
	cr_expect_neq(r.code, 0, "nothing is said, expected: %s", part);
	cr_expect(strstr(r.error.text, part), "%s\n    expected: %s",
		r.error.text, part);
	kernel_end(&r);
}
