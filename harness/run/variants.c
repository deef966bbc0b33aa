#include <stdlib.h>
#include <string.h>

#include "harness/run/shares.h"
#include "harness/run/variants.h"

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory");
}

/* Takes the word over, also where it fails. */
static int add_word(struct variants *v, char *word, struct error *error)
{
	char **words =
		realloc(v->words, (v->word_count + 1) * sizeof(*v->words));

	if (!words) {
		free(word);
		return no_memory(error);
	}
	v->words = words;
	v->words[v->word_count++] = word;
	return 0;
}

/* Among the words of the option that is being added. */
static bool is_named(const struct variants *v, const char *word)
{
	size_t i;

	for (i = v->first[v->option_count - 1]; i < v->word_count; i++)
		if (!strcmp(v->words[i], word))
			return true;
	return false;
}

/* The words of `text`, separated by any of `separators`. */
static int split(struct variants *v, const struct bench_option *option,
	const char *text, const char *separators, struct error *error)
{
	char *word;
	int code = 0;

	do {
		const size_t length = strcspn(text, separators);

		if (!length)
			return error_set(error, ERR_USAGE,
				"--%s: a value is missing", option->name);
		word = strndup(text, length);
		if (!word)
			return no_memory(error);
		if (is_named(v, word)) {
			code = error_set(error, ERR_USAGE,
				"--%s: '%s' is named twice", option->name,
				word);
			free(word);
			return code;
		}
		code = add_word(v, word, error);
		text += length;
	} while (!code && *text++);
	return code;
}

/* Shares of the device become numbers first, so that a value that is there
   twice is found in either spelling. */
static int add_option(struct variants *v, const struct bench_option *option,
	const char *text, const struct device *device, struct error *error)
{
	char *numbers;
	int code;

	v->first[v->option_count++] = v->word_count;
	if (option->type == OPTION_CHOICE && !strcmp(text, "all"))
		return split(v, option, option->choices, "|", error);
	numbers = shares_expand(text, device);
	if (!numbers)
		return no_memory(error);
	code = split(v, option, numbers, ",", error);
	free(numbers);
	return code;
}

int variants_init(struct variants *variants, const struct bench *bench,
	const struct given_option *given, size_t given_count,
	const struct device *device, struct error *error)
{
	const struct bench_option *option;
	struct variants v = {.count = 1};
	size_t k, values;
	int code = 0;

	for (option = bench->options; !code && option->name; option++) {
		const char *text = option->initial;

		for (k = 0; k < given_count; k++)
			if (!strcmp(given[k].name, option->name))
				text = given[k].text;
		code = add_option(&v, option, text, device, error);
		values = v.word_count - v.first[v.option_count - 1];
		v.count *= values ? values : 1;
		if (!code && v.count > VARIANTS_MAX)
			code = error_set(error, ERR_USAGE,
				"the options make more than %d combinations",
				VARIANTS_MAX);
	}
	v.first[v.option_count] = v.word_count;
	if (code)
		variants_free(&v);
	else
		*variants = v;
	return code;
}

void variants_free(struct variants *variants)
{
	size_t i;

	for (i = 0; i < variants->word_count; i++)
		free(variants->words[i]);
	free(variants->words);
	*variants = (struct variants){0};
}

void variants_get(const struct variants *variants, const struct bench *bench,
	size_t index, struct given_option options[BENCH_OPTIONS_MAX])
{
	size_t i = variants->option_count;

	while (i-- > 0) {
		size_t first = variants->first[i];
		size_t values = variants->first[i + 1] - first;

		options[i].name = bench->options[i].name;
		options[i].text = variants->words[first + index % values];
		index /= values;
	}
}
