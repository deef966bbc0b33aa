/* The bits of asynchronous barriers: what an H200 returns and leaves (driver
   580.159.04). */
#include <criterion/criterion.h>

#include "backend_sim/grid/mbarrier.h"

TestSuite(mbarrier, .timeout = 60);

static struct mbarrier begun(uint32_t count)
{
	struct mbarrier b = {.parity = 1};

	cr_assert_eq(mbarrier_init(&b, count), MBARRIER_FINE);
	return b;
}

/* One arrival of `count`, and what it returns. */
static uint64_t arrive(struct mbarrier *b, uint32_t count, bool drops)
{
	const uint64_t state = mbarrier_state(b);
	bool over;

	cr_assert_eq(mbarrier_arrive(b, count, drops, &over), MBARRIER_FINE);
	return state;
}

static void expect(struct mbarrier *b, int64_t bytes)
{
	bool over;

	cr_assert_eq(mbarrier_expect(b, bytes, &over), MBARRIER_FINE);
}

/* The upper halves of states: the phase's parity, and what it lacked. */
Test(mbarrier, arrivals_return_what_was_there)
{
	struct mbarrier b = begun(3);
	const uint64_t first = arrive(&b, 1, false);

	cr_expect_eq(first, UINT64_C(0x7fffe80000000000));
	cr_expect_eq(mbarrier_pending(first), 3);
	cr_expect_eq(arrive(&b, 1, false), UINT64_C(0x7ffff00000000000));
	cr_expect_eq(arrive(&b, 1, false), UINT64_C(0x7ffff80000000000));
	cr_expect_eq(arrive(&b, 1, false), UINT64_C(0xffffe80000000000));
	b = begun(1048575);
	cr_expect_eq(arrive(&b, 1, false), UINT64_C(0x0000080000000000));
	cr_expect_eq(arrive(&b, 1048574, false), UINT64_C(0x0000100000000000));
	cr_expect_eq(b.parity, 1);
	b = begun(1000);
	cr_expect_eq(arrive(&b, 1000, false), UINT64_C(0x7fe0c00000000000));
	cr_expect_eq(mbarrier_pending(0), 1048576);
	cr_expect_eq(mbarrier_pending(UINT64_C(0xdeadbeefcafef00d)), 0x42a49);
}

/* What mbarrier.inval leaves to be seen. */
Test(mbarrier, objects_have_the_bits_of_the_chip)
{
	struct mbarrier b = begun(1);

	cr_expect_eq(mbarrier_bits(&b), UINT64_C(0x7ffff800001ffffe));
	arrive(&b, 1, false);
	cr_expect_eq(mbarrier_bits(&b), UINT64_C(0xfffff800001ffffe));
	b = begun(3);
	expect(&b, 48);
	arrive(&b, 2, false);
	cr_expect_eq(mbarrier_bits(&b), UINT64_C(0x7ffffbfffa1ffffa));
	b = begun(3);
	expect(&b, -48);
	arrive(&b, 2, false);
	cr_expect_eq(mbarrier_bits(&b), UINT64_C(0x7ffff800061ffffa));
	b = begun(5);
	arrive(&b, 1, true);
	cr_expect_eq(mbarrier_bits(&b), UINT64_C(0x7fffe000001ffff8));
	b = begun(5);
	expect(&b, 1048575);
	cr_expect_eq(mbarrier_bits(&b), UINT64_C(0x7fffda00003ffff6));
	b = begun(2);
	arrive(&b, 1, true);
	arrive(&b, 1, true);
	cr_expect_eq(mbarrier_bits(&b), UINT64_C(0x8000000000000000));
}

Test(mbarrier, bits_are_read_as_they_were_written)
{
	static const struct mbarrier all[] = {{0, 1, 1, 0}, {1, 5, 7, 4096},
		{0, 1048575, 1048575, 1048575}, {1, 0, 0, -1048575},
		{1, 12, 40, -16}};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const struct mbarrier b = mbarrier_read(mbarrier_bits(&all[i]));

		cr_expect_eq(b.parity, all[i].parity);
		cr_expect_eq(b.pending, all[i].pending);
		cr_expect_eq(b.expected, all[i].expected);
		cr_expect_eq(b.bytes, all[i].bytes);
	}
}

/* Neither arrivals nor bytes, in any order. */
Test(mbarrier, a_phase_is_over_when_it_lacks_nothing)
{
	struct mbarrier b = begun(1);

	expect(&b, 64);
	arrive(&b, 1, false);
	cr_expect(!mbarrier_is_over(&b, 0));
	expect(&b, -32);
	cr_expect(!mbarrier_is_over(&b, 0));
	expect(&b, -32);
	cr_expect(mbarrier_is_over(&b, 0));
	cr_expect(!mbarrier_is_over(&b, 1));
	/* bytes first */
	expect(&b, -16);
	arrive(&b, 1, false);
	cr_expect(!mbarrier_is_over(&b, 1));
	expect(&b, 16);
	cr_expect(mbarrier_is_over(&b, 1));
	/* parities beyond 1 are those of their last bit */
	cr_expect(!mbarrier_is_over(&b, 2));
	cr_expect(mbarrier_is_over(&b, 3));
}

Test(mbarrier, what_drops_is_not_waited_for_again)
{
	struct mbarrier b = begun(7);

	cr_expect_eq(arrive(&b, 2, true), UINT64_C(0x7fffc80000000000));
	cr_expect_eq(arrive(&b, 5, false), UINT64_C(0x7fffd80000000000));
	cr_expect_eq(arrive(&b, 5, false), UINT64_C(0xffffd80000000000));
	cr_expect_eq(b.parity, 0);
}

Test(mbarrier, faults_are_those_of_the_chip)
{
	struct mbarrier b = begun(1);
	bool over;

	cr_expect_eq(mbarrier_init(&b, 0), MBARRIER_COUNT);
	cr_expect_eq(mbarrier_init(&b, 1048576), MBARRIER_COUNT);
	b = begun(2);
	cr_expect_eq(mbarrier_arrive(&b, 3, false, &over), MBARRIER_ARRIVALS);
	cr_expect_eq(mbarrier_arrive(&b, 3, true, &over), MBARRIER_ARRIVALS);
	cr_expect_eq(mbarrier_arrive(&b, 0, false, &over), MBARRIER_FINE);
	cr_expect(!over);
	expect(&b, 1048575);
	cr_expect_eq(mbarrier_expect(&b, 2, &over), MBARRIER_BYTES);
	b = begun(1);
	expect(&b, -1048575);
	cr_expect_eq(mbarrier_expect(&b, -1, &over), MBARRIER_BYTES);
	/* all have dropped: nobody may arrive */
	b = begun(1);
	arrive(&b, 1, true);
	cr_expect_eq(mbarrier_arrive(&b, 1, false, &over), MBARRIER_ARRIVALS);
}
