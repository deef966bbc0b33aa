#include <errno.h>
#include <libcpuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "harness/host/host.h"

#define GOVERNOR         "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
#define TSC_MILLISECONDS 10
#define BUSY_SHARE       0.25 /* of the CPUs: more load than is our own */

static bool read_line(const char *path, char *line, size_t bytes)
{
	FILE *file = fopen(path, "r");
	bool found;

	if (!file)
		return false;
	found = fgets(line, (int)bytes, file) != NULL;
	fclose(file);
	if (found)
		line[strcspn(line, "\n")] = '\0';
	return found && *line;
}

static bool identify(struct cpu_id_t *id)
{
	struct cpu_raw_data_t raw;

	cpuid_set_warn_function(NULL);
	return cpuid_present() && !cpuid_get_raw_data(&raw) &&
	       !cpu_identify(&raw, id);
}

static int add_caches(const struct cpu_id_t *id, struct facts *facts)
{
	const struct {
		const char *name;
		int kib;
	} caches[] = {
		{"L1i", id->l1_instruction_cache},
		{"L1d", id->l1_data_cache},
		{"L2", id->l2_cache},
		{"L3", id->l3_cache},
	};
	char text[160] = "";
	size_t i, length = 0;

	for (i = 0; i < sizeof(caches) / sizeof(caches[0]); i++)
		if (caches[i].kib > 0)
			length += (size_t)snprintf(text + length,
				sizeof(text) - length, "%s%s %dKiB",
				length ? ", " : "", caches[i].name,
				caches[i].kib);
	return length ? facts_add(facts, "host.caches", "%s", text) : 0;
}

static int add_cpu(struct facts *facts)
{
	struct cpu_id_t id;
	int code, mhz;

	if (!identify(&id))
		return 0;
	code = facts_add(facts, "host.cpu", "%s", id.brand_str);
	code |= facts_add(facts, "host.cpu_vendor", "%s", id.vendor_str);
	code |= add_caches(&id, facts);
	mhz = cpu_clock_measure(TSC_MILLISECONDS, 0);
	if (mhz > 0)
		code |= facts_add(facts, "host.tsc_mhz", "%d", mhz);
	return code | facts_add(facts, "host.virtual", "%s",
			      id.flags[CPU_FEATURE_HYPERVISOR] ? "yes" : "no");
}

static int add_counts(struct facts *facts)
{
	struct host_counts counts;
	int code;

	errno = 0;
	if (host_count(NULL, &counts, NULL))
		return errno == ENOMEM ? ERR_FAILED : 0;
	code = facts_add(facts, "host.cores", "%u", counts.cores);
	code |= facts_add(facts, "host.threads", "%u", counts.threads);
	return code |
	       facts_add(facts, "host.numa_nodes", "%u", counts.numa_nodes);
}

/* hwloc under-reports the memory of virtual machines, so the kernel is asked.
 */
static int add_memory(struct facts *facts)
{
	long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);

	if (pages <= 0 || bytes <= 0)
		return 0;
	return facts_add(facts, "host.memory", "%.1fGiB",
		(double)pages * (double)bytes / (1 << 30));
}

static int add_system(struct facts *facts)
{
	struct utsname name;
	char governor[64];
	int code = 0;

	if (!uname(&name)) {
		code |= facts_add(facts, "host.kernel", "%s %s", name.sysname,
			name.release);
		code |= facts_add(facts, "host.machine", "%s", name.machine);
	}
	if (read_line(GOVERNOR, governor, sizeof(governor)))
		code |= facts_add(facts, "host.governor", "%s", governor);
	return code;
}

int host_facts(struct facts *facts, struct error *error)
{
	int code = add_cpu(facts);

	code |= add_counts(facts);
	code |= add_memory(facts);
	code |= add_system(facts);
	if (code)
		return error_set(error, ERR_FAILED,
			"no memory for the facts of the host");
	return 0;
}

static int warn_of_load(struct facts *facts)
{
	double load;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (getloadavg(&load, 1) != 1 || load <= BUSY_SHARE * (double)cpus)
		return 0;
	return facts_add(facts, "warning",
		"the load average is %.1f on %ld CPUs: others use this host",
		load, cpus);
}

static int warn_of_governor(struct facts *facts)
{
	char governor[64];

	if (!read_line(GOVERNOR, governor, sizeof(governor)) ||
		!strcmp(governor, "performance"))
		return 0;
	return facts_add(facts, "warning",
		"the CPU governor is '%s': the model's running times, not its "
		"results, will vary",
		governor);
}

static int warn_of_virtual_machine(struct facts *facts)
{
	struct cpu_id_t id;

	if (!identify(&id) || !id.flags[CPU_FEATURE_HYPERVISOR])
		return 0;
	return facts_add(facts, "warning",
		"this is a virtual machine: its host may run other work, and "
		"the topology may not be the hardware's");
}

int host_warnings(struct facts *facts, struct error *error)
{
	int code = warn_of_load(facts);

	code |= warn_of_governor(facts);
	code |= warn_of_virtual_machine(facts);
	if (code)
		return error_set(error, ERR_FAILED,
			"no memory for warnings about the host");
	return 0;
}
