/* Accesses of launches of different streams, held against each other. */
#include <criterion/criterion.h>

#include "backend_sim/streams_races.h"

TestSuite(streams_races, .timeout = 10);

#define STREAMS 3

struct looked {
	struct space space;
	struct job_launch launches[STREAMS];
	struct run runs[STREAMS];
	struct streams s;
	struct races *races;
	struct races_access other;
	uint64_t where;
};

static void open_looked(struct looked *l)
{
	uint32_t i;

	*l = (struct looked){.space.size = 1 << 20};
	for (i = 0; i < STREAMS; i++) {
		l->launches[i].stream = 7 - i;
		l->runs[i].launch = &l->launches[i];
	}
	l->s.runs = l->runs;
	l->races = races_make(&l->space);
	cr_assert_not_null(l->races);
}

static enum races_found look(struct looked *l, uint32_t run, bool writes,
	uint64_t offset, uint64_t bytes)
{
	const struct races_access access = {run, 10 + run, writes};

	return races_touch(
		l->races, &l->s, &access, offset, bytes, &l->other, &l->where);
}

Test(streams_races, bytes_beside_each_other_are_apart)
{
	struct looked l;

	open_looked(&l);
	cr_expect_eq(look(&l, 0, true, 65536, 1), RACES_NOTHING);
	cr_expect_eq(look(&l, 1, true, 65537, 1), RACES_NOTHING);
	cr_expect_eq(look(&l, 0, true, 65538, 1), RACES_NOTHING);
	cr_expect_eq(look(&l, 1, false, 65539, 9), RACES_NOTHING);
	cr_expect_eq(look(&l, 0, true, 65530, 6), RACES_NOTHING);
	cr_expect_eq(look(&l, 0, false, 65536, 1), RACES_NOTHING);
	/* What the stream did before is not forgotten. */
	cr_expect_eq(look(&l, 1, false, 65536, 1), RACES_RACE);
	cr_expect_eq(l.where, 65536);
	cr_expect_eq(l.other.run, 0);
	cr_expect_eq(l.other.line, 10);
	cr_expect(l.other.writes);
	cr_expect_eq(look(&l, 0, false, 65536, 4), RACES_RACE);
	cr_expect_eq(l.where, 65537);
	cr_expect_eq(l.other.run, 1);
	cr_expect_eq(look(&l, 2, true, 65539, 1), RACES_RACE);
	cr_expect_eq(l.where, 65539);
	cr_expect_not(l.other.writes);
	races_free(l.races);
}

Test(streams_races, the_last_two_streams_are_known)
{
	struct looked l;
	uint32_t i;

	open_looked(&l);
	for (i = 0; i < STREAMS; i++)
		cr_expect_eq(look(&l, i, false, 0, 4), RACES_NOTHING);
	for (i = 0; i < STREAMS; i++) {
		cr_expect_eq(look(&l, i, true, 0, 4), RACES_RACE);
		cr_expect_neq(l.other.run, i);
	}
	/* Of three writers of a word the last two; the bytes of the first one
	   are not theirs. */
	for (i = 0; i < STREAMS; i++)
		cr_expect_eq(look(&l, i, true, 8 + i, 1), RACES_NOTHING);
	cr_expect_eq(look(&l, 2, false, 8, 1), RACES_NOTHING);
	cr_expect_eq(look(&l, 0, false, 9, 1), RACES_RACE);
	cr_expect_eq(look(&l, 0, false, 10, 1), RACES_RACE);
	races_free(l.races);
}
