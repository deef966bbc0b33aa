/* The order in which an SM's atomics of several passes come to their units. */
#include "tests/reference/ref.h"

static struct ref_request *first_of(
	const struct reference *r, const struct ref_sm *sm)
{
	struct ref_request *first = NULL;

	for (uint32_t i = 0; i < r->request_count; i++) {
		struct ref_request *q = r->requests[i];

		if (q->has_turn && q->sm == sm &&
			(!first || q->turn_stamp < first->turn_stamp))
			first = q;
	}
	return first;
}

static void call(struct reference *r, struct ref_request *q, uint64_t cycle)
{
	q->is_called = true;
	ref_send(r, q, REF_ATOMIC_UNIT, cycle);
}

bool ref_turn_waits(struct reference *r, struct ref_request *q)
{
	struct ref_request *first;

	if (q->is_called || q->passes <= 1)
		return false;
	first = first_of(r, q->sm);
	q->has_turn = true;
	q->turn_stamp = ++r->stamp;
	if (first)
		return true;
	if (q->sm->turn_cycle <= r->now)
		return false;
	call(r, q, q->sm->turn_cycle);
	return true;
}

void ref_turn_over(struct reference *r, struct ref_request *q, uint64_t cycle)
{
	struct ref_request *next;

	if (q->passes <= 1)
		return;
	q->has_turn = false;
	q->sm->turn_cycle = cycle;
	next = first_of(r, q->sm);
	if (next)
		call(r, next, cycle);
}
