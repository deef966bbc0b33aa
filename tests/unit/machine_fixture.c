#include <criterion/criterion.h>

#include "harness/run/opened.h"
#include "harness/run/registry.h"
#include "tests/unit/machine_fixture.h"

struct device device_of(const char *machine)
{
	const struct backend_config config = {.machine = machine};
	struct opened opened;
	struct device device;
	struct error error;

	cr_assert_eq(opened_open(&opened, backend_find("sim"), &config, &error),
		0, "%s", error.text);
	device = opened.device;
	opened_close(&opened);
	return device;
}

struct model_parameters parameters_of(const char *machine)
{
	struct model_parameters list = {0};
	struct error error;

	cr_assert_eq(backend_find("sim")->parameters(machine, &list, &error), 0,
		"%s", error.text);
	return list;
}
