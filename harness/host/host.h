#ifndef NEARFAR_HOST_H
#define NEARFAR_HOST_H

/*
 * The machine the harness runs on: identity for provenance (libcpuid: vendor,
 * brand, caches, TSC clock; never its codename, which lags behind new CPUs),
 * and topology (hwloc: cores, NUMA, where a PCI device hangs).
 */
#include "harness/contract/backend.h"
#include "harness/base/error.h"

/* Appends host.cpu, host.cores, host.threads, host.caches, host.memory,
   host.kernel, host.governor, host.virtual and the like. What cannot be
   found is left out; ERR_FAILED only without memory. */
int host_facts(struct facts *facts, struct error *error);

/*
 * Binds the calling thread, and the memory that it takes from then on, to the
 * CPUs and the NUMA node nearest to the PCI device "0000:17:00.0" (the
 * driver's spelling); `where` receives "numa 1, cpus 24-47", and why the memory
 * was not bound, if so. Where the topology says nothing about the device,
 * `where` receives "not bound: REASON" and the result is 0.
 */
int host_bind_near_pci(
	const char *bus_id, char *where, size_t bytes, struct error *error);

/*
 * The same without binding, on a given topology: the cpuset as hwloc's list
 * form ("0-3"). `xml_or_synthetic` is XML text (it begins with "<") or a
 * synthetic description as hwloc takes it; NULL: this machine. ERR_FAILED
 * where the topology does not know the device.
 */
int host_locality(const char *xml_or_synthetic, const char *bus_id, char *cpus,
	size_t bytes, struct error *error);

/* What this process may use. A count is 0 where the topology lacks it. */
struct host_counts {
	unsigned int cores, threads, numa_nodes;
};

/* As host_locality() chooses the topology. */
int host_count(const char *xml_or_synthetic, struct host_counts *counts,
	struct error *error);

/* Workers for `-j` by default: physical cores this process may use, at
   least 1. */
unsigned host_cores(void);

/* What would disturb a measurement here, one sentence each, as facts whose
   key is "warning": load average, governor, other users of the CPU. */
int host_warnings(struct facts *facts, struct error *error);

#endif
