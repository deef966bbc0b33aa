/* What a profile says besides waits: how full SMs were, what L2 fetched. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "backend_sim/lives/residents.h"
#include "backend_sim/core/unused.h"

TestSuite(occupancy, .timeout = 60);

static struct residents *begin(struct core *core, uint64_t now)
{
	struct residents *r;

	*core = (struct core){0};
	core->cost.sm_count = 3;
	core->calendar.now = now;
	r = residents_make(core);
	cr_assert_not_null(r);
	return r;
}

static double warps(const struct job_occupancy *o)
{
	double sum = 0;
	uint32_t i;

	for (i = 0; i < o->span_count; i++)
		sum += o->spans[i].warps * o->span_cycles;
	return sum;
}

Test(occupancy, warps_are_where_they_were)
{
	struct job_occupancy o = {.sms = 3};
	struct core core;
	struct residents *r = begin(&core, 1000);

	residents_warp(r, 0, 1000, 1100);
	residents_warp(r, 0, 1010, 1110);
	residents_warp(r, 2, 1032, 1064);
	residents_collect(r, 1115, &o);
	cr_expect_eq(o.sms_used, 2);
	cr_expect_eq(o.cycles, 110);
	cr_expect_eq(o.drain_cycles, 5);
	cr_expect_eq(o.warp_cycles, 232);
	/* SM 2 is the first to end; it begins late, and SM 1 never. */
	cr_expect_eq(o.tail_cycles, 46);
	cr_expect_eq(o.idle_cycles, 110 + 32 + 46);
	cr_expect_eq(o.span_count, 2);
	cr_expect_eq(o.spans[0].sms, 2);
	cr_expect_eq(o.spans[1].sms, 1);
	cr_expect_eq(o.spans[0].warps, (64 + 54 + 32) / 64.0);
	residents_free(r);
}

Test(occupancy, a_long_launch_has_longer_spans)
{
	struct job_occupancy o = {.sms = 3};
	struct core core;
	struct residents *r = begin(&core, 0);
	uint64_t i;

	for (i = 0; i < 100000; i++)
		residents_warp(r, (uint32_t)(i % 3), i * 10, i * 10 + 25);
	residents_collect(r, 0, &o);
	cr_expect_leq(o.span_count, JOB_SPANS);
	cr_expect_gt(o.span_count, JOB_SPANS / 2);
	cr_expect_eq(o.warp_cycles, 2500000);
	cr_expect_float_eq(warps(&o), 2500000, 1e-3);
	for (i = 0; i < o.span_count; i++)
		cr_expect_eq(o.spans[i].sms, 3);
	residents_free(r);
}

Test(occupancy, nothing_was_there)
{
	struct job_occupancy o = {.sms = 3};
	struct core core;
	struct residents *r = begin(&core, 7);

	residents_collect(r, 0, &o);
	cr_expect_eq(o.sms_used, 0);
	cr_expect_eq(o.span_count, 0);
	residents_free(r);
}

Test(occupancy, sectors_that_nobody_asks_for)
{
	struct unused *u = unused_make();
	struct unused_sectors s;

	cr_assert_not_null(u);
	unused_fetched(u, 5, 0xf, 0x1); /* three wait */
	unused_asked(u, 5, 0x6);        /* one waits */
	unused_asked(u, 6, 0xf);        /* of another line */
	s = unused_count(u);
	cr_expect_eq(s.fetched, 4);
	cr_expect_eq(s.unused, 1);
	unused_fetched(u, 5, 0x8, 0x8); /* again: it was in vain */
	unused_asked(u, 5, 0x8);
	s = unused_count(u);
	cr_expect_eq(s.fetched, 5);
	cr_expect_eq(s.unused, 1);
	unused_free(u);
}
