#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/run/sweep.h"
#include "harness/base/units.h"

#define WORD_BYTES 64

/* "%S" or "%S-2"; not less than none of them. */
static int parse_sms(
	const char *word, unsigned sm_count, double *value, struct error *error)
{
	uint64_t fewer = 0;

	if (word[2] &&
		(word[2] != '-' || units_parse_count(word + 3, &fewer, error)))
		return error_set(error, ERR_USAGE,
			"'%s' is not a number of SMs: %%S, or %%S-N", word);
	*value = fewer < sm_count ? (double)(sm_count - fewer) : 0;
	return 0;
}

/* Beyond what any device has, and small enough that benches can multiply it. */
static const struct {
	double most;
	const char *text;
} limits[] = {
	[AXIS_BYTES] = {0x1p40, "1TiB"},
	[AXIS_COUNT] = {UINT32_MAX, "4294967295"},
};

static int parse_value(const char *word, enum axis_unit unit, unsigned sm_count,
	double *value, struct error *error)
{
	uint64_t number = 0;
	int code;

	if (!strncmp(word, "%S", 2))
		return parse_sms(word, sm_count, value, error);
	code = unit == AXIS_BYTES ? units_parse_bytes(word, &number, error)
				  : units_parse_count(word, &number, error);
	if (code)
		return code;
	if ((double)number > limits[unit].most)
		return error_set(error, ERR_USAGE,
			"'%s' is more than %s, the greatest value of an axis",
			word, limits[unit].text);
	*value = (double)number;
	return 0;
}

static int add_point(struct sweep *s, double value, struct error *error)
{
	if (s->count == SWEEP_POINTS_MAX)
		return error_set(error, ERR_USAGE,
			"a sweep has at most %d points", SWEEP_POINTS_MAX);
	if (!s->points)
		s->points = calloc(SWEEP_POINTS_MAX, sizeof(*s->points));
	if (!s->points)
		return error_set(error, ERR_FAILED, "out of memory");
	s->points[s->count++] = value;
	return 0;
}

static double round_point(double value, enum axis_unit unit)
{
	return unit == AXIS_BYTES && value >= 4096
		       ? round(value / PROGRAM_LINE_BYTES) * PROGRAM_LINE_BYTES
		       : round(value);
}

static int add_range(struct sweep *s, enum axis_unit unit, double first,
	double last, uint64_t per_octave, struct error *error)
{
	double value, previous = -1;
	uint64_t i;
	int code;

	if (!(first > 0) || last < first || per_octave < 1 ||
		per_octave > SWEEP_POINTS_MAX)
		return error_set(error, ERR_USAGE,
			"a range is FIRST:LAST:POINTS_PER_OCTAVE with 0 < "
			"FIRST <= LAST and 1 to 4096 points an octave");
	for (i = 0;; i++) {
		value = first * exp2((double)i / (double)per_octave);
		if (value > last * (1 + 1e-9))
			return 0;
		value = round_point(value, unit);
		if (value == previous)
			continue;
		previous = value;
		code = add_point(s, value, error);
		if (code)
			return code;
	}
}

/* Cuts the next word off at any of `marks`; false at the end. What is too long
   for a value ends in dots, so that it is none. */
static bool next_word(const char **text, const char *marks, char *word)
{
	size_t length = strcspn(*text, marks);

	snprintf(word, WORD_BYTES, "%.*s%s",
		length < WORD_BYTES ? (int)length : WORD_BYTES - 4, *text,
		length < WORD_BYTES ? "" : "...");
	*text += length;
	if (!**text)
		return false;
	++*text;
	return true;
}

static int parse_range(const char *text, enum axis_unit unit, unsigned sm_count,
	struct sweep *s, struct error *error)
{
	char words[3][WORD_BYTES];
	double first, last;
	uint64_t per_octave;
	const char *at = text;
	bool two =
		next_word(&at, ":", words[0]) && next_word(&at, ":", words[1]);

	if (!two || next_word(&at, ":", words[2]))
		return error_set(error, ERR_USAGE,
			"'%s' is not FIRST:LAST:POINTS_PER_OCTAVE", text);
	if (parse_value(words[0], unit, sm_count, &first, error) ||
		parse_value(words[1], unit, sm_count, &last, error) ||
		units_parse_count(words[2], &per_octave, error))
		return ERR_USAGE;
	return add_range(s, unit, first, last, per_octave, error);
}

static int parse_list(const char *text, enum axis_unit unit, unsigned sm_count,
	struct sweep *s, struct error *error)
{
	char word[WORD_BYTES];
	double value;
	bool more = true;
	int code = 0;

	while (!code && more) {
		more = next_word(&text, ",", word);
		code = parse_value(word, unit, sm_count, &value, error);
		if (!code)
			code = add_point(s, value, error);
	}
	return code;
}

int sweep_parse(const char *text, enum axis_unit unit, unsigned sm_count,
	struct sweep *sweep, struct error *error)
{
	struct sweep s = {0};
	int code = strchr(text, ':')
			   ? parse_range(text, unit, sm_count, &s, error)
			   : parse_list(text, unit, sm_count, &s, error);

	if (code)
		sweep_free(&s);
	else
		*sweep = s;
	return code;
}

void sweep_free(struct sweep *sweep)
{
	free(sweep->points);
	*sweep = (struct sweep){0};
}
