#include "backend_sim/memory/far_turns.h"

void far_turns_cold(struct far_turns *t)
{
	size_t i;

	*t = (struct far_turns){0};
	for (i = 0; i < GPCS_MAX * GPC_CPCS; i++)
		t->queues[i].requests = REQUEST_QUEUE_EMPTY;
}

void far_turns_add(
	struct far_turns *t, struct core *core, uint32_t request, bool in_turn)
{
	const struct request *r = &core->requests[request];
	unsigned cpc = request_cpc(core, r);
	struct far_queue *queue =
		&t->queues[in_turn ? r->gpc * GPC_CPCS + cpc : 0];

	request_queue_add(core, &queue->requests, request);
	t->waiting++;
}

static unsigned side_of(const struct core *core, const struct far_queue *queue)
{
	return core->requests[queue->requests.head].side;
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

	for (i = 1; i < count; i++) {
		struct far_queue *queue = &t->queues[i];

		if (queue->requests.head != NONE &&
			(next->requests.head == NONE ||
				is_before(t, core, queue, next)))
			next = queue;
	}
	t->waiting--;
	next->turn = t->side[side_of(core, next)] = ++t->count;
	return request_queue_take(core, &next->requests);
}
