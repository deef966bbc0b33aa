/* Numbers, units and names as Nsight Compute writes them. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tally/tally_words.h"

/* ---- units ---- */

/* Times, above a fraction's line and below it. */
static const struct unit {
	const char *name;
	double above, below;
} times[] = {
	{"ns", 1, 1e9},
	{"us", 1e3, 1e6},
	{"ms", 1e6, 1e3},
	{"s", 1e9, 1},
	{"nsecond", 1, 1e9},
	{"usecond", 1e3, 1e6},
	{"msecond", 1e6, 1e3},
	{"second", 1e9, 1},
};

static double scale_of_part(const char *part, size_t bytes, bool is_below)
{
	static const char prefixes[] = "KMGT";
	const char *prefix = bytes ? strchr(prefixes, *part) : NULL;
	double scale;
	size_t i;

	for (i = 0; i < sizeof(times) / sizeof(*times); i++)
		if (strlen(times[i].name) == bytes &&
			!strncmp(part, times[i].name, bytes))
			return is_below ? times[i].below : times[i].above;
	/* "Kbyte", not "SM" */
	scale = prefix && bytes > 1 && islower((unsigned char)part[1])
			? pow(1000, (double)(prefix - prefixes + 1))
			: 1;
	return is_below ? 1 / scale : scale;
}

double words_scale(const char *unit)
{
	const size_t above = strcspn(unit, "/");
	const char *below = unit + above + (unit[above] == '/');

	return scale_of_part(unit, above, false) *
	       scale_of_part(below, strlen(below), true);
}

/* ---- numbers and names ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Bytes of a number, its separators among them; of "12 (5; 7)", behind which
   instances stand, those of the 12. */
static size_t number_bytes(const char *text)
{
	size_t i = *text == '-';

	while (is_digit(text[i]) ||
		(text[i] && strchr(",. ", text[i]) && is_digit(text[i + 1])) ||
		!strncmp(text + i, "\xc2\xa0", 2) ||
		!strncmp(text + i, "\xe2\x80\xaf", 3))
		i += is_digit(text[i]) || strchr(",. ", text[i]) ? 1
		     : text[i] == '\xc2'                         ? 2
								 : 3;
	return i;
}

static void look(struct words_style *style, const char *text, size_t bytes)
{
	size_t last = bytes, i, dots = 0;

	for (i = 0; i < bytes; i++) {
		if (text[i] == '.' || text[i] == ',')
			last = i;
		dots += text[i] == '.';
	}
	if (last == bytes)
		return;
	if (bytes - last - 1 == 3) {
		style->commas |= dots > 1;
		style->either |= text[last] == '.';
	} else if (text[last] == ',') {
		style->commas = true;
	} else {
		style->dots = true;
	}
}

bool words_number(struct words_style *style, char *text, double *value)
{
	const size_t bytes = number_bytes(text);
	char *to = text, *end;
	size_t i;

	if (!bytes || (text[bytes] && strncmp(text + bytes, " (", 2) != 0)) {
		/* "1e-05" */
		*value = strtod(text, &end);
		return end != text && !*end && isfinite(*value);
	}
	if (!style->decimal)
		look(style, text, bytes);
	for (i = 0; i < bytes; i++)
		if (is_digit(text[i]) || text[i] == '-')
			*to++ = text[i];
		else if (text[i] == style->decimal)
			*to++ = '.';
	*to = '\0';
	*value = strtod(text, &end);
	return end != text && !*end && isfinite(*value);
}

char *words_metric(const char *field, bool *failed)
{
	const char *middle = strstr(field, "__");
	char *metric;

	*failed = false;
	if (!middle)
		return NULL;
	while (middle > field && !strchr(" (", middle[-1]))
		middle--;
	if (!strncmp(middle, "device__", strlen("device__")))
		return NULL;
	metric = strndup(middle, strcspn(middle, " ()"));
	*failed = !metric;
	return metric;
}

char *words_kernel(char *name)
{
	size_t end = strlen(name), i;
	int depth = 0;

	for (i = 0; name[i]; i++) {
		if (name[i] == '(' && !depth && i)
			end = i;
		depth += (strchr("<([{", name[i]) != NULL) -
			 (strchr(">)]}", name[i]) != NULL);
	}
	name[end] = '\0';
	return strncmp(name, "void ", 5) ? name : name + 5;
}
