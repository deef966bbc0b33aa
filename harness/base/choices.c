#include <stdio.h>
#include <string.h>

#include "harness/base/choices.h"

#define FEW_BYTES 60 /* of a list that is cut */

int choices_find(const char *choices, const char *word)
{
	const size_t length = strlen(word);
	const char *at = choices;
	int i;

	for (i = 0; at; i++) {
		const size_t width = strcspn(at, "|");

		if (width == length && !strncmp(at, word, length))
			return i;
		at = at[width] ? at + width + 1 : NULL;
	}
	return -1;
}

size_t choices_count(const char *choices)
{
	size_t count = 1;

	for (; *choices; choices++)
		count += *choices == '|';
	return count;
}

void choices_format(const char *choices, char text[CHOICES_BYTES])
{
	size_t length = strlen(choices), cut = 0, next;

	if (length <= CHOICES_SHOWN) {
		memcpy(text, choices, length + 1);
		return;
	}
	while ((next = cut + strcspn(choices + cut, "|") + 1) <= FEW_BYTES)
		cut = next;
	snprintf(text, CHOICES_BYTES,
		"%.*s... (%zu; see `nearfar list controls`)", (int)cut, choices,
		choices_count(choices));
}
