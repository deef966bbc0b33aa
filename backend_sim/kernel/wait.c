/* What an instruction waits for before it is issued, and who waits for it. */
#include "backend_sim/core/events.h"
#include "backend_sim/core/server.h"
#include "backend_sim/kernel/run_parts.h"
#include "backend_sim/rules/rules.h"

enum pace wait_until(
	struct execution *x, uint32_t warp, uint64_t cycle, uint8_t why)
{
	profile_why(&x->grid->warps[warp], why,
		kernel_path(&x->grid->warps[warp])->pc);
	x->warps[warp].state = WARP_READY;
	event_push(x->core, warp, AT_WARP, cycle);
	return OFF;
}

enum pace wait_for(
	struct execution *x, uint32_t warp, enum warp_state state, uint8_t why)
{
	profile_why(&x->grid->warps[warp], why,
		kernel_path(&x->grid->warps[warp])->pc);
	x->warps[warp].state = (uint8_t)state;
	return OFF;
}

/* What has come for the warp is there for it, though other parts may have taken
   the place since. */
enum pace wait_code(
	struct execution *x, uint32_t warp, const struct code_insn *c)
{
	struct grid *g = x->grid;
	struct kernel_warp *k = &g->warps[warp];
	const uint32_t line = (uint32_t)(c - g->code.insns);
	bool has_come = k->awaited;
	uint64_t there;

	k->awaited = 0;
	if (g->fetched.count && !has_come) {
		there = fetched_reach(x, &g->fetched, x->warps[warp].sm,
			warp_sender(x, warp, line), c->part);
		if (there > core_now(x->core)) {
			k->awaited = 1;
			return wait_until(x, warp, there, JOB_WAIT_CODE);
		}
	}
	if (g->fetched.count)
		fetched_next(x, &g->fetched, x->warps[warp].sm, line, c->part);
	k->part = c->part;
	return ON;
}

/* What a product will leave in a register is of no use to who writes it: the
   register is another one by then, in the same place. */
static bool is_overwritten(
	const struct code_insn *c, const struct mark *mark, uint16_t slot)
{
	uint8_t i;

	for (i = 0; mark->board > BOARDS && i < c->write_count; i++)
		if (c->writes[i] == slot)
			return true;
	return false;
}

uint64_t rows_ready(
	struct kernel_warp *k, const struct code_insn *c, uint8_t *cause)
{
	uint64_t ready = 0;
	uint8_t i;

	*cause = JOB_WAIT_ARITHMETIC;
	for (i = 0; i < c->wait_count; i++) {
		struct mark *mark = &k->marks[c->waits[i]];

		if (mark->board) {
			if (kernel_board_waits(k, mark->board) &&
				!is_overwritten(c, mark, c->waits[i])) {
				k->waits_board = mark->board & 15;
				return ROWS_UNDER_WAY;
			}
			mark->board = 0;
		}
		if (mark->ready > ready) {
			ready = mark->ready;
			*cause = mark->cause;
		}
	}
	if (RULE(GUARD_WAITS) && c->guarded &&
		k->marks[c->guard.slot].ready + GUARD_CYCLES > ready) {
		ready = k->marks[c->guard.slot].ready + GUARD_CYCLES;
		*cause = k->marks[c->guard.slot].cause;
	}
	return ready;
}

/* The rows that it reads and writes. */
enum pace wait_rows(
	struct execution *x, uint32_t warp, const struct code_insn *c)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	uint8_t cause;
	uint64_t ready = rows_ready(k, c, &cause);

	if (ready == ROWS_UNDER_WAY && k->waits_board > BOARDS)
		return products_touched(x, warp, c);
	if (ready == ROWS_UNDER_WAY)
		return wait_for(x, warp, WARP_VALUES, JOB_WAIT_L1);
	if (ready <= core_now(x->core))
		return ON;
	k->known = kernel_path(k)->pc + 1;
	return wait_until(x, warp, ready, cause);
}

/* The warp goes on when its turn begins. */
static struct sender turn_sender(
	const struct execution *x, uint32_t warp, const struct code_insn *c)
{
	struct sender sender =
		warp_sender(x, warp, (uint32_t)(c - x->grid->code.insns));

	sender.who |= SENDER_BEGINS;
	return sender;
}

static uint64_t turn(
	struct server *s, struct sender sender, uint64_t now, uint32_t ticks)
{
	return serve(s, sender, now, ticks) - ticks_over(ticks);
}

/* The pipe that the instruction goes to: of two, the one that is free first. */
static struct server *pipe_for(struct server *pipes, uint8_t pipe)
{
	unsigned a = pipe, b = pipe;

	if (pipe == PIPE_FMA) {
		a = PIPE_LITE;
		b = PIPE_HEAVY;
	} else if (pipe == PIPE_SUM) {
		a = PIPE_ALU;
		b = PIPE_HEAVY;
	} else if (pipe >= PIPE_COUNT) {
		return NULL;
	}
	return pipes[b].free_at < pipes[a].free_at ? &pipes[b] : &pipes[a];
}

/* Each instruction comes here: where no server has a book, none is looked at.
 */
static uint64_t turn_if(bool booked, struct server *s, struct sender sender,
	uint64_t now, uint32_t ticks)
{
	return booked ? turn(s, sender, now, ticks)
		      : serve_untold(s, now, ticks) - ticks_over(ticks);
}

static inline uint64_t take_turns(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint64_t at, bool booked)
{
	struct warp *w = &x->warps[warp];
	struct kernel_warp *k = &x->grid->warps[warp];
	const struct sender sender = turn_sender(x, warp, c);
	struct server *pipe;
	uint64_t start = at;

	if (!k->pipe_booked) {
		k->pipe_booked = 1;
		pipe = pipe_for(
			x->grid->sms[w->sm].pipes[w->scheduler], c->pipe);
		if (pipe)
			start = turn_if(booked, pipe, sender, at,
				c->pipe_cycles * TICKS_A_CYCLE);
	}
	if (start == at && !w->issued) {
		w->issued = true;
		start = turn_if(booked, &x->sms[w->sm].issue[w->scheduler],
			sender, at, c->slots * TICKS_A_CYCLE);
	}
	return start;
}

static __attribute__((noinline)) uint64_t take_booked_turns(struct execution *x,
	uint32_t warp, const struct code_insn *c, uint64_t at)
{
	return take_turns(x, warp, c, at, true);
}

uint64_t slots_from(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint64_t at)
{
	return x->core->books ? take_booked_turns(x, warp, c, at)
			      : take_turns(x, warp, c, at, false);
}

enum pace take_slots(
	struct execution *x, uint32_t warp, const struct code_insn *c)
{
	uint64_t now = core_now(x->core), start = slots_from(x, warp, c, now);

	return start > now ? wait_until(x, warp, start, JOB_WAIT_ISSUE) : ON;
}

static bool carries_data(const struct code_insn *c)
{
	return c->insn->op != PTXO_LD && c->kind == CODE_MEMORY;
}

/* The way from and to the registers, the load/store pipe, room on the SM. */
enum pace take_pipe(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask)
{
	const struct core *core = x->core;
	struct warp *w = &x->warps[warp];
	struct sm *sm = &x->sms[w->sm];
	const struct sender sender = turn_sender(x, warp, c);
	uint64_t now = core_now(core), start, data;

	if (!w->booked) {
		w->booked = true;
		w->asked = now;
		start = turn(&sm->lsu, sender, now,
			memory_is_global(c) ? core->cost.lsu_ticks
					    : TICKS_A_CYCLE);
		w->way_ticks = execution_data_ticks(
			x, (uint32_t)__builtin_popcount(mask), c->moved);
		data = turn(&sm->data[w->scheduler], sender, now, w->way_ticks);
		start = data > start ? data : start;
		if (start > now)
			return wait_until(x, warp, start, JOB_WAIT_ISSUE);
	}
	if (memory_is_global(c) && !warp_has_room(x, w->sm)) {
		profile_why(&x->grid->warps[warp],
			carries_data(c) ? JOB_WAIT_WRITE : JOB_WAIT_ROOM,
			kernel_path(&x->grid->warps[warp])->pc);
		warp_queue(x, warp, sender.line);
		return OFF;
	}
	return ON;
}

/* ---- what it writes ---- */

void write_later(struct kernel_warp *k, const struct code_insn *c, uint64_t now)
{
	uint64_t ready = now + (c->latency_cycles > c->slots ? c->latency_cycles
							     : c->slots);
	const struct mark mark = {
		.ready = ready,
		.cause = c->kind == CODE_WARP ? JOB_WAIT_SHARED
					      : JOB_WAIT_ARITHMETIC,
	};
	uint8_t i;

	for (i = 0; i < c->write_count; i++)
		k->marks[c->writes[i]] = mark;
}

/* What costs nothing can be read when what it was made of can. */
void write_with(struct kernel_warp *k, const struct code_insn *c)
{
	struct mark made = {.cause = JOB_WAIT_ARITHMETIC};
	uint8_t i;

	for (i = 0; i < c->wait_count; i++) {
		const struct mark *mark = &k->marks[c->waits[i]];

		if (mark->board && kernel_board_waits(k, mark->board))
			made.board = mark->board;
		if (mark->ready > made.ready) {
			made.ready = mark->ready;
			made.cause = mark->cause;
		}
	}
	for (i = 0; i < c->write_count; i++)
		k->marks[c->writes[i]] = made;
}

/* ---- answers ---- */

bool wait_wakes(const struct execution *x, uint32_t warp)
{
	const struct kernel_warp *k = &x->grid->warps[warp];
	const struct warp *w = &x->warps[warp];

	switch (w->state) {
	case WARP_VALUES:
		return !k->boards[k->waits_board - 1];
	case WARP_ANSWERED:
		return k->depth ? true : !under_way(k);
	case WARP_DRAINED:
		return !w->loose && !under_way(k);
	case WARP_REACHED:
		return !w->far && !w->loose && !under_way(k);
	default:
		return false;
	}
}

bool wait_reached(struct execution *x, uint32_t warp)
{
	struct warp *w = &x->warps[warp];

	w->far -= w->far > 0;
	return w->state == WARP_REACHED && wait_wakes(x, warp);
}
