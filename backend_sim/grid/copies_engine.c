/* The copy engine of an SM: turns, values, and the ends of copies. */
#include <string.h>

#include "backend_sim/core/events.h"
#include "backend_sim/grid/copies_parts.h"
#include "backend_sim/grid/order.h"
#include "backend_sim/sm/bulk.h"
#include "backend_sim/tensor/box.h"
#include "backend_sim/rules/constants.h"

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
	const struct atomic *of, uint64_t was, uint64_t with, bool in_global)
{
	bool known;

	return atomic_result(of, was, with, 0,
		in_global && (of->type != PTX_f32 || of->flushes), &known);
}

/* Element by element: what is there, and what comes. */
static void reduce(const struct atomic *of, uint8_t *to, const uint8_t *from,
	uint32_t bytes, bool in_global)
{
	const uint32_t size = of->bytes;
	uint64_t was, with;
	uint32_t i;

	for (i = 0; i < bytes; i += size) {
		was = with = 0;
		memcpy(&was, to + i, size);
		memcpy(&with, from + i, size);
		was = copies_reduced(of, was, with, in_global);
		memcpy(to + i, &was, size);
	}
}

static void round_to_tf32(uint8_t *at, uint32_t bytes)
{
	uint32_t i, word;

	for (i = 0; i < bytes; i += sizeof(word)) {
		memcpy(&word, at + i, sizeof(word));
		word = tensor_tf32(word);
		memcpy(at + i, &word, sizeof(word));
	}
}

static void move(const struct copy_order *o, uint8_t *to, const uint8_t *from,
	uint32_t bytes, bool in_global)
{
	if (o->reduces.op)
		reduce(&o->reduces, to, from, bytes, in_global);
	else
		memmove(to, from, bytes);
	if (o->rounds)
		round_to_tf32(to, bytes);
}

/* What registers had, into what is there. */
static void reduce_words(
	const struct copy_order *o, uint8_t *shared, const struct copy_run *run)
{
	uint8_t words[8];

	fill(words, run->shared, run->bytes, o->fill);
	reduce(&o->reduces, shared + run->shared, words, run->bytes, false);
}

/* Into the shared memory of block `i` of the copy. */
static void write_shared(struct grid *g, const struct copy *copy, uint32_t i)
{
	const struct copy_order *o = &copy->order;
	uint8_t *shared = g->blocks[o->blocks[i]].shared;
	const uint8_t *from = o->kind == COPY_ACROSS ? g->blocks[o->from].shared
						     : g->space->bytes;
	uint32_t k;

	/* A block that has ended has nothing to give. */
	if (g->code.insns[o->pc].idle ||
		(o->kind == COPY_ACROSS &&
			g->blocks[o->from].number != copy->number))
		return;

	for (k = 0; k < o->run_count; k++) {
		const struct copy_run *run = &o->runs[k];

		if (run->global == COPY_FILL && o->reduces.op)
			reduce_words(o, shared, run);
		else if (run->global == COPY_FILL)
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

	for (k = 0; k < o->run_count && !g->code.insns[o->pc].idle; k++)
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
		copies_leave_group(x, copy);
	copies_give(x->grid->copies, copy);
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
		AT_COPIED, core_now(x->core) + COPY_READ_CYCLES,
		STEP_READ | x->grid->number << GRID_NUMBER_SHIFT);
}

void copies_over(struct execution *x, uint32_t index, uint32_t datum)
{
	const uint32_t step = datum & GRID_DATUM;
	struct copy *copy = &x->grid->copies->all[index];
	const uint32_t warp = copy->order.warp;
	const bool wakes = is_of_group(&copy->order);

	if (x->core->failed)
		return;
	if (step == STEP_READ) {
		copy->read = true;
		event_push_with(x->core, index, AT_COPIED,
			core_now(x->core) + COPY_WRITTEN_CYCLES,
			STEP_WRITTEN | x->grid->number << GRID_NUMBER_SHIFT);
	} else {
		if (copy->order.kind == COPY_ACROSS ||
			copy->order.kind == COPY_WORDS)
			land(x, copy);
		end(x, copy);
	}
	x->grid->seen_cycle = core_now(x->core);
	if (wakes)
		bulk_wake(x, warp);
}

void copies_answered(struct execution *x, const struct request *r)
{
	struct copy *copy = &x->grid->copies->all[r->warp & BULK_COPY];

	profile_answer(x, r);
	if (--copy->pending || !copy->sent)
		return;
	if (queue_of(copy) == QUEUE_LOADS) {
		if (copy->order.kind == COPY_LOAD)
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
	uint32_t to;

	for (; first < end; first = to) {
		const uint32_t sector = first / 32, begin = first % 32;

		to = end < 32 * sector + 32 ? end : 32 * sector + 32;
		bytes[sector] |= UINT32_MAX >> (32 - (to - first)) << begin;
	}
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
	b->asks = copy->order.asks ? copy->order.asks : &g->asks[pc];
	b->sm = copy->sm;
	b->copy = (uint32_t)(copy - g->copies->all) |
		  g->number << GRID_BULK_SHIFT;
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
static uint64_t book(
	struct engine_queue *q, uint32_t line, uint64_t now, uint64_t ticks)
{
	struct server *s = &q->server;

	if (s->free_at + TICKS_A_CYCLE <= now * TICKS_A_CYCLE)
		s->free_at = now * TICKS_A_CYCLE;
	s->free_at += ticks;
	server_told(s, sender_of_line(line), now, now,
		ticks); /* it has its turn: nothing waits */
	return ticks_over(s->free_at);
}

/* The next line of the queue's first copy; the cycle of its next turn. */
static uint64_t turn(
	struct execution *x, struct engine_queue *q, struct copy *copy)
{
	struct bulk_line b = {.insn = NULL};
	const uint64_t now = core_now(x->core);
	const uint32_t line = copy->order.pc;
	uint64_t ticks = queue_of(copy) == QUEUE_LOADS ? COPY_LOAD_TICKS
						       : COPY_STORE_TICKS;

	if (copy->ready > now)
		return copy->ready;
	if (copy->order.kind == COPY_ACROSS) {
		ticks = (uint64_t)(copy->bytes + ACROSS_BYTES - 1) /
			ACROSS_BYTES * COPY_STORE_TICKS;
		leave(x, q, copy);
		return book(q, line, now, ticks);
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
	return book(q, line, now, ticks);
}

void copies_turn(struct execution *x, uint32_t sm, uint32_t datum)
{
	const uint32_t queue = datum & GRID_DATUM;
	struct copies *c = x->grid->copies;
	struct engine_queue *q = &c->sms[sm].queues[queue];
	uint64_t next;

	c->sms[sm].has_turn[queue] = false;
	c->calls--;
	if (x->core->failed || q->head == NONE)
		return;
	next = turn(x, q, &c->all[q->head]);
	if (q->head != NONE)
		copies_call(x, sm, queue, next);
}
