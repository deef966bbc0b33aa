/*
 * The second level: one or two sides, each with a cache cut into slices. Every
 * line has a home side; the other side may hold a copy of clean sectors.
 */
#include <math.h>
#include <stdlib.h>

#include "tests/reference/ref.h"

static struct ref_slice *home_slice(
	struct reference *r, const struct ref_request *q)
{
	return &r->sides[q->home].slices[q->slice];
}

/* Does it cross the bridge? */
static bool is_far(const struct reference *r, const struct ref_request *q)
{
	return r->side_count == 2 && q->side != q->home;
}

/* Does a side keep what loads and stores bring from and to the other? */
static bool copies_near(const struct reference *r)
{
	return REF_CYCLES_OF(r, l2_uncopied) == 0;
}

static struct sectors valid_of(const struct ref_line *line)
{
	return line ? line->valid : sectors_none();
}

static struct sectors widen(const struct reference *r,
	const struct ref_request *q, struct sectors missing);

/* What leaves a copy asks for the whole blocks of what the copy lacks. */
static struct sectors wanted_of_home(
	const struct reference *r, const struct ref_request *q)
{
	return q->copies ? widen(r, q, q->lacks) : q->demand;
}

static uint64_t times(const struct ref_request *q)
{
	return ref_is_atomic(q) ? q->passes : 1;
}

/* Every slice that a request comes to counts its sectors, for each pass of an
   atomic. */
static void arrive(
	struct reference *r, struct ref_request *q, struct sectors asked)
{
	uint64_t sectors = sectors_count(asked) * times(q);

	q->counted = false;
	r->counts.l2_reads += q->kind == REF_LOAD ? sectors : 0;
	r->counts.l2_writes += q->kind == REF_STORE ? sectors : 0;
	r->counts.l2_hits += q->kind == REF_STORE ? sectors : 0;
	r->counts.l2_atomics += q->kind == REF_ATOMIC ? sectors : 0;
	r->counts.l2_reductions += q->kind == REF_REDUCTION ? sectors : 0;
}

/* It looks there once; what is missing counts as what is fetched for it. */
static void count(struct reference *r, struct ref_request *q,
	struct sectors asked, struct sectors valid)
{
	struct sectors missing = sectors_less(asked, valid);

	if (q->counted)
		return;
	q->counted = true;
	r->counts.l2_hits +=
		sectors_count(asked) * times(q) - sectors_count(missing);
	if (sectors_any(missing))
		r->counts.l2_misses += sectors_count(
			sectors_less(widen(r, q, missing), valid));
}

/* ---- what comes in and what goes out ---- */

/* The next cycle at which the write-backs of a slice leave. */
static uint64_t first_drain(
	const struct reference *r, const struct ref_request *back)
{
	uint64_t slice = back->home * r->slice_count + back->slice;
	uint64_t cycle = r->now + 1;

	while ((cycle + slice * REF_CYCLES_OF(r, dram_stagger_cycles)) %
		REF_CYCLES_OF(r, dram_drain_cycles))
		cycle++;
	return cycle;
}

/* A sector that was written in part more than once is held to be complete. */
static struct sectors incomplete(const struct ref_line *line)
{
	return sectors_less(line->partial, line->again);
}

/* All of the line that is dirty goes to DRAM, at the next drain. */
static void write_back(
	struct reference *r, unsigned side, const struct ref_line *line)
{
	struct ref_request *back =
		ref_request_new(r, REF_WRITEBACK, line->line);

	ref_plan_place(r, back);
	back->fetch = line->dirty;
	back->whole = sectors_less(sectors_all(), incomplete(line));
	if (back->home != side)
		abort(); /* only homes are dirty */
	home_slice(r, back)->writebacks++;
	ref_send(r, back, REF_BANK, first_drain(r, back));
}

/* A dirty line that had to leave a side is written back. */
static void leave(
	struct reference *r, unsigned side, const struct ref_line *victim)
{
	if (victim->used && sectors_any(victim->dirty))
		write_back(r, side, victim);
}

/* The request's line on a side, put in with the request's class. */
static struct ref_line *install(
	struct reference *r, unsigned side, const struct ref_request *q)
{
	struct ref_cache *c = &r->sides[side].cache;
	struct ref_line *line = ref_cache_touch(c, q->set, q->line), victim;
	unsigned class = q->l2_class;

	/* Copies do not persist. */
	if (class == REF_LAST && r->side_count == 2 && side != q->home)
		class = REF_NORMAL;
	if (line) {
		line->class = class;
		return line;
	}
	line = ref_cache_insert(
		c, q->set, q->line, class, r->last_max, &victim);
	leave(r, side, &victim);
	return line;
}

/* A line that is to be evicted first, and has missed on a side, sends another
   such line away at once. */
static void send_away(
	struct reference *r, unsigned side, const struct ref_request *q)
{
	struct ref_cache *c = &r->sides[side].cache;
	struct ref_line given;

	if (q->l2_class != REF_FIRST || ref_cache_find(c, q->set, q->line))
		return;
	given = ref_cache_give(c, q->set);
	leave(r, side, &given);
}

/* Takes the line from a side; was it there? */
static bool take(
	struct reference *r, unsigned side, const struct ref_request *q)
{
	struct ref_line *line =
		ref_cache_find(&r->sides[side].cache, q->set, q->line);

	if (!line)
		return false;
	line->used = false;
	return true;
}

/* What of the line is in part is written back; it is whole then. */
static void make_whole(struct reference *r, struct ref_line *line)
{
	struct ref_request *back =
		ref_request_new(r, REF_WRITEBACK, line->line);

	ref_plan_place(r, back);
	back->fetch = incomplete(line);
	back->whole = sectors_none();
	line->dirty = sectors_less(line->dirty, back->fetch);
	line->valid = sectors_either(line->valid, back->fetch);
	line->partial = sectors_less(line->partial, back->fetch);
	r->counts.l2_writes += sectors_count(back->fetch);
	r->counts.l2_misses += sectors_count(back->fetch);
	home_slice(r, back)->writebacks++;
	ref_send(r, back, REF_BANK, r->now);
}

/* Lines of a set may be in part, but few: else the one touched longest ago is
   made whole. */
static void bound_parts(struct reference *r, const struct ref_request *q)
{
	struct ref_cache *c = &r->sides[q->home].cache;
	struct ref_line *set = c->lines + (size_t)q->set * c->ways;
	struct ref_line *eldest = NULL;
	uint32_t parts = 0, i;

	for (i = 0; i < c->ways; i++) {
		if (!set[i].used || !sectors_any(incomplete(&set[i])))
			continue;
		parts++;
		if (!eldest || set[i].touched < eldest->touched)
			eldest = &set[i];
	}
	if (parts > REF_CYCLES_OF(r, l2_part_ways))
		make_whole(r, eldest);
}

/* Of a set's dirty lines there are no more than so many: of one more the two
   touched longest ago, but for those in part, become clean. */
static void bound_dirty(struct reference *r, const struct ref_request *q)
{
	struct ref_cache *c = &r->sides[q->home].cache;
	struct ref_line *set = c->lines + (size_t)q->set * c->ways;
	uint32_t dirty = 0, i, k;

	for (i = 0; i < c->ways; i++)
		dirty += set[i].used && sectors_any(set[i].dirty);
	for (k = 0; k < 2 && dirty > REF_CYCLES_OF(r, l2_dirty_ways); k++) {
		struct ref_line *eldest = NULL;

		for (i = 0; i < c->ways; i++)
			if (set[i].used && sectors_any(set[i].dirty) &&
				!sectors_any(incomplete(&set[i])) &&
				(!eldest || set[i].touched < eldest->touched))
				eldest = &set[i];
		if (!eldest)
			return;
		write_back(r, q->home, eldest);
		eldest->dirty = sectors_none();
	}
}

/* New data in the home; was there a copy on the other side? It is gone then,
   but for the copy that a store from there has written on its way. */
static bool write_home(struct reference *r, const struct ref_request *q)
{
	struct ref_line *line = install(r, q->home, q);
	struct sectors part = sectors_none();
	bool was = sectors_any(incomplete(line));
	bool was_dirty = sectors_any(line->dirty);

	if (q->kind == REF_STORE)
		part = sectors_less(
			sectors_less(q->demand, q->whole), line->valid);
	line->again =
		sectors_either(line->again, sectors_both(part, line->partial));
	line->dirty = sectors_either(line->dirty, q->demand);
	line->valid =
		sectors_either(line->valid, sectors_less(q->demand, part));
	line->partial = sectors_either(
		sectors_less(line->partial, sectors_less(q->demand, part)),
		part);
	if (!was && sectors_any(incomplete(line)))
		bound_parts(r, q);
	if (!was_dirty)
		bound_dirty(r, q);
	if (r->side_count == 1 || (q->kind == REF_STORE && is_far(r, q)))
		return false;
	return take(r, 1 - q->home, q);
}

/* ---- the near side of a far line ---- */

static void look_near(
	struct reference *r, struct ref_request *q, uint64_t cycle)
{
	struct ref_line *line =
		ref_cache_touch(&r->sides[q->side].cache, q->set, q->line);
	struct sectors missing = sectors_less(q->demand, valid_of(line));
	struct ref_request *owner;

	count(r, q, q->demand, valid_of(line));
	if (!sectors_any(missing)) {
		ref_net_reply(r, q, cycle);
		return;
	}
	owner = ref_fetch_find(r, REF_BY_SIDE, q, widen(r, q, missing));
	if (owner) {
		ref_wait(r, REF_BY_SIDE, owner, q);
		return;
	}
	send_away(r, q->side, q);
	q->copies = true;
	q->lacks = missing;
	ref_fetch_begin(r, REF_BY_SIDE, q);
	ref_send(r, q, REF_BRIDGE, cycle);
}

static void pass_near(
	struct reference *r, struct ref_request *q, uint64_t cycle)
{
	struct sectors full = sectors_both(q->demand, q->whole);

	if (q->kind == REF_STORE && sectors_any(full) && copies_near(r)) {
		struct ref_line *line = install(r, q->side, q);

		line->valid = sectors_either(line->valid, full);
	}
	if (q->kind == REF_DISCARD)
		take(r, q->side, q);
	if (ref_is_atomic(q) || q->kind == REF_LOAD)
		r->counts.l2_hits += sectors_count(q->demand) * times(q);
	ref_send(r, q, REF_BRIDGE, cycle);
}

void ref_l2_near_fill(struct reference *r, struct ref_request *q)
{
	struct ref_request *waiter;
	struct ref_line *line;

	if (q->copies) {
		line = install(r, q->side, q);
		line->valid = sectors_either(line->valid, q->bring);
		ref_fetch_end(REF_BY_SIDE, q);
		while ((waiter = ref_next_waiter(r, REF_BY_SIDE, q)))
			look_near(r, waiter, r->now);
	}
	ref_net_reply(r, q, r->now);
}

/* ---- the home ---- */

static void answer(struct reference *r, struct ref_request *q, uint64_t cycle)
{
	if (q->kind == REF_SECOND)
		ref_request_free(r, q);
	else if (is_far(r, q))
		ref_send(r, q, REF_BRIDGE_BACK, cycle);
	else
		ref_net_reply(r, q, cycle);
}

/* What a miss of these sectors brings: all aligned blocks of the granularity
   that hold one of them. A far atomic gets no more than it needs. */
static struct sectors widen(const struct reference *r,
	const struct ref_request *q, struct sectors missing)
{
	uint32_t bytes = r->fetch_bytes;
	struct sectors wide = sectors_none();
	int block, i, k;

	if (ref_is_atomic(q) && is_far(r, q))
		return missing;
	if (q->prefetch_bytes)
		bytes = q->prefetch_bytes;
	block = bytes > 128 ? 4 : (int)bytes / 32;
	for (i = 0; i < 4; i++)
		for (k = 0; k < 4; k++)
			if (missing.at[k] && k / block == i / block)
				wide.at[i] = true;
	/* A line comes whole even if nothing of it was missing. */
	return block == 4 ? sectors_all() : wide;
}

/* The first sector of 256 bytes, asked for with .L2::256B, brings the second
   line. */
static void fetch_second(struct reference *r, const struct ref_request *q)
{
	struct ref_request *second;

	if (q->prefetch_bytes < 256 || q->line % 2 || !q->demand.at[0])
		return;
	second = ref_request_new(r, REF_SECOND, q->line + 1);
	ref_plan_place(r, second);
	second->side = second->home;
	second->buffer = q->buffer;
	second->demand = sectors_all();
	second->l2_class = q->l2_class;
	ref_send(r, second, REF_HOME, r->now + 1);
}

/* A reduction that misses goes on at once, as long as its slice has room for
   what there is to add; that waits there, for the line that it asks for. */
static bool has_settled(const struct reference *r, const struct ref_request *q)
{
	return q->kind == REF_REDUCTION &&
	       r->sides[q->home].slices[q->slice].settled_sectors <
		       REF_CYCLES_OF(r, slice_reduction_sectors);
}

static void fetch_for(struct reference *r, const struct ref_request *q,
	struct sectors fetch, uint64_t cycle)
{
	struct ref_request *left = ref_request_new(r, REF_REDUCTION, q->line);

	ref_plan_place(r, left);
	left->settled = true;
	left->sm = q->sm;
	left->side = q->side;
	left->buffer = q->buffer;
	left->demand = q->demand;
	left->bring = q->bring;
	left->l2_class = q->l2_class;
	left->fetch = fetch;
	home_slice(r, left)->settled_sectors += sectors_count(q->demand);
	ref_fetch_begin(r, REF_BY_HOME, left);
	ref_send(r, left, REF_BANK, cycle);
}

static void miss(struct reference *r, struct ref_request *q,
	struct sectors valid, uint64_t cycle)
{
	struct sectors missing = sectors_less(q->bring, valid);
	struct ref_request *owner = ref_fetch_find(r, REF_BY_HOME, q, missing);

	if (has_settled(r, q)) {
		if (!owner)
			fetch_for(r, q,
				sectors_less(widen(r, q, missing), valid),
				cycle);
		ref_send(r, q, REF_ATOMIC_UNIT, cycle);
		return;
	}
	if (owner) {
		ref_wait(r, REF_BY_HOME, owner, q);
		return;
	}
	q->fetch = sectors_less(widen(r, q, missing), valid);
	fetch_second(r, q);
	send_away(r, q->home, q);
	ref_fetch_begin(r, REF_BY_HOME, q);
	ref_send(r, q, REF_BANK, cycle);
}

/* A slice with all its write-backs under way takes no stores. */
static bool has_room(struct reference *r, const struct ref_request *q)
{
	return home_slice(r, q)->writebacks <
	       REF_CYCLES_OF(r, slice_writebacks);
}

/* What needs no data from DRAM. */
static void act(struct reference *r, struct ref_request *q, uint64_t cycle)
{
	struct ref_line *line;
	uint32_t turns;

	if (q->kind == REF_STORE && !has_room(r, q)) {
		q->in_line = true;
		q->wait_stamp = ++r->stamp;
		return;
	}
	if (q->kind == REF_STORE) {
		/* Once more if some are not whole and have nothing to go into.
		 */
		turns = sectors_count(q->demand) +
			sectors_any(
				sectors_less(sectors_less(q->demand, q->whole),
					valid_of(ref_cache_find(
						&r->sides[q->home].cache,
						q->set, q->line))));
		ref_serve(&home_slice(r, q)->data, cycle,
			(uint64_t)sectors_count(q->demand) * 2 *
				REF_MOVE_TICKS(r, 32, slice_bytes_per_cycle));
		cycle = ref_serve(&home_slice(r, q)->writes, cycle,
			(uint64_t)turns * REF_MOVE_TICKS(r, 32,
						  slice_write_bytes_per_cycle));
		write_home(r, q);
	} else if (q->kind == REF_DISCARD) {
		take(r, q->home, q);
	} else {
		line = ref_cache_find(
			&r->sides[q->home].cache, q->set, q->line);
		if (line)
			line->class = REF_NORMAL;
	}
	answer(r, q, cycle);
}

/* All it asked for is at home. */
static void found(struct reference *r, struct ref_request *q, uint64_t cycle)
{
	if (q->settled) {
		home_slice(r, q)->settled_sectors -= sectors_count(q->demand);
		ref_request_free(r, q);
	} else if (ref_is_atomic(q))
		ref_send(r, q, REF_ATOMIC_UNIT, cycle);
	else
		answer(r, q, cycle);
}

static void look_home(
	struct reference *r, struct ref_request *q, uint64_t cycle)
{
	struct ref_line *line;

	if (q->kind == REF_STORE || q->kind == REF_DISCARD ||
		q->kind == REF_PRIORITY) {
		act(r, q, cycle);
		return;
	}
	line = ref_cache_touch(&r->sides[q->home].cache, q->set, q->line);
	count(r, q, wanted_of_home(r, q), valid_of(line));
	q->bring = wanted_of_home(r, q);
	if (sectors_any(sectors_less(q->bring, valid_of(line))))
		miss(r, q, valid_of(line), cycle);
	else
		found(r, q, cycle);
}

/* How many requests its SM has at the slice of its side, this one included. */
static uint32_t its_own(const struct reference *r, const struct ref_request *q)
{
	return r->sides[q->side].slices[q->slice].pending[q->sm->number];
}

static uint64_t sms_in_line(const struct ref_slice *slice)
{
	uint64_t sms = 0;

	for (uint32_t i = 0; i < REF_SMS; i++)
		sms += slice->kept_of[i] > 0;
	return sms;
}

/* How long a request waits for the atomics on lines that the unit holds, in
   ticks: for the passes that all SMs which have such may have in line, at
   most. */
static uint64_t line_before(
	const struct reference *r, const struct ref_slice *slice, uint64_t pass)
{
	uint64_t passes =
		sms_in_line(slice) * REF_CYCLES_OF(r, atomic_fair_share_passes);
	uint64_t now = r->now * REF_TICKS, most;

	if (passes > REF_CYCLES_OF(r, atomic_line_passes))
		passes = REF_CYCLES_OF(r, atomic_line_passes);
	most = passes * pass;
	if (slice->stuck.over <= now)
		return 0;
	return slice->stuck.over - now < most ? slice->stuck.over - now : most;
}

/* A slice looks up what comes; what is no atomic stands in that line. */
static uint64_t lookup(
	struct reference *r, struct ref_request *q, struct ref_slice *slice)
{
	uint64_t cycle = ref_serve(
		&slice->lookups, r->now, REF_TICKS_OF(r, slice_request_cycles));
	uint64_t line;

	if (ref_is_atomic(q) || q->kind == REF_SECOND)
		return cycle;
	line = line_before(r, slice, REF_TICKS_OF(r, atomic_kept_cycles));
	return r->now + line / REF_TICKS > cycle ? r->now + line / REF_TICKS
						 : cycle;
}

void ref_l2_home(struct reference *r, struct ref_request *q)
{
	uint64_t cycle = lookup(r, q, home_slice(r, q));

	arrive(r, q, wanted_of_home(r, q));
	look_home(r, q, cycle);
}

void ref_l2_slice(struct reference *r, struct ref_request *q)
{
	struct ref_slice *slice = &r->sides[q->side].slices[q->slice];
	uint64_t cycle;

	if (ref_net_merges(r, q)) {
		if (q->apart)
			ref_net_leaves(
				r, slice, r->now, sectors_count(q->demand));
		return;
	}
	slice->pending[q->sm->number]++;
	if (q->kind == REF_LOAD)
		r->counts.l2_sm_reads += sectors_count(q->demand);
	cycle = lookup(r, q, slice);
	arrive(r, q, q->demand);
	if (!is_far(r, q))
		look_home(r, q, cycle);
	else if (q->kind == REF_LOAD && copies_near(r))
		look_near(r, q, cycle);
	else
		pass_near(r, q, cycle);
}

/* All that wait for the unit are looked at once more. */
static void look_again(struct reference *r, struct ref_slice *slice)
{
	uint64_t ticks =
		sms_in_line(slice) * REF_TICKS_OF(r, atomic_replay_cycles);
	uint64_t most =
		line_before(r, slice, REF_TICKS_OF(r, atomic_kept_cycles));

	ticks = ticks > most ? most : ticks;
	slice->again += ticks;
	ref_serve(&slice->atomics, r->now, ticks);
}

/* The sectors have come from DRAM. The request has them and those that it found
   when it missed, whatever has become of them; who waited looks again. */
void ref_l2_fill(struct reference *r, struct ref_request *q)
{
	struct ref_line *line = install(r, q->home, q);
	struct ref_request *waiters[4096], *waiter;
	uint32_t count = 0, i;

	line->valid = sectors_either(line->valid, q->fetch);
	line->partial = sectors_less(line->partial, q->fetch);
	/* It is written as a store is; nobody waits for that but stores. */
	ref_serve(&home_slice(r, q)->writes, r->now,
		(uint64_t)sectors_count(q->fetch) *
			REF_MOVE_TICKS(r, 32, slice_write_bytes_per_cycle));
	ref_fetch_end(REF_BY_HOME, q);
	while ((waiter = ref_next_waiter(r, REF_BY_HOME, q)))
		waiters[count++] = waiter;
	if (ref_is_atomic(q))
		look_again(r, home_slice(r, q));
	found(r, q, r->now);
	for (i = 0; i < count; i++)
		look_home(r, waiters[i], r->now);
}

/* ---- atomics ---- */

static uint64_t pass_of(
	const struct reference *r, const struct ref_request *q, uint32_t kept)
{
	uint64_t pass = 0;

	for (int i = 0; i < 4; i++) {
		if (!q->demand.at[i])
			continue;
		if (!kept && q->whole.at[i])
			pass += REF_TICKS_OF(r, atomic_whole_sector_cycles);
		else if (!kept)
			pass += REF_TICKS_OF(r, atomic_sector_cycles);
		else if (q->whole.at[i])
			pass += REF_TICKS_OF(r, atomic_whole_cycles);
		else
			pass += REF_TICKS_OF(r, atomic_kept_cycles);
	}
	/* A sum waits for the one before it in a line that is there, and of
	   lines in turn one in so many. */
	if (kept && q->floats && pass < REF_TICKS_OF(r, atomic_float_cycles))
		pass += (REF_TICKS_OF(r, atomic_float_cycles) - pass) / kept;
	if (!kept && q->kind == REF_ATOMIC)
		pass += sectors_count(q->demand) *
				REF_TICKS_OF(r, atomic_return_cycles) +
			q->operands *
				REF_TICKS_OF(r, atomic_return_value_cycles);
	return pass;
}

/* One that waits for its turn stands in line already if the unit has its line,
   and takes its time there. */
static void stand_early(
	struct reference *r, struct ref_slice *slice, struct ref_request *q)
{
	uint32_t kept = 0;

	while (kept < slice->kept_count && slice->kept[kept] != q->line)
		kept++;
	q->early = kept < slice->kept_count;
	if (!q->early)
		return;
	slice->kept_of[q->sm->number]++;
	ref_serve(&slice->stuck, r->now, pass_of(r, q, kept + 1) * q->passes);
}

/* Which of the lines last used by the unit is it, from 1 on? 0: none. It is the
   first one now. */
static uint32_t keeps(
	const struct reference *r, struct ref_slice *slice, uint32_t line)
{
	uint32_t most = REF_CYCLES_OF(r, atomic_kept_lines), at = 0, kept;

	while (at < slice->kept_count && slice->kept[at] != line)
		at++;
	kept = at < slice->kept_count ? at + 1 : 0;
	if (!kept && slice->kept_count < most)
		at = slice->kept_count++;
	else if (!kept)
		at = most - 1;
	for (; at > 0; at--)
		slice->kept[at] = slice->kept[at - 1];
	slice->kept[0] = line;
	return kept;
}

void ref_l2_atomic(struct reference *r, struct ref_request *q)
{
	struct ref_slice *slice = home_slice(r, q);
	uint32_t sectors = sectors_count(q->demand);
	uint32_t flits = sectors + q->headed;
	uint64_t recalled = r->now + 2 * REF_CYCLES_OF(r, bridge_cycles);
	uint64_t pass, work, arrived, cycle, all, among = 0, latest, begins;
	uint32_t kept;

	if (ref_turn_waits(r, q)) {
		stand_early(r, slice, q);
		return;
	}
	kept = keeps(r, slice, q->line);
	pass = pass_of(r, q, kept);
	work = pass * q->passes;
	/* It comes in and is worked on at the same time. */
	arrived = ref_serve(is_far(r, q) ? &slice->from_far : &slice->from_near,
		r->now,
		(uint64_t)q->passes * flits *
			REF_TICKS_OF(r, atomic_flit_cycles));
	latest = r->now + (line_before(r, slice, pass) + work) / REF_TICKS;
	all = (slice->stuck.over + work) / REF_TICKS;
	cycle = ref_serve(&slice->atomics, r->now, work);
	q->kept = !q->early && kept && slice->stuck.over > r->now * REF_TICKS;
	if (!kept)
		among = ref_serve(&slice->unkept, r->now, work);
	else if (!q->early)
		ref_serve(&slice->stuck, r->now, work);
	if (arrived > cycle)
		cycle = arrived;
	/* Its SM's next one does not wait for the line of those kept. */
	begins = kept ? cycle : among;
	/* The only one of its SM waits for that line alone, others for those of
	   their own kind, too. */
	if (its_own(r, q) > 1 && kept)
		latest = cycle;
	else if (!q->early && cycle < all)
		cycle = all;
	if (its_own(r, q) > 1 && !kept && among > latest)
		latest = among;
	if (latest < cycle)
		cycle = latest;
	q->again = slice->again / REF_TICKS;
	slice->kept_of[q->sm->number] += q->kept;
	q->kept |= q->early;
	begins = (begins > cycle ? cycle : begins) - work / REF_TICKS;
	ref_turn_over(r, q, begins);
	cycle += REF_CYCLES_OF(r, atomic_extra_cycles);
	/* The copy of the other side is called back first, unless the atomic
	   has come from there. */
	if (write_home(r, q) && !is_far(r, q) && cycle < recalled)
		cycle = recalled;
	ref_send(r, q, REF_ATOMIC_DONE, cycle);
}

void ref_l2_atomic_done(struct reference *r, struct ref_request *q)
{
	struct ref_slice *slice = home_slice(r, q);
	uint64_t late = slice->again / REF_TICKS - q->again;

	q->again += late;
	if (late) {
		ref_send(r, q, REF_ATOMIC_DONE, r->now + late);
		return;
	}
	slice->kept_of[q->sm->number] -= q->kept;
	answer(r, q, r->now);
}

/* ---- write-backs ---- */

static struct ref_request *first_in_line(
	struct reference *r, const struct ref_slice *slice)
{
	struct ref_request *first = NULL;

	for (uint32_t i = 0; i < r->request_count; i++) {
		struct ref_request *q = r->requests[i];

		if (q->in_line && home_slice(r, q) == slice &&
			(!first || q->wait_stamp < first->wait_stamp))
			first = q;
	}
	return first;
}

void ref_l2_written(struct reference *r, struct ref_request *q)
{
	struct ref_slice *slice = home_slice(r, q);
	struct ref_request *first;

	slice->writebacks--;
	ref_request_free(r, q);
	while (slice->writebacks < REF_CYCLES_OF(r, slice_writebacks) &&
		(first = first_in_line(r, slice))) {
		first->in_line = false;
		act(r, first, r->now);
	}
}

/* ---- host actions ---- */

/* Other memory has been read until nothing of the program's is left; the rows
   of DRAM are closed. */
void ref_l2_flush(struct reference *r)
{
	for (uint32_t side = 0; side < r->side_count; side++) {
		struct ref_cache *c = &r->sides[side].cache;
		size_t i;

		for (i = 0; i < (size_t)c->sets * c->ways; i++)
			c->lines[i] = (struct ref_line){
				.used = true,
				.line = UINT32_MAX,
				.valid = sectors_all(),
				.class = REF_NORMAL,
				.touched = ++c->stamp,
			};
		for (i = 0; i < (size_t)REF_SLICES * REF_CHANNELS * REF_BANKS;
			i++)
			r->sides[side]
				.slices[i / REF_BANKS / REF_CHANNELS]
				.channels[i / REF_BANKS % REF_CHANNELS]
				.banks[i % REF_BANKS] = (struct ref_bank){0};
	}
}

void ref_l2_reset(struct reference *r)
{
	for (uint32_t side = 0; side < r->side_count; side++) {
		struct ref_cache *c = &r->sides[side].cache;

		for (size_t i = 0; i < (size_t)c->sets * c->ways; i++)
			if (c->lines[i].class == REF_LAST)
				c->lines[i].class = REF_NORMAL;
	}
}

void ref_l2_carveout(struct reference *r, uint64_t bytes)
{
	const double *value = r->machine->value;
	double ways = (double)bytes / value[PARAMETER_l2_bytes] *
		      value[PARAMETER_l2_ways];

	if (ways < value[PARAMETER_l2_last_ways])
		ways = value[PARAMETER_l2_last_ways];
	r->last_max = (uint32_t)ceil(ways);
}
