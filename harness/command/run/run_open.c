#include "harness/command/run/run_open.h"

int run_open(const struct run_options *o, bool only_looking, atomic_int *stop,
	struct opened *opened, struct error *error)
{
	const struct backend_config config = {
		o->machine, o->sets, o->set_count, o->device_index, stop};
	int code = opened_open(opened, o->ops, &config, error);

	if (code == ERR_ABSENT && only_looking)
		code = opened_open(opened, &backend_sim, &config, error);
	return code;
}

struct run_config run_open_config(const struct run_options *o,
	const struct opened *opened, atomic_int *stop)
{
	return (struct run_config){
		.opened = opened,
		.backend = {o->machine, o->sets, o->set_count, o->device_index,
			stop},
		.jobs = o->jobs,
		.repeats = o->repeats,
		.warmups = o->warmups,
		.seed = o->seed,
		.without_samples = o->no_samples,
		.digests = o->digests || o->check,
		.dumps = o->dumps,
		.dump_count = o->dump_count,
		.stop = stop,
	};
}
