#include "backend_sim/memory/store_turns.h"

void store_turns_cold(struct store_turns *t, uint32_t sector)
{
	size_t i;

	*t = (struct store_turns){.sector = sector};
	for (i = 0; i < GPCS_MAX * GPC_CPCS; i++)
		t->gpcs[i / GPC_CPCS].cpcs[i % GPC_CPCS].head = NONE;
}

static struct store_queue *queue_of(
	struct store_turns *t, const struct core *core, const struct request *r)
{
	unsigned cpc = core->floor.sms[r->sm].tpc % GPC_CPCS;

	return &t->gpcs[r->gpc].cpcs[cpc];
}

void store_turns_add(struct store_turns *t, struct core *core, uint32_t request)
{
	struct request *r = &core->requests[request];
	struct store_queue *queue = queue_of(t, core, r);

	r->wait_next = NONE;
	if (queue->head == NONE)
		queue->head = request;
	else
		core->requests[queue->tail].wait_next = request;
	queue->tail = request;
	t->gpcs[r->gpc].waiting++;
	t->waiting++;
}

uint32_t store_turns_next(const struct store_turns *t)
{
	const struct store_gpc *gpc = NULL;
	const struct store_queue *queue = NULL;
	size_t i;

	for (i = 0; i < GPCS_MAX; i++)
		if (t->gpcs[i].waiting && (!gpc || t->gpcs[i].turn < gpc->turn))
			gpc = &t->gpcs[i];
	for (i = 0; i < GPC_CPCS; i++)
		if (gpc->cpcs[i].head != NONE &&
			(!queue || gpc->cpcs[i].turn < queue->turn))
			queue = &gpc->cpcs[i];
	return queue->head;
}

void store_turns_take(
	struct store_turns *t, struct core *core, uint32_t request)
{
	const struct request *r = &core->requests[request];
	struct store_queue *queue = queue_of(t, core, r);

	queue->head = r->wait_next;
	queue->turn = t->gpcs[r->gpc].turn = ++t->count;
	t->gpcs[r->gpc].waiting--;
	t->waiting--;
}
