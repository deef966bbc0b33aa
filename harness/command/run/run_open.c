#include <stdlib.h>
#include <string.h>

#include "harness/command/run/run_open.h"
#include "harness/command/run/run_words.h"
#include "harness/command/run/run_printed.h"

static struct backend_config config_of(
	const struct run_options *o, int device_index, atomic_int *stop)
{
	return (struct backend_config){o->machine, o->sets, o->set_count,
		device_index, stop, o->peer_number};
}

static int open_one(const struct run_options *o, int device_index,
	bool only_looking, atomic_int *stop, struct run_opened *opened,
	struct error *error)
{
	const struct backend_config config = config_of(o, device_index, stop);
	struct opened *one = &opened->items[opened->count];
	int code = opened_open(one, o->ops, &config, error);

	if (code == ERR_ABSENT && only_looking)
		code = opened_open(one, &backend_sim, &config, error);
	opened->count += !code;
	return code;
}

/* As many as there are: the first index that no GPU has is wrong usage. */
static int open_all(const struct run_options *o, bool only_looking,
	atomic_int *stop, struct run_opened *opened, struct error *error)
{
	struct error none;
	int index = 1;
	int code = open_one(o, 0, only_looking, stop, opened, error);

	if (code || opened->items[0].ops->parallel)
		return code;
	while (!code && index < RUN_DEVICES_MAX)
		code = open_one(o, index++, false, stop, opened, &none);
	if (!code || code == ERR_USAGE)
		return 0;
	*error = none;
	return code;
}

int run_open(const struct run_options *o, bool only_looking, atomic_int *stop,
	struct run_opened *opened, struct error *error)
{
	size_t i;
	int code = 0;

	opened->items = calloc(RUN_DEVICES_MAX, sizeof(*opened->items));
	if (!opened->items)
		return error_set(error, ERR_FAILED, "out of memory");
	if (o->all_devices)
		return open_all(o, only_looking, stop, opened, error);
	for (i = 0; !code && i < o->device_count; i++)
		code = open_one(
			o, o->devices[i], only_looking, stop, opened, error);
	return code;
}

void run_open_close(struct run_opened *opened)
{
	size_t i;

	for (i = 0; i < opened->count; i++)
		opened_close(&opened->items[i]);
	free(opened->items);
	*opened = (struct run_opened){0};
}

struct run_config run_open_config(const struct run_options *o,
	const struct run_opened *opened, atomic_int *stop)
{
	return (struct run_config){
		.opened = opened->items,
		.device_count = opened->count,
		.backend = config_of(o, o->devices[0], stop),
		.jobs = o->jobs,
		.repeats = o->repeats,
		.warmups = o->warmups,
		.seed = o->seed,
		.without_samples = o->no_samples,
		.digests = o->digests || o->check,
		.profiles = o->profile || o->races,
		.races = o->races,
		.max_cycles = o->max_cycles,
		.unchecked = o->unchecked,
		.as_written = o->as_written,
		.values = (enum job_values)run_words_values(o),
		.printed = run_printed,
		.dumps = o->dumps,
		.dump_count = o->dump_count,
		.stop = stop,
	};
}
