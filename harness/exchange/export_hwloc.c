/*
 * hwloc's XML of a machine, which lstopo draws: a package for the GPU with its
 * memory, an L2 for each partition, a group for each TPC, an L1 and a core for
 * each SM, and a processing unit for each warp scheduler. hwloc draws even
 * trees, so GPCs, whose TPCs differ in number, are not in it, and where the SMs
 * do not divide evenly, neither are TPCs or partitions.
 */
#include <hwloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/exchange/export.h"

struct shape {
	double sms, sms_per_tpc, partitions, schedulers;
	double l1_bytes, l2_bytes, memory_bytes;
};

static int read_shape(const struct export_machine *machine, struct shape *shape,
	struct error *error)
{
	const struct {
		const char *name;
		double *value;
	} rows[] = {
		{"sm_count", &shape->sms},
		{"sms_per_tpc", &shape->sms_per_tpc},
		{"l2_partitions", &shape->partitions},
		{"schedulers", &shape->schedulers},
		{"l1_total_bytes", &shape->l1_bytes},
		{"l2_bytes", &shape->l2_bytes},
		{"memory_bytes", &shape->memory_bytes},
	};
	size_t i;
	int code = 0;

	for (i = 0; !code && i < sizeof(rows) / sizeof(rows[0]); i++)
		code = export_get(machine, rows[i].name, rows[i].value, error);
	return code;
}

static bool divides(unsigned a, unsigned b)
{
	return a && b % a == 0;
}

/* hwloc's word for the tree. */
static void describe(const struct shape *shape, char *text, size_t bytes)
{
	const unsigned sms = (unsigned)shape->sms;
	unsigned partitions = (unsigned)shape->partitions;
	unsigned per_tpc = (unsigned)shape->sms_per_tpc;

	partitions = divides(partitions, sms) ? partitions : 1;
	per_tpc = divides(per_tpc, sms / partitions) ? per_tpc : 1;
	snprintf(text, bytes,
		"[numa(memory=%.0f)] pack:1 l2:%u(size=%.0f) group:%u "
		"l1:%u(size=%.0f) core:1 pu:%u",
		shape->memory_bytes, partitions, shape->l2_bytes / partitions,
		sms / partitions / per_tpc, per_tpc, shape->l1_bytes,
		(unsigned)shape->schedulers);
}

static void name_all(
	hwloc_topology_t topology, hwloc_obj_type_t type, const char *subtype)
{
	hwloc_obj_t object = NULL;

	while ((object = hwloc_get_next_obj_by_type(topology, type, object)))
		if (!object->subtype)
			object->subtype = strdup(subtype);
}

/* hwloc frees the names with the topology. */
static void name_objects(
	hwloc_topology_t topology, const struct export_machine *machine)
{
	hwloc_obj_t root = hwloc_get_root_obj(topology);

	hwloc_obj_add_info(root, "Backend", "nearfar");
	hwloc_obj_add_info(root, "GPUModel", machine->name);
	name_all(topology, HWLOC_OBJ_PACKAGE, "GPU");
	name_all(topology, HWLOC_OBJ_GROUP, "TPC");
	name_all(topology, HWLOC_OBJ_CORE, "SM");
	name_all(topology, HWLOC_OBJ_PU, "scheduler");
	name_all(topology, HWLOC_OBJ_NUMANODE, "GPUMemory");
}

static int put_topology(hwloc_topology_t topology,
	const struct export_machine *machine, FILE *out, struct error *error)
{
	char *text;
	int length;

	name_objects(topology, machine);
	if (hwloc_topology_export_xmlbuffer(topology, &text, &length, 0))
		return error_set(error, ERR_FAILED,
			"hwloc could not write '%s' as XML", machine->name);
	fwrite(text, 1, strnlen(text, (size_t)length), out);
	hwloc_free_xmlbuffer(topology, text);
	return 0;
}

int export_hwloc(
	const struct export_machine *machine, FILE *out, struct error *error)
{
	struct shape shape;
	hwloc_topology_t topology;
	char description[256];
	int code = read_shape(machine, &shape, error);

	if (code)
		return code;
	describe(&shape, description, sizeof(description));
	if (hwloc_topology_init(&topology))
		return error_set(error, ERR_FAILED, "out of memory");
	if (hwloc_topology_set_synthetic(topology, description) ||
		hwloc_topology_set_all_types_filter(
			topology, HWLOC_TYPE_FILTER_KEEP_ALL) ||
		hwloc_topology_load(topology))
		code = error_set(error, ERR_FAILED,
			"hwloc has no tree for '%s': %s", machine->name,
			description);
	else
		code = put_topology(topology, machine, out, error);
	hwloc_topology_destroy(topology);
	return code;
}
