/* Topology on described machines, and what holds on any machine. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "harness/host/host.h"

/* Two sockets of two cores; a bridge of the second one has a GPU at
   0000:17:00.0, and the GPU at 0000:03:00.0 hangs off the whole machine. */
static const char two_sockets[] =
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	"<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
	"<topology version=\"2.0\">\n"
	"<object type=\"Machine\" os_index=\"0\" cpuset=\"0xf\""
	" complete_cpuset=\"0xf\" allowed_cpuset=\"0xf\" nodeset=\"0x3\""
	" complete_nodeset=\"0x3\" allowed_nodeset=\"0x3\">\n"
	" <object type=\"Package\" os_index=\"0\" cpuset=\"0x3\""
	"  complete_cpuset=\"0x3\" nodeset=\"0x1\" complete_nodeset=\"0x1\">\n"
	"  <object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x3\""
	"   complete_cpuset=\"0x3\" nodeset=\"0x1\""
	"   complete_nodeset=\"0x1\" local_memory=\"1073741824\"/>\n"
	"  <object type=\"Core\" os_index=\"0\" cpuset=\"0x1\""
	"   complete_cpuset=\"0x1\" nodeset=\"0x1\" complete_nodeset=\"0x1\">\n"
	"   <object type=\"PU\" os_index=\"0\" cpuset=\"0x1\""
	"    complete_cpuset=\"0x1\" nodeset=\"0x1\""
	"    complete_nodeset=\"0x1\"/></object>\n"
	"  <object type=\"Core\" os_index=\"1\" cpuset=\"0x2\""
	"   complete_cpuset=\"0x2\" nodeset=\"0x1\" complete_nodeset=\"0x1\">\n"
	"   <object type=\"PU\" os_index=\"1\" cpuset=\"0x2\""
	"    complete_cpuset=\"0x2\" nodeset=\"0x1\""
	"    complete_nodeset=\"0x1\"/></object>\n"
	" </object>\n"
	" <object type=\"Package\" os_index=\"1\" cpuset=\"0xc\""
	"  complete_cpuset=\"0xc\" nodeset=\"0x2\" complete_nodeset=\"0x2\">\n"
	"  <object type=\"NUMANode\" os_index=\"1\" cpuset=\"0xc\""
	"   complete_cpuset=\"0xc\" nodeset=\"0x2\""
	"   complete_nodeset=\"0x2\" local_memory=\"1073741824\"/>\n"
	"  <object type=\"Core\" os_index=\"2\" cpuset=\"0x4\""
	"   complete_cpuset=\"0x4\" nodeset=\"0x2\" complete_nodeset=\"0x2\">\n"
	"   <object type=\"PU\" os_index=\"2\" cpuset=\"0x4\""
	"    complete_cpuset=\"0x4\" nodeset=\"0x2\""
	"    complete_nodeset=\"0x2\"/></object>\n"
	"  <object type=\"Core\" os_index=\"3\" cpuset=\"0x8\""
	"   complete_cpuset=\"0x8\" nodeset=\"0x2\" complete_nodeset=\"0x2\">\n"
	"   <object type=\"PU\" os_index=\"3\" cpuset=\"0x8\""
	"    complete_cpuset=\"0x8\" nodeset=\"0x2\""
	"    complete_nodeset=\"0x2\"/></object>\n"
	"  <object type=\"Bridge\" bridge_type=\"0-1\" depth=\"0\""
	"   bridge_pci=\"0000:[16-17]\">\n"
	"   <object type=\"PCIDev\" pci_busid=\"0000:17:00.0\""
	"    pci_type=\"0302 [10de:2335] [10de:18be] a1\""
	"    pci_link_speed=\"0.000000\"/></object>\n"
	" </object>\n"
	" <object type=\"Bridge\" bridge_type=\"0-1\" depth=\"0\""
	"  bridge_pci=\"0000:[00-03]\">\n"
	"  <object type=\"PCIDev\" pci_busid=\"0000:03:00.0\""
	"   pci_type=\"0302 [10de:2335] [10de:18be] a1\""
	"   pci_link_speed=\"0.000000\"/></object>\n"
	"</object>\n"
	"</topology>\n";

static void locality_is(const char *bus_id, const char *expected)
{
	struct error error = {""};
	char cpus[64];

	cr_assert_eq(
		host_locality(two_sockets, bus_id, cpus, sizeof(cpus), &error),
		0, "%s", error.text);
	cr_assert_str_eq(cpus, expected);
}

Test(host, locality_of_a_pci_device)
{
	locality_is("0000:17:00.0", "2-3");
	locality_is("0000:03:00.0", "0-3");
}

/* NVML writes eight digits of the domain, tools sometimes none. */
Test(host, locality_in_other_spellings)
{
	locality_is("00000000:17:00.0", "2-3");
	locality_is("17:00.0", "2-3");
}

static void locality_fails(const char *topology, const char *bus_id)
{
	struct error error = {""};
	char cpus[64] = "untouched", expected[128];

	cr_assert_eq(
		host_locality(topology, bus_id, cpus, sizeof(cpus), &error),
		ERR_FAILED);
	snprintf(expected, sizeof(expected),
		"the topology does not know the PCI device '%s'", bus_id);
	cr_assert_str_eq(error.text, expected);
	cr_assert_str_eq(cpus, "untouched");
}

Test(host, unknown_device)
{
	locality_fails(two_sockets, "0000:99:00.0");
	locality_fails(two_sockets, "GPU-0");
	locality_fails("package:2 core:4 pu:2", "0000:17:00.0");
}

Test(host, unreadable_topology)
{
	struct error error = {""};
	char cpus[64];

	cr_assert_eq(host_locality("<nothing/>", "0000:17:00.0", cpus,
			     sizeof(cpus), &error),
		ERR_FAILED);
	cr_assert_str_eq(error.text,
		"hwloc cannot read the topology of the description");
}

Test(host, counts)
{
	static const struct {
		const char *topology;
		struct host_counts counts;
	} cases[] = {
		{two_sockets, {4, 4, 2}},
		{"package:2 [numa] core:4 pu:2", {8, 16, 2}},
		{"numa:1 core:1 pu:1", {1, 1, 1}},
		{"package:1 l3:2 core:3 pu:4", {6, 24, 1}},
	};
	struct error error = {""};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct host_counts counts = {0};

		cr_assert_eq(host_count(cases[i].topology, &counts, &error), 0,
			"%s", error.text);
		cr_assert_eq(counts.cores, cases[i].counts.cores);
		cr_assert_eq(counts.threads, cases[i].counts.threads);
		cr_assert_eq(counts.numa_nodes, cases[i].counts.numa_nodes);
	}
}

Test(host, this_machine)
{
	struct facts facts = {0}, warnings = {0};
	struct host_counts counts;
	struct error error;
	size_t i;

	cr_assert_eq(host_facts(&facts, &error), 0);
	cr_assert_not_null(facts_find(&facts, "host.kernel"));
	cr_assert_not_null(facts_find(&facts, "host.memory"));
	cr_assert_eq(host_count(NULL, &counts, &error), 0);
	cr_assert_geq(counts.threads, counts.cores);
	cr_assert_geq(host_cores(), 1);
	cr_assert_eq(host_warnings(&warnings, &error), 0);
	for (i = 0; i < warnings.count; i++)
		cr_assert_str_eq(warnings.items[i].key, "warning");
	facts_free(&facts);
	facts_free(&warnings);
}

Test(host, binding_says_why_not)
{
	struct error error;
	char where[256];

	cr_assert_eq(host_bind_near_pci(
			     "ffff:ff:1f.7", where, sizeof(where), &error),
		0);
	cr_assert_str_eq(where, "not bound: the topology does not know the PCI "
				"device 'ffff:ff:1f.7'");
}
