/* The copy engines of the SMs. */
#include "backend_sim/grid/copies.h"

#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/books.h"
#include "backend_sim/core/events.h"
#include "backend_sim/grid/order.h"
#include "backend_sim/sm/bulk.h"

/*
 * Times of the engine. Measured on an H200: from the instruction to the end of
 * the wait 394 cycles for 16 B to 1 KiB that are in L2, then 9.5 a KiB; to
 * global memory 118 cycles and 1 for every 32 B, 11 less for the wait for the
 * read alone. What the way to L2 takes is the memory system's.
 */
#define LOAD_CYCLES    28u  /* from the instruction to the first line */
#define LOAD_TICKS     304u /* of a line */
#define STORE_CYCLES   44u
#define STORE_TICKS    (4 * TICKS_A_CYCLE)
#define READ_CYCLES    46u /* from the last line to the read's end, */
#define WRITTEN_CYCLES 11u /* and from there to the copy's */
/* Without room for its requests it looks again after so many cycles. */
#define RETRY_CYCLES 16u

/* From one shared memory to another: as stores. */
#define ACROSS_BYTES 128u

/* What follows at AT_COPIED. */
enum { STEP_READ, STEP_WRITTEN };

struct copy {
	struct copy_order order; /* its runs are the copy's */
	struct copy_run only;    /* where there is one */
	uint64_t ready;          /* the engine takes it up from then on */
	uint64_t number;         /* of the block that issued it */
	uint64_t numbers[COPY_BLOCKS_MAX]; /* of those that it fills */
	uint32_t next;      /* of its engine, or of those that are free */
	uint32_t sibling;   /* of its warp's */
	uint32_t run, done; /* where it is: bytes of a run */
	uint32_t pending;   /* requests that are not answered */
	uint32_t group;
	uint32_t bytes; /* of all runs */
	uint16_t sm;
	bool used, sent, read, over;
};

struct engine_queue {
	uint32_t head, tail;
	struct server server;
};

/* Loads do not wait for stores. */
enum { QUEUE_LOADS, QUEUE_STORES, QUEUES };

struct sm_engine {
	struct engine_queue queues[QUEUES];
	bool has_turn[QUEUES]; /* an event */
};

struct copies {
	struct copy *all; /* owned, as the others */
	uint32_t count, capacity, free, live;
	struct sm_engine *sms;
	uint32_t *groups; /* [warp of the execution][lane]: the one that is
			     filled now */
};

/* ---- life cycle ---- */

static bool has_copies(const struct code *code)
{
	uint32_t i;

	for (i = 0; i < code->count; i++)
		if (code->insns[i].kind == CODE_BULK)
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
	c->groups = calloc((size_t)g->slot_count * g->block_warps * LANES + 1,
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

static void give(struct copies *c, struct copy *copy)
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

static unsigned queue_of(const struct copy *copy)
{
	return copy->order.kind == COPY_LOAD ||
			       copy->order.kind == COPY_PREFETCH
		       ? QUEUE_LOADS
		       : QUEUE_STORES;
}

static int take_runs(struct copy *copy, const struct copy_order *order)
{
	struct copy_run *runs = &copy->only;
	uint32_t i;

	if (order->run_count != 1)
		runs = malloc((order->run_count + 1) * sizeof(*runs));
	if (!runs)
		return -1;
	memcpy(runs, order->runs, order->run_count * sizeof(*runs));
	copy->order.runs = runs;
	for (i = 0; i < order->run_count; i++)
		copy->bytes += runs[i].bytes;
	return 0;
}

static void call(
	struct execution *x, uint32_t sm, unsigned queue, uint64_t cycle)
{
	bool *has_turn = &x->grid->copies->sms[sm].has_turn[queue];

	if (*has_turn)
		return;
	*has_turn = true;
	event_push_with(x->core, sm, AT_COPY,
		cycle > core_now(x->core) ? cycle : core_now(x->core) + 1,
		queue);
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
	call(x, copy->sm, queue, copy->ready);
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

static bool is_of_group(const struct copy_order *o)
{
	return o->barrier == COPY_NO_BARRIER && o->kind != COPY_PREFETCH;
}

bool copies_start(struct execution *x, const struct copy_order *order)
{
	struct grid *g = x->grid;
	const struct warp *w = &x->warps[order->warp];
	struct copy *copy;
	uint32_t i;

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
	copy->ready =
		core_now(x->core) +
		(queue_of(copy) == QUEUE_LOADS ? LOAD_CYCLES : STORE_CYCLES);
	if (is_of_group(order))
		join_group(x, copy);
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

static void leave_group(struct execution *x, const struct copy *copy)
{
	struct copies *c = x->grid->copies;
	uint32_t *at = &x->grid->warps[copy->order.warp].group_copies;

	while (*at != NONE && &c->all[*at] != copy)
		at = &c->all[*at].sibling;
	if (*at != NONE)
		*at = copy->sibling;
}

/* ---- values ---- */

static bool is_there(const struct grid *g, const struct copy *copy, uint32_t i)
{
	return g->blocks[copy->order.blocks[i]].number == copy->numbers[i];
}

static void fill(uint8_t *to, uint32_t offset, uint32_t bytes, uint64_t with)
{
	uint32_t i;

	for (i = 0; i < bytes; i++)
		to[i] = (uint8_t)(with >> (8 * ((offset + i) % 8)));
}

/* Unlike other reductions in global memory it keeps f32 below the least normal
   number: an H200's words. */
uint64_t copies_reduced(
	const struct code_insn *c, uint64_t was, uint64_t with, bool in_global)
{
	bool known;

	return atomic_result(
		c, was, with, 0, in_global && c->insn->type != PTX_f32, &known);
}

/* Element by element: what is there, and what comes. */
static void reduce(const struct code_insn *c, uint8_t *to, const uint8_t *from,
	uint32_t bytes, bool in_global)
{
	const uint32_t size = c->bytes;
	uint64_t was, with;
	uint32_t i;

	for (i = 0; i < bytes; i += size) {
		was = with = 0;
		memcpy(&was, to + i, size);
		memcpy(&with, from + i, size);
		was = copies_reduced(c, was, with, in_global);
		memcpy(to + i, &was, size);
	}
}

static void move(const struct copy_order *o, uint8_t *to, const uint8_t *from,
	uint32_t bytes, bool in_global)
{
	if (o->reduces)
		reduce(o->reduces, to, from, bytes, in_global);
	else
		memmove(to, from, bytes);
}

/* Into the shared memory of block `i` of the copy. */
static void write_shared(struct grid *g, const struct copy *copy, uint32_t i)
{
	const struct copy_order *o = &copy->order;
	uint8_t *shared = g->blocks[o->blocks[i]].shared;
	const uint8_t *from = o->kind == COPY_ACROSS ? g->blocks[o->from].shared
						     : g->space->bytes;
	uint32_t k;

	for (k = 0; k < o->run_count; k++) {
		const struct copy_run *run = &o->runs[k];

		if (run->global == COPY_FILL)
			fill(shared + run->shared, run->shared, run->bytes,
				o->fill);
		else
			move(o, shared + run->shared, from + run->global,
				run->bytes, false);
	}
}

static void write_global(struct grid *g, const struct copy *copy)
{
	const struct copy_order *o = &copy->order;
	const uint8_t *shared = g->blocks[o->blocks[0]].shared;
	uint32_t k;

	for (k = 0; k < o->run_count; k++)
		move(o, g->space->bytes + o->runs[k].global,
			shared + o->runs[k].shared, o->runs[k].bytes, true);
}

/* ---- the end of a copy ---- */

static void end(struct execution *x, struct copy *copy)
{
	copy->over = true;
	if (copy->pending || !copy->sent)
		return;
	if (is_of_group(&copy->order))
		leave_group(x, copy);
	give(x->grid->copies, copy);
}

/* Its bytes are in shared memory: blocks that have ended have none. */
static void land(struct execution *x, struct copy *copy)
{
	const struct copy_order *o = &copy->order;
	uint32_t i;

	for (i = 0; i < o->block_count && !x->core->failed; i++) {
		if (!is_there(x->grid, copy, i))
			continue;
		write_shared(x->grid, copy, i);
		order_landed(x, o, o->blocks[i]);
		if (o->barrier != COPY_NO_BARRIER)
			mbarrier_landed(x, o->blocks[i], o->barrier,
				copy->bytes, o->warp, o->pc);
	}
}

/* All lines of a copy to global memory have been sent: its bytes are there for
   whoever loads them. */
static void store(struct execution *x, struct copy *copy)
{
	if (copy->order.kind != COPY_ACROSS && is_there(x->grid, copy, 0))
		write_global(x->grid, copy);
	event_push_with(x->core, (uint32_t)(copy - x->grid->copies->all),
		AT_COPIED, core_now(x->core) + READ_CYCLES, STEP_READ);
}

void copies_over(struct execution *x, uint32_t index, uint32_t step)
{
	struct copy *copy = &x->grid->copies->all[index];
	const uint32_t warp = copy->order.warp;
	const bool wakes = is_of_group(&copy->order);

	if (x->core->failed)
		return;
	if (step == STEP_READ) {
		copy->read = true;
		event_push_with(x->core, index, AT_COPIED,
			core_now(x->core) + WRITTEN_CYCLES, STEP_WRITTEN);
	} else {
		if (copy->order.kind == COPY_ACROSS)
			land(x, copy);
		end(x, copy);
	}
	x->grid->seen_cycle = core_now(x->core);
	if (wakes)
		bulk_wake(x, warp);
}

void copies_answered(struct execution *x, const struct request *r)
{
	struct copy *copy = &x->grid->copies->all[r->warp & ~BULK_OWNER];

	profile_answer(x, r);
	if (--copy->pending || !copy->sent)
		return;
	if (queue_of(copy) == QUEUE_LOADS) {
		land(x, copy);
		end(x, copy);
	} else if (copy->over) {
		end(x, copy);
	}
}

/* ---- the engine's turns ---- */

/* Bytes `first` up to and without `end` of a line, as sets of its sectors. */
static void mark_bytes(uint32_t bytes[4], uint32_t first, uint32_t end)
{
	for (; first < end; first++)
		bytes[first / 32] |= UINT32_C(1) << (first % 32);
}

/* What follows on the line on which the copy stands: false, it is at its end.
 */
static bool next_line(struct copy *copy, struct bulk_line *b)
{
	const struct copy_order *o = &copy->order;
	uint64_t line = UINT64_MAX;

	while (copy->run < o->run_count) {
		const struct copy_run *run = &o->runs[copy->run];
		uint64_t at = run->global + copy->done;
		uint32_t left = run->bytes - copy->done, room;

		if (run->global == COPY_FILL || !left) {
			copy->run++;
			copy->done = 0;
			continue;
		}
		if (line != UINT64_MAX && at >> LINE_SHIFT != line)
			break;
		line = at >> LINE_SHIFT;
		room = PROGRAM_LINE_BYTES - (uint32_t)(at % PROGRAM_LINE_BYTES);
		room = left < room ? left : room;
		mark_bytes(b->bytes, (uint32_t)(at % PROGRAM_LINE_BYTES),
			(uint32_t)(at % PROGRAM_LINE_BYTES) + room);
		copy->done += room;
	}
	b->offset = line << LINE_SHIFT;
	return line != UINT64_MAX;
}

static void send(struct execution *x, struct copy *copy, struct bulk_line *b)
{
	struct grid *g = x->grid;
	const uint32_t pc = copy->order.pc;

	b->insn = &g->accesses[pc];
	b->asks = &g->asks[pc];
	b->sm = copy->sm;
	b->copy = (uint32_t)(copy - g->copies->all);
	b->policy = copy->order.policy;
	copy->pending++;
	if (g->lines) {
		g->lines[pc].requests++;
		g->lines[pc].sectors += (b->bytes[0] != 0) +
					(b->bytes[1] != 0) +
					(b->bytes[2] != 0) + (b->bytes[3] != 0);
	}
	bulk_send(x, b);
}

/* All of it has been sent. */
static void leave(
	struct execution *x, struct engine_queue *q, struct copy *copy)
{
	q->head = copy->next;
	copy->sent = true;
	if (queue_of(copy) == QUEUE_STORES) {
		store(x, copy);
	} else if (!copy->pending) {
		land(x, copy);
		end(x, copy);
	}
}

/* Books the engine's time; the cycle of its next turn. Turns come at whole
   cycles: what is left of one counts for the next. */
static uint64_t book(struct engine_queue *q, uint64_t now, uint64_t ticks)
{
	struct server *s = &q->server;

	if (s->free_at + TICKS_A_CYCLE <= now * TICKS_A_CYCLE)
		s->free_at = now * TICKS_A_CYCLE;
	s->free_at += ticks;
	server_told(s, now, now, ticks); /* it has its turn: nothing waits */
	return ticks_over(s->free_at);
}

/* The next line of the queue's first copy; the cycle of its next turn. */
static uint64_t turn(
	struct execution *x, struct engine_queue *q, struct copy *copy)
{
	struct bulk_line b = {.insn = NULL};
	const uint64_t now = core_now(x->core);
	uint64_t ticks =
		queue_of(copy) == QUEUE_LOADS ? LOAD_TICKS : STORE_TICKS;

	if (copy->ready > now)
		return copy->ready;
	if (copy->order.kind == COPY_ACROSS) {
		ticks = (uint64_t)(copy->bytes + ACROSS_BYTES - 1) /
			ACROSS_BYTES * STORE_TICKS;
		leave(x, q, copy);
		return book(q, now, ticks);
	}
	if (!warp_has_room(x, copy->sm))
		return now + RETRY_CYCLES;
	if (next_line(copy, &b))
		send(x, copy, &b);
	else
		ticks = 0;
	/* What is left may be fills alone, or nothing. */
	while (copy->run < copy->order.run_count &&
		(copy->order.runs[copy->run].global == COPY_FILL ||
			copy->done == copy->order.runs[copy->run].bytes)) {
		copy->run++;
		copy->done = 0;
	}
	if (copy->run == copy->order.run_count)
		leave(x, q, copy);
	return book(q, now, ticks);
}

void copies_turn(struct execution *x, uint32_t sm, uint32_t queue)
{
	struct copies *c = x->grid->copies;
	struct engine_queue *q = &c->sms[sm].queues[queue];
	uint64_t next;

	c->sms[sm].has_turn[queue] = false;
	if (x->core->failed || q->head == NONE)
		return;
	next = turn(x, q, &c->all[q->head]);
	if (q->head != NONE)
		call(x, sm, queue, next);
}
