#ifndef NEARFAR_SIM_QUEUE_H
#define NEARFAR_SIM_QUEUE_H

/*
 * Requests in line, by wait_next: the first that came is the first. A request
 * is in one line at a time.
 */
#include "backend_sim/core/core.h"

struct request_queue {
	uint32_t head, tail; /* head: NONE if it is empty; tail: then unused */
};

static const struct request_queue REQUEST_QUEUE_EMPTY = {NONE, NONE};

static inline void request_queue_add(
	struct core *core, struct request_queue *q, uint32_t request)
{
	core->requests[request].wait_next = NONE;
	if (q->head == NONE)
		q->head = request;
	else
		core->requests[q->tail].wait_next = request;
	q->tail = request;
}

/* The first one, taken out; there is one. */
static inline uint32_t request_queue_take(
	const struct core *core, struct request_queue *q)
{
	uint32_t first = q->head;

	q->head = core->requests[first].wait_next;
	return first;
}

#endif
