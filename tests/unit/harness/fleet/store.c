#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "harness/fleet/store.h"

TestSuite(fleet_store, .timeout = 60);

static char path[] = "/tmp/nearfar-store-XXXXXX";
static struct fleet *fleet;
static struct error error;

static void begin(void)
{
	cr_assert_geq(mkstemp(path), 0);
	cr_assert_eq(
		fleet_open(&fleet, path, true, &error), 0, "%s", error.text);
}

static void end(void)
{
	fleet_close(fleet);
	unlink(path);
}

static int add(const char *name, double value, int day, const char *driver)
{
	struct fingerprint f;
	int code;

	fingerprint_init(&f);
	strcpy(f.device, name);
	strcpy(f.sku, "kind");
	facts_add(&f.identity, "driver.version", "%s", driver);
	f.figures[FIGURE_dram_gb_per_s] =
		(struct figure){value, value - 1, value + 3, NULL};
	f.map = json_pack("{s:i}", "sm_count", 4);
	code = fleet_add(fleet, &f, day, &error);
	fingerprint_free(&f);
	return code;
}

static struct fleet_device only_device(void)
{
	struct fleet_devices devices;
	struct fleet_device device;

	cr_assert_eq(fleet_load(fleet, &devices, &error), 0);
	cr_assert_eq(devices.count, 1);
	device = devices.items[0];
	fleet_devices_free(&devices);
	return device;
}

Test(fleet_store, a_device_and_its_last_day, .init = begin, .fini = end)
{
	struct fleet_device d;

	cr_assert_eq(add("a", 5, 100, "1"), 0, "%s", error.text);
	d = only_device();
	cr_assert_str_eq(d.name, "a");
	cr_assert_str_eq(d.sku, "kind");
	cr_assert_str_eq(d.software, "1");
	cr_assert_eq(d.last.day, 100);
	cr_assert_eq(d.days, 1);
	cr_assert_eq(d.past_days, 0);
	cr_assert_eq(d.last.value[FIGURE_dram_gb_per_s], 5);
	cr_assert_eq(d.last.half[FIGURE_dram_gb_per_s], 3);
	cr_assert(isnan(d.last.value[FIGURE_l2_slices]));
}

Test(fleet_store, the_last_day_is_not_its_own_past, .init = begin, .fini = end)
{
	struct fleet_device d;
	int day;

	for (day = 0; day < 5; day++)
		cr_assert_eq(add("a", day, day, "1"), 0);
	d = only_device();
	cr_assert_eq(d.days, 5);
	cr_assert_eq(d.past_days, 4); /* 0 1 2 3 */
	cr_assert_eq(d.past_median[FIGURE_dram_gb_per_s], 1.5);
	cr_assert_eq(d.past_deviation[FIGURE_dram_gb_per_s], 1);
	cr_assert_eq(d.last.value[FIGURE_dram_gb_per_s], 4);
}

Test(fleet_store, the_same_day_again_replaces, .init = begin, .fini = end)
{
	struct fleet_device d;

	add("a", 1, 7, "1");
	add("a", 2, 7, "1");
	d = only_device();
	cr_assert_eq(d.days, 1);
	cr_assert_eq(d.past_days, 0);
	cr_assert_eq(d.last.value[FIGURE_dram_gb_per_s], 2);
}

Test(fleet_store, an_earlier_day_is_refused, .init = begin, .fini = end)
{
	add("a", 1, 7, "1");
	cr_assert_eq(add("a", 2, 6, "1"), ERR_USAGE);
	cr_assert(strstr(error.text, "1970-01-08"), "%s", error.text);
}

Test(fleet_store, a_past_does_not_creep, .init = begin, .fini = end)
{
	struct fleet_device d;
	int day;

	for (day = 0; day < 3 * FLEET_PAST_MAX; day++)
		add("a", day < FLEET_PAST_MAX ? 1 : 9, day, "1");
	d = only_device();
	cr_assert_eq(d.past_days, FLEET_PAST_MAX);
	cr_assert_eq(d.past_median[FIGURE_dram_gb_per_s], 1);
	cr_assert_eq(d.days, 3 * FLEET_PAST_MAX);
}

Test(fleet_store, another_driver_has_another_past, .init = begin, .fini = end)
{
	struct fleet_device d;

	add("a", 1, 1, "1");
	add("a", 1, 2, "1");
	add("a", 5, 3, "2");
	cr_assert_eq(only_device().past_days, 0);
	add("a", 6, 4, "2");
	d = only_device();
	cr_assert_eq(d.past_days, 1);
	cr_assert_eq(d.past_median[FIGURE_dram_gb_per_s], 5);
}

static int sum(void *argument, const struct fleet_day *day)
{
	*(double *)argument =
		*(double *)argument * 10 + day->value[FIGURE_dram_gb_per_s];
	return 0;
}

Test(fleet_store, days_come_in_order, .init = begin, .fini = end)
{
	struct fleet_device d;
	double digits = 0;

	add("a", 1, 10, "1");
	add("a", 2, 20, "1");
	add("a", 3, 30, "1");
	d = only_device();
	cr_assert_eq(fleet_days(fleet, &d, sum, &digits, &error), 0);
	cr_assert_eq(digits, 123);
}

Test(fleet_store, what_is_not_committed_is_not_kept, .init = begin, .fini = end)
{
	struct fleet_devices devices;

	cr_assert_eq(fleet_begin(fleet, &error), 0);
	add("a", 1, 1, "1");
	fleet_close(fleet);
	cr_assert_eq(fleet_open(&fleet, path, false, &error), 0);
	cr_assert_eq(fleet_load(fleet, &devices, &error), 0);
	cr_assert_eq(devices.count, 0);
	fleet_devices_free(&devices);
}

Test(fleet_store, devices_are_found_by_their_beginning, .init = begin,
	.fini = end)
{
	struct fleet_devices devices;
	const struct fleet_device *found;

	add("GPU-1", 1, 1, "1");
	add("GPU-12", 1, 1, "1");
	add("GPU-2", 1, 1, "1");
	cr_assert_eq(fleet_load(fleet, &devices, &error), 0);
	cr_assert_eq(fleet_find(&devices, "GPU-1", &found, &error), 0);
	cr_assert_str_eq(found->name, "GPU-1");
	cr_assert_eq(fleet_find(&devices, "GPU-2", &found, &error), 0);
	cr_assert_eq(fleet_find(&devices, "GPU", &found, &error), ERR_USAGE);
	cr_assert(strstr(error.text, "3 devices"), "%s", error.text);
	cr_assert_eq(fleet_find(&devices, "x", &found, &error), ERR_USAGE);
	fleet_devices_free(&devices);
}

/* A figure that another version knew stays, and one it did not know is new. */
Test(fleet_store, columns_go_by_name, .init = begin, .fini = end)
{
	struct fleet_device d;
	sqlite3 *db;

	add("a", 5, 1, "1");
	fleet_close(fleet);
	cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(db,
			     "UPDATE columns SET name = 'forgotten' WHERE name "
			     "= 'l1_latency_cycles'",
			     NULL, NULL, NULL),
		SQLITE_OK);
	sqlite3_close(db);
	cr_assert_eq(
		fleet_open(&fleet, path, true, &error), 0, "%s", error.text);
	d = only_device();
	cr_assert_eq(d.last.value[FIGURE_dram_gb_per_s], 5);
	cr_assert(isnan(d.last.value[FIGURE_l1_latency_cycles]));
	cr_assert_eq(add("a", 6, 2, "1"), 0, "%s", error.text);
	d = only_device();
	cr_assert_eq(d.last.value[FIGURE_dram_gb_per_s], 6);
	cr_assert_eq(d.past_median[FIGURE_dram_gb_per_s], 5);
}

/* ---- rows that a disk has changed ---- */

static void change(const char *sql)
{
	sqlite3 *db;

	fleet_commit(fleet, &error);
	fleet_close(fleet);
	cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK, "%s",
		sqlite3_errmsg(db));
	sqlite3_close(db);
	cr_assert_eq(
		fleet_open(&fleet, path, true, &error), 0, "%s", error.text);
}

static int take_day(void *argument, const struct fleet_day *day)
{
	(void)argument;
	(void)day;
	return 0;
}

static void two_days(void)
{
	begin();
	cr_assert_eq(add("a", 5, 1, "1"), 0);
	cr_assert_eq(add("a", 6, 2, "1"), 0);
	cr_assert_eq(add("a", 6, 3, "1"), 0);
}

static int load(void)
{
	struct fleet_devices devices;
	const int code = fleet_load(fleet, &devices, &error);

	fleet_devices_free(&devices);
	return code;
}

Test(fleet_store, a_changed_device_is_told, .init = two_days, .fini = end)
{
	static const char *const changes[] = {
		"UPDATE devices SET days = days + 1",
		"UPDATE devices SET sku = 'kinD'",
		"UPDATE devices SET last = zeroblob(length(last))",
		"UPDATE devices SET past = zeroblob(length(past))",
		"UPDATE devices SET past = NULL",
	};
	size_t i;

	cr_assert_eq(load(), 0, "%s", error.text);
	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		change("CREATE TABLE kept AS SELECT * FROM devices");
		change(changes[i]);
		cr_expect_eq(load(), ERR_FAILED, "%s", changes[i]);
		cr_expect(strstr(error.text, "device 'a'"), "%s", error.text);
		change("DELETE FROM devices");
		change("INSERT INTO devices SELECT * FROM kept");
		change("DROP TABLE kept");
		cr_assert_eq(load(), 0, "%s", error.text);
	}
}

Test(fleet_store, a_changed_day_is_told, .init = two_days, .fini = end)
{
	struct fleet_device d;

	change("UPDATE days SET day = 4 WHERE day = 3");
	d = only_device();
	cr_assert_eq(fleet_days(fleet, &d, take_day, NULL, &error), ERR_FAILED);
	cr_expect(strstr(error.text, "'a' on 1970-01-05"), "%s", error.text);
}

Test(fleet_store, a_changed_past_is_told, .init = two_days, .fini = end)
{
	change("UPDATE pasts SET days = zeroblob(length(days))");
	cr_assert_eq(add("a", 6, 4, "1"), ERR_FAILED);
	cr_expect(strstr(error.text, "the past of 'a'"), "%s", error.text);
}

/* A store of the first version has no checksums, and is read and added to. */
Test(fleet_store, an_older_store_is_read, .init = two_days, .fini = end)
{
	struct fleet_device d;

	change("UPDATE devices SET past = substr(past, 1, length(past) - 4)");
	change("UPDATE days SET figures = substr(figures, 1, "
	       "length(figures) - 4)");
	change("UPDATE pasts SET days = substr(days, 1, length(days) - 4)");
	change("PRAGMA user_version = 1");
	cr_assert_eq(add("a", 7, 4, "1"), 0, "%s", error.text);
	d = only_device();
	cr_expect_eq(d.past_days, 3);
	cr_expect_eq(d.past_median[FIGURE_dram_gb_per_s], 6);
	cr_expect_eq(fleet_days(fleet, &d, take_day, NULL, &error), 0);
}

Test(fleet_store, days)
{
	char text[FLEET_DAY_BYTES];
	int day;

	cr_assert(fleet_day_parse("2026-11-22T10:00:00Z", &day));
	fleet_day_format(day, text);
	cr_assert_str_eq(text, "2026-11-22");
	cr_assert_not(fleet_day_parse("2026-02-31", &day));
	cr_assert_not(fleet_day_parse("soon", &day));
}
