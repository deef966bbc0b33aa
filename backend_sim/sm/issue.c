/*
 * One warp instruction becomes requests: each of the lines that its lanes
 * touch is one.
 */
#include <string.h>

#include "backend_sim/rules/rules.h"
#include "backend_sim/sm/qualifiers.h"
#include "backend_sim/sm/touch.h"
#include "backend_sim/rules/constants.h"

#define LANES PROGRAM_WARP_LANES

/* A load takes a pass for each word of its worst bank, one for four lines and
   one for 128 bytes of its lanes' data at the least, be they alike or not; what
   goes past L1 takes one for each line. */
struct passes {
	uint32_t count;
	uint32_t ticks;     /* of the pipe, for each line */
	uint32_t hit_late;  /* cycles */
	uint32_t miss_late; /* ticks, for each line before */
	uint32_t data_late; /* ticks, for passes beyond a line each */
};

static uint32_t most(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* An H200: loads of one sector by all lanes, of 4, 8 and 16 bytes each, take an
   SM 1.5, 2.1 and 4.2 cycles (bench coalescing, lane stride 0). */
static uint32_t data_passes(const struct touch *t, const struct asks *asks)
{
	return RULE(DATA_PASSES) && asks->form.kind == REQUEST_LOAD &&
			       !asks->texture
		       ? (t->data_bytes + PROGRAM_LINE_BYTES - 1) /
				 PROGRAM_LINE_BYTES
		       : 1;
}

static struct passes passes_of(const struct execution *x, const struct touch *t,
	const struct asks *asks)
{
	const struct core *core = x->core;
	struct passes p = {1, asks->line_ticks, 0, 0, 0};
	uint32_t count = t->count, data = data_passes(t, asks);

	if (count == 1 && data <= 1)
		return p;
	/* The pipe's own time comes on top. */
	if (core->cost.l1_pass_ticks > core->cost.l1_line_ticks)
		p.miss_late =
			core->cost.l1_pass_ticks - core->cost.l1_line_ticks;
	p.count =
		asks->looks ? most(touch_bank_ways(t), (count + 3) / 4) : count;
	p.count = most(p.count, data);
	if (p.count > count)
		p.data_late = (p.count - count) * p.miss_late;
	p.ticks = p.count * asks->line_ticks / count;
	if (asks->looks)
		p.hit_late = (p.count - 1) * p.miss_late / TICKS_A_CYCLE;
	return p;
}

/* Passes of a hit take the way to their scheduler's registers: on an H200 2.1
   cycles each by one warp, 1.05 by eight. Copies to shared memory do not. */
static void take_way(const struct execution *x, const struct warp *w,
	const struct passes *p, uint32_t hits, uint32_t lines, uint32_t sender)
{
	uint64_t ticks =
		(uint64_t)hits * p->count * x->core->cost.l1_pass_ticks / lines;

	if (RULE(HITS_TAKE_WAY) && p->count > 1 && ticks > w->way_ticks)
		serve(&x->sms[w->sm].data[w->scheduler], sender_of_line(sender),
			core_now(x->core), ticks - w->way_ticks);
}

/* An instruction that a warp issues, and what waits for it (WAITS_*). */
struct issue {
	const struct insn *insn;
	const struct asks *asks;
	uint32_t warp, waits;
};

/* A warp's request for what the instruction asks, written in place: the host
   takes long to copy what it has just written in parts. */
static void form_request(const struct core *core, const struct warp *w,
	const struct issue *s, struct request *r)
{
	*r = s->asks->form;
	r->warp = s->warp;
	r->sm = w->sm & 2047;
	r->waits = s->waits & 15;
	if (s->asks->texture)
		r->texture =
			(w->scheduler % core->cost.texture_caches + 1) & 15;
}

/* What is known of an atomic's lines before the next one. */
struct atomic_lines {
	uint8_t used[LANES], rows; /* single values by place; rows begun */
	uint8_t heads;             /* lines that still get one */
};

/* A line of which an atomic has several operands gets a head, and so do the few
   that come after it. */
static bool takes_head(struct atomic_lines *before, bool single)
{
	if (!single)
		before->heads = ATOMIC_HEADS;
	else if (before->heads)
		before->heads--;
	else
		return false;
	return true;
}

/* Single values of an atomic come back in rows of 32 words, each at its word's
   place: as many rows as the fullest place needs. To begin one takes longer. */
static bool joins_row(struct atomic_lines *before, unsigned place)
{
	if (before->used[place]++ < before->rows)
		return true;
	before->rows++;
	return false;
}

__attribute__((noinline)) static void shape_atomic(struct request *r,
	bool floats, struct atomic_lines *before, const struct touched_line *l)
{
	bool single = !(l->words & (l->words - 1));

	r->floats = floats;
	r->headed = RULE(ATOMIC_HEADS) && takes_head(before, single);
	r->joins =
		single && joins_row(before, (unsigned)__builtin_ctz(l->words));
}

/* How many stores of the warp's scheduler have come since its last one, with
   this one. */
static uint32_t stores_since(struct sm *sm, struct warp *w)
{
	uint32_t turn = ++sm->store_turn[w->scheduler];
	uint32_t since = turn - w->store_turn;

	w->store_turn = turn;
	return since;
}

/* The warp stores again to the sectors to which it has just stored, and was
   ready to do so at once. */
static bool stores_pair(const struct execution *x, struct warp *w,
	const struct insn *insn, const struct touch *t)
{
	const struct costs *cost = &x->core->cost;
	uint32_t key = insn->address.buffer + 1u, i;
	uint32_t since = stores_since(&x->sms[w->sm], w);
	uint64_t now = core_now(x->core);
	bool pairs;

	for (i = 0; i < t->count; i++)
		key = stores_key(key, t->lines[i].line, t->lines[i].sectors);
	pairs = w->stored == key && t->count <= x->pair_lines &&
		w->asked <= w->stored_at + cost->store_merge_cycles;
	w->stored = pairs && since > cost->store_run ? 0 : key;
	w->stored_at = now;
	return pairs;
}

/* An instruction comes by what its SM and its warp have stored; whether it
   pairs with the warp's last one. */
static bool pass_stores(struct execution *x, struct warp *w,
	const struct insn *insn, const struct asks *asks, const struct touch *t)
{
	const struct costs *cost = &x->core->cost;
	bool is_store = asks->form.kind == REQUEST_STORE;
	uint64_t now = core_now(x->core);

	stores_pass(&x->sms[w->sm].stores, is_store, now,
		now + (uint64_t)t->count * cost->lsu_store_ticks /
				TICKS_A_CYCLE,
		cost->store_merge_cycles);
	if (is_store)
		return stores_pair(x, w, insn, t);
	w->stored = 0;
	return false;
}

/* The part of the line that an SM has stored as its `at`th, if it has not
   stored too many since. */
static struct store_part *stored_part(
	const struct execution *x, uint32_t sm, uint32_t at)
{
	if (x->sms[sm].stored_count - at > x->stored_room)
		return NULL;
	return &x->stored[sm * x->stored_room + at % x->stored_room];
}

/* The request, if it is still under way, has all that its part has. */
static void complete(struct core *core, const struct request *r,
	const struct store_part *part)
{
	struct request *to = &core->requests[part->request];

	if (to->kind == REQUEST_STORE && to->sm == r->sm &&
		to->line == r->line && to->number == part->number)
		to->whole |= stores_whole(part->bytes) & SECTORS_ALL;
}

static bool join_part(struct execution *x, const struct request *r,
	struct store_part *part, const struct store_part *with)
{
	const struct store_place place = {r->line, r->demand, r->warp};

	if (!stores_join(&x->sms[r->sm].stores, &place, part, with,
		    x->core->cost.store_merge_lines))
		return false;
	if (part->request != NONE && !network_goes_far(x->network, r))
		complete(x->core, r, part);
	return true;
}

/* Line `i` of a store: whether it goes along with one before it, which then has
   the bytes of both. */
__attribute__((noinline)) static bool join_store(struct execution *x,
	const struct warp *w, uint32_t index, const uint32_t bytes[4],
	uint32_t i, bool pairs)
{
	struct request *r = &x->core->requests[index];
	struct sm *sm = &x->sms[r->sm];
	uint32_t at = sm->stored_count++;
	struct store_part *part = stored_part(x, r->sm, at);
	const struct store_part *with = NULL;
	bool joins;

	if (RULE(STORE_PAIRS) && pairs)
		with = stored_part(x, r->sm, w->stored_from + i);
	r->number = (uint16_t)at;
	if (!with && !(r->demand & ~r->whole)) {
		part->request = NONE;
		joins = stores_join_whole(&sm->stores, r->line, bytes,
			x->core->cost.store_merge_lines);
	} else {
		part->request = index;
		part->number = r->number;
		memcpy(part->bytes, bytes, sizeof(part->bytes));
		joins = join_part(x, r, part, with);
	}
	return joins && !network_goes_far(x->network, r);
}

/* Line `i` of those that the instruction touches; whether L1 has it. */
static bool start_request(struct execution *x, const struct warp *w,
	const struct issue *s, const struct touch *t, uint32_t i,
	struct atomic_lines *before, struct access *access)
{
	struct core *core = x->core;
	const uint64_t offset = t->lines[i].line << LINE_SHIFT;
	const uint32_t page = translation_page(
		x->translation, s->insn->address.buffer, offset);
	uint32_t index = request_take(core), words;
	struct request *r = &core->requests[index];

	form_request(core, w, s, r);
	if (!s->asks->l2_fixed)
		r->l2_class = qualifiers_l2_class(x, w, s->insn, offset) & 3;
	if (s->asks->atomic)
		shape_atomic(r, s->asks->adds_floats, before, &t->lines[i]);
	translation_lead(x->translation, r, page, offset);
	r->demand = t->lines[i].sectors & SECTORS_ALL;
	words = (unsigned)__builtin_popcount(t->lines[i].words);
	r->operands = r->kind == REQUEST_LOAD ? FOUND_L1 : words & 63;
	r->passes = ((t->lines[i].lanes + words - 1) / words) & 63;
	if (r->kind != REQUEST_LOAD)
		r->whole = stores_whole(t->lines[i].bytes) & SECTORS_ALL;
	access->words = t->lines[i].wide;
	if (r->kind == REQUEST_STORE && core->cost.store_merge_cycles)
		access->joins = join_store(
			x, w, index, t->lines[i].bytes, i, access->pairs);
	core_sent(core, index, s->asks->sender);
	return l1_lookup(x->l1, index, access);
}

/* The scheduler issues the instruction again for each further line, which goes
   through the pipe again. Those in line go first: the slots taken are the same.
 */
static void replay(struct execution *x, struct warp *w, struct sender sender,
	uint32_t lines)
{
	struct core *core = x->core;
	struct sm *sm = &x->sms[w->sm];
	uint64_t now = core_now(core), cycle;

	core->counts.replays += lines;
	serve(&sm->lsu, sender_of_line(sender.line), now,
		(uint64_t)lines * core->cost.lsu_ticks);
	cycle = serve(&sm->issue[w->scheduler], sender, now,
		(uint64_t)lines * core->cost.replay_ticks);
	w->ready = cycle > w->ready ? cycle : w->ready;
}

/* What carries data leaves the pipe when the way out of the SM has room for it;
   where it must wait for that, nothing joins what was stored before. */
static void hold_pipe(const struct execution *x, struct sm *sm,
	const struct sm_port *port, uint32_t sender)
{
	uint64_t room =
		(uint64_t)x->core->cost.store_queue_cycles * TICKS_A_CYCLE;

	if (port->request.free_at <= sm->lsu.free_at + room)
		return;
	server_hold(
		&sm->lsu, sender_of_line(sender), port->request.free_at - room);
	stores_let_go(&sm->stores);
}

void issue_lines(struct execution *x, uint32_t warp, const struct insn *insn,
	const struct asks *asks, uint32_t waits, const struct touch *t)
{
	struct warp *w = &x->warps[warp];
	struct sm *sm = &x->sms[w->sm];
	const struct issue s = {insn, asks, warp, waits};
	const unsigned kind = asks->form.kind;
	struct access access = {.looks = asks->looks, .effect = asks->effect};
	struct passes passes = passes_of(x, t, asks);
	struct atomic_lines before;
	uint32_t i, hits = 0;

	if (x->core->cost.replay_ticks && t->count > 1 && !asks->texture)
		replay(x, w, warp_sender(x, warp, asks->sender), t->count - 1);
	x->core->counts.l1_requests += kind == REQUEST_LOAD && !asks->texture;
	if (asks->atomic)
		memset(&before, 0, sizeof(before));
	access.ticks = (uint16_t)passes.ticks;
	access.hit_late = (uint8_t)passes.hit_late;
	sm->held += t->count;
	if (x->core->cost.store_merge_cycles)
		access.pairs = pass_stores(x, w, insn, asks, t);
	for (i = 0; i < t->count; i++) {
		access.miss_late =
			(uint8_t)((i * passes.miss_late + passes.data_late) /
				  TICKS_A_CYCLE);
		hits += start_request(x, w, &s, t, i, &before, &access);
	}
	if (!asks->texture && w->way_ticks && waits < WAITS_COPY)
		take_way(x, w, &passes, hits, t->count, asks->sender);
	if (kind == REQUEST_LOAD)
		return;
	if (kind == REQUEST_STORE)
		w->stored_from = sm->stored_count - t->count;
	if (kind == REQUEST_STORE || asks->atomic)
		hold_pipe(x, sm, &x->network->sms[w->sm], asks->sender);
}
