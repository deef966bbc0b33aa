#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

static const char *const small[] = {"sm_count=8", "gpc_count=4",
	"gpc_side_mask=10", "memory_bytes=1GiB", "l2_slices_used=6",
	"l2_slices=8", "l2_bytes=256KiB"};

void kernel_run(const char *set, struct ran *r, const char *ptx,
	const char *buffers, const char *launch,
	const struct job_wishes *wishes)
{
	char lines[1024];

	snprintf(lines, sizeof(lines), "%slaunch k %s args=a,b\n", buffers,
		launch);
	kernel_run_lines(set, r, ptx, lines, wishes);
}

void kernel_run_lines(const char *set, struct ran *r, const char *ptx,
	const char *lines, const struct job_wishes *wishes)
{
	const char *sets[sizeof(small) / sizeof(*small) + 1];
	const struct backend_config config = {.sets = sets,
		.set_count = sizeof(small) / sizeof(*small) + (set != NULL)};
	struct backend *backend;
	char text[4096];

	memcpy(sets, small, sizeof(small));
	sets[sizeof(small) / sizeof(*small)] = set;
	memset(r, 0, sizeof(*r));
	snprintf(text, sizeof(text),
		"nearfar-kernel 1\nname test\nmodule m.ptx\n%s", lines);
	cr_assert_eq(job_parse(text, "test", &r->job, &r->error), 0, "%s",
		r->error.text);
	r->job.modules[0].text = strdup(ptx);
	r->job.modules[0].bytes = strlen(ptx);
	cr_assert_eq(backend_sim.open(&backend, &config, &r->error), 0, "%s",
		r->error.text);
	r->code = backend_sim.run_job(
		backend, &r->job, wishes, &r->result, &r->error);
	backend_sim.close(backend);
}

void kernel_end(struct ran *r)
{
	job_result_free(&r->result);
	job_free(&r->job);
}

double kernel_counter(const struct ran *r, const char *name)
{
	return kernel_counter_of(r, 0, name);
}

double kernel_counter_of(const struct ran *r, size_t launch, const char *name)
{
	const struct job_launch_result *l = &r->result.launches[launch];
	size_t i;

	for (i = 0; i < l->counter_count; i++)
		if (!strcmp(l->counters[i].name, name))
			return l->counters[i].value;
	cr_assert_fail("no counter %s", name);
	return 0;
}

static void run_body(
	struct ran *r, const char *body, const struct job_wishes *wishes)
{
	const size_t bytes = strlen(HEAD) + strlen(body) + strlen(TAIL) + 1;
	char *ptx = malloc(bytes);

	snprintf(ptx, bytes, "%s%s%s", HEAD, body, TAIL);
	kernel_run(NULL, r, ptx, BUFFERS, "grid=8 block=128", wishes);
	free(ptx);
}

void kernel_leaves(const char *body, uint32_t (*expected)(uint32_t i))
{
	const struct job_wishes wishes = {
		.contents = true, .max_cycles = 20000000};
	const uint32_t *b;
	struct ran r;
	uint32_t i;

	run_body(&r, body, &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	b = (const uint32_t *)(const void *)r.result.contents[1];
	for (i = 0; i < 1024; i++)
		cr_assert_eq(b[i], expected(i), "element %u is %u, not %u", i,
			b[i], expected(i));
	kernel_end(&r);
}

void kernel_fails(const char *body, const char *sentence)
{
	const struct job_wishes wishes = {.max_cycles = 20000};
	struct ran r;

	run_body(&r, body, &wishes);
	cr_assert_neq(r.code, 0);
	cr_assert_str_eq(r.error.text, sentence);
	kernel_end(&r);
}

const struct job_profile *kernel_profile_of(const char *set, struct ran *r,
	const char *ptx, const char *buffers, const char *launch)
{
	static const struct job_wishes profiled = {.profile = true};

	kernel_run(set, r, ptx, buffers, launch, &profiled);
	cr_assert_eq(r->code, 0, "%s", r->error.text);
	return r->result.launches[0].profile;
}
