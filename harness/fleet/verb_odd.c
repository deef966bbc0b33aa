#include <math.h>

#include "harness/base/emit.h"
#include "harness/base/text_table.h"
#include "harness/fleet/verdicts.h"
#include "harness/fleet/verbs.h"
#include "harness/visible/visible.h"

/* ---- a sentence ---- */

static const char *side_word(const struct verdict *v)
{
	static const char *const words[3][2] = {
		[WORSE_EITHER] = {"", ""},
		[WORSE_HIGH] = {", the better side", ", the worse side"},
		[WORSE_LOW] = {", the worse side", ", the better side"},
	};

	return words[figure_about[v->figure].worse][v->z > 0];
}

/* "7.1 % below", or of what has no share "400 above". */
static void put_distance(const struct verdict *v, FILE *out)
{
	const double off = v->value - v->middle;
	char text[32];

	if (fabs(v->middle) > 0)
		snprintf(text, sizeof(text), "%.2g %%",
			fabs(off / v->middle) * 100);
	else
		text_table_format(fabs(off), text);
	fprintf(out, "%s %s ", text, off < 0 ? "below" : "above");
}

/* "its 11 neighbours since it was first seen on 2026-11-20" */
static void put_others(const struct verdict *v, FILE *out)
{
	const struct fleet_device *d = v->device;
	char first[FLEET_DAY_BYTES], last[FLEET_DAY_BYTES];

	fleet_day_format(d->first_day, first);
	fleet_day_format(d->last.day, last);
	if (v->kind == VERDICT_CHANGE)
		fprintf(out, "its own %u days before %s%s", d->past_days, last,
			v->alone ? "" : ", less what its neighbours moved by");
	else if (v->usual && d->past_days + 1 == d->days)
		fprintf(out, "its %zu neighbours since it was first seen on %s",
			v->crowd - 1, first);
	else if (v->usual)
		fprintf(out, "its %zu neighbours over %u days before %s",
			v->crowd - 1, d->past_days, last);
	else
		fprintf(out, "its %zu neighbours on %s", v->crowd - 1, last);
}

static void put_sentence(const struct verdict *v, FILE *out)
{
	const struct figure_about *about = &figure_about[v->figure];
	char value[32], middle[32], scale[32], z[32];

	text_table_format(v->value, value);
	text_table_format(v->middle, middle);
	text_table_format(v->scale, scale);
	text_table_format(fabs(v->z), z);
	if (v->border)
		fputs("borderline: ", out);
	visible_put(out, v->device->name);
	fprintf(out, ": %s ", about->noun);
	put_distance(v, out);
	put_others(v, out);
	fprintf(out,
		": %s for %s %s (%s); that is %s spreads of %s%s, which a GPU "
		"that is well has in any of its figures with probability "
		"%.1e\n",
		value, middle, about->unit, about->name, z, scale, side_word(v),
		v->chance);
}

/* ---- lines of JSON ---- */

static void put_line(const struct verdict *v, FILE *out)
{
	char day[FLEET_DAY_BYTES];

	fleet_day_format(v->device->last.day, day);
	fprintf(out, "{\"verdict\": \"%s\", \"device\": ",
		v->border ? "borderline" : "odd");
	emit_json_string(out, v->device->name);
	fputs(", \"sku\": ", out);
	emit_json_string(out, v->device->sku);
	fprintf(out,
		", \"day\": \"%s\", \"figure\": \"%s\", \"unit\": \"%s\", "
		"\"compared\": \"%s\", \"value\": ",
		day, figure_about[v->figure].name, figure_about[v->figure].unit,
		v->kind == VERDICT_LEVEL ? "peers"
		: v->alone               ? "own days"
					 : "own days and peers");
	emit_json_number(out, v->value);
	fputs(", \"expected\": ", out);
	emit_json_number(out, v->middle);
	fputs(", \"spread\": ", out);
	emit_json_number(out, v->scale);
	fputs(", \"spreads_off\": ", out);
	emit_json_number(out, v->z);
	fputs(", \"probability\": ", out);
	emit_json_number(out, v->chance);
	fputs("}\n", out);
}

/* ---- the verb ---- */

/* How many more there are of the device whose verdicts begin at `first`. */
static size_t others_of(const struct verdicts *j, size_t first)
{
	size_t i = first + 1;

	while (i < j->count && j->items[i].device == j->items[first].device)
		i++;
	return i - first - 1;
}

/* For people the least likely of each device. */
static void put(const struct verdicts *j, enum fleet_format format, FILE *out)
{
	size_t i, others;

	for (i = 0; format == FLEET_JSONL && i < j->count; i++)
		put_line(&j->items[i], out);
	for (i = 0; format == FLEET_TABLE && i < j->count; i += 1 + others) {
		others = others_of(j, i);
		put_sentence(&j->items[i], out);
		if (others)
			fprintf(out,
				"  so %s %zu more of its comparisons "
				"(-f jsonl has them)\n",
				others == 1 ? "is" : "are", others);
	}
}

static void put_counts(const struct verdicts *j,
	const struct fleet_devices *devices, FILE *out)
{
	fprintf(out,
		"%zu of %zu devices judged, by %zu comparisons: %zu odd, %zu "
		"borderline\n",
		j->judged, devices->count, j->comparisons, j->odd, j->border);
	if (j->judged < devices->count)
		fprintf(out,
			"not judged: %zu device%s with fewer than %d "
			"neighbours "
			"of the same SKU and fewer than %d days before the "
			"last\n",
			devices->count - j->judged,
			devices->count - j->judged == 1 ? "" : "s",
			VERDICTS_PEERS_MIN, VERDICTS_PEERS_MIN);
}

/* What the exit status says; a fleet of which nothing is known is not well. */
static int end(const struct verdicts *j, const struct fleet_devices *devices,
	const char *store, struct error *error)
{
	if (!devices->count)
		return error_set(error, ERR_FAILED,
			"'%s' has no fingerprint (`nearfar fleet add`)", store);
	if (!j->judged)
		return error_set(error, ERR_FAILED,
			"none of %zu devices can be judged: %d neighbours of "
			"their SKU are needed, or %d days before the last",
			devices->count, VERDICTS_PEERS_MIN, VERDICTS_PEERS_MIN);
	return !j->odd ? 0
		       : error_set(error, ERR_GATE, "%zu of %zu devices %s odd",
				 j->odd, devices->count,
				 j->odd == 1 ? "is" : "are");
}

int fleet_verb_odd(
	const struct fleet_words *words, FILE *out, struct error *error)
{
	struct fleet_devices devices;
	struct verdicts verdicts = {0};
	struct fleet *fleet;
	int code = fleet_open(&fleet, words->store, false, error);

	if (code)
		return code;
	code = fleet_load(fleet, &devices, error);
	if (!code)
		code = verdicts_find(&devices, words->fdr, &verdicts, error);
	if (!code) {
		put(&verdicts, words->format, out);
		if (words->format == FLEET_TABLE)
			put_counts(&verdicts, &devices, out);
	}
	if (!code)
		code = end(&verdicts, &devices, words->store, error);
	verdicts_free(&verdicts);
	fleet_devices_free(&devices);
	fleet_close(fleet);
	return code;
}
