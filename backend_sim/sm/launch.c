/* Room for the blocks and warps of a launch. */
#include <stdlib.h>
#include <string.h>

#include "backend_sim/sm/deal.h"
#include "backend_sim/sm/execution.h"

/* What it holds is lost unless `keeps`: a launch begins with none. */
static int grow(void *items, uint32_t *capacity, uint32_t count, size_t size,
	bool keeps)
{
	void **at = items;
	void *larger;

	if (count <= *capacity)
		return 0;
	larger = memory_table(count, size);
	if (!larger)
		return -1;
	if (keeps && *at)
		memcpy(larger, *at, *capacity * size);
	free(*at);
	*at = larger;
	*capacity = count;
	return 0;
}

int launch_reserve(struct execution *x, uint32_t blocks, uint32_t warps,
	bool keeps, struct error *error)
{
	struct core *core = x->core;

	if (grow(&x->blocks, &x->block_capacity, blocks, sizeof(*x->blocks),
		    keeps) ||
		grow(&x->warps, &x->warp_capacity, warps, sizeof(*x->warps),
			keeps) ||
		(!keeps && calendar_reserve(&core->calendar,
				   core->request_count + warps)))
		return error_set(
			error, ERR_FAILED, "out of memory for %u warps", warps);
	return 0;
}

void launch_clear(struct execution *x, uint32_t l1_lines)
{
	uint32_t i;

	x->block_count = x->warp_count = 0;
	x->is_warm = false;
	server_clear(&x->launch_chip);
	for (i = 0; i < GPCS_MAX; i++)
		server_clear(&x->launch_gpc[i]);
	x->live = 0;
	for (i = 0; i < x->core->cost.sm_count; i++) {
		x->sms[i].dealt = 0;
		server_clear(&x->sms[i].launch);
		server_clear(&x->sms[i].barrier);
		x->sms[i].stores.count = 0;
	}
	deal_clear(x);
	l1_launch(x->l1, l1_lines);
}
