/* Loops that the assembler unrolls leave what they would have left. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_rounds, .timeout = 120);

#define THREADS 1024u
#define STARTS  23u

struct counting {
	const char *compare; /* "lt.s32" */
	int32_t step;
	uint32_t bound, beside; /* starts lie this much beside the steps */
	bool bound_is_number, counter_is_used;
};

/* Threads start 0 to 22 steps before the bound. */
static uint32_t start_of(const struct counting *c, uint32_t thread)
{
	return c->bound - (uint32_t)c->step * (thread % STARTS) - c->beside;
}

static bool goes_on(const struct counting *c, uint32_t x)
{
	const bool is_signed = c->compare[3] == 's';
	const int64_t a = is_signed ? (int32_t)x : (int64_t)x;
	const int64_t b = is_signed ? (int32_t)c->bound : (int64_t)c->bound;

	switch (c->compare[0]) {
	case 'n':
		return x != c->bound;
	case 'l':
		return c->compare[1] == 't' ? a < b : a <= b;
	default:
		return c->compare[1] == 't' ? a > b : a >= b;
	}
}

/* Elements of buffer a are their numbers. */
static uint32_t expected(const struct counting *c, uint32_t thread)
{
	uint32_t x = start_of(c, thread), sum = 0, n = 0;

	do {
		sum = sum * 5 + n + 2 + (c->counter_is_used ? x : 0);
		x += (uint32_t)c->step;
		n++;
	} while (goes_on(c, x));
	return sum + (n + 1) + n + x; /* the last one loaded in the loop, too */
}

static void write_kernel(const struct counting *c, char *ptx, size_t room)
{
	char bound[32] = "%r6";

	if (c->bound_is_number)
		snprintf(bound, sizeof(bound), "%u", c->bound);
	snprintf(ptx, room,
		"%smov.u32 %%r6, %u;\nrem.u32 %%r5, %%r3, %u;\n"
		"mul.lo.u32 %%r5, %%r5, %d;\nsub.u32 %%r4, %%r6, %%r5;\n"
		"sub.u32 %%r4, %%r4, %u;\nmov.u64 %%d5, %%d0;\n"
		"mov.u32 %%r9, 0;\n"
		"L: ld.global.u32 %%r8, [%%d5+8];\n"
		"mad.lo.u32 %%r9, %%r9, 5, %%r8;\n%s"
		"add.s64 %%d5, %%d5, 4;\nadd.s32 %%r4, %%r4, %d;\n"
		"setp.%s %%p1, %%r4, %s;\n@%%p1 bra L;\n"
		"add.u32 %%r9, %%r9, %%r8;\n"
		"ld.global.u32 %%r8, [%%d5];\nadd.u32 %%r9, %%r9, %%r8;\n"
		"add.u32 %%r9, %%r9, %%r4;\nst.global.u32 [%%d4], %%r9;\n%s",
		HEAD, c->bound, STARTS, c->step, c->beside,
		c->counter_is_used ? "add.u32 %r9, %r9, %r4;\n" : "", c->step,
		c->compare, bound, TAIL);
}

static void counts(const struct counting *c)
{
	const struct job_wishes contents = {.contents = true};
	const uint32_t *b;
	struct ran r;
	char ptx[4096];
	uint32_t i;

	write_kernel(c, ptx, sizeof(ptx));
	kernel_run(NULL, &r, ptx, BUFFERS, "grid=8 block=128", &contents);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	b = (const uint32_t *)(const void *)r.result.contents[1];
	for (i = 0; i < THREADS; i++)
		cr_assert_eq(b[i], expected(c, i), "%s %u, step %d: thread %u",
			c->compare, c->bound, c->step, i);
	kernel_end(&r);
}

static void counts_in_all_ways(const struct counting *given)
{
	struct counting c = *given;
	int way;

	for (way = 0; way < 4; way++) {
		c.bound_is_number = way & 1;
		c.counter_is_used = way & 2;
		counts(&c);
	}
}

Test(kernel_rounds, as_often_as_the_loop_would)
{
	static const struct counting ways[] = {
		{.compare = "lt.s32", .step = 1, .bound = 7},
		{.compare = "lt.s32", .step = 3, .bound = 7, .beside = 2},
		{.compare = "le.s32", .step = 1, .bound = 7},
		{.compare = "le.s32", .step = 2, .bound = 7, .beside = 1},
		{.compare = "gt.s32", .step = -1, .bound = 0},
		{.compare = "ge.s32", .step = -3, .bound = 1},
		{.compare = "lt.u32", .step = 1, .bound = 50},
		{.compare = "lt.u32", .step = 3, .bound = 90, .beside = 1},
		{.compare = "le.u32", .step = 2, .bound = 90, .beside = 1},
		{.compare = "gt.u32", .step = -3, .bound = 90},
		{.compare = "ge.u32", .step = -2, .bound = 90},
	};
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		counts_in_all_ways(&ways[i]);
}

/* One that starts a step before. */
Test(kernel_rounds, until_the_bound_is_met)
{
	static const struct counting ways[] = {
		{.compare = "ne.s32", .step = -1, .bound = 0, .beside = -1u},
		{.compare = "ne.u32", .step = 1, .bound = 9, .beside = 1},
		{.compare = "ne.b32", .step = 4, .bound = 8, .beside = 4},
		{.compare = "ne.s32", .step = -4, .bound = -8u, .beside = -4u},
	};
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		counts_in_all_ways(&ways[i]);
}

/* A counter passes from the largest number to the least, or the distance from
   its bound is no number of its type. */
Test(kernel_rounds, at_the_ends_of_what_a_type_holds)
{
	static const struct counting ways[] = {
		{.compare = "lt.s32",
			.step = 1,
			.bound = INT32_MAX,
			.beside = 1},
		{.compare = "gt.s32",
			.step = -1,
			.bound = (uint32_t)INT32_MIN,
			.beside = -1u},
		{.compare = "lt.s32", .step = 1, .bound = (uint32_t)INT32_MIN},
		{.compare = "lt.s32",
			.step = 1,
			.bound = (uint32_t)INT32_MIN + 2},
		{.compare = "lt.u32",
			.step = 1,
			.bound = UINT32_MAX,
			.beside = 1},
		{.compare = "lt.u32", .step = 1, .bound = 2},
		{.compare = "gt.u32", .step = -1, .bound = 0, .beside = -1u},
		{.compare = "ne.s32",
			.step = 1,
			.bound = (uint32_t)INT32_MIN,
			.beside = 1},
	};
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		counts_in_all_ways(&ways[i]);
}

/* Away from the bound, past the last number of the type. */
Test(kernel_rounds, the_other_way)
{
	static const struct counting ways[] = {
		{.compare = "lt.s32",
			.step = -1,
			.bound = 7,
			.beside = 7 + (uint32_t)INT32_MIN},
		{.compare = "gt.s32",
			.step = 1,
			.bound = 7,
			.beside = 7 - (uint32_t)INT32_MAX},
		{.compare = "lt.u32", .step = -1, .bound = 50, .beside = 50},
		{.compare = "ge.u32",
			.step = 1,
			.bound = 50,
			.beside = 50 - UINT32_MAX},
	};
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		counts_in_all_ways(&ways[i]);
}
