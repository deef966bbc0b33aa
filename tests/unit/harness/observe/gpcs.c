#include <criterion/criterion.h>
#include <stdio.h>

#include "harness/observe/chip.h"
#include "tests/unit/machine_fixture.h"

TestSuite(gpcs, .timeout = 60);

/* What the first GPC reads where half of so many do. */
static void add_gpcs(struct series_list *list, unsigned gpcs, double each)
{
	struct series *s = series_list_add(list);
	struct metric_values *rate = point_add_metric(
		series_add_point(s, 0), METRIC_BYTES_PER_CYCLE);

	cr_assert_neq(asprintf(&s->bench, "fit-gpcs-%u", gpcs), -1);
	rate->summary.median = each;
}

/* The chip of 56 TPCs, one side, where the SMs read so much each. */
static struct chip chip_of_gpcs(
	const double *each, unsigned first, unsigned count)
{
	struct model_parameters known = parameters_of("h100-pcie");
	struct device device = device_of(NULL);
	struct series_list list = {0};
	struct chip chip;
	unsigned i;

	device.sm_count = 112;
	chip_start(&chip, &device, &known);
	chip.mapped = true;
	for (i = 0; i < count; i++) {
		unsigned most = (56 + first + i - 1) / (first + i);

		add_gpcs(&list, first + i, each[i] * most);
	}
	chip_read_gpcs(&chip, &list);
	series_list_free(&list);
	model_parameters_free(&known);
	return chip;
}

Test(gpcs, gpcs_are_told_by_what_their_sms_share)
{
	static const double seven[] = {60, 70, 65, 40, 62},
			    parts[] = {40, 70, 65, 66, 67, 68, 69, 70, 41},
			    known[] = {40, 70, 65, 66, 41},
			    none[] = {60, 61, 62, 60, 63};
	struct chip chip = chip_of_gpcs(seven, 4, 5);

	cr_expect(chip.gpcs_seen);
	cr_expect_eq(chip.gpc_count, 7);
	cr_expect_eq(chip.gpc_tpcs, 0);
	cr_expect_not(chip.rotation_is_known);
	chip = chip_of_gpcs(parts, 4, 9);
	cr_expect_eq(chip.gpc_count, 12);
	chip = chip_of_gpcs(known, 4, 5);
	cr_expect(chip.gpcs_seen);
	cr_expect_eq(chip.gpc_count, 8);
	cr_expect(chip.rotation_is_known);
	chip = chip_of_gpcs(none, 4, 5);
	cr_expect_not(chip.gpcs_seen);
	cr_expect_eq(chip.gpc_count, 8);
}
