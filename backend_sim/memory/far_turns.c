#include "backend_sim/memory/far_turns.h"

void far_turns_cold(struct far_turns *t)
{
	size_t i;

	*t = (struct far_turns){0};
	for (i = 0; i < GPCS_MAX * GPC_CPCS; i++)
		t->queues[i].head = t->queues[i].tail = NONE;
}

void far_turns_add(
	struct far_turns *t, struct core *core, uint32_t request, bool in_turn)
{
	struct request *r = &core->requests[request];
	unsigned cpc = request_cpc(core, r);
	struct far_queue *queue =
		&t->queues[in_turn ? r->gpc * GPC_CPCS + cpc : 0];

	r->wait_next = NONE;
	if (queue->head == NONE)
		queue->head = request;
	else
		core->requests[queue->tail].wait_next = request;
	queue->tail = request;
	t->waiting++;
}

static unsigned side_of(const struct core *core, const struct far_queue *queue)
{
	return core->requests[queue->head].side;
}

static bool is_before(const struct far_turns *t, const struct core *core,
	const struct far_queue *a, const struct far_queue *b)
{
	uint64_t side_a = t->side[side_of(core, a)];
	uint64_t side_b = t->side[side_of(core, b)];

	return side_a != side_b ? side_a < side_b : a->turn < b->turn;
}

uint32_t far_turns_next(struct far_turns *t, struct core *core)
{
	size_t count = (size_t)core->floor.gpc_count * GPC_CPCS, i;
	struct far_queue *next = t->queues;
	uint32_t request;

	for (i = 1; i < count; i++) {
		struct far_queue *queue = &t->queues[i];

		if (queue->head != NONE &&
			(next->head == NONE || is_before(t, core, queue, next)))
			next = queue;
	}
	request = next->head;
	t->waiting--;
	next->turn = t->side[side_of(core, next)] = ++t->count;
	next->head = core->requests[request].wait_next;
	return request;
}
