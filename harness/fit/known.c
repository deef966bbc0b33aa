#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/observe/chip.h"
#include "harness/fit/known.h"

#define ANOTHER_ARCH 100  /* further than any ratio of sizes */
#define LATER_ARCH   1    /* beyond that, if it is not the older one */
#define FAR_MEMORY   1e-6 /* no row shows it: less than any other difference */

static double apart(double a, double b)
{
	return a > 0 && b > 0 ? fabs(log(a / b)) : 0;
}

static double distance(
	const struct device *d, const struct model_parameters *known)
{
	const double arch = chip_known(known, "sm_arch") - d->sm_arch;
	double sum = apart(d->sm_count, chip_known(known, "sm_count")) +
		     apart((double)d->l2_bytes, chip_known(known, "l2_bytes")) +
		     apart((double)d->memory_bytes,
			     chip_known(known, "memory_bytes")) +
		     apart(d->clock_hz, chip_known(known, "clock_hz"));

	if (arch != 0)
		sum += ANOTHER_ARCH * (fabs(arch) + LATER_ARCH * (arch > 0));
	return sum + FAR_MEMORY * (chip_known(known, "link_loads") > 0);
}

static int choose(const struct backend_ops *model, const struct device *device,
	char **name, struct error *error)
{
	const char *nearest = NULL;
	struct facts machines = {0};
	double least = INFINITY, here;
	size_t i;
	int code = model->machines(&machines, error);

	for (i = 0; !code && i < machines.count; i++) {
		struct model_parameters list = {0};

		code = model->parameters(machines.items[i].key, &list, error);
		here = code ? INFINITY : distance(device, &list);
		if (here < least) {
			least = here;
			nearest = machines.items[i].key;
		}
		model_parameters_free(&list);
	}
	if (!code)
		*name = strdup(nearest ? nearest : "");
	facts_free(&machines);
	return code;
}

int known_nearest(const struct backend_ops *model, const char *wanted,
	const struct device *device, char **name,
	struct model_parameters *known, struct error *error)
{
	char *found = NULL;
	int code = 0;

	if (wanted)
		found = strdup(wanted);
	else
		code = choose(model, device, &found, error);
	if (!code && !found)
		code = error_set(error, ERR_FAILED, "out of memory");
	if (!code)
		code = model->parameters(found, known, error);
	if (!code && name) {
		*name = found;
		return 0;
	}
	free(found);
	return code;
}
