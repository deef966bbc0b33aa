/*
 * same: whether two fingerprints are of one GPU, by what was measured.
 *
 * How far an SM is from the slices of its side depends on which parts of the
 * die are fused off: the mean latency of each SM's near lines, less the chip's
 * mean, is a chip's own. Over 12 takes of five H200s of one driver, two takes
 * of one GPU differed by 0.08 to 0.11 cycles (root mean square over the SMs),
 * and those of two GPUs by 1.44 to 2.65 (results/fingerprints). The limit is
 * half way, by ratio.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "harness/fleet/verbs.h"

#define LIMIT_CYCLES 0.4

/* The latencies of all SMs; NULL with the error where there is no map. */
static const json_t *sms_of(const struct fingerprint *fingerprint,
	const char *path, struct error *error)
{
	const json_t *sms = json_object_get(fingerprint->map, "sm_near_cycles");

	if (!json_array_size(sms))
		error_set(error, ERR_USAGE,
			"%s: it has no map of the chip, by which GPUs are told "
			"apart",
			path);
	return json_array_size(sms) ? sms : NULL;
}

static double mean_of(const json_t *sms)
{
	const size_t count = json_array_size(sms);
	double sum = 0;
	size_t i;

	for (i = 0; i < count; i++)
		sum += json_number_value(json_array_get(sms, i));
	return sum / (double)count;
}

/* Root mean square of the difference; of chips with other SMs it has none. */
static double apart_cycles(const json_t *a, const json_t *b)
{
	const size_t count = json_array_size(a);
	const double shift = mean_of(b) - mean_of(a);
	double squares = 0;
	size_t i;

	if (count != json_array_size(b))
		return INFINITY;
	for (i = 0; i < count; i++) {
		const double d = json_number_value(json_array_get(b, i)) -
				 json_number_value(json_array_get(a, i)) -
				 shift;

		squares += d * d;
	}
	return sqrt(squares / (double)count);
}

static int judge(const struct fingerprint *a, const struct fingerprint *b,
	double apart, FILE *out, struct error *error)
{
	const bool same = apart < LIMIT_CYCLES;

	if (isinf(apart))
		fputs("another device: the chips have different numbers of "
		      "SMs\n",
			out);
	else
		fprintf(out,
			"%s: the SMs' distances to their slices differ by "
			"%.2f cycles; takes of one GPU by less than %g\n",
			same ? "same device" : "another device", apart,
			LIMIT_CYCLES);
	if (same != !strcmp(a->device, b->device))
		fprintf(out, "their names are %s\n",
			same ? "two all the same" : "one all the same");
	return same ? 0
		    : error_set(error, ERR_GATE,
			      "the fingerprints are of two GPUs");
}

int fleet_verb_same(
	const struct fleet_words *words, FILE *out, struct error *error)
{
	struct fingerprint taken[2];
	const json_t *sms[2] = {NULL, NULL};
	int code = 0;
	size_t i;

	for (i = 0; i < 2; i++)
		fingerprint_init(&taken[i]);
	for (i = 0; !code && i < 2; i++) {
		code = fingerprint_read(words->arguments[i], &taken[i], error);
		if (!code)
			sms[i] = sms_of(&taken[i], words->arguments[i], error);
		if (!code && !sms[i])
			code = ERR_USAGE;
	}
	if (!code)
		code = judge(&taken[0], &taken[1], apart_cycles(sms[0], sms[1]),
			out, error);
	for (i = 0; i < 2; i++)
		fingerprint_free(&taken[i]);
	return code;
}
