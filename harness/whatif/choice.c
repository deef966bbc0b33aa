#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/units.h"
#include "harness/whatif/choice.h"

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory");
}

static int add_word(struct choice *choice, const char *text, size_t length,
	struct error *error)
{
	char **words =
		reallocarray(choice->words, choice->count + 1, sizeof(*words));

	if (!words)
		return no_memory(error);
	choice->words = words;
	words[choice->count] = strndup(text, length);
	return words[choice->count++] ? 0 : no_memory(error);
}

static void free_choice(struct choice *choice)
{
	size_t i;

	for (i = 0; i < choice->count; i++)
		free(choice->words[i]);
	free(choice->words);
	free(choice->name);
	*choice = (struct choice){0};
}

/* Up to the '='; the rest is left in `values`. */
static int take_name(struct choice *choice, const char *text, const char *what,
	const char **values, struct error *error)
{
	const size_t length = strcspn(text, "=");

	if (!length || !text[length])
		return error_set(error, ERR_USAGE, "%s: '%s' is not NAME=VALUE",
			what, text);
	choice->name = strndup(text, length);
	*values = text + length + 1;
	return choice->name ? 0 : no_memory(error);
}

static int take_words(struct choice *choice, const char *text, const char *what,
	struct error *error)
{
	size_t length;
	int code = 0;

	do {
		length = strcspn(text, ",");
		if (!length)
			return error_set(error, ERR_USAGE,
				"%s %s: a value is missing", what,
				choice->name);
		if (choice->count == CHOICES_MOST)
			return error_set(error, ERR_USAGE,
				"%s %s: more than %d values", what,
				choice->name, CHOICES_MOST);
		code = add_word(choice, text, length, error);
		text += length;
	} while (!code && *text++);
	return code;
}

/* ---- several things ---- */

int choice_add(struct choice_list *list, const char *text, const char *what,
	struct error *error)
{
	struct choice *items =
		reallocarray(list->items, list->count + 1, sizeof(*items));
	const char *values = NULL;
	int code;

	if (!items)
		return no_memory(error);
	list->items = items;
	items += list->count++;
	*items = (struct choice){0};
	code = take_name(items, text, what, &values, error);
	return code ? code : take_words(items, values, what, error);
}

int choice_combinations(
	const struct choice_list *list, size_t *count, struct error *error)
{
	size_t product = 1, i;

	for (i = 0; i < list->count; i++) {
		product *= list->items[i].count;
		if (product > CHOICES_MOST)
			return error_set(error, ERR_USAGE,
				"the values make more than %d combinations",
				CHOICES_MOST);
	}
	*count = product;
	return 0;
}

const char *choice_word(
	const struct choice_list *list, size_t index, size_t item)
{
	size_t i;

	for (i = list->count; --i > item;)
		index /= list->items[i].count;
	return list->items[item].words[index % list->items[item].count];
}

void choice_list_free(struct choice_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		free_choice(&list->items[i]);
	free(list->items);
	*list = (struct choice_list){0};
}

/* ---- an axis ---- */

bool choice_is_axis(const char *text)
{
	return !strncmp(text, "set:", 4) || !strncmp(text, "var:", 4);
}

/* A number, a size with its unit, or a mask. */
static int parse_number(const char *text, double *value, struct error *error)
{
	uint64_t bytes;
	char *end;

	if (!strncmp(text, "0x", 2)) {
		*value = (double)strtoull(text, &end, 16);
		if (!*end && end > text + 2)
			return 0;
	} else if (!units_parse_real(text, value, NULL)) {
		return 0;
	} else if (!units_parse_bytes(text, &bytes, NULL)) {
		*value = (double)bytes;
		return 0;
	}
	return error_set(error, ERR_USAGE,
		"-x: '%s' is no number, which the points of an axis are", text);
}

static int parse_ends(const char *text, double ends[2], uint64_t *per_octave,
	struct error *error)
{
	char words[3][64] = {"", "", ""}, more;

	if (sscanf(text, "%63[^:]:%63[^:]:%63[^:]%c", words[0], words[1],
		    words[2], &more) != 3)
		return error_set(error, ERR_USAGE,
			"-x: '%s' is not FIRST:LAST:POINTS_PER_OCTAVE", text);
	if (parse_number(words[0], &ends[0], error) ||
		parse_number(words[1], &ends[1], error) ||
		units_parse_count(words[2], per_octave, error))
		return ERR_USAGE;
	if (ends[0] > 0 && ends[1] >= ends[0] && *per_octave >= 1 &&
		*per_octave <= CHOICES_MOST)
		return 0;
	return error_set(error, ERR_USAGE,
		"-x: '%s' must have 0 < FIRST <= LAST and 1 to %d points an "
		"octave",
		text, CHOICES_MOST);
}

/* Between whole ends all values are whole. */
static int take_range(
	struct choice *choice, const char *text, struct error *error)
{
	double ends[2], value, last = NAN;
	uint64_t per_octave, i;
	char word[64];
	int code = parse_ends(text, ends, &per_octave, error);
	const bool whole =
		!code && ends[0] == floor(ends[0]) && ends[1] == floor(ends[1]);

	for (i = 0; !code && choice->count <= CHOICES_MOST; i++) {
		value = ends[0] * exp2((double)i / (double)per_octave);
		if (value > ends[1] * (1 + 1e-9))
			return 0;
		value = whole ? round(value) : value;
		if (value == last)
			continue;
		last = value;
		snprintf(word, sizeof(word), "%.10g", value);
		code = add_word(choice, word, strlen(word), error);
	}
	return code ? code
		    : error_set(error, ERR_USAGE,
			      "-x: '%s' has more than %d points", text,
			      CHOICES_MOST);
}

static int parse_points(struct choice_axis *axis, struct error *error)
{
	size_t i;
	int code = 0;

	axis->x = calloc(axis->choice.count + 1, sizeof(*axis->x));
	if (!axis->x)
		return no_memory(error);
	for (i = 0; !code && i < axis->choice.count; i++)
		code = parse_number(axis->choice.words[i], &axis->x[i], error);
	return code;
}

int choice_axis_parse(
	const char *text, struct choice_axis *axis, struct error *error)
{
	struct choice_axis made = {.is_set = *text == 's'};
	const char *values = NULL;
	int code = take_name(&made.choice, text + 4, "-x", &values, error);

	if (!code)
		code = strchr(values, ':')
			       ? take_range(&made.choice, values, error)
			       : take_words(&made.choice, values, "-x", error);
	if (!code)
		code = parse_points(&made, error);
	if (code)
		choice_axis_free(&made);
	else
		*axis = made;
	return code;
}

void choice_axis_free(struct choice_axis *axis)
{
	free_choice(&axis->choice);
	free(axis->x);
	*axis = (struct choice_axis){0};
}
