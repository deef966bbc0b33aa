/* NVML's facts on a library without a GPU (tests/support/fake_nvml.c). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend_cuda/driver/nvml.h"

#define FAKE_SOURCE "tests/support/fake_nvml.c"

static char folder[] = "/tmp/nearfar-fake-XXXXXX";
static char library[128];

static void build_fake(const char *flags)
{
	char command[512];

	if (access(FAKE_SOURCE, R_OK) || system("command -v cc >/dev/null"))
		cr_skip_test("no compiler or no '" FAKE_SOURCE "'");
	cr_assert(mkdtemp(folder));
	snprintf(library, sizeof(library), "%s/libnvidia-ml.so.1", folder);
	snprintf(command, sizeof(command),
		"cc -std=c11 -D_GNU_SOURCE -shared -fPIC -I. "
		"%s -o %s " FAKE_SOURCE,
		flags, library);
	cr_assert_eq(system(command), 0);
	setenv("NEARFAR_LIBNVML", library, 1);
}

static void remove_fake(void)
{
	unlink(library);
	rmdir(folder);
}

static void fact_is(
	const struct facts *facts, const char *key, const char *expected)
{
	const char *value = facts_find(facts, key);

	cr_assert(value, "%s", key);
	cr_assert_str_eq(value, expected);
}

static void open_and_list(const char *mode, struct facts *facts)
{
	struct nvml nvml;

	setenv("FAKE_NVML", mode, 1);
	cr_assert_eq(nvml_open(&nvml, "GPU-1", "0000:17:00.0", NULL), 0);
	cr_assert_eq(nvml_facts(&nvml, facts), 0);
	cr_assert_eq(nvml_sm_clock_hz(&nvml), nvml.library ? 1.5e9 : 0);
	nvml_close(&nvml);
}

static void is_absent(const char *mode, const char *why)
{
	struct facts facts = {0};
	char expected[192];

	build_fake("");
	open_and_list(mode, &facts);
	snprintf(expected, sizeof(expected), why, library);
	fact_is(&facts, "nvml", expected);
	cr_assert_eq(facts.count, 1);
	facts_free(&facts);
}

Test(cuda_nvml, facts, .fini = remove_fake)
{
	struct facts facts = {0};

	build_fake("");
	open_and_list("pci", &facts);
	fact_is(&facts, "nvml", "present");
	fact_is(&facts, "driver.version", "580.1");
	fact_is(&facts, "clock.sm_mhz", "1500");
	fact_is(&facts, "clock.sm_mhz_max", "1980");
	fact_is(&facts, "clock.memory_mhz", "3201");
	fact_is(&facts, "clock.event_reasons",
		"software-power-cap software-thermal-slowdown");
	fact_is(&facts, "ecc", "on");
	fact_is(&facts, "power_watts", "123.5");
	fact_is(&facts, "processes.others", "2");
	fact_is(&facts, "vbios", "96.00.99");
	fact_is(&facts, "ecc.corrected_total", "10");
	fact_is(&facts, "ecc.uncorrected_total", "11");
	fact_is(&facts, "rows.remapped", "3");
	fact_is(&facts, "rows.pending", "yes");
	fact_is(&facts, "rows.failed", "no");
	cr_assert_null(facts_find(&facts, "serial"));
	cr_assert_null(facts_find(&facts, "mig"));
	facts_free(&facts);
}

Test(cuda_nvml, an_old_library_says_less, .fini = remove_fake)
{
	struct facts facts = {0};

	build_fake("-DFAKE_OLD");
	open_and_list("", &facts);
	fact_is(&facts, "nvml", "present");
	fact_is(&facts, "clock.sm_mhz", "1500");
	cr_assert_null(facts_find(&facts, "clock.event_reasons"));
	cr_assert_null(facts_find(&facts, "processes.others"));
	facts_free(&facts);
}

Test(cuda_nvml, does_not_start, .fini = remove_fake)
{
	is_absent("init", "absent: %s does not start");
}

Test(cuda_nvml, another_device, .fini = remove_fake)
{
	is_absent("stranger",
		"absent: it does not know the device at '0000:17:00.0'");
}
