/*
 * One warp instruction becomes requests: each of the lines that its lanes
 * touch is one.
 */
#include "backend_sim/core/engine.h"
#include "backend_sim/sm/qualifiers.h"
#include "backend_sim/sm/touch.h"

#define LANES PROGRAM_WARP_LANES

/* A load takes a pass for each word of its worst bank, and one for four lines
   at the least; what goes past L1 takes one for each line. */
struct passes {
	uint32_t ticks;     /* of the pipe, for each line */
	uint32_t hit_late;  /* cycles */
	uint32_t miss_late; /* ticks, for each line before */
};

static struct passes passes_of(
	const struct engine *e, const struct touch *t, bool looks)
{
	struct passes p = {e->cost.l1_line, 0, 0};
	uint32_t count = t->count, ways;

	if (count == 1)
		return p;
	/* The pipe's own time comes on top. */
	if (e->cost.l1_pass > e->cost.l1_line)
		p.miss_late = e->cost.l1_pass - e->cost.l1_line;
	if (!looks)
		return p;
	ways = touch_bank_ways(t);
	if (ways < (count + 3) / 4)
		ways = (count + 3) / 4;
	p.ticks = ways * e->cost.l1_line / count;
	p.hit_late = (ways - 1) * p.miss_late / TICKS;
	return p;
}

/* ---- into the SM ---- */

/* What all requests of an instruction have in common. */
static struct request form_of(const struct engine *e, const struct warp *w,
	uint32_t warp, const struct insn *insn)
{
	bool waited = insn->op == OP_LD || insn->op == OP_ATOM;
	struct request form = {
		.warp = warp,
		.sm = w->sm & 2047,
		.buffer = insn->address.buffer & 15,
		.waits = !waited                               ? WAITS_LOOSE
			 : insn->address.mode == ADDRESS_CHASE ? WAITS_LINK
							       : WAITS_VALUE,
		.wait_next = NONE,
	};

	qualifiers_apply(insn, &form);
	if (qualifiers_texture(e, insn))
		form.texture = (w->scheduler % e->cost.texture_caches + 1) & 15;
	return form;
}

/* Line `i` of those that the instruction touches. */
static void start_request(struct engine *e, const struct insn *insn,
	const struct request *form, const struct touch *t, uint32_t i,
	struct access *access, uint32_t class)
{
	uint64_t offset = t->lines[i].line << LINE_SHIFT;
	uint32_t page = chip_page(e, insn->address.buffer, offset);
	uint32_t index = request_take(e), words, sector, whole = 0;
	struct request *r = &e->requests[index];

	*r = *form;
	r->line = chip_line(e, page, offset);
	r->page = page;
	r->demand = t->lines[i].sectors & 15;
	words = (unsigned)__builtin_popcount(t->lines[i].words);
	r->operands = words & 63;
	r->passes = ((t->lines[i].lanes + words - 1) / words) & 63;
	for (sector = 0; sector < 4; sector++)
		whole |= (t->lines[i].bytes[sector] == UINT32_MAX) << sector;
	r->whole = whole & 15;
	r->l2_class = class & 3;
	access->words = t->lines[i].wide;
	l1_lookup(e, index, access);
}

/* The scheduler issues the instruction again for each further line, and each
   time it goes through the load/store pipe again. Those that are in line
   already go first: the slots taken are the same. */
static void replay(struct engine *e, struct warp *w, uint32_t lines)
{
	struct sm *sm = &e->sms[w->sm];
	uint64_t now = e->calendar.now, cycle;

	e->counts.replays += lines;
	serve(&sm->lsu_free, now, (uint64_t)lines * e->cost.lsu);
	cycle = serve(&sm->issue_free[w->scheduler], now,
		(uint64_t)lines * e->cost.replay);
	w->ready = cycle > w->ready ? cycle : w->ready;
}

void issue_global(struct engine *e, uint32_t warp, const struct insn *insn)
{
	struct warp *w = &e->warps[warp];
	struct request form;
	struct passes passes;
	struct access access;
	struct touch t;
	uint32_t i;

	touch_lines(e, w, insn, &t);
	if (e->cost.replay && t.count > 1 && !qualifiers_texture(e, insn))
		replay(e, w, t.count - 1);
	form = form_of(e, w, warp, insn);
	access.looks = qualifiers_look_in_l1(insn);
	access.effect = (uint8_t)qualifiers_l1_effect(e, insn);
	passes = passes_of(e, &t, access.looks);
	access.ticks = (uint16_t)passes.ticks;
	access.hit_late = (uint8_t)passes.hit_late;
	e->sms[w->sm].held += t.count;
	*warp_outstanding(w, form.waits) += t.count;
	for (i = 0; i < t.count; i++) {
		access.miss_late = (uint8_t)(i * passes.miss_late / TICKS);
		start_request(e, insn, &form, &t, i, &access,
			qualifiers_l2_class(
				e, w, insn, t.lines[i].line << LINE_SHIFT));
	}
}

/* Shared memory: a pipe that lanes on the same word (atomics) or on the same
   bank (loads, stores) go through one after the other. */
void issue_shared(struct engine *e, uint32_t warp, const struct insn *insn)
{
	struct warp *w = &e->warps[warp];
	struct whereabouts where = touch_whereabouts(e, w, insn);
	struct sm *sm = &e->sms[w->sm];
	uint64_t words[LANES];
	uint32_t same[LANES] = {0}, bank[LANES] = {0}, worst = 1, lanes, i;
	uint64_t cycle;

	lanes = touch_lanes(w, insn);
	for (where.lane = 0; where.lane < lanes; where.lane++) {
		uint64_t word =
			address_offset(e->p, &insn->address, &where) / 4;
		bool first = true;

		words[where.lane] = word;
		for (i = 0; i < where.lane; i++)
			if (words[i] == word) {
				first = false;
				same[i]++;
				break;
			}
		if (first)
			bank[word % 32]++;
	}
	/* Words by lane, banks by number: as many of either. */
	for (i = 0; i < LANES; i++) {
		uint32_t rounds = insn->op == OP_LD || insn->op == OP_ST
					  ? bank[i]
				  : same[i] + 1 > bank[i] ? same[i] + 1
							  : bank[i];

		worst = rounds > worst ? rounds : worst;
	}
	/* The pipe is the one that global accesses use, and the warp goes on
	   when it has gone through. */
	cycle = serve(&sm->lsu_free, e->calendar.now,
		insn->op == OP_LD || insn->op == OP_ST
			? worst * TICKS
			: worst * (uint64_t)e->cost.shared_atomic);
	w->ready = cycle > w->ready ? cycle : w->ready;
	if (insn->op == OP_LD || insn->op == OP_ATOM)
		w->shared_until = cycle + e->cost.shared;
}
