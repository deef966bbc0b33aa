/* The atomic unit of a slice. */
#include "backend_sim/core/events.h"
#include "backend_sim/core/server.h"
#include "backend_sim/memory/l2_parts.h"
#include "backend_sim/rules/rules.h"

/*
 * Measured on an H200: requests for the few lines that an atomic unit holds
 * stand in line before it, and whatever else comes to the slice stands behind
 * them, but of each SM that has such so many passes are there, and of all so
 * many; those for many lines stop nobody else. So a request waits for those
 * before it, in ticks, and for so many passes of `pass_ticks` at most, however
 * many of its SM's wait with it: 100 SMs that load beside 32 that reduce on one
 * word take twice as long as beside one, not as long as the word's reductions.
 */
uint64_t l2_in_line(
	const struct l2 *l, const struct atomic_unit *unit, uint64_t pass_ticks)
{
	const struct core *core = l->core;
	uint64_t passes = (uint64_t)unit->sms *
			  core->cost.atomic_fair_share_passes,
		 most, left;
	uint64_t now = core_now(core) * TICKS_A_CYCLE;

	if (passes > core->cost.atomic_line_passes)
		passes = core->cost.atomic_line_passes;
	most = passes * pass_ticks;
	left = unit->stuck_until > now ? unit->stuck_until - now : 0;
	return left < most ? left : most;
}

/* The line's place among those that the unit holds, from 1 on: so many lines
   were last worked on, this one the first of them; 0: the unit does not hold
   it. */
static uint32_t unit_holds(
	const struct l2 *l, const struct atomic_unit *unit, uint32_t line)
{
	uint32_t i = 0, last = l->core->cost.atomic_kept_lines - 1;

	while (i < last && unit->lines[i] != line + 1)
		i++;
	return unit->lines[i] == line + 1 ? i + 1 : 0;
}

/* The same; the line is the first one from now on. */
static uint32_t unit_takes(
	const struct l2 *l, struct atomic_unit *unit, uint32_t line)
{
	const uint32_t last = l->core->cost.atomic_kept_lines - 1;
	uint32_t before = line + 1, i;

	for (i = 0;; i++) {
		const uint32_t here = unit->lines[i];

		unit->lines[i] = before;
		if (here == line + 1)
			return i + 1;
		if (i == last)
			return 0;
		before = here;
	}
}

/* Values of lines that the unit does not hold take it time on their way out. */
static uint64_t values_ticks(const struct l2 *l, const struct request *r)
{
	const struct costs *cost = &l->core->cost;

	if (r->kind != REQUEST_ATOMIC)
		return 0;
	return (uint64_t)sector_count(r->demand) * cost->atomic_return_ticks +
	       (uint64_t)r->operands * cost->atomic_return_value_ticks;
}

/* One pass of the atomic unit over all sectors. A sector of which every byte
   changes is quicker than one that its changes are merged into. An addition of
   floats waits for the sum of the pass before where that is of the same line:
   of several lines in turn, one in so many. */
static uint64_t pass_ticks(
	const struct l2 *l, const struct request *r, uint32_t held)
{
	const struct core *core = l->core;
	unsigned all = sector_count(r->demand);
	unsigned whole = sector_count(r->demand & r->whole);
	uint64_t ticks;

	if (!held)
		return (uint64_t)whole * core->cost.atomic_whole_sector_ticks +
		       (uint64_t)(all - whole) *
			       core->cost.atomic_sector_ticks +
		       values_ticks(l, r);
	ticks = (uint64_t)whole * core->cost.atomic_whole_ticks +
		(uint64_t)(all - whole) * core->cost.atomic_kept_ticks;
	if (r->floats && ticks < core->cost.atomic_float_ticks)
		ticks += (core->cost.atomic_float_ticks - ticks) / held;
	return ticks;
}

/* Its SM's requests in line before the unit. */
static uint16_t *in_line_of(const struct l2 *l, const struct request *r)
{
	const struct core *core = l->core;
	size_t slice = slices_number(&core->slices, r->home, r->slice);

	return &l->in_line[slice * core->floor.sm_count + r->sm];
}

static void join_line(
	const struct l2 *l, struct request *r, struct atomic_unit *unit)
{
	r->in_line = 1;
	unit->sms += !(*in_line_of(l, r))++;
}

/* One for a held line stands there, and takes its time, while it waits for its
   turn. If the unit has let go of the line by then, it takes the time of one
   for another line, too. */
static void join_early(
	const struct l2 *l, struct request *r, struct atomic_unit *unit)
{
	const uint32_t held = unit_holds(l, unit, r->line);

	if (!RULE(ATOMIC_EARLY_LINE) || !held)
		return;
	join_line(l, r, unit);
	line_serve(&unit->stuck_until, core_now(l->core),
		r->passes * pass_ticks(l, r, held));
}

static void leave_line(
	const struct l2 *l, const struct request *r, struct atomic_unit *unit)
{
	if (r->in_line)
		unit->sms -= !--*in_line_of(l, r);
}

/* Measured on an H200 (results/probes, group `hot`): each time that data come
   for which an atomic waits, or which a reduction left behind, what stands in
   line before the unit is looked at again, which takes longer by the number of
   SMs that have something there. */
void l2_replay(struct l2 *l, const struct request *r)
{
	const struct costs *cost = &l->core->cost;
	struct atomic_unit *unit = &l2_slice_of(l, r->home, r)->atomics;
	uint64_t now = core_now(l->core);
	uint64_t ticks = (uint64_t)unit->sms * cost->atomic_replay_ticks;
	uint64_t line = l2_in_line(l, unit, cost->atomic_kept_ticks);

	if (ticks > line)
		ticks = line;
	unit->replayed += ticks;
	serve(&unit->server, request_beside(l->core, r), now, ticks);
}

static uint32_t replayed_cycles(const struct atomic_unit *unit)
{
	return (uint32_t)(unit->replayed / TICKS_A_CYCLE);
}

/* Whether its SM has no other request at the slice: it is none of those that
   make the line. */
static bool is_alone(const struct l2 *l, const struct request *r)
{
	return RULE(ATOMIC_ALONE) && *network_pending(l->network, r) == 1;
}

/* Cycles: the unit begins with a request, and is through with it. */
struct taken {
	uint64_t begins, ends;
};

/* A request is done after all that the unit has taken, and `in` at the
   earliest; what is none of the line, or alone, also after those in line that
   wait for their turn. But it waits for the line only as long as l2_in_line()
   says, and for the others that are none, unless it is alone; its SM's next one
   waits for the latter only. */
static struct taken take(const struct l2 *l, struct request *r,
	struct atomic_unit *unit, uint64_t in)
{
	uint64_t now = core_now(l->core);
	const uint32_t held = unit_takes(l, unit, r->line);
	bool alone = is_alone(l, r);
	uint64_t pass = pass_ticks(l, r, held), work = r->passes * pass;
	uint64_t cycles = work / TICKS_A_CYCLE, all = 0, soon, among;
	struct taken t;

	soon = now + (l2_in_line(l, unit, pass) + work) / TICKS_A_CYCLE;
	if (!r->in_line)
		all = (unit->stuck_until + work) / TICKS_A_CYCLE;
	t.ends = serve_untold(&unit->server, now, work);
	if (t.ends < in)
		t.ends = in;
	among = t.ends;
	if (!held)
		among = line_serve(&unit->others_over, now, work);
	else if (!r->in_line) {
		if (unit->stuck_until > now * TICKS_A_CYCLE)
			join_line(l, r, unit);
		line_serve(&unit->stuck_until, now, work);
	}
	if (!held || alone) {
		if (t.ends < all)
			t.ends = all;
		if (!alone && soon < among)
			soon = among;
		if (soon < t.ends)
			t.ends = soon;
	}
	t.begins = (among < t.ends ? among : t.ends) - cycles;
	server_told(&unit->server, request_sender(l->core, r), now,
		t.begins + cycles, work);
	return t;
}

/* ---- an SM's turns ---- */

/* The datum of AT_ATOMIC: a request comes to its unit, or had to wait for its
   turn there and goes. */
enum { ATOMIC_COMES, ATOMIC_GOES };

/*
 * What waits at a slice keeps back what its SM has sent behind it: an SM's
 * atomics go to their units in the order in which they come. So SMs take turns
 * at a unit, however many each has sent.
 *
 * One goes when its unit begins with the one before that has several passes:
 * measured on an H200 (results/probes/own_lines.tsv), where 32 warps of each of
 * 64 SMs reduce on words of their own, all lanes on one, a round takes 2.2
 * times as long as by one SM, though the fullest slice has 24 words of 2,048.
 * Behind one of a single pass it goes earlier: a unit has room for some cycles'
 * work in line. New whole lines and lanes 32 B apart are as fast as the slices
 * (red-stream, `own` in results/probes). Whole lines that warps come back to
 * are slower there (1.74 times by 64 SMs), which is not modelled.
 */
static uint64_t early_cycles(const struct l2 *l, const struct request *r)
{
	return r->passes > 1 ? 0 : l->core->cost.atomic_room_cycles;
}

static void go(struct l2 *l, uint32_t request, uint64_t cycle)
{
	event_push_with(l->core, request, AT_ATOMIC, cycle, ATOMIC_GOES);
}

/* A request has come to its unit: whether it must wait for its turn. */
static bool waits_for_turn(struct l2 *l, uint32_t request)
{
	const struct request *r = &l->core->requests[request];
	struct atomic_turns *t = &l->turns[r->sm];
	bool first = t->queue.head == NONE;
	bool early = t->next_cycle > core_now(l->core);

	if (!RULE(ATOMIC_ORDER))
		return false;
	request_queue_add(l->core, &t->queue, request);
	if (first && !early)
		return false;
	server_queued(
		&t->server, sender_of_request(request), core_now(l->core));
	if (first && early)
		go(l, request, t->next_cycle);
	return true;
}

/* The unit begins with a request at that cycle: when its SM's next one has its
   turn. */
static void end_turn(struct l2 *l, const struct request *r, uint64_t begins)
{
	struct atomic_turns *t = &l->turns[r->sm];
	uint64_t now = core_now(l->core), early = early_cycles(l, r);

	if (!RULE(ATOMIC_ORDER))
		return;
	request_queue_take(l->core, &t->queue);
	server_holds(&t->server, request_sender(l->core, r), now);
	t->next_cycle = begins > now + early ? begins - early : now;
	if (t->queue.head != NONE)
		go(l, t->queue.head, t->next_cycle);
}

/* ---- a request ---- */

/* The atomic unit of the home slice: one request at a time, and one from each
   side on its way in. */
void l2_atomic(struct l2 *l, uint32_t request, uint32_t datum)
{
	struct core *core = l->core;
	struct request *r = &core->requests[request];
	struct atomic_unit *unit = &l2_slice_of(l, r->home, r)->atomics;
	uint64_t now = core_now(core);
	uint64_t in, cycle;
	struct taken t;

	if (datum == ATOMIC_GOES)
		server_unqueued(&l->turns[r->sm].server,
			sender_of_request(request), now, SENDER_NOBODY);
	else {
		r->in_line = 0;
		if (waits_for_turn(l, request)) {
			join_early(l, r, unit);
			return;
		}
	}
	in = serve(&unit->ports[l2_is_far(l, r)], sender_of_request(request),
		now,
		(uint64_t)r->passes * request_pass_flits(r) *
			core->cost.atomic_flit_ticks);
	t = take(l, r, unit, in);
	end_turn(l, r, t.begins);
	cycle = t.ends + core->cost.atomic_extra_cycles;
	/* A copy on the other side is taken back before the answer: measured
	   on an H200. An atomic from there has taken it on its way. */
	if (l2_write_home(l, r, NULL) && RULE(ATOMIC_RECALLS) &&
		!l2_is_far(l, r) && cycle < now + 2 * core->cost.bridge_cycles)
		cycle = now + 2 * core->cost.bridge_cycles;
	event_push_with(
		core, request, AT_ATOMIC_DONE, cycle, replayed_cycles(unit));
}

/* Ports on the way back are booked now, not when the unit began; what has been
   replayed since then comes on top. */
void l2_atomic_done(struct l2 *l, uint32_t request, uint32_t replayed)
{
	struct core *core = l->core;
	const struct request *r = &core->requests[request];
	struct atomic_unit *unit = &l2_slice_of(l, r->home, r)->atomics;
	uint32_t now = replayed_cycles(unit);

	if (now != replayed) {
		event_push_with(core, request, AT_ATOMIC_DONE,
			core_now(core) + (now - replayed), now);
		return;
	}
	leave_line(l, r, unit);
	l2_answer(l, request, core_now(core));
}

/* The unit takes a reduction that misses as one that hits, and its operands
   stay in the slice until the line has come: measured on an H200, where one
   ends as soon as one that hits. A slice has room for so many sectors. */
bool l2_stays(const struct l2 *l, const struct request *r)
{
	return r->kind == REQUEST_REDUCTION &&
	       l2_slice_of(l, r->home, r)->staying <
		       l->core->cost.slice_reduction_sectors;
}

/* What stays fetches the line, of its own from now on. */
void l2_stay(
	struct l2 *l, const struct request *of, unsigned fetch, uint64_t cycle)
{
	struct core *core = l->core;
	uint32_t index = request_take(core);
	struct request *r = &core->requests[index];

	core_follows(core, index, of);
	*r = *of;
	r->warp = NONE;
	r->credit = 0;
	r->fetch = fetch & SECTORS_ALL;
	l2_slice_of(l, r->home, r)->staying += sector_count(r->demand);
	fetch_add(core, WAIT_HOME, index);
	dram_enter(l->dram, index, cycle);
}
