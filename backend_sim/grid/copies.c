/* Copies as threads start them and wait for them. */
#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/books.h"
#include "backend_sim/core/events.h"
#include "backend_sim/grid/copies_parts.h"
#include "backend_sim/grid/order.h"
#include "backend_sim/rules/constants.h"

/* ---- life cycle ---- */

static bool has_copies(const struct code *code)
{
	uint32_t i;

	for (i = 0; i < code->count; i++)
		if (code->insns[i].kind == CODE_BULK ||
			code->insns[i].kind == CODE_TENSOR)
			return true;
	return false;
}

int copies_make(struct grid *g, const struct execution *x)
{
	const uint32_t sms = x->core->cost.sm_count;
	struct copies *c;
	uint32_t i, k;

	if (!has_copies(&g->code))
		return 0;
	c = g->copies = calloc(1, sizeof(*c));
	if (!c)
		return -1;
	c->free = NONE;
	c->sms = calloc(sms, sizeof(*c->sms));
	c->groups = calloc((size_t)g->end_slot * g->block_warps * LANES + 1,
		sizeof(*c->groups));
	if (!c->sms || !c->groups)
		return -1;
	for (i = 0; i < sms; i++)
		for (k = 0; k < QUEUES; k++)
			c->sms[i].queues[k].head = NONE;
	return 0;
}

void copies_servers(struct copies *c, const struct core *core)
{
	uint32_t sm;

	for (sm = 0; c && sm < core->cost.sm_count; sm++) {
		struct engine_queue *queues = c->sms[sm].queues;

		books_add(core->books, SERVER_COPY_LOADS, sm,
			&queues[QUEUE_LOADS].server);
		books_add(core->books, SERVER_COPY_STORES, sm,
			&queues[QUEUE_STORES].server);
	}
}

void copies_free(struct copies *c)
{
	uint32_t i;

	for (i = 0; c && i < c->count; i++)
		if (c->all[i].order.runs != &c->all[i].only)
			free((void *)(uintptr_t)c->all[i].order.runs);
	if (c) {
		free(c->all);
		free(c->sms);
		free(c->groups);
	}
	free(c);
}

uint32_t copies_live(const struct grid *g)
{
	return g->copies ? g->copies->live : 0;
}

bool copies_are_over(const struct grid *g)
{
	return !g->copies || (!g->copies->live && !g->copies->calls);
}

static int grow(struct copies *c)
{
	const uint32_t larger = c->capacity ? 2 * c->capacity : 64;
	struct copy *all = realloc(c->all, larger * sizeof(*all));
	uint32_t i;

	if (!all)
		return -1;
	/* What there is moved: runs that lie in it, too. */
	for (i = 0; i < c->count; i++)
		if (all[i].order.run_count == 1)
			all[i].order.runs = &all[i].only;
	c->all = all;
	c->capacity = larger;
	return 0;
}

static struct copy *take(struct copies *c)
{
	struct copy *copy;

	if (c->free != NONE) {
		copy = &c->all[c->free];
		c->free = copy->next;
		return copy;
	}
	if (c->count == c->capacity && grow(c))
		return NULL;
	return &c->all[c->count++];
}

void copies_give(struct copies *c, struct copy *copy)
{
	if (copy->order.runs != &copy->only)
		free((void *)(uintptr_t)copy->order.runs);
	copy->order.run_count = 1;
	copy->order.runs = &copy->only;
	copy->used = false;
	copy->next = c->free;
	c->free = (uint32_t)(copy - c->all);
	c->live--;
}

/* ---- starting ---- */

static int take_runs(struct copy *copy, const struct copy_order *order)
{
	struct copy_run *runs = &copy->only;
	uint32_t i;

	if (order->run_count != 1)
		runs = malloc((order->run_count + 1) * sizeof(*runs));
	if (!runs)
		return -1;
	if (order->run_count)
		memcpy(runs, order->runs, order->run_count * sizeof(*runs));
	copy->order.runs = runs;
	for (i = 0; i < order->run_count; i++)
		copy->bytes += runs[i].bytes;
	return 0;
}

void copies_call(
	struct execution *x, uint32_t sm, unsigned queue, uint64_t cycle)
{
	bool *has_turn = &x->grid->copies->sms[sm].has_turn[queue];

	if (*has_turn)
		return;
	*has_turn = true;
	x->grid->copies->calls++;
	event_push_with(x->core, sm, AT_COPY,
		cycle > core_now(x->core) ? cycle : core_now(x->core) + 1,
		queue | x->grid->number << GRID_NUMBER_SHIFT);
}

static void enqueue(struct execution *x, struct copy *copy)
{
	struct copies *c = x->grid->copies;
	const unsigned queue = queue_of(copy);
	struct engine_queue *q = &c->sms[copy->sm].queues[queue];
	const uint32_t index = (uint32_t)(copy - c->all);

	copy->next = NONE;
	if (q->head == NONE)
		q->head = index;
	else
		c->all[q->tail].next = index;
	q->tail = index;
	copies_call(x, copy->sm, queue, copy->ready);
}

static void join_group(struct execution *x, struct copy *copy)
{
	struct copies *c = x->grid->copies;
	const struct copy_order *o = &copy->order;
	struct kernel_warp *k = &x->grid->warps[o->warp];

	copy->group = c->groups[o->warp * LANES + o->lane];
	copy->sibling = k->group_copies;
	k->group_copies = (uint32_t)(copy - c->all);
}

/* They are there at once, as far as the engine goes. */
static void send_words(struct execution *x, struct copy *copy)
{
	copy->sent = copy->read = true;
	event_push_with(x->core, (uint32_t)(copy - x->grid->copies->all),
		AT_COPIED, core_now(x->core) + COPY_WORDS_CYCLES,
		STEP_WRITTEN | x->grid->number << GRID_NUMBER_SHIFT);
}

/* Other launches see what it does to global memory. */
static bool tell_others(struct execution *x, const struct copy_order *o)
{
	struct beside_access a = {.lane = o->lane,
		.writes = o->kind == COPY_STORE || o->kind == COPY_REDUCE};
	bool goes_on = a.writes || o->kind == COPY_LOAD;
	uint32_t i;

	for (i = 0; goes_on && i < o->run_count; i++) {
		a.offset = o->runs[i].global;
		a.bytes = o->runs[i].bytes;
		if (a.offset != COPY_FILL)
			goes_on =
				x->grid->beside->touches(x, o->warp, o->pc, &a);
	}
	return !x->core->failed;
}

bool copies_start(struct execution *x, const struct copy_order *order)
{
	struct grid *g = x->grid;
	const struct warp *w = &x->warps[order->warp];
	struct copy *copy;
	uint32_t i;

	if (g->beside && !tell_others(x, order))
		return false;
	if (!order_copy(x, order, copies_group(x, order->warp, order->lane)))
		return false;
	copy = take(g->copies);
	if (copy)
		*copy = (struct copy){.order = *order, .used = true};
	if (!copy || take_runs(copy, order)) {
		grid_fail(x, order->warp, order->pc,
			"out of memory for the copies under way");
		return false;
	}
	g->copies->live++;
	copy->sm = w->sm;
	copy->number = g->blocks[w->block_index].number;
	for (i = 0; i < order->block_count; i++)
		copy->numbers[i] = g->blocks[order->blocks[i]].number;
	copy->ready = core_now(x->core) + (queue_of(copy) == QUEUE_LOADS
							  ? COPY_LOAD_CYCLES
							  : COPY_STORE_CYCLES);
	if (is_of_group(order))
		join_group(x, copy);
	if (order->kind == COPY_WORDS)
		send_words(x, copy);
	else
		enqueue(x, copy);
	return true;
}

/* ---- bulk groups ---- */

uint32_t copies_group(const struct execution *x, uint32_t warp, unsigned lane)
{
	return x->grid->copies->groups[warp * LANES + lane];
}

void copies_commit(struct execution *x, uint32_t warp, uint32_t lanes)
{
	for (; lanes; lanes &= lanes - 1)
		x->grid->copies->groups[warp * LANES +
					(uint32_t)__builtin_ctz(lanes)]++;
}

uint32_t copies_wait(const struct execution *x, uint32_t warp, uint32_t lanes,
	uint64_t left, bool reads)
{
	const struct copies *c = x->grid->copies;
	uint32_t waits = 0, i;

	for (i = x->grid->warps[warp].group_copies; i != NONE;
		i = c->all[i].sibling) {
		const struct copy *copy = &c->all[i];
		const uint32_t now = c->groups[warp * LANES + copy->order.lane];

		if (!(reads ? copy->read : copy->over) &&
			lanes >> copy->order.lane & 1 && copy->group < now &&
			now - copy->group > left)
			waits |= 1u << copy->order.lane;
	}
	return waits;
}

void copies_leave_group(struct execution *x, const struct copy *copy)
{
	struct copies *c = x->grid->copies;
	uint32_t *at = &x->grid->warps[copy->order.warp].group_copies;

	while (*at != NONE && &c->all[*at] != copy)
		at = &c->all[*at].sibling;
	if (*at != NONE)
		*at = copy->sibling;
}
