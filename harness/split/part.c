#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/units.h"
#include "harness/keep/build_id.h"
#include "harness/split/part.h"

#define OF_SERIES " of series"

/* The bits of FNV-1a's digest, mixed once more: its low ones alone are those of
   few bytes. */
static uint64_t mix(uint64_t digest)
{
	digest ^= digest >> 32;
	digest *= UINT64_C(0x9e3779b97f4a7c15);
	return digest ^ digest >> 32;
}

size_t part_owner(const char *row, size_t series, const double *x, size_t count)
{
	const uint64_t index = series;
	uint64_t digest = DIGEST_EMPTY;

	digest = digest_add(digest, row, strlen(row) + 1);
	digest = digest_add(digest, &index, sizeof(index));
	if (x)
		digest = digest_add(digest, x, sizeof(*x));
	return (size_t)(mix(digest) % count);
}

bool part_has(const struct part *part, const char *row, size_t series, double x)
{
	return part_owner(row, series, part->whole_series ? NULL : &x,
		       part->count) == part->number - 1;
}

/* "K", `between`, "N", and what is behind it. */
static bool read_pair(const char *text, const char *between, struct part *part,
	const char **rest)
{
	size_t number = 0, count = 0;
	int length = 0;

	if (*text < '1' || *text > '9' ||
		sscanf(text, "%6zu%n", &number, &length) != 1)
		return false;
	text += length;
	if (strncmp(text, between, strlen(between)) != 0)
		return false;
	text += strlen(between);
	if (*text < '1' || *text > '9' ||
		sscanf(text, "%6zu%n", &count, &length) != 1 ||
		number > count || count > PARTS_MAX)
		return false;
	part->number = number;
	part->count = count;
	*rest = text + length;
	return true;
}

int part_parse(const char *text, struct part *part, struct error *error)
{
	const char *rest;

	if (read_pair(text, "/", part, &rest) && !*rest)
		return 0;
	return error_set(error, ERR_USAGE,
		"--part: '%s' is not K/N, part K of 1 to N, N being at most %d",
		text, PARTS_MAX);
}

bool part_of_file(const char *name, struct part *part)
{
	const char *rest;

	*part = (struct part){0};
	return read_pair(name, "-of-", part, &rest) &&
	       !strcmp(rest, ".json.gz");
}

void part_format(const struct part *part, char text[PART_TEXT_BYTES])
{
	snprintf(text, PART_TEXT_BYTES, "%zu/%zu%s", part->number, part->count,
		part->whole_series ? OF_SERIES : "");
}

bool part_read(const char *text, struct part *part)
{
	const char *rest;

	*part = (struct part){0};
	if (!read_pair(text, "/", part, &rest))
		return false;
	part->whole_series = !strcmp(rest, OF_SERIES);
	return part->whole_series || !*rest;
}
