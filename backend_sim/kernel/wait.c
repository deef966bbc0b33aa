/* What an instruction waits for before it is issued, and who waits for it. */
#include "backend_sim/kernel/issue.h"
#include "backend_sim/rules/rules.h"
#include "backend_sim/rules/constants.h"

const uint32_t wait_guard_cycles = RULE(GUARD_WAITS) ? GUARD_CYCLES : 0;

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

__attribute__((noinline)) uint64_t slots_booked(
	struct goer t, const struct code_insn *c, uint64_t at)
{
	return take_turns(t, c, at, true);
}

static bool carries_data(const struct code_insn *c)
{
	return c->insn->op != PTXO_LD && c->kind == CODE_MEMORY;
}

/* Of the way from or to the registers: 16 bytes of a lane come from global
   memory as fast as fewer. scheduler_data_bytes_per_cycle was measured with the
   logic behind the loads, which takes its own time here; stores of 16 bytes a
   lane take as long as it says. */
static uint32_t way_ticks(
	const struct execution *x, const struct code_insn *c, uint32_t mask)
{
	return memory_is_global(c) && !carries_data(c)
		       ? lane_count(mask) * c->moved * x->lane_byte_narrow /
				 TICKS_A_CYCLE
		       : execution_data_ticks(x, lane_count(mask), c->moved);
}

/* It is issued. */
static void leave_pipe(struct kernel_warp *k, const struct costs *cost,
	const struct code_insn *c, uint64_t now)
{
	k->accessed = now;
	if (c->read_words)
		k->read_over = now + cost->kernel_store_read_cycles +
			       c->read_words *
				       cost->kernel_store_register_ticks /
				       TICKS_A_CYCLE;
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
		w->way_ticks = way_ticks(x, c, mask);
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
	leave_pipe(&x->grid->warps[warp], &core->cost, c, now);
	return ON;
}

/* ---- what acquires ---- */

bool wait_acquires(const struct code_insn *c)
{
	const uint8_t *q = c->insn->qualifiers;

	return (q[Q_SEM] == QV_SEM_acquire || q[Q_SEM] == QV_SEM_acq_rel) &&
	       q[Q_SCOPE] != QV_SCOPE_cta &&
	       (memory_is_global(c) || c->insn->is_cluster);
}

bool wait_answered(
	struct execution *x, uint32_t warp, const struct code_insn *c)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	uint8_t board;

	if (!wait_acquires(c) || !c->write_count)
		return false;
	board = k->marks[c->writes[0]].board;
	if (!board || !kernel_board_waits(k, board))
		return false;
	k->waits_board = board & 15;
	wait_for(x, warp, WARP_VALUES, JOB_WAIT_L1);
	return true;
}

/* ---- what it writes ---- */

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
