/* list, show and diff: tables for people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/text_table.h"
#include "harness/fleet/verdicts.h"
#include "harness/fleet/verbs.h"
#include "harness/visible/visible.h"

static void add_name(struct text_table *table, const char *name)
{
	char shown[4 * FINGERPRINT_KEY];

	visible_copy(name, shown, sizeof(shown));
	text_table_add(table, "%s", shown);
}

static void put_table(struct text_table *table, FILE *out)
{
	text_table_put(table, out);
	text_table_free(table);
}

static int open_and_load(const struct fleet_words *words, struct fleet **fleet,
	struct fleet_devices *devices, struct error *error)
{
	int code = fleet_open(fleet, words->store, false, error);

	if (code)
		return code;
	code = fleet_load(*fleet, devices, error);
	if (code) {
		fleet_devices_free(devices);
		fleet_close(*fleet);
	}
	return code;
}

/* ---- list ---- */

int fleet_verb_list(
	const struct fleet_words *words, FILE *out, struct error *error)
{
	struct text_table table = {.left = true};
	struct fleet_devices devices;
	struct fleet *fleet;
	char first[FLEET_DAY_BYTES], last[FLEET_DAY_BYTES];
	size_t i;
	int code = open_and_load(words, &fleet, &devices, error);

	if (code)
		return code;
	text_table_row(&table);
	text_table_add(&table, "device");
	text_table_add(&table, "sku");
	text_table_add(&table, "software");
	text_table_add(&table, "days");
	text_table_add(&table, "first");
	text_table_add(&table, "last");
	for (i = 0; i < devices.count; i++) {
		const struct fleet_device *d = &devices.items[i];

		fleet_day_format(d->first_day, first);
		fleet_day_format(d->last.day, last);
		text_table_row(&table);
		add_name(&table, d->name);
		add_name(&table, d->sku);
		add_name(&table, d->software);
		text_table_add(&table, "%u", d->days);
		text_table_add(&table, "%s", first);
		text_table_add(&table, "%s", last);
	}
	put_table(&table, out);
	fleet_devices_free(&devices);
	fleet_close(fleet);
	return 0;
}

/* ---- show ---- */

static void add_verdict(struct text_table *table, const struct verdict *v)
{
	text_table_number(table, v ? v->middle : NAN);
	text_table_number(table, v ? v->scale : NAN);
	text_table_number(table, v ? v->z : NAN);
}

static const struct verdict *verdict_of(const struct verdict *verdicts,
	size_t count, int id, enum verdict_kind kind)
{
	size_t i;

	for (i = 0; i < count; i++)
		if ((int)verdicts[i].figure == id && verdicts[i].kind == kind)
			return &verdicts[i];
	return NULL;
}

static void put_device(const struct fleet_device *device,
	const struct verdict *verdicts, size_t count, FILE *out)
{
	struct text_table table = {0};
	char day[FLEET_DAY_BYTES];
	int id;

	fleet_day_format(device->last.day, day);
	fputs("device ", out);
	visible_put(out, device->name);
	fputs(", ", out);
	visible_put(out, device->sku);
	fprintf(out, ", %s, %u day%s, compared with %u before\n\n", day,
		device->days, device->days == 1 ? "" : "s", device->past_days);
	text_table_row(&table);
	text_table_add(&table, "figure");
	text_table_add(&table, "unit");
	text_table_add(&table, "value");
	text_table_add(&table, "interval");
	text_table_add(&table, "peers");
	text_table_add(&table, "width");
	text_table_add(&table, "widths_off");
	text_table_add(&table, "past");
	text_table_add(&table, "width");
	text_table_add(&table, "widths_off");
	for (id = 0; id < FIGURE_COUNT; id++) {
		if (!isfinite(device->last.value[id]))
			continue;
		text_table_row(&table);
		text_table_add(&table, "%s", figure_about[id].name);
		text_table_add(&table, "%s", figure_about[id].unit);
		text_table_number(&table, device->last.value[id]);
		text_table_number(&table, device->last.half[id]);
		add_verdict(
			&table, verdict_of(verdicts, count, id, VERDICT_LEVEL));
		add_verdict(&table,
			verdict_of(verdicts, count, id, VERDICT_CHANGE));
	}
	put_table(&table, out);
}

int fleet_verb_show(
	const struct fleet_words *words, FILE *out, struct error *error)
{
	struct verdict verdicts[2 * FIGURE_COUNT];
	const struct fleet_device *device;
	struct fleet_devices devices;
	struct fleet *fleet;
	size_t count;
	int code = open_and_load(words, &fleet, &devices, error);

	if (code)
		return code;
	code = fleet_find(&devices, words->arguments[0], &device, error);
	if (!code)
		code = verdicts_of(&devices, device, verdicts, &count, error);
	if (!code)
		put_device(device, verdicts, count, out);
	fleet_devices_free(&devices);
	fleet_close(fleet);
	return code;
}

/* ---- diff ---- */

struct wanted_day {
	int day;
	bool found;
	struct fleet_day *to;
};

static int take_day(void *argument, const struct fleet_day *day)
{
	struct wanted_day *wanted = argument;

	if (day->day == wanted->day) {
		*wanted->to = *day;
		wanted->found = true;
	}
	return 0;
}

/* DEVICE is its last day, DEVICE@DAY another. */
static int find_day(struct fleet *fleet, const struct fleet_devices *devices,
	const char *text, struct fleet_day *day, struct error *error)
{
	const char *at = strrchr(text, '@');
	char *name = at ? strndup(text, (size_t)(at - text)) : strdup(text);
	struct wanted_day wanted = {.to = day};
	const struct fleet_device *device;
	int code;

	if (!name)
		return error_set(error, ERR_FAILED, "out of memory");
	code = fleet_find(devices, name, &device, error);
	free(name);
	if (code)
		return code;
	*day = device->last;
	if (!at)
		return 0;
	if (!fleet_day_parse(at + 1, &wanted.day))
		return error_set(error, ERR_USAGE,
			"'%s' is no day such as 2026-11-22", at + 1);
	code = fleet_days(fleet, device, take_day, &wanted, error);
	if (!code && !wanted.found)
		code = error_set(error, ERR_USAGE,
			"'%s' has no fingerprint of %s", device->name, at + 1);
	return code;
}

/* Two takes of one GPU differ by more in 1 of 1000: Student's t of 7 degrees of
   freedom, as figures.def's deviations have, for a difference of two. */
#define TAKES_APART (5.41 * 1.4142)

static double known_to(
	const struct fleet_day *a, const struct fleet_day *b, int id)
{
	const double mean = (fabs(a->value[id]) + fabs(b->value[id])) / 2;
	const double intervals = hypot(a->half[id], b->half[id]);
	const double takes = TAKES_APART * figure_about[id].repeat * mean;

	return fmax(fmax(intervals, takes), figure_about[id].grain);
}

static void put_difference(
	const struct fleet_day *a, const struct fleet_day *b, FILE *out)
{
	struct text_table table = {0};
	int id;

	text_table_row(&table);
	text_table_add(&table, "figure");
	text_table_add(&table, "unit");
	text_table_add(&table, "first");
	text_table_add(&table, "interval");
	text_table_add(&table, "second");
	text_table_add(&table, "interval");
	text_table_add(&table, "difference_percent");
	text_table_add(&table, "differs");
	for (id = 0; id < FIGURE_COUNT; id++) {
		const double x = a->value[id], y = b->value[id];
		const double known = known_to(a, b, id);

		if (!isfinite(x) && !isfinite(y))
			continue;
		text_table_row(&table);
		text_table_add(&table, "%s", figure_about[id].name);
		text_table_add(&table, "%s", figure_about[id].unit);
		text_table_number(&table, x);
		text_table_number(&table, a->half[id]);
		text_table_number(&table, y);
		text_table_number(&table, b->half[id]);
		text_table_number(&table, x == y ? 0 : 100 * (y / x - 1));
		text_table_add(&table, "%s", fabs(y - x) > known ? "yes" : "");
	}
	put_table(&table, out);
	fputs("differs: by more than both intervals allow, than the figure's "
	      "grain, and than takes of one GPU do in 1 of 1000\n",
		out);
}

int fleet_verb_diff(
	const struct fleet_words *words, FILE *out, struct error *error)
{
	struct fleet_devices devices;
	struct fleet_day days[2];
	struct fleet *fleet;
	size_t i;
	int code = open_and_load(words, &fleet, &devices, error);

	if (code)
		return code;
	for (i = 0; !code && i < 2; i++)
		code = find_day(
			fleet, &devices, words->arguments[i], &days[i], error);
	if (!code)
		put_difference(&days[0], &days[1], out);
	fleet_devices_free(&devices);
	fleet_close(fleet);
	return code;
}
