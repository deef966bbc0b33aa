#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/divisor.h"
#include "harness/base/units.h"

#define FRACTION_DIGITS_MAX 18

static const struct unit {
	const char *suffix;
	uint64_t bytes;
} units[] = {
	{"", 1},
	{"B", 1},
	{"KiB", UINT64_C(1) << 10},
	{"MiB", UINT64_C(1) << 20},
	{"GiB", UINT64_C(1) << 30},
	{"TiB", UINT64_C(1) << 40},
	{"K", UINT64_C(1) << 10},
	{"M", UINT64_C(1) << 20},
	{"G", UINT64_C(1) << 30},
	{"T", UINT64_C(1) << 40},
	{"kB", UINT64_C(1000)},
	{"MB", UINT64_C(1000000)},
	{"GB", UINT64_C(1000000000)},
	{"TB", UINT64_C(1000000000000)},
};

static const struct unit *unit_find(const char *suffix)
{
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i].suffix, suffix) == 0)
			return &units[i];
	return NULL;
}

/* Reads `length` digits; false if they exceed 64 bits. */
static bool digits_read(const char *text, size_t length, uint64_t *value)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < length; i++) {
		if (__builtin_mul_overflow(sum, 10, &sum) ||
			__builtin_add_overflow(
				sum, (uint64_t)(text[i] - '0'), &sum))
			return false;
	}
	*value = sum;
	return true;
}

/* The bytes of 0.DIGITS units; false if they are not whole. */
static bool fraction_bytes(
	const char *digits, size_t length, uint64_t unit_bytes, uint64_t *bytes)
{
	uint64_t numerator = 0, denominator = 1, divisor;
	size_t i;

	while (length && digits[length - 1] == '0')
		length--;
	if (length > FRACTION_DIGITS_MAX)
		return false;
	digits_read(digits, length, &numerator);
	for (i = 0; i < length; i++)
		denominator *= 10;
	/* Cancelling first keeps the product below unit_bytes. */
	divisor = greatest_divisor(denominator, unit_bytes);
	denominator /= divisor;
	if (numerator % denominator)
		return false;
	*bytes = numerator / denominator * (unit_bytes / divisor);
	return true;
}

int units_parse_bytes(const char *text, uint64_t *bytes, struct error *error)
{
	size_t whole = strspn(text, "0123456789"), part = 0;
	const char *fraction = text + whole, *suffix = fraction;
	uint64_t sum, rest = 0;
	const struct unit *unit;

	if (*fraction == '.') {
		part = strspn(++fraction, "0123456789");
		suffix = fraction + part;
	}
	unit = unit_find(suffix);
	if (!whole || !unit || (suffix != text + whole && !part))
		return error_set(error, ERR_USAGE,
			"'%s' is not a size such as 4096, 64KiB or 1.5MB",
			text);
	if (!fraction_bytes(fraction, part, unit->bytes, &rest))
		return error_set(error, ERR_USAGE,
			"'%s' is not a whole number of bytes", text);
	if (!digits_read(text, whole, &sum) ||
		__builtin_mul_overflow(sum, unit->bytes, &sum) ||
		__builtin_add_overflow(sum, rest, &sum))
		return error_set(error, ERR_USAGE,
			"'%s' is more than 64 bits can count", text);
	*bytes = sum;
	return 0;
}

int units_parse_count(const char *text, uint64_t *count, struct error *error)
{
	size_t length = strspn(text, "0123456789");

	if (!length || text[length])
		return error_set(
			error, ERR_USAGE, "'%s' is not a whole number", text);
	if (!digits_read(text, length, count))
		return error_set(error, ERR_USAGE,
			"'%s' is more than 64 bits can count", text);
	return 0;
}

int units_parse_count_within(const char *option, const char *text,
	uint64_t least, uint64_t most, uint64_t *count, struct error *error)
{
	int code = units_parse_count(text, count, error);

	if (!code && (*count < least || *count > most))
		code = error_set(error, ERR_USAGE,
			"%s must lie between %llu and %llu", text,
			(unsigned long long)least, (unsigned long long)most);
	return code ? error_prefix(error, code, "%s: ", option) : 0;
}

int units_parse_real(const char *text, double *value, struct error *error)
{
	/* strtod() alone would take blanks, hexadecimals, inf and nan. */
	size_t length = strspn(text, "0123456789+-.eE");
	char *end;
	double number = strtod(text, &end);

	if (end == text || *end || text[length])
		return error_set(
			error, ERR_USAGE, "'%s' is not a number", text);
	if (!isfinite(number))
		return error_set(
			error, ERR_USAGE, "'%s' is not a finite number", text);
	*value = number;
	return 0;
}

void units_format_bytes(uint64_t bytes, char *text, size_t size)
{
	static const char *const suffixes[] = {"", "KiB", "MiB", "GiB", "TiB"};
	size_t i = 0;

	while (bytes && bytes % 1024 == 0 && i < 4) {
		bytes /= 1024;
		i++;
	}
	snprintf(text, size, "%" PRIu64 "%s", bytes, suffixes[i]);
}

bool axis_is_bytes(const char *axis)
{
	const size_t length = strlen(axis), suffix = strlen("_bytes");

	return length >= suffix && !strcmp(axis + length - suffix, "_bytes");
}
