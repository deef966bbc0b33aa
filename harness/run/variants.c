#include <stdlib.h>
#include <string.h>

#include "harness/run/variants.h"

static int add_word(struct variants *v, const char *text, size_t length,
	struct error *error)
{
	char **words =
		realloc(v->words, (v->word_count + 1) * sizeof(*v->words));

	if (!words)
		return error_set(error, ERR_FAILED, "out of memory");
	v->words = words;
	v->words[v->word_count] = strndup(text, length);
	if (!v->words[v->word_count++])
		return error_set(error, ERR_FAILED, "out of memory");
	return 0;
}

/* Among the words of the option that is being added. */
static bool is_named(const struct variants *v, const char *text, size_t length)
{
	size_t i;

	for (i = v->first[v->option_count - 1]; i < v->word_count; i++)
		if (strlen(v->words[i]) == length &&
			!strncmp(v->words[i], text, length))
			return true;
	return false;
}

/* The words of `text`, separated by any of `separators`. */
static int split(struct variants *v, const struct bench_option *option,
	const char *text, const char *separators, struct error *error)
{
	size_t length;
	int code = 0;

	do {
		length = strcspn(text, separators);
		if (!length)
			return error_set(error, ERR_USAGE,
				"--%s: a value is missing", option->name);
		if (is_named(v, text, length))
			return error_set(error, ERR_USAGE,
				"--%s: '%.*s' is named twice", option->name,
				(int)length, text);
		code = add_word(v, text, length, error);
		text += length;
	} while (!code && *text++);
	return code;
}

static int add_option(struct variants *v, const struct bench_option *option,
	const char *text, struct error *error)
{
	v->first[v->option_count++] = v->word_count;
	if (option->type == OPTION_CHOICE && !strcmp(text, "all"))
		return split(v, option, option->choices, "|", error);
	return split(v, option, text, ",", error);
}

int variants_init(struct variants *variants, const struct bench *bench,
	const struct given_option *given, size_t given_count,
	struct error *error)
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
		code = add_option(&v, option, text, error);
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
