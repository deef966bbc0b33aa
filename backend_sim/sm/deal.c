#include "backend_sim/core/events.h"
#include "backend_sim/rules/rules.h"
#include "backend_sim/sm/deal.h"

/* In line behind other places of the SM. */
static void add_place(struct execution *x, uint32_t block, uint64_t earliest)
{
	struct block *b = &x->blocks[block];
	struct sm *sm = &x->sms[b->sm];

	b->met = earliest;
	b->waiting = NONE;
	if (sm->place_head == NONE)
		sm->place_head = block;
	else
		x->blocks[sm->place_tail].waiting = block;
	sm->place_tail = block;
	x->places++;
}

static void fill(struct execution *x, uint32_t block, uint64_t earliest)
{
	x->queued--;
	x->sequencer->refill(x, block, earliest);
}

/* Rounds are so many cycles apart, whatever happens. */
static void await_round(struct execution *x)
{
	uint64_t apart = x->core->cost.launch_round_cycles;

	event_push(
		x->core, 0, AT_DEAL, (core_now(x->core) / apart + 1) * apart);
}

void deal_place(struct execution *x, uint32_t block, uint64_t earliest)
{
	if (!x->queued)
		return;
	if (!x->core->cost.launch_round_cycles) {
		fill(x, block, earliest);
		return;
	}
	if (!x->places)
		await_round(x);
	add_place(x, block, earliest);
}

static void fill_one_of(struct execution *x, struct sm *sm)
{
	uint32_t block = sm->place_head;

	if (block == NONE)
		return;
	sm->place_head = x->blocks[block].waiting;
	x->places--;
	fill(x, block, x->blocks[block].met);
}

void deal_round(struct execution *x, uint32_t index, uint32_t datum)
{
	uint32_t i;

	(void)index;
	(void)datum;
	for (i = 0; i < x->core->cost.sm_count && x->queued; i++)
		fill_one_of(
			x, &x->sms[RULE(GPC_ROUNDS) ? x->core->floor.order[i]
						    : i]);
	if (x->places && x->queued)
		await_round(x);
}

void deal_clear(struct execution *x)
{
	uint32_t sm;

	for (sm = 0; sm < x->core->cost.sm_count; sm++)
		x->sms[sm].place_head = NONE;
	x->places = x->queued = 0;
}
