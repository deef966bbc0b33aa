/* Where clusters of blocks are on the default machine: as on an H200 (driver
   580), by %smid of each block and by cuOccupancyMaxActiveClusters. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "backend_sim/core/core.h"
#include "backend_sim/machine/costs.h"
#include "backend_sim/machine/machine.h"
#include "backend_sim/sm/placement.h"

#define SMS 132

/* How many clusters; the SMs in `sms`, which has room for 8 blocks an SM. */
static int64_t place(
	uint32_t size, uint32_t per_sm, uint64_t most, uint16_t sms[8 * SMS])
{
	static struct core core;
	static struct machine machine;
	static struct execution x = {.core = &core};
	struct error error;
	int64_t count;

	cr_assert_eq(0, machine_load(NULL, &machine, &error), "%s", error.text);
	costs_init(&core.cost, &machine);
	cr_assert_eq(0, floor_init(&core.floor, &core.cost));
	count = placement_clusters(&x, size, per_sm, most, sms);
	floor_free(&core.floor);
	return count;
}

Test(placement_clusters, as_many_as_the_driver_says)
{
	static const struct {
		uint32_t per_sm, most[16];
	} rows[] = {
		{1, {132, 66, 39, 30, 22, 17, 15, 15, 9, 7, 7, 7, 7, 7, 7, 7}},
		{2, {264, 132, 79, 62, 47, 39, 32, 30, 23, 21, 16, 16, 14, 14,
			    14, 14}},
		{3, {396, 198, 124, 92, 69, 62, 47, 45, 37, 30, 28, 28, 23, 21,
			    21, 21}},
		{6, {792, 396, 248, 186, 146, 124, 101, 92, 74, 65, 58, 58, 51,
			    44, 44, 42}},
		{8, {1056, 528, 327, 248, 193, 163, 139, 124, 102, 88, 81, 74,
			    67, 65, 58, 58}},
	};
	uint16_t sms[8 * SMS];
	uint32_t size;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size = 1; size <= 16; size++)
			cr_expect_eq(place(size, rows[i].per_sm, 8 * SMS / size,
					     sms),
				rows[i].most[size - 1],
				"clusters of %u, %u blocks an SM", size,
				rows[i].per_sm);
}

static void has(const uint16_t *sms, const uint16_t *expected, uint32_t size)
{
	uint32_t i;

	for (i = 0; i < size; i++)
		cr_expect_eq(sms[i], expected[i], "rank %u: SM %u, not %u", i,
			sms[i], expected[i]);
}

Test(placement_clusters, ranks_are_sms_of_a_gpc_in_their_order)
{
	static const uint16_t first[] = {0, 1, 16, 17, 32, 33, 48, 49};
	static const uint16_t second[] = {2, 3, 18, 19, 34, 35, 50, 51};
	static const uint16_t ninth[] = {64, 65, 78, 79, 92, 93, 106, 107};
	uint16_t sms[8 * SMS];

	cr_assert_eq(place(8, 1, 66, sms), 15);
	has(sms, first, 8);
	has(sms + 8, second, 8);
	has(sms + 64, ninth, 8);
}

/* Two SMs of a GPC of 18 are left over by clusters of 4. */
Test(placement_clusters, a_second_round_begins_where_nothing_is)
{
	static const uint16_t last[] = {104, 105, 118, 119};
	static const uint16_t sixth[] = {12, 13, 120, 121};
	static const uint16_t end[] = {118, 119, 122, 123};
	uint16_t sms[8 * SMS];

	cr_assert_eq(place(4, 2, 66, sms), 62);
	has(sms + 4 * 29, last, 4);
	has(sms + 4 * 36, sixth, 4);
	has(sms + 4 * 61, end, 4);
}

Test(placement_clusters, pairs_begin_on_the_tpcs_left_over)
{
	static const uint16_t first[] = {
		124, 125, 126, 127, 128, 129, 130, 131, 0, 1, 2, 3};
	uint16_t sms[8 * SMS];

	place(2, 1, 6, sms);
	has(sms, first, 12);
}
