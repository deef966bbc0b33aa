#ifndef NEARFAR_ISSUE_H
#define NEARFAR_ISSUE_H

/* What each instruction of each warp goes through before it is issued, inline:
   a call would take as long as what it does. */
#include "backend_sim/core/events.h"
#include "backend_sim/core/server.h"
#include "backend_sim/kernel/run_parts.h"
#include "backend_sim/rules/constants.h"

/* A warp that has its turn. */
struct goer {
	struct execution *x;
	struct grid *g;
	struct kernel_warp *k;
	struct warp *w;
	uint32_t warp;
};

static inline struct goer goer_of(struct execution *x, uint32_t warp)
{
	return (struct goer){
		x, x->grid, &x->grid->warps[warp], &x->warps[warp], warp};
}

/* As wait_until(); WAITED where it can. */
static inline enum pace goer_waits(struct goer t, uint64_t cycle, uint8_t why)
{
	profile_why(t.k, why, kernel_path(t.k)->pc);
	if (!calendar_has_more(&t.x->core->calendar) && t.x->is_event &&
		event_is_next(t.x->core, cycle))
		return WAITED;
	t.w->state = WARP_READY;
	event_push(t.x->core, t.warp, AT_WARP, cycle);
	return OFF;
}

/* ---- the time ---- */

/* As profile_until(). */
static inline void waited_until(
	struct goer t, uint64_t cycle, uint8_t why, uint32_t pc)
{
	if (__builtin_expect(t.g->profile != NULL, 0))
		profile_tell(t.x, t.warp, cycle, why, pc);
	t.k->since = cycle;
}

static inline bool too_long(const struct execution *x)
{
	const struct grid *g = x->grid;

	return g->max_cycles &&
	       core_now(x->core) - g->first_cycle > g->max_cycles;
}

/* What it has waited for is counted; false: the run ends. */
static inline bool may_go(struct goer t)
{
	waited_until(t, core_now(t.x->core), t.k->why, t.k->why_pc);
	if (too_long(t.x)) {
		standing_fail(t.x, t.g->max_cycles);
		return false;
	}
	return true;
}

/* ---- rows ---- */

/* What a product will leave in a register is of no use to who writes it: the
   register is another one by then, in the same place. */
static inline bool is_overwritten(
	const struct code_insn *c, const struct mark *mark, uint16_t slot)
{
	uint8_t i;

	for (i = 0; mark->board > BOARDS && i < c->write_count; i++)
		if (c->writes[i] == slot)
			return true;
	return false;
}

/* wait.c: a guard is read later than other operands, by so much. */
extern const uint32_t wait_guard_cycles;

/* When what it writes anew has been read, if it may write from `ready` on. */
static inline uint64_t read_over(const struct kernel_warp *k,
	const struct code_insn *c, uint64_t ready, uint8_t *cause)
{
	if (ready >= k->read_over ||
		(c->kind == CODE_BRANCH &&
			ready < k->accessed + BRANCH_WAITS_CYCLES))
		return ready;
	*cause = JOB_WAIT_ISSUE;
	return k->read_over;
}

/* The cycle from which the rows that it reads and writes are there, and what
   for they are waited; ROWS_UNDER_WAY: a load brings one, waits_board says
   which. */
#define ROWS_UNDER_WAY UINT64_MAX

/* Whether one of its rows is under way; those that have come are marked so. */
static inline bool is_under_way(
	struct kernel_warp *k, const struct code_insn *c)
{
	uint8_t i;

	for (i = 0; i < c->wait_count; i++) {
		struct mark *mark = &k->marks[c->waits[i]];

		if (!mark->board)
			continue;
		if (kernel_board_waits(k, mark->board) &&
			!is_overwritten(c, mark, c->waits[i])) {
			k->waits_board = mark->board & 15;
			return true;
		}
		mark->board = 0;
	}
	return false;
}

static inline uint64_t rows_ready(
	struct kernel_warp *k, const struct code_insn *c, uint8_t *cause)
{
	const uint32_t count = c->wait_count;
	uint64_t ready = 0;
	unsigned boards = 0;
	uint32_t i;

	*cause = JOB_WAIT_ARITHMETIC;
	for (i = 0; i < count; i++) {
		const struct mark mark = k->marks[c->waits[i]];

		boards |= mark.board;
		*cause = mark.ready > ready ? mark.cause : *cause;
		ready = mark.ready > ready ? mark.ready : ready;
	}
	if (boards && is_under_way(k, c))
		return ROWS_UNDER_WAY;
	if (wait_guard_cycles && c->guarded &&
		k->marks[c->guard.slot].ready + wait_guard_cycles > ready) {
		ready = k->marks[c->guard.slot].ready + wait_guard_cycles;
		*cause = k->marks[c->guard.slot].cause;
	}
	if (__builtin_expect(c->rewrites, 0))
		ready = read_over(k, c, ready, cause);
	return ready;
}

/* ---- pipes and slots ---- */

/* The warp goes on when its turn begins. */
static inline struct sender turn_sender(
	const struct execution *x, uint32_t warp, const struct code_insn *c)
{
	struct sender sender =
		warp_sender(x, warp, (uint32_t)(c - x->grid->code.insns));

	sender.who |= SENDER_BEGINS;
	return sender;
}

static inline uint64_t turn(
	struct server *s, struct sender sender, uint64_t now, uint32_t ticks)
{
	return serve(s, sender, now, ticks) - ticks_over(ticks);
}

/* The pipe that the instruction goes to: of two, the one that is free first. */
static inline struct server *pipe_for(struct server *pipes, uint8_t pipe)
{
	unsigned a = PIPE_ALU, b = PIPE_HEAVY;

	if (pipe < PIPE_COUNT)
		return &pipes[pipe];
	if (pipe == PIPE_FMA)
		a = PIPE_LITE;
	else if (pipe != PIPE_SUM)
		return NULL;
	return pipes[b].free_at < pipes[a].free_at ? &pipes[b] : &pipes[a];
}

/* Each instruction comes here: where no server has a book, none is looked at.
 */
static inline uint64_t turn_if(bool booked, struct server *s, struct goer t,
	const struct code_insn *c, uint64_t now, uint32_t ticks)
{
	return booked ? turn(s, turn_sender(t.x, t.warp, c), now, ticks)
		      : serve_untold(s, now, ticks) - ticks_over(ticks);
}

static inline uint64_t take_turns(
	struct goer t, const struct code_insn *c, uint64_t at, bool booked)
{
	struct server *pipe;
	uint64_t start = at;

	if (!t.k->pipe_booked) {
		t.k->pipe_booked = 1;
		pipe = pipe_for(
			t.g->sms[t.w->sm].pipes[t.w->scheduler], c->pipe);
		if (pipe)
			start = turn_if(booked, pipe, t, c, at,
				c->pipe_cycles * TICKS_A_CYCLE);
	}
	if (start == at && !t.w->issued) {
		t.w->issued = true;
		start = turn_if(booked,
			&t.x->sms[t.w->sm].issue[t.w->scheduler], t, c, at,
			c->slots * TICKS_A_CYCLE);
	}
	return start;
}

/* wait.c: where servers have books. */
uint64_t slots_booked(struct goer t, const struct code_insn *c, uint64_t at);

/* Asks for its pipe, then for the scheduler's slots, at cycle `at`, which may
   be a little later than now: the cycle at which it has them, or may ask for
   the slots. */
static inline uint64_t slots_from(
	struct goer t, const struct code_insn *c, uint64_t at)
{
	return __builtin_expect(t.x->core->books != NULL, 0)
		       ? slots_booked(t, c, at)
		       : take_turns(t, c, at, false);
}

/* ---- what it writes ---- */

/* When what the instruction writes can be read. */
static inline void write_later(
	struct kernel_warp *k, const struct code_insn *c, uint64_t now)
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

#endif
