/*
 * What is read off which points, and which series inform which parameters. A
 * parameter that the machine does not have is passed over.
 */
#include <string.h>

#include "harness/fit/search/parts.h"

const struct readoff readoffs[] = {
#define READ(...) {__VA_ARGS__},
#include "harness/measures/measures.def"
};
const size_t readoff_count = sizeof(readoffs) / sizeof(readoffs[0]);

const struct group groups[] = {
#define GROUP(...) {__VA_ARGS__},
#include "harness/measures/measures.def"
};
const size_t group_count = sizeof(groups) / sizeof(groups[0]);

const struct choice choices[] = {
#define CHOICE(...) {__VA_ARGS__},
#include "harness/measures/measures.def"
};
const size_t choice_count = sizeof(choices) / sizeof(choices[0]);

const struct choice *choice_of(const char *parameter)
{
	size_t i;

	for (i = 0; i < choice_count; i++)
		if (!strcmp(choices[i].parameter, parameter) ||
			(choices[i].other &&
				!strcmp(choices[i].other, parameter)))
			return &choices[i];
	return NULL;
}

static bool has_word(const char *list, const char *wanted)
{
	char word[64];

	while (next_word(&list, word, sizeof(word)))
		if (!strcmp(word, wanted))
			return true;
	return false;
}

const struct group *group_of(const char *parameter)
{
	size_t i;

	for (i = 0; i < group_count; i++)
		if (has_word(groups[i].parameters, parameter))
			return &groups[i];
	return NULL;
}

const struct readoff *readoff_of(const char *parameter)
{
	size_t i;

	for (i = 0; i < readoff_count; i++)
		if (!strcmp(readoffs[i].parameter, parameter))
			return &readoffs[i];
	return NULL;
}
