#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/base/stream.h"
#include "harness/run/shares.h"

#define GRAIN_BYTES 4096

/* "/N", "*N" or both, in either order. */
static double scaled(double value, const char **at)
{
	char *end;

	while (**at == '/' || **at == '*') {
		const char operation = **at;
		double number = strtod(*at + 1, &end);

		value = operation == '/' ? value / number : value * number;
		*at = end;
	}
	return value;
}

static void put_sms(const struct device *device, const char **at, FILE *out)
{
	double value = device->sm_count;

	if (**at == '-')
		value -= strtod(*at + 1, (char **)at);
	fprintf(out, "%.0f", fmax(floor(scaled(value, at)), 1));
}

static void put_bytes(double value, double least, const char **at, FILE *out)
{
	value = round(scaled(value, at) / GRAIN_BYTES);
	fprintf(out, "%.0f", fmax(value, least) * GRAIN_BYTES);
}

/* False where `at` is at no share. */
static bool put_share(const struct device *device, const char **at, FILE *out)
{
	const char which = **at == '%' ? (*at)[1] : 0;

	if (which != 'S' && which != 'L' && which != 'P')
		return false;
	*at += 2;
	if (which == 'S')
		put_sms(device, at, out);
	else if (which == 'L')
		put_bytes((double)device->l2_bytes, 1, at, out);
	else
		put_bytes((double)device->persisting_bytes_max, 0, at, out);
	return true;
}

char *shares_expand(const char *words, const struct device *device)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = stream_open_text(&text, &bytes);

	if (!out)
		return NULL;
	while (*words)
		if (!put_share(device, &words, out))
			fputc(*words++, out);
	return fclose(out) ? NULL : text;
}
