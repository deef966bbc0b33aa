#include <math.h>

#include "harness/base/emit.h"
#include "harness/base/text_table.h"
#include "harness/fleet/judge.h"
#include "harness/fleet/verbs.h"
#include "harness/visible/visible.h"

/* ---- a sentence ---- */

static const char *judgement_word(const struct verdict *v)
{
	static const char *const words[3][2] = {
		[WORSE_EITHER] = {"less", "more"},
		[WORSE_HIGH] = {"less, the better side",
			"more, the worse side"},
		[WORSE_LOW] = {"less, the worse side", "more, the better side"},
	};

	return words[figure_about[v->figure].worse][v->z > 0];
}

static void put_crowd(const struct verdict *v, FILE *out)
{
	char middle[32];

	text_table_format(v->middle, middle);
	if (v->kind == VERDICT_LEVEL)
		fprintf(out, "the %zu devices of its SKU have %s", v->crowd,
			middle);
	else if (v->alone)
		fprintf(out, "its %zu days before had %s", v->crowd, middle);
	else
		fprintf(out,
			"its %u days before, moved as the %zu devices of its "
			"SKU have moved, make %s",
			v->device->past_days, v->crowd, middle);
}

static void put_sentence(const struct verdict *v, FILE *out)
{
	const struct figure_about *about = &figure_about[v->figure];
	char value[32], scale[32], z[32], day[FLEET_DAY_BYTES];

	text_table_format(v->value, value);
	text_table_format(v->scale, scale);
	text_table_format(fabs(v->z), z);
	fleet_day_format(v->device->last.day, day);
	visible_put(out, v->device->name);
	fprintf(out, ": %s (%s) is %s %s ", about->name, about->sentence, value,
		about->unit);
	if (v->usual)
		fprintf(out, "in the median of %u days before %s; ",
			v->device->past_days, day);
	else
		fprintf(out, "on %s; ", day);
	put_crowd(v, out);
	fprintf(out,
		", and spread by %s: it has %s spreads %s; a device that is "
		"well has that in any of its figures with probability %.1e\n",
		scale, z, judgement_word(v), v->chance);
}

/* ---- lines of JSON ---- */

static void put_line(const struct verdict *v, FILE *out)
{
	char day[FLEET_DAY_BYTES];

	fleet_day_format(v->device->last.day, day);
	fputs("{\"device\": ", out);
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
static size_t others_of(const struct judgement *j, size_t first)
{
	size_t i = first + 1;

	while (i < j->count && j->items[i].device == j->items[first].device)
		i++;
	return i - first - 1;
}

/* For people the least likely of each device. */
static void put(const struct judgement *j, enum fleet_format format, FILE *out)
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

static void put_counts(const struct judgement *j,
	const struct fleet_devices *devices, FILE *out)
{
	fprintf(out, "%zu of %zu devices judged, by %zu comparisons: %zu odd\n",
		j->judged, devices->count, j->comparisons, j->odd);
	if (j->judged < devices->count)
		fprintf(out,
			"not judged: %zu devices with fewer than %d peers of "
			"their SKU and fewer than %d days before the last\n",
			devices->count - j->judged, JUDGE_PEERS_MIN,
			JUDGE_PEERS_MIN);
}

int fleet_verb_odd(
	const struct fleet_words *words, FILE *out, struct error *error)
{
	struct fleet_devices devices;
	struct judgement judgement = {0};
	struct fleet *fleet;
	int code = fleet_open(&fleet, words->store, false, error);

	if (code)
		return code;
	code = fleet_load(fleet, &devices, error);
	if (!code)
		code = judge_fleet(&devices, words->fdr, &judgement, error);
	if (!code) {
		put(&judgement, words->format, out);
		if (words->format == FLEET_TABLE)
			put_counts(&judgement, &devices, out);
	}
	if (!code && judgement.odd)
		code = error_set(error, ERR_GATE, "%zu of %zu devices %s odd",
			judgement.odd, devices.count,
			judgement.odd == 1 ? "is" : "are");
	judgement_free(&judgement);
	fleet_devices_free(&devices);
	fleet_close(fleet);
	return code;
}
