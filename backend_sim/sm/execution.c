#include <stdlib.h>

#include "backend_sim/core/books.h"
#include "backend_sim/sm/execution.h"

/* Of stores that pair, each scheduler has one among the lines that can be
   joined. */
static int make_stored(struct execution *x, const struct costs *cost)
{
	if (!cost->store_merge_cycles)
		return 0;
	x->pair_lines = cost->store_merge_lines / cost->schedulers;
	x->stored_room = cost->warps_per_sm * x->pair_lines + 1;
	x->stored = calloc(
		(size_t)cost->sm_count * x->stored_room, sizeof(*x->stored));
	return x->stored ? 0 : -1;
}

int execution_init(struct execution *x, struct core *core, struct l1 *l1,
	struct network *network, struct translation *translation)
{
	const struct costs *cost = &core->cost;

	x->core = core;
	x->l1 = l1;
	x->network = network;
	x->translation = translation;
	x->lane_byte_wide = costs_ticks(
		TICKS_A_CYCLE / cost->scheduler_data_bytes_per_cycle);
	x->lane_byte_narrow = costs_ticks(
		TICKS_A_CYCLE / cost->scheduler_narrow_bytes_per_cycle);
	if (x->lane_byte_narrow > x->lane_byte_wide)
		x->lane_byte_narrow = x->lane_byte_wide;
	x->sms = calloc(cost->sm_count, sizeof(*x->sms));
	return x->sms ? make_stored(x, cost) : -1;
}

void execution_free(struct execution *x)
{
	free(x->sms);
	free(x->stored);
	free(x->warps);
	free(x->blocks);
}

void execution_cold(struct execution *x)
{
	uint32_t sm;

	for (sm = 0; sm < x->core->cost.sm_count; sm++)
		x->sms[sm] =
			(struct sm){.credit_head = NONE, .credit_tail = NONE};
	x->window = NULL;
}

static void sm_servers(struct sm *sm, uint32_t number, uint32_t schedulers,
	struct books *books)
{
	uint32_t i;

	for (i = 0; i < schedulers; i++) {
		uint32_t key = number * schedulers + i;

		books_add(books, SERVER_ISSUE, key, &sm->issue[i]);
		books_add(books, SERVER_REGISTERS, key, &sm->data[i]);
	}
	books_add(books, SERVER_LSU, number, &sm->lsu);
	books_add(books, SERVER_BARRIER, number, &sm->barrier);
	books_add(books, SERVER_REQUESTS, number, &sm->room);
	books_add(books, SERVER_BLOCKS_SM, number, &sm->launch);
}

void execution_servers(struct execution *x, struct books *books)
{
	uint32_t i;

	for (i = 0; i < x->core->cost.sm_count; i++)
		sm_servers(&x->sms[i], i, x->core->cost.schedulers, books);
	for (i = 0; i < x->core->floor.gpc_count; i++)
		books_add(books, SERVER_BLOCKS_GPC, i, &x->launch_gpc[i]);
	books_add(books, SERVER_BLOCKS_CHIP, 0, &x->launch_chip);
}

bool execution_is_settled(const struct execution *x)
{
	bool settled = true;
	uint32_t sm;

	for (sm = 0; sm < x->core->cost.sm_count; sm++)
		settled = settled && !x->sms[sm].held &&
			  x->sms[sm].credit_head == NONE;
	return settled;
}
