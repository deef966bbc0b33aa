/* The bits of policies: those that ptxas computes for sm_90. */
#include <criterion/criterion.h>
#include <inttypes.h>

#include "harness/program/policy.h"
#include "harness/program/program.h"

TestSuite(policy, .timeout = 60);

Test(policy, fractions_are_sixteenths)
{
	/* Bits 52 on of the constants that ptxas 13.0 puts in for sm_80. */
	static const struct {
		float fraction;
		uint16_t head;
		uint8_t primary, secondary;
	} cases[] = {
		{1, 0x12f, QV_L2_evict_first, 0},
		{1, 0x14f, QV_L2_evict_last, 0},
		{1, 0x16f, QV_L2_evict_normal, 0},
		{1, 0x10f, QV_L2_evict_unchanged, 0},
		{1, 0x14f, QV_L2_evict_last, QV_SECONDARY_evict_unchanged},
		{0.5f, 0x157, QV_L2_evict_last, QV_SECONDARY_evict_first},
		{0.3f, 0x164, QV_L2_evict_normal, 0},
		{0.01f, 0x110, QV_L2_evict_unchanged, QV_SECONDARY_evict_first},
		{0.0625f, 0x120, QV_L2_evict_first, 0},
		{0x1.0028p-4f, 0x120, QV_L2_evict_first, 0},
		{0x1.0029p-4f, 0x121, QV_L2_evict_first, 0},
		{0.0626f, 0x121, QV_L2_evict_first, 0},
		{0.125f, 0x121, QV_L2_evict_first, 0},
		{0.13f, 0x122, QV_L2_evict_first, 0},
		{0.7f, 0x12b, QV_L2_evict_first, 0},
		{0.9375f, 0x12e, QV_L2_evict_first, 0},
		{0.94f, 0x12f, QV_L2_evict_first, 0},
		{0x1p-149f, 0x120, QV_L2_evict_first, 0},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_assert_eq(policy_of_fraction(cases[i].primary,
				     cases[i].secondary, cases[i].fraction),
			(uint64_t)cases[i].head << 52, "case %zu", i);
}

Test(policy, no_fraction_makes_other_bits)
{
	static const float fractions[] = {0, -1, 1.5f, 1e30f, -1e30f,
		__builtin_nanf(""), __builtin_inff(), -__builtin_inff()};
	size_t i;

	for (i = 0; i < sizeof(fractions) / sizeof(*fractions); i++)
		cr_assert_eq(
			policy_of_fraction(QV_L2_evict_first, 0, fractions[i]) &
				~(UINT64_C(15) << 52),
			UINT64_C(0x120) << 52, "%g", (double)fractions[i]);
}

Test(policy, ranges_are_blocks)
{
	static const struct {
		uint64_t address;
		uint32_t primary_bytes, total_bytes;
		uint64_t bits; /* last, and first beside it */
	} cases[] = {
		/* 4 KiB up to 512 KiB of a total; then twice as much */
		{0x7f0000000000, 64, 4096, 0x1d00002000000000},
		{0x7f0000000000, 4096, 8192, 0x1d00002000000000},
		{0x7f0000012340, 4096, 8192, 0x1d01204000000000},
		{0x7f0000012340, 0, 524288, 0x1d01202000000000},
		{0x7f0000000000, 4097, 524288, 0x1d00004000000000},
		{0x7f0000000000, 4097, 524289, 0x1d10002000000000},
		{0x7f0012345680, 1048576, 67108864, 0x1d74606000000000},
		/* 127 blocks at the most */
		{0x7f0000000000, 524288, 524288, 0x1d000fe000000000},
		{0x7f00fffff000, 30000000, 4000000000, 0x1dd7f04000000000},
		/* A total of 0 has no priorities. */
		{0x7f0000012340, 0, 0, 0x1800000000000000},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const uint64_t bits = policy_of_range(QV_L2_evict_last,
			QV_SECONDARY_evict_first, cases[i].address,
			cases[i].primary_bytes, cases[i].total_bytes);

		cr_assert_eq(bits, cases[i].bits,
			"case %zu: 0x%" PRIx64 ", not 0x%" PRIx64, i, bits,
			cases[i].bits);
	}
}

Test(policy, what_is_made_is_read)
{
	struct policy p;
	uint32_t n;

	for (n = 1; n <= 16; n++) {
		cr_assert(policy_read(
			policy_of_fraction(QV_L2_evict_last,
				QV_SECONDARY_evict_first, (float)n / 16),
			&p));
		cr_assert_eq(p.primary, QV_L2_evict_last);
		cr_assert_eq(p.secondary, QV_SECONDARY_evict_first);
		cr_assert_eq(p.sixteenths, n);
	}
	cr_assert(policy_read(policy_of_range(QV_L2_evict_first, 0,
				      UINT64_C(0x7f0000012340), 4096, 8192),
		&p));
	cr_assert_eq(p.primary, QV_L2_evict_first);
	cr_assert_eq(p.secondary, QV_SECONDARY_evict_unchanged);
	cr_assert_eq(p.sixteenths, 0);
	cr_assert(!policy_covers(&p, UINT64_C(0x7f0000011fff)));
	cr_assert(policy_covers(&p, UINT64_C(0x7f0000012000)));
	cr_assert(policy_covers(&p, UINT64_C(0x7f0000013fff)));
	cr_assert(!policy_covers(&p, UINT64_C(0x7f0000014000)));
	/* and again after 128 blocks */
	cr_assert(policy_covers(&p, UINT64_C(0x7f0000092000)));
}

Test(policy, other_bits_are_none)
{
	static const uint64_t none[] = {
		0, 1, UINT64_MAX,
		UINT64_C(0x0800000000000000), /* modes 0 and 1 */
		UINT64_C(0x02f0000000000000),
		UINT64_C(0x12f0000000000001), /* bits that are 0 */
		UINT64_C(0x12f8000000000000), UINT64_C(0x32f0000000000000),
		UINT64_C(0x52f0000000000000), UINT64_C(0x92f0000000000000),
		UINT64_C(0x1d08002000000000), UINT64_C(0x1d00002000000001),
		UINT64_C(0x1de0002000000000), /* blocks of 64 MiB */
	};
	struct policy p;
	size_t i;

	for (i = 0; i < sizeof(none) / sizeof(*none); i++)
		cr_assert(!policy_read(none[i], &p), "0x%" PRIx64, none[i]);
}
