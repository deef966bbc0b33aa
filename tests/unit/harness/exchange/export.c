#include <criterion/criterion.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

#include "harness/exchange/export.h"

TestSuite(export, .timeout = 60);

static char *text_by(const struct export_machine *machine,
	int (*put)(const struct export_machine *machine, FILE *out,
		struct error *error))
{
	struct error error = {""};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	int code = put(machine, out, &error);

	fclose(out);
	cr_assert_eq(code, 0, "%s", error.text);
	return text;
}

static char *text_of(const struct export_machine *machine)
{
	return text_by(machine, export_gpgpusim);
}

static double get(const struct export_machine *machine, const char *name)
{
	struct error error = {""};
	double value = 0;

	cr_assert_eq(
		0, export_get(machine, name, &value, &error), "%s", error.text);
	return value;
}

/* The number behind an option. */
static double option(const char *text, const char *name)
{
	char line[80];
	const char *at;

	snprintf(line, sizeof(line), "\n%s ", name);
	at = strstr(text, line);
	cr_assert(at, "no %s", name);
	return strtod(at + strlen(line), NULL);
}

static void check_cache(
	const char *text, const char *name, double caches, double bytes)
{
	const char *at = strstr(text, name);
	unsigned sets, line, ways;

	cr_assert(at, "no %s", name);
	cr_assert_eq(3,
		sscanf(at + strlen(name), " S:%u:%u:%u,", &sets, &line, &ways));
	cr_expect_eq(sets & (sets - 1), 0, "%s: %u sets", name, sets);
	cr_expect_eq(caches * sets * line * ways, bytes, "%s", name);
}

/* Sizes survive, and the latencies add up to the model's again. */
Test(export, gpgpusim_keeps_sizes_and_sums)
{
	static const char *const machines[] = {
		"h200-sxm", "h100-pcie", "h100-sxm", "a100-sxm", "gk110"};
	struct export_machine m;
	struct error error = {""};
	size_t i;

	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		char *text;

		cr_assert_eq(0, export_machine_read(machines[i], &m, &error),
			"%s", error.text);
		text = text_of(&m);
		check_cache(
			text, "-gpgpu_cache:dl1", 1, get(&m, "l1_cache_bytes"));
		check_cache(text, "-gpgpu_cache:dl2", get(&m, "l2_slices"),
			get(&m, "l2_bytes"));
		cr_expect_eq(
			option(text, "-gpgpu_n_clusters"), get(&m, "sm_count"));
		cr_expect_float_eq(
			option(text, "-gpgpu_l1_latency") +
				option(text, "-gpgpu_l2_rop_latency"),
			get(&m, "l1_miss_cycles") + get(&m, "l2_near_cycles") +
				get(&m, "slice_request_cycles"),
			1);
		cr_expect_geq(option(text, "-dram_latency"),
			get(&m, "dram_near_cycles"));
		free(text);
		export_machine_free(&m);
	}
}

Test(export, what_is_missing_is_named)
{
	struct export_machine m = {.name = "none"};
	struct error error = {""};
	FILE *out = fopen("/dev/null", "w");

	cr_expect_eq(ERR_FAILED, export_gpgpusim(&m, out, &error));
	cr_expect(strstr(error.text, "'sm_count'"), "%s", error.text);
	fclose(out);
	cr_expect_eq(ERR_USAGE, export_machine_read("h300", &m, &error));
	cr_expect_str_eq(m.name, "none");
}

/* hwloc reads back what the machine has; its tree is even. */
Test(export, hwloc_reads_its_xml)
{
	static const char *const machines[] = {
		"h200-sxm", "h100-pcie", "h100-sxm", "a100-sxm", "gk110"};
	struct export_machine machine;
	struct error error = {""};
	hwloc_topology_t topology;
	hwloc_obj_t l2;
	char *text;
	size_t i;

	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		cr_assert_eq(
			0, export_machine_read(machines[i], &machine, &error));
		text = text_by(&machine, export_hwloc);
		cr_assert_eq(0, hwloc_topology_init(&topology));
		cr_assert_eq(0, hwloc_topology_set_xmlbuffer(
					topology, text, (int)strlen(text) + 1));
		hwloc_topology_set_all_types_filter(
			topology, HWLOC_TYPE_FILTER_KEEP_ALL);
		cr_assert_eq(
			0, hwloc_topology_load(topology), "%s", machines[i]);
		cr_expect_eq(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE),
			get(&machine, "sm_count"));
		cr_expect_eq(
			hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_L1CACHE),
			get(&machine, "sm_count"));
		cr_expect_eq(
			hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_L2CACHE),
			get(&machine, "l2_partitions"));
		l2 = hwloc_get_obj_by_type(topology, HWLOC_OBJ_L2CACHE, 0);
		cr_expect_eq((double)l2->attr->cache.size *
				     get(&machine, "l2_partitions"),
			get(&machine, "l2_bytes"));
		cr_expect_eq((double)hwloc_get_root_obj(topology)->total_memory,
			get(&machine, "memory_bytes"));
		cr_expect_str_eq(
			hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, 0)
				->subtype,
			"SM");
		hwloc_topology_destroy(topology);
		free(text);
		export_machine_free(&machine);
	}
}
