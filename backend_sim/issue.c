/*
 * One warp instruction becomes requests: the addresses of its lanes are
 * coalesced into lines and sectors, each line is one request.
 */
#include <math.h>
#include <string.h>

#include "legality.h"
#include "engine.h"

#define LANES PROGRAM_WARP_LANES

/* What a warp instruction touches, line by line. */
struct touch {
	uint32_t count;
	uint64_t seen; /* a bit for a hash of each line's number */
	struct touched_line {
		uint64_t line; /* of the buffer: offset / 128 */
		uint8_t sectors, lanes;
		uint32_t bytes[4]; /* touched of each sector, as a set */
		uint32_t words;    /* where lanes begin, as a set of 32 */
		uint32_t wide;     /* all words that they touch */
	} lines[LANES * 2];
};

static void touch_add(struct touch *t, uint64_t offset, uint32_t bytes)
{
	uint64_t line = offset >> LINE_SHIFT;
	unsigned first = (unsigned)(offset >> 5) & 3;
	unsigned last = first + (((unsigned)offset & 31) + bytes - 1) / 32;
	uint64_t bit = UINT64_C(1) << ((uint32_t)line * 0x9e3779b1u >> 26);
	uint32_t i = t->seen & bit ? t->count : 0, sector;

	if (last > 3)
		last = 3; /* what a wrap cuts off counts with its line */

	while (i-- > 0)
		if (t->lines[i].line == line)
			break;
	if (i == UINT32_MAX) {
		i = t->count++;
		t->seen |= bit;
		t->lines[i].line = line;
		t->lines[i].sectors = t->lines[i].lanes = 0;
		t->lines[i].words = t->lines[i].wide = 0;
		memset(t->lines[i].bytes, 0, sizeof(t->lines[i].bytes));
	}
	t->lines[i].sectors |= (uint8_t)(((2u << last) - (1u << first)) & 15u);
	/* Accesses are aligned: at most 32 bytes of one sector. */
	for (sector = first; sector <= last; sector++)
		t->lines[i].bytes[sector] |=
			(uint32_t)(((UINT64_C(1) << (bytes < 32 ? bytes : 32)) -
					   1)
				   << (offset & 31));
	t->lines[i].lanes++;
	t->lines[i].words |= 1u << ((offset >> 2) & 31);
	t->lines[i].wide |= (uint32_t)((UINT64_C(1) << ((bytes + 3) / 4)) - 1)
			    << ((offset >> 2) & 31);
}

/* The numbers from `first` up to and without `end`, as a set of 32. */
static uint32_t range(uint32_t first, uint32_t end)
{
	return (uint32_t)((UINT64_C(1) << end) - (UINT64_C(1) << first));
}

/* Of a sector the bytes from `first` of its line up to and without `end`. */
static uint32_t bytes_of(uint32_t sector, uint32_t first, uint32_t end)
{
	uint32_t begin = sector * PROGRAM_SECTOR_BYTES;
	uint32_t over = begin + PROGRAM_SECTOR_BYTES;

	first = first > begin ? first : begin;
	end = end < over ? end : over;
	return first < end ? range(first - begin, end - begin) : 0;
}

/* Lanes side by side, of 1 to 32 bytes each and aligned: as touch_add() for
   each of them, a line at a time. */
static void touch_dense(
	struct touch *t, uint64_t offset, uint32_t lanes, uint32_t bytes)
{
	static const uint32_t starts[] = {0xffffffff, 0xffffffff, 0xffffffff,
		0x55555555, 0x11111111, 0x01010101};
	uint64_t over = offset + (uint64_t)lanes * bytes;
	uint32_t first, end, sector;

	for (; offset < over; offset += end - first) {
		struct touched_line *line = &t->lines[t->count++];

		first = (uint32_t)offset & (PROGRAM_LINE_BYTES - 1);
		end = over - offset < PROGRAM_LINE_BYTES - first
			      ? first + (uint32_t)(over - offset)
			      : PROGRAM_LINE_BYTES;
		line->line = offset >> LINE_SHIFT;
		line->lanes = (uint8_t)((end - first) / bytes);
		line->wide = range(first / 4, (end + 3) / 4);
		line->words = line->wide & starts[__builtin_ctz(bytes)];
		line->sectors = (uint8_t)range(first / 32, (end + 31) / 32);
		for (sector = 0; sector < 4; sector++)
			line->bytes[sector] = bytes_of(sector, first, end);
	}
}

/* Is it what touch_dense() takes? */
static bool is_dense(const struct address *a, uint64_t base, uint32_t bytes)
{
	return a->lane_bytes == bytes && bytes <= PROGRAM_SECTOR_BYTES &&
	       (bytes & (bytes - 1)) == 0 && base % bytes == 0;
}

static struct whereabouts whereabouts_of(
	const struct engine *e, const struct warp *w, const struct insn *insn)
{
	struct whereabouts where = {
		.warp = w->index,
		.block = w->block,
		.warps_per_block = (e->p->roles[w->role].threads + 31) / 32,
		.insn = (uint32_t)(insn - e->p->insns),
	};
	unsigned depth;

	for (depth = 0; depth < w->depth; depth++)
		where.loop[depth] = w->loop[depth];
	return where;
}

static uint32_t lanes_of(const struct warp *w, const struct insn *insn)
{
	return insn->guard == GUARD_ALL ? w->active : 1;
}

static void touch_addressed(const struct engine *e, const struct warp *w,
	const struct insn *insn, struct touch *t)
{
	struct whereabouts where = whereabouts_of(e, w, insn);
	const struct address *a = &insn->address;
	uint32_t lanes = lanes_of(w, insn), bytes = insn_lane_bytes(insn);
	uint64_t span = address_span(e->p, a), base;
	double reach; /* may be more than 64 bits hold */

	base = address_offset(e->p, a, &where);
	reach = (double)base + (lanes - 1) * (double)a->lane_bytes + bytes;
	if (a->mode != ADDRESS_RANDOM && (!span || reach <= (double)span)) {
		if (is_dense(a, base, bytes)) {
			touch_dense(t, base, lanes, bytes);
			return;
		}
		for (where.lane = 0; where.lane < lanes; where.lane++)
			touch_add(t, base + where.lane * a->lane_bytes, bytes);
		return;
	}
	for (where.lane = 0; where.lane < lanes; where.lane++)
		touch_add(t, address_offset(e->p, a, &where), bytes);
}

/* Where in the ring buffer a thread of the warp stands. */
static uint64_t chase_offset(const struct engine *e, const struct warp *w,
	const struct insn *insn, uint32_t lane)
{
	const struct buffer *ring = &e->p->buffers[insn->address.buffer];
	uint32_t thread = w->global * w->lanes + lane;
	uint32_t part = thread % ring->rings;
	uint32_t slot =
		e->positions[w->chase + insn->address.buffer * LANES + lane];

	if (ring->order == ORDER_SHUFFLE)
		slot = permutation_slot(
			&e->permutations[insn->address.buffer][part], slot);
	return (uint64_t)slot * ring->slot_bytes +
	       ring->bytes / ring->rings * part;
}

static void touch_chase(struct engine *e, const struct warp *w,
	const struct insn *insn, struct touch *t)
{
	const struct buffer *ring = &e->p->buffers[insn->address.buffer];
	uint32_t slots = (uint32_t)buffer_ring_slots(ring);
	uint32_t bytes = insn_lane_bytes(insn), lane;
	bool follows = !insn->address.base_bytes &&
		       (insn->op == OP_LD || insn->op == OP_ATOM);

	for (lane = 0; lane < lanes_of(w, insn); lane++) {
		uint32_t *position =
			&e->positions[w->chase + insn->address.buffer * LANES +
				      lane];

		touch_add(t,
			chase_offset(e, w, insn, lane) +
				insn->address.base_bytes,
			bytes);
		if (follows && ++*position == slots)
			*position = 0;
	}
}

/* ---- what the qualifiers ask for ---- */

static unsigned class_of_priority(uint8_t value, unsigned unchanged)
{
	switch (value) {
	case QV_L2_evict_first:
	case QV_SECONDARY_evict_first:
		return CLASS_FIRST;
	case QV_L2_evict_last:
		return CLASS_LAST;
	case QV_L2_evict_normal:
		return CLASS_NORMAL;
	default:
		return unchanged;
	}
}

static unsigned class_of_property(uint64_t property)
{
	return property == PROPERTY_PERSISTING  ? CLASS_LAST
	       : property == PROPERTY_STREAMING ? CLASS_FIRST
						: CLASS_NORMAL;
}

/* A fraction of lines, the same ones each time, as the address hash of the
   hardware picks them. */
static bool drawn(const struct engine *e, uint64_t line, double fraction)
{
	return permute_draw(e->p->seed, 77, (uint32_t)line, 65536) <
	       (uint32_t)lround(fraction * 65536);
}

/* The primary range, and the secondary ones behind and before it; normal
   elsewhere. */
static unsigned class_by_range(
	const struct insn *policy, uint8_t buffer, uint64_t offset)
{
	uint64_t base = policy->address.base_bytes;
	uint64_t before = policy->total - policy->count;

	if (buffer != policy->address.buffer ||
		offset >= base + policy->total || offset + before < base)
		return CLASS_NORMAL;
	if (offset >= base && offset < base + policy->count)
		return class_of_priority(policy->q[Q_L2], CLASS_NORMAL);
	return class_of_priority(policy->q[Q_SECONDARY], CLASS_NORMAL);
}

static unsigned class_by_policy(const struct engine *e,
	const struct insn *policy, uint8_t buffer, uint64_t offset)
{
	switch (policy->q[Q_KIND]) {
	case QV_KIND_fractional:
		if (drawn(e, offset >> LINE_SHIFT, policy->fraction))
			return class_of_priority(policy->q[Q_L2], CLASS_NORMAL);
		return class_of_priority(policy->q[Q_SECONDARY], CLASS_NORMAL);
	case QV_KIND_range:
		return class_by_range(policy, buffer, offset);
	default:
		return class_of_property(policy->total);
	}
}

static unsigned class_by_window(
	const struct engine *e, uint8_t buffer, uint64_t offset)
{
	const struct step *w = e->window;

	if (!w || w->buffer != buffer || offset < w->base_bytes ||
		offset >= w->base_bytes + w->bytes)
		return CLASS_NORMAL;
	return class_of_property(drawn(e, offset >> LINE_SHIFT, w->hit_ratio)
					 ? w->hit
					 : w->miss);
}

static unsigned l2_class(const struct engine *e, const struct warp *w,
	const struct insn *insn, uint64_t offset)
{
	if (insn->q[Q_HINT] && w->policy[insn->policy])
		return class_by_policy(e,
			&e->p->insns[w->policy[insn->policy] - 1],
			insn->address.buffer, offset);
	if (insn->q[Q_L2])
		return class_of_priority(insn->q[Q_L2], CLASS_NORMAL);
	if (insn->q[Q_COP] == QV_COP_cs || insn->q[Q_COP] == QV_COP_lu)
		return CLASS_FIRST;
	/* Measured on an H200: what a load is not to keep in L1 leaves L2
	   first, too. */
	if (insn->op == OP_LD && (insn->q[Q_L1] == QV_L1_evict_first ||
					 insn->q[Q_L1] == QV_L1_no_allocate))
		return CLASS_FIRST;
	return class_by_window(e, insn->address.buffer, offset);
}

/* Which operators look in L1 and which leave a line there, as measured on an
   H200: .ca .cs .nc (.cg.nc, too) and .relaxed.cta do both, .lu looks only. */
static bool looks_in_l1(const struct insn *insn)
{
	uint8_t cop = insn->q[Q_COP], sem = insn->q[Q_SEM];

	if (insn->op != OP_LD)
		return false;
	if (insn->q[Q_NC])
		return true;
	return cop != QV_COP_cg && cop != QV_COP_cv &&
	       (sem == QV_NONE || sem == QV_SEM_weak ||
		       (sem == QV_SEM_relaxed &&
			       insn->q[Q_SCOPE] == QV_SCOPE_cta));
}

/* Measured on an H200: what goes past L1 takes the line out of it, except that
   stores leave their bytes there. */
static unsigned l1_effect(const struct engine *e, const struct insn *insn)
{
	switch (insn->op) {
	case OP_LD:
		return looks_in_l1(insn) ? EFFECT_NONE : EFFECT_DROPS;
	case OP_ST:
		if (e->cost.l1_store_evicts)
			return EFFECT_DROPS;
		return e->cost.l1_store_allocates &&
				       insn->q[Q_L1] != QV_L1_no_allocate
			       ? EFFECT_WRITES
			       : EFFECT_UPDATES;
	case OP_ATOM:
	case OP_RED:
	case OP_DISCARD:
		return EFFECT_DROPS;
	default:
		return EFFECT_NONE;
	}
}

static bool stays_in_l1(const struct insn *insn)
{
	return looks_in_l1(insn) && insn->q[Q_COP] != QV_COP_lu &&
	       insn->q[Q_L1] != QV_L1_no_allocate;
}

static unsigned l1_class(const struct insn *insn)
{
	if (insn->q[Q_L1] == QV_L1_evict_first || insn->q[Q_COP] == QV_COP_cs)
		return CLASS_FIRST;
	return insn->q[Q_L1] == QV_L1_evict_last ? CLASS_LAST : CLASS_NORMAL;
}

/* An eviction priority holds for the line from then on; a cache operator
   only says how a line is allocated. */
static unsigned l1_hit(const struct insn *insn)
{
	if (!insn->q[Q_L1])
		return HIT_TOUCHES;
	switch (insn->q[Q_L1]) {
	case QV_L1_evict_first:
	case QV_L1_evict_normal:
	case QV_L1_evict_last:
		return HIT_MARKS;
	case QV_L1_evict_unchanged:
		return HIT_KEEPS;
	default:
		return HIT_TOUCHES;
	}
}

bool issue_is_texture(const struct engine *e, const struct insn *insn)
{
	return e->cost.texture_caches && insn->q[Q_NC] && looks_in_l1(insn);
}

static unsigned prefetch_blocks(const struct insn *insn)
{
	switch (insn->q[Q_SIZE]) {
	case QV_SIZE_64B:
		return 2;
	case QV_SIZE_128B:
		return 4;
	case QV_SIZE_256B:
		return 8;
	default:
		return insn->op == OP_PREFETCH || insn->op == OP_PREFETCHU ? 4
									   : 0;
	}
}

static enum request_kind kind_of(const struct insn *insn)
{
	switch (insn->op) {
	case OP_ST:
		return REQUEST_STORE;
	case OP_ATOM:
		return REQUEST_ATOMIC;
	case OP_RED:
		return REQUEST_REDUCTION;
	case OP_DISCARD:
		return REQUEST_DISCARD;
	case OP_APPLYPRIORITY:
		return REQUEST_PRIORITY;
	case OP_PREFETCH:
	case OP_PREFETCHU:
		/* To L1 too: on an H200 it brings the line home, and no
		   further. */
		return REQUEST_PREFETCH;
	default:
		return REQUEST_LOAD;
	}
}

/* ---- passes through L1 ---- */

#define BANK_LEVELS 6

/* The most lines that have a word in the same of the 32 banks: counters of
   all banks at once, a bit of each in a word. */
static uint32_t bank_ways(const struct touch *t)
{
	uint32_t level[BANK_LEVELS] = {0}, most = UINT32_MAX, ways = 0, i;
	int b;

	for (i = 0; i < t->count; i++) {
		uint32_t carry = t->lines[i].wide;

		for (b = 0; b < BANK_LEVELS && carry; b++) {
			uint32_t both = level[b] & carry;

			level[b] ^= carry;
			carry = both;
		}
	}
	for (b = BANK_LEVELS; b-- > 0;)
		if (level[b] & most) {
			most &= level[b];
			ways |= 1u << b;
		}
	return ways;
}

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
	ways = bank_ways(t);
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
		.kind = kind_of(insn),
		.l1_class = l1_class(insn) & 3,
		.l1_hit = l1_hit(insn) & 3,
		.l1_allocate = stays_in_l1(insn),
		.prefetch = prefetch_blocks(insn) & 15,
		.waits = !waited                               ? WAITS_LOOSE
			 : insn->address.mode == ADDRESS_CHASE ? WAITS_LINK
							       : WAITS_VALUE,
		.wait_next = NONE,
	};

	if (issue_is_texture(e, insn))
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

	t.count = 0;
	t.seen = 0;
	if (insn->address.mode == ADDRESS_CHASE)
		touch_chase(e, w, insn, &t);
	else
		touch_addressed(e, w, insn, &t);
	if (e->cost.replay && t.count > 1 && !issue_is_texture(e, insn))
		replay(e, w, t.count - 1);
	form = form_of(e, w, warp, insn);
	access.looks = looks_in_l1(insn);
	access.effect = (uint8_t)l1_effect(e, insn);
	passes = passes_of(e, &t, access.looks);
	access.ticks = (uint16_t)passes.ticks;
	access.hit_late = (uint8_t)passes.hit_late;
	e->sms[w->sm].held += t.count;
	*warp_outstanding(w, form.waits) += t.count;
	for (i = 0; i < t.count; i++) {
		access.miss_late = (uint8_t)(i * passes.miss_late / TICKS);
		start_request(e, insn, &form, &t, i, &access,
			l2_class(e, w, insn, t.lines[i].line << LINE_SHIFT));
	}
}

/* Shared memory: a pipe that lanes on the same word (atomics) or on the same
   bank (loads, stores) go through one after the other. */
void issue_shared(struct engine *e, uint32_t warp, const struct insn *insn)
{
	struct warp *w = &e->warps[warp];
	struct whereabouts where = whereabouts_of(e, w, insn);
	struct sm *sm = &e->sms[w->sm];
	uint64_t words[LANES];
	uint32_t same[LANES] = {0}, bank[LANES] = {0}, worst = 1, lanes, i;
	uint64_t cycle;

	lanes = lanes_of(w, insn);
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
