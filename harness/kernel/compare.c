#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kernel/compare.h"
#include "harness/kernel/hash.h"
#include "harness/program/permute.h"

static uint64_t element_at(
	const struct job_buffer *b, const void *content, uint64_t index)
{
	const size_t bytes = elements[b->type].bytes;
	uint64_t value = 0;

	memcpy(&value, (const unsigned char *)content + index * bytes, bytes);
	return value;
}

/* ---- floats ---- */

/* Floats in the order of their values, as whole numbers in a row. */
static int64_t ordered(const struct element *e, uint64_t bits)
{
	const uint64_t sign = UINT64_C(1) << (8 * e->bytes - 1);

	return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

uint64_t compare_ulps(enum element_type type, uint64_t a, uint64_t b)
{
	const bool a_number = !isnan(element_float_value(type, a));
	const bool b_number = !isnan(element_float_value(type, b));
	int64_t x, y;

	if (!a_number || !b_number)
		return a_number == b_number ? 0 : UINT64_MAX;
	x = ordered(&elements[type], a);
	y = ordered(&elements[type], b);
	return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

/* ---- messages ---- */

static void element_format(
	const struct job_buffer *b, uint64_t bits, char text[40])
{
	const struct element *e = &elements[b->type];
	const unsigned unused = 64 - 8u * e->bytes;

	if (e->kind == ELEMENT_FLOAT)
		snprintf(text, 40, "%.9g",
			element_float_value((enum element_type)b->type, bits));
	else if (e->kind == ELEMENT_SIGNED)
		snprintf(text, 40, "%" PRId64,
			(int64_t)(bits << unused) >> unused);
	else
		snprintf(text, 40, "%" PRIu64, bits);
}

static int differs(const struct job_buffer *b, uint64_t index,
	uint64_t expected, uint64_t found, struct error *error)
{
	char texts[2][40];

	element_format(b, expected, texts[0]);
	element_format(b, found, texts[1]);
	return error_set(error, ERR_GATE,
		"buffer '%s': element %" PRIu64 " is %s instead of %s", b->name,
		index, texts[1], texts[0]);
}

static int differ_whole(const struct job_buffer *b, struct error *error)
{
	return error_set(error, ERR_GATE,
		"buffer '%s' does not hold the same elements", b->name);
}

/* ---- digests ---- */

static uint64_t multiset(const struct job_buffer *b, const void *content)
{
	const uint64_t count = job_buffer_elements(b);
	uint64_t sum = count, i;

	for (i = 0; i < count; i++)
		sum += hash_mix(element_at(b, content, i) + HASH_BASIS);
	return hash_mix(sum);
}

/* Spread evenly, with a place in its part that varies. */
static uint64_t sample_index(const struct job_buffer *b, unsigned sample)
{
	const uint64_t count = job_buffer_elements(b);
	const uint64_t part = count / DIGEST_SAMPLES;

	if (!part)
		return sample < count ? sample : count - 1;
	return sample * part + permute_mix(sample) % part;
}

static const char *kind_of(const struct job_buffer *b)
{
	static const char *const kinds[JOB_COMPARE_COUNT] = {
		[JOB_COMPARE_EXACT] = "exact:",
		[JOB_COMPARE_ULP] = "ulp:",
		[JOB_COMPARE_MULTISET] = "multiset:",
		[JOB_COMPARE_NONE] = "none",
	};

	return kinds[b->compare];
}

void compare_digest(const struct job_buffer *b, const void *content,
	char digest[DIGEST_BYTES])
{
	size_t length =
		(size_t)snprintf(digest, DIGEST_BYTES, "%s", kind_of(b));
	unsigned i;

	if (b->compare == JOB_COMPARE_EXACT)
		snprintf(digest + length, DIGEST_BYTES - length, "%016" PRIx64,
			hash_bytes(HASH_BASIS, content, b->bytes));
	else if (b->compare == JOB_COMPARE_MULTISET)
		snprintf(digest + length, DIGEST_BYTES - length, "%016" PRIx64,
			multiset(b, content));
	for (i = 0; b->compare == JOB_COMPARE_ULP && i < DIGEST_SAMPLES; i++)
		length += (size_t)snprintf(digest + length,
			DIGEST_BYTES - length, "%s%" PRIx64, i ? "," : "",
			element_at(b, content, sample_index(b, i)));
}

/* "1,2,...": the elements of a digest. */
static int samples_read(const struct job_buffer *b, const char *at,
	uint64_t samples[DIGEST_SAMPLES], struct error *error)
{
	unsigned i;

	for (i = 0; i < DIGEST_SAMPLES; i++) {
		char *end;

		samples[i] = strtoull(at, &end, 16);
		if (end == at || *end != (i + 1 < DIGEST_SAMPLES ? ',' : '\0'))
			return error_set(error, ERR_USAGE,
				"buffer '%s' has a digest that is none of %d "
				"elements",
				b->name, DIGEST_SAMPLES);
		at = end + 1;
	}
	return 0;
}

static int compare_samples(const struct job_buffer *b, const char *expected,
	const char *found, struct error *error)
{
	uint64_t samples[2][DIGEST_SAMPLES];
	unsigned i;

	if (samples_read(b, expected, samples[0], error) ||
		samples_read(b, found, samples[1], error))
		return ERR_USAGE;
	for (i = 0; i < DIGEST_SAMPLES; i++)
		if (compare_ulps((enum element_type)b->type, samples[0][i],
			    samples[1][i]) > b->ulps)
			return differs(b, sample_index(b, i), samples[0][i],
				samples[1][i], error);
	return 0;
}

int compare_digests(const struct job_buffer *b, const char *expected,
	const char *found, struct error *error)
{
	const char *kind = kind_of(b);
	const size_t length = strlen(kind);

	if (strncmp(expected, kind, length) || strncmp(found, kind, length))
		return error_set(error, ERR_USAGE,
			"buffer '%s' has the digest '%.40s', which does not "
			"begin with '%s'",
			b->name, expected, kind);
	if (b->compare == JOB_COMPARE_ULP)
		return compare_samples(
			b, expected + length, found + length, error);
	return strcmp(expected, found) ? differ_whole(b, error) : 0;
}

/* ---- contents ---- */

static int compare_each(const struct job_buffer *b, const void *expected,
	const void *found, struct error *error)
{
	const uint64_t count = job_buffer_elements(b);
	uint64_t i;

	for (i = 0; i < count; i++) {
		const uint64_t x = element_at(b, expected, i);
		const uint64_t y = element_at(b, found, i);

		if (x == y)
			continue;
		if (b->compare == JOB_COMPARE_EXACT ||
			compare_ulps((enum element_type)b->type, x, y) >
				b->ulps)
			return differs(b, i, x, y, error);
	}
	return 0;
}

int compare_contents(const struct job_buffer *b, const void *expected,
	const void *found, struct error *error)
{
	if (b->compare == JOB_COMPARE_NONE ||
		!memcmp(expected, found, b->bytes))
		return 0;
	if (b->compare != JOB_COMPARE_MULTISET)
		return compare_each(b, expected, found, error);
	return multiset(b, expected) == multiset(b, found)
		       ? 0
		       : differ_whole(b, error);
}
