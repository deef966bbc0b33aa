#include <errno.h>
#include <hwloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/host/host.h"

static int choose(hwloc_topology_t topology, const char *description)
{
	if (!description)
		return 0;
	if (*description == '<')
		return hwloc_topology_set_xmlbuffer(
			topology, description, (int)strlen(description) + 1);
	return hwloc_topology_set_synthetic(topology, description);
}

/* Of I/O only the PCI tree is wanted: looking for the devices of operating
   systems and libraries would start those libraries. Linux lists the tree by
   itself; hwloc's other way, through libpciaccess, leaks it. */
static void ask_for_pci(hwloc_topology_t topology)
{
	hwloc_topology_set_type_filter(
		topology, HWLOC_OBJ_BRIDGE, HWLOC_TYPE_FILTER_KEEP_ALL);
	hwloc_topology_set_type_filter(
		topology, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_ALL);
	hwloc_topology_set_components(
		topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "pci");
}

static int load(const char *description, bool with_pci,
	hwloc_topology_t *topology, struct error *error)
{
	hwloc_topology_t t;

	/* It says so to standard error where /sys is absent; error_set() is who
	   speaks here. What a user has set stays. */
	if (setenv("HWLOC_HIDE_ERRORS", "2", 0) || hwloc_topology_init(&t))
		return error_set(error, ERR_FAILED, "hwloc does not start");
	if (with_pci)
		ask_for_pci(t);
	if (choose(t, description) || hwloc_topology_load(t)) {
		hwloc_topology_destroy(t);
		return error_set(error, ERR_FAILED,
			"hwloc cannot read the topology of %s",
			description ? "the description" : "this machine");
	}
	*topology = t;
	return 0;
}

/* The smallest part of the machine that the device hangs off. */
static hwloc_obj_t find_home(
	hwloc_topology_t topology, const char *bus_id, struct error *error)
{
	hwloc_obj_t device = hwloc_get_pcidev_by_busidstring(topology, bus_id);
	hwloc_obj_t home = NULL;

	if (device)
		home = hwloc_get_non_io_ancestor_obj(topology, device);
	if (!home || !home->cpuset || hwloc_bitmap_iszero(home->cpuset)) {
		error_set(error, ERR_FAILED,
			"the topology does not know the PCI device '%s'",
			bus_id);
		return NULL;
	}
	return home;
}

int host_locality(const char *xml_or_synthetic, const char *bus_id, char *cpus,
	size_t bytes, struct error *error)
{
	hwloc_topology_t topology = NULL;
	hwloc_obj_t home;
	int code = load(xml_or_synthetic, true, &topology, error);

	if (code)
		return code;
	home = find_home(topology, bus_id, error);
	if (home)
		hwloc_bitmap_list_snprintf(cpus, bytes, home->cpuset);
	else
		code = ERR_FAILED;
	hwloc_topology_destroy(topology);
	return code;
}

static void name_place(hwloc_obj_t home, char *where, size_t bytes)
{
	char nodes[64], cpus[256];

	hwloc_bitmap_list_snprintf(nodes, sizeof(nodes), home->nodeset);
	hwloc_bitmap_list_snprintf(cpus, sizeof(cpus), home->cpuset);
	snprintf(where, bytes, "numa %s, cpus %s", nodes, cpus);
}

/* A control group may allow the one and forbid the other. */
static void bind_to(
	hwloc_topology_t topology, hwloc_obj_t home, char *where, size_t bytes)
{
	size_t used;

	if (hwloc_set_cpubind(topology, home->cpuset, HWLOC_CPUBIND_THREAD)) {
		snprintf(where, bytes, "not bound: %s", strerror(errno));
		return;
	}
	name_place(home, where, bytes);
	used = strlen(where);
	if (hwloc_set_membind(topology, home->nodeset, HWLOC_MEMBIND_BIND,
		    HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET))
		snprintf(where + used, bytes - used, ", memory not bound: %s",
			strerror(errno));
}

int host_bind_near_pci(
	const char *bus_id, char *where, size_t bytes, struct error *error)
{
	struct error unknown;
	hwloc_topology_t topology = NULL;
	hwloc_obj_t home;
	int code = load(NULL, true, &topology, error);

	if (code)
		return code;
	home = find_home(topology, bus_id, &unknown);
	if (!home)
		snprintf(where, bytes, "not bound: %s", unknown.text);
	else if (home == hwloc_get_root_obj(topology))
		snprintf(where, bytes,
			"not bound: all CPUs are equally near to '%s'", bus_id);
	else
		bind_to(topology, home, where, bytes);
	hwloc_topology_destroy(topology);
	return 0;
}

/* A machine's topology knows its control group but not its affinity mask. */
static void restrict_to_process(hwloc_topology_t topology, hwloc_bitmap_t set)
{
	hwloc_bitmap_t bound = hwloc_bitmap_alloc();

	if (bound && hwloc_topology_is_thissystem(topology) &&
		!hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_PROCESS))
		hwloc_bitmap_and(set, set, bound);
	hwloc_bitmap_free(bound);
}

static unsigned int count_inside(
	hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_bitmap_t set)
{
	hwloc_obj_t object = NULL;
	unsigned int count = 0;

	while ((object = hwloc_get_next_obj_by_type(topology, type, object)))
		count += object->cpuset &&
			 hwloc_bitmap_intersects(object->cpuset, set);
	return count;
}

int host_count(const char *xml_or_synthetic, struct host_counts *counts,
	struct error *error)
{
	hwloc_topology_t topology = NULL;
	hwloc_bitmap_t set;
	int code = load(xml_or_synthetic, false, &topology, error);

	if (code)
		return code;
	set = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology));
	if (set) {
		restrict_to_process(topology, set);
		counts->cores = count_inside(topology, HWLOC_OBJ_CORE, set);
		counts->threads = count_inside(topology, HWLOC_OBJ_PU, set);
		counts->numa_nodes =
			count_inside(topology, HWLOC_OBJ_NUMANODE, set);
	} else {
		code = error_set(error, ERR_FAILED, "no memory for a CPU set");
	}
	hwloc_bitmap_free(set);
	hwloc_topology_destroy(topology);
	return code;
}

unsigned host_cores(void)
{
	struct host_counts counts;

	if (host_count(NULL, &counts, NULL))
		return 1;
	if (counts.cores)
		return counts.cores;
	return counts.threads ? counts.threads : 1;
}
