#include <stdlib.h>

#include "backend_sim/core/core.h"

/* Requests that no SM's credit bounds: write-backs and second lines. */
#define UNCOUNTED_REQUESTS 65536u

static int make_pool(struct core *core)
{
	core->request_count =
		core->floor.sm_count *
			(SM_REQUESTS_MAX + 2 * PROGRAM_WARP_LANES) +
		UNCOUNTED_REQUESTS;
	/* Pages of it are touched only as requests are under way at once. */
	core->requests =
		memory_table(core->request_count, sizeof(*core->requests));
	core->free_requests = malloc(core->request_count * sizeof(uint32_t));
	core->links = memory_table(core->request_count, sizeof(*core->links));
	return core->requests && core->free_requests && core->links ? 0 : -1;
}

int core_init(
	struct core *core, const struct machine *machine, struct error *error)
{
	costs_init(&core->cost, machine);
	(void)slices_init(&core->slices, machine); /* machine_check() asked */
	if (floor_init(&core->floor, &core->cost) ||
		fetch_init(&core->fetches) || make_pool(core))
		return error_set(error, ERR_FAILED,
			"out of memory for the model's tables");
	return 0;
}

void core_free(struct core *core)
{
	floor_free(&core->floor);
	fetch_free(&core->fetches);
	calendar_free(&core->calendar);
	free(core->requests);
	free(core->free_requests);
	free(core->links);
}

void core_cold(struct core *core)
{
	core->request_top = core->free_count = 0;
	core->counts = (struct counts){0};
	core->left = core->look_up = CORE_LOOK_UP_EVENTS;
	core->failed = core->too_long = false;
	calendar_init(&core->calendar);
}

bool core_is_settled(const struct core *core)
{
	return core->free_count == core->request_top;
}
