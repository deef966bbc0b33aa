#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kernel/fill.h"
#include "harness/program/permute.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct job_buffer buffer_of(const char *words)
{
	struct job_buffer buffer;
	struct error e = {""};
	struct job job;
	char text[256];

	snprintf(text, sizeof(text),
		"nearfar-kernel 1\nmodule m\nbuffer b %s\n"
		"launch k grid=1 block=1\n",
		words);
	cr_assert_eq(job_parse(text, "f", &job, &e), 0, "%s", e.text);
	cr_assert_eq(job_check(&job, &e), 0, "%s", e.text);
	buffer = job.buffers[0];
	job_free(&job);
	return buffer;
}

/* Any part of a buffer is what its elements say, one by one. */
Test(fill, parts_are_those_of_the_whole)
{
	static const char *const words[] = {
		"bytes=4KiB",
		"bytes=4KiB fill=random",
		"bytes=4KiB type=f16 fill=random",
		"bytes=4KiB type=u8 fill=random below=7 power=3 seed=3",
		"bytes=4KiB type=s64 fill=iota first=-9 step=-4",
		"bytes=4KiB type=f64 fill=iota first=0.5 step=0.25 below=2",
		"bytes=4KiB type=u16 fill=permutation seed=5",
		"bytes=4KiB type=u64 fill=ring slot=32 order=shuffle",
	};
	unsigned char whole[4096], part[4096];
	size_t i, k;

	for (i = 0; i < COUNT(words); i++) {
		struct job_buffer b = buffer_of(words[i]);
		const size_t bytes = elements[b.type].bytes;

		fill_write(&b, 0, b.bytes, whole);
		fill_write(&b, 1024, 512, part);
		cr_expect_eq(
			memcmp(whole + 1024, part, 512), 0, "%s", words[i]);
		for (k = 0; k < job_buffer_elements(&b); k++) {
			uint64_t value = fill_element(&b, k);

			cr_expect_eq(memcmp(whole + k * bytes, &value, bytes),
				0, "%s: element %zu", words[i], k);
		}
	}
}

Test(fill, random_elements_are_in_their_range)
{
	struct job_buffer b =
		buffer_of("bytes=256KiB type=f32 fill=random seed=9");
	float *values = malloc(b.bytes);
	double sum = 0;
	size_t i, count = b.bytes / 4;

	fill_write(&b, 0, b.bytes, values);
	for (i = 0; i < count; i++) {
		cr_assert(values[i] >= 0 && values[i] < 1);
		sum += (double)values[i];
	}
	cr_expect_float_eq(sum / (double)count, 0.5, 0.01);
	free(values);

	b = buffer_of("bytes=4KiB fill=random below=10");
	for (i = 0; i < 1024; i++)
		cr_assert_lt(fill_element(&b, i), 10);
}

/* The element is the draw's upper bits, as a fraction. */
Test(fill, random_floats_are_exact_fractions)
{
	static const char *const types[] = {"f16", "bf16", "f32", "f64"};
	char words[64];
	size_t i, k;

	for (k = 0; k < COUNT(types); k++) {
		struct job_buffer b, whole;
		const int digits =
			elements[element_find(types[k])].significant_bits;

		snprintf(words, sizeof(words),
			"bytes=64KiB type=%s fill=random seed=3", types[k]);
		b = buffer_of(words);
		whole = buffer_of("bytes=64KiB type=u64 fill=random seed=3");
		for (i = 0; i < 2000; i++) {
			uint64_t bits = fill_element(&whole, i);
			double value =
				ldexp((double)(bits >> (64 - digits)), -digits);

			cr_assert_eq(fill_element(&b, i),
				element_float_bits(b.type, value));
		}
	}
}

Test(fill, a_power_makes_small_elements_frequent)
{
	struct job_buffer plain = buffer_of("bytes=4MiB fill=random below=100");
	struct job_buffer steep =
		buffer_of("bytes=4MiB fill=random below=100 power=3");
	size_t i, counts[2] = {0, 0};

	for (i = 0; i < 10000; i++) {
		counts[0] += fill_element(&plain, i) < 10;
		counts[1] += fill_element(&steep, i) < 10;
	}
	/* A tenth of the draws, and those below the cube root of a tenth. */
	cr_expect_float_eq((double)counts[0] / 10000, 0.1, 0.02);
	cr_expect_float_eq((double)counts[1] / 10000, cbrt(0.1), 0.02);
}

Test(fill, an_iota_whose_jitter_is_its_step_ascends)
{
	struct job_buffer b =
		buffer_of("bytes=64KiB fill=iota step=16 below=16 seed=4");
	uint64_t i, last = 0, odd = 0;

	for (i = 0; i < job_buffer_elements(&b); i++) {
		uint64_t value = fill_element(&b, i);

		cr_assert(value >= i * 16 && value < i * 16 + 16);
		cr_assert(!i || value > last);
		odd += value & 1;
		last = value;
	}
	cr_expect(odd > 7000 && odd < 9400);
}

Test(fill, a_permutation_has_each_index_once)
{
	struct job_buffer b = buffer_of("bytes=12000 fill=permutation seed=2");
	unsigned char seen[3000] = {0};
	size_t i, moved = 0;

	for (i = 0; i < 3000; i++) {
		uint64_t value = fill_element(&b, i);

		cr_assert(value < 3000 && !seen[value]);
		seen[value] = 1;
		moved += value != i;
	}
	cr_expect_gt(moved, 2900);
}

Test(fill, a_ring_visits_each_slot_once)
{
	static const char *const words[] = {
		"bytes=96KiB fill=ring slot=32 order=shuffle seed=11",
		"bytes=96KiB fill=ring slot=32",
	};
	size_t k;

	for (k = 0; k < COUNT(words); k++) {
		struct job_buffer b = buffer_of(words[k]);
		const uint64_t slots = b.bytes / 32;
		unsigned char *seen = calloc(slots, 1);
		uint64_t i, at = 0;

		for (i = 0; i < slots; i++) {
			cr_assert(at % 8 == 0 && !seen[at / 8]);
			seen[at / 8] = 1;
			cr_expect_eq(fill_element(&b, at + 1), 0);
			at = fill_element(&b, at);
		}
		cr_expect_eq(at, 0);
		free(seen);
	}
}

Test(fill, positions_undo_slots)
{
	static const uint32_t counts[] = {1, 2, 3, 31, 1000, 65536, 1000003};
	size_t k;

	for (k = 0; k < COUNT(counts); k++) {
		struct permutation p;
		uint32_t i;

		permutation_init(&p, counts[k], 77);
		for (i = 0; i < counts[k] && i < 5000; i++)
			cr_assert_eq(permutation_position(
					     &p, permutation_slot(&p, i)),
				i);
	}
}

/* Every half, and what lies between two of them. */
Test(fill, floats_are_rounded_to_the_nearest_even)
{
	uint64_t bits;

	for (bits = 0; bits < 0x7c00; bits++) {
		double value = element_float_value(ELEMENT_F16, bits);
		double next = element_float_value(ELEMENT_F16, bits + 1);
		double middle = (value + next) / 2;

		cr_assert_eq(element_float_bits(ELEMENT_F16, value), bits);
		cr_assert_eq(
			element_float_bits(ELEMENT_F16, -value), bits | 0x8000);
		if (bits == 0x7bff)
			break;
		cr_assert_eq(element_float_bits(ELEMENT_F16, middle),
			bits + (bits & 1));
	}
	cr_expect_eq(element_float_bits(ELEMENT_F16, 65519), 0x7bff);
	cr_expect_eq(element_float_bits(ELEMENT_F16, 65520), 0x7c00);
	cr_expect_eq(element_float_bits(ELEMENT_BF16, NAN) & 0x7fff, 0x7fc0);
}

Test(fill, narrow_floats_are_those_of_the_compiler)
{
	uint32_t i;

	for (i = 0; i < 100000; i++) {
		uint64_t bits = (uint64_t)permute_mix(i) << 32 |
				permute_mix(i + 100000);
		uint32_t expected;
		double value;
		float narrow;

		memcpy(&value, &bits, sizeof(value));
		value = isnan(value) ? 0 : i & 1 ? value : fmod(value, 1e30);
		narrow = (float)value;
		memcpy(&expected, &narrow, sizeof(expected));
		cr_assert_eq(element_float_bits(ELEMENT_F32, value), expected,
			"%a", value);
		cr_assert_eq((float)element_float_value(ELEMENT_F32, expected),
			narrow);
	}
}
