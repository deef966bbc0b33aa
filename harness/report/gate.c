/* Gates as they are written. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/content.h"
#include "harness/base/units.h"
#include "harness/report/gate.h"
#include "harness/series/pattern.h"

static const char *const limit_names[GATE_LIMITS] = {
	[GATE_MEDIAN] = "median",
	[GATE_WORST] = "worst",
	[GATE_LEVEL] = "level",
	[GATE_KNEE] = "knee",
};

static const char *const direction_names[] = {
	[GATE_BOTH] = "both",
	[GATE_HIGHER] = "higher",
	[GATE_LOWER] = "lower",
	[GATE_WORSE] = "worse",
};

#define DIRECTIONS (sizeof(direction_names) / sizeof(direction_names[0]))

#define WORD_BYTES 64

/* Not negative; the percent sign may be left out. */
static int parse_amount(
	const char *text, bool percent, double *amount, struct error *error)
{
	char number[WORD_BYTES];
	size_t length = strlen(text);

	if (percent && length && text[length - 1] == '%')
		length--;
	if (length && length < sizeof(number)) {
		memcpy(number, text, length);
		number[length] = '\0';
		if (!units_parse_real(number, amount, NULL) && *amount >= 0)
			return 0;
	}
	return error_set(error, ERR_USAGE, "'%s' is not %s", text,
		percent ? "a percentage" : "a number of octaves");
}

static int parse_direction(
	const char *text, struct gate *gate, struct error *error)
{
	size_t i;

	for (i = 0; i < DIRECTIONS; i++)
		if (!strcmp(direction_names[i], text)) {
			gate->direction = (enum gate_direction)i;
			return 0;
		}
	return error_set(error, ERR_USAGE,
		"the direction '%s' is none of both, higher, lower, worse",
		text);
}

static int parse_answer(
	const char *name, const char *text, bool *answer, struct error *error)
{
	*answer = !strcmp(text, "yes");
	if (*answer || !strcmp(text, "no"))
		return 0;
	return error_set(
		error, ERR_USAGE, "%s is yes or no, not '%s'", name, text);
}

static int parse_rule(const char *name, const char *value, struct gate *gate,
	struct error *error)
{
	size_t i;

	for (i = 0; i < GATE_LIMITS; i++)
		if (!strcmp(limit_names[i], name))
			return parse_amount(
				value, i != GATE_KNEE, &gate->limits[i], error);
	if (!strcmp(name, "direction"))
		return parse_direction(value, gate, error);
	if (!strcmp(name, "test"))
		return parse_answer(name, value, &gate->test, error);
	if (!strcmp(name, "missing"))
		return parse_answer(name, value, &gate->may_miss, error);
	return error_set(error, ERR_USAGE,
		"'%s' is none of median, worst, level, knee, direction, "
		"test, missing",
		name);
}

static int parse_word(char *word, struct gate *gate, struct error *error)
{
	char *equals = strchr(word, '=');
	int code;

	if (equals) {
		*equals = '\0';
		return parse_rule(word, equals + 1, gate, error);
	}
	code = parse_amount(word, true, &gate->limits[GATE_MEDIAN], error);
	gate->limits[GATE_WORST] = gate->limits[GATE_MEDIAN];
	return code;
}

int gate_parse(const char *text, struct gate *gate, struct error *error)
{
	struct gate made = {.limits = {NAN, NAN, NAN, NAN}};
	char word[WORD_BYTES];
	int code = 0;

	made.none = !strcmp(text, "none");
	while (!made.none && !code && *text) {
		const size_t length = strcspn(text, ",");

		if (length >= sizeof(word) || !length)
			return error_set(error, ERR_USAGE,
				"'%.60s' begins with no NAME=VALUE of a gate",
				text);
		memcpy(word, text, length);
		word[length] = '\0';
		code = parse_word(word, &made, error);
		text += length + (text[length] == ',');
	}
	if (code)
		return code;
	*gate = made;
	return 0;
}

/* ---- gates of several series ---- */

/* `pattern` is copied. */
static int add_rule(struct gates *gates, const char *pattern,
	const struct gate *gate, struct error *error)
{
	struct gate_rule *rules =
		reallocarray(gates->rules, gates->count + 1, sizeof(*rules));

	if (!rules)
		return error_set(error, ERR_FAILED, "out of memory");
	gates->rules = rules;
	rules[gates->count] = (struct gate_rule){strdup(pattern), *gate};
	if (!rules[gates->count++].pattern)
		return error_set(error, ERR_FAILED, "out of memory");
	return 0;
}

int gates_single(
	const struct gate *gate, struct gates *gates, struct error *error)
{
	*gates = (struct gates){0};
	return add_rule(gates, "*", gate, error);
}

/* `line` is cut into words. */
static int read_line(char *line, struct gates *gates, struct error *error)
{
	struct gate gate;
	char *rest, *pattern, *text;
	int code;

	line[strcspn(line, "#")] = '\0';
	pattern = strtok_r(line, " \t\r", &rest);
	if (!pattern)
		return 0;
	text = strtok_r(NULL, " \t\r", &rest);
	if (!text || strtok_r(NULL, " \t\r", &rest))
		return error_set(error, ERR_USAGE,
			"a line is PATTERN GATE, as in "
			"'pointer-chase:op=ld.cg median=2%%,worst=5%%'");
	code = series_pattern_check(pattern, error);
	if (!code)
		code = gate_parse(text, &gate, error);
	return code ? code : add_rule(gates, pattern, &gate, error);
}

int gates_read(const char *path, struct gates *gates, struct error *error)
{
	struct content content;
	struct gates made = {0};
	char *rest, *line;
	size_t number = 0;
	int code =
		content_read_text(path, CONTENT_WRITTEN_MOST, &content, error);

	if (code)
		return code;
	for (rest = content.text; !code && (line = strsep(&rest, "\n"));) {
		number++;
		code = read_line(line, &made, error);
		if (code)
			error_prefix(error, code, "%s:%zu: ", content.source,
				number);
	}
	if (!code && !made.count)
		code = error_set(error, ERR_USAGE, "%s: there is no gate in it",
			content.source);
	content_free(&content);
	if (code)
		gates_free(&made);
	else
		*gates = made;
	return code;
}

const struct gate *gates_find(
	const struct gates *gates, const struct series *series)
{
	size_t i;

	for (i = 0; i < gates->count; i++)
		if (series_pattern_matches(gates->rules[i].pattern, series))
			return &gates->rules[i].gate;
	return NULL;
}

void gates_free(struct gates *gates)
{
	size_t i;

	for (i = 0; i < gates->count; i++)
		free(gates->rules[i].pattern);
	free(gates->rules);
	*gates = (struct gates){0};
}
