/* What a warp instruction asks of the memory: one request for each line. */
#include <math.h>
#include <string.h>

#include "tests/reference/ref.h"

#define LANES PROGRAM_WARP_LANES

struct touched_line {
	uint64_t offset; /* of the line in its buffer */
	bool bytes[PROGRAM_LINE_BYTES];
	bool first_words[32]; /* in which lanes' data begin */
	uint32_t lanes;
};

struct touched {
	uint32_t count;
	struct touched_line lines[LANES];
};

static uint32_t lane_count(const struct ref_warp *w, const struct insn *insn)
{
	return insn->guard == GUARD_ALL ? w->lanes : 1;
}

static struct whereabouts where_is(
	const struct reference *r, const struct ref_warp *w, uint32_t lane)
{
	struct whereabouts where = {
		.lane = lane,
		.warp = w->index,
		.block = w->block->index,
		.warps_per_block = (w->role->threads + 31) / 32,
		.insn = w->pc,
	};

	(void)r;
	for (uint32_t i = 0; i < w->depth; i++)
		where.loop[i] = w->loops[i].count;
	return where;
}

/* What reaches over the end of its line counts with the line. */
static void touch(struct touched *t, uint64_t offset, uint32_t bytes)
{
	uint64_t begin = offset / PROGRAM_LINE_BYTES * PROGRAM_LINE_BYTES;
	uint32_t i = 0, byte = (uint32_t)(offset - begin);

	while (i < t->count && t->lines[i].offset != begin)
		i++;
	if (i == t->count) {
		memset(&t->lines[i], 0, sizeof(t->lines[i]));
		t->lines[i].offset = begin;
		t->count++;
	}
	t->lines[i].lanes++;
	t->lines[i].first_words[byte / 4] = true;
	for (; bytes-- > 0 && byte < PROGRAM_LINE_BYTES; byte++)
		t->lines[i].bytes[byte] = true;
}

/* The slot of its ring at which the lane stands. A link moves it on. */
static uint64_t chase(struct reference *r, struct ref_warp *w,
	const struct insn *insn, uint32_t lane)
{
	uint8_t buffer = insn->address.buffer;
	const struct buffer *ring = &r->p->buffers[buffer];
	uint32_t part = (w->number * w->role->lanes + lane) % ring->rings;
	uint32_t slots = (uint32_t)buffer_ring_slots(ring);
	uint32_t slot = w->positions[buffer][lane];

	if (!insn->address.base_bytes &&
		(insn->op == OP_LD || insn->op == OP_ATOM))
		w->positions[buffer][lane] = (slot + 1) % slots;
	if (ring->order == ORDER_SHUFFLE)
		slot = permutation_slot(&r->rings[buffer][part], slot);
	return ring->bytes / ring->rings * part +
	       (uint64_t)slot * ring->slot_bytes + insn->address.base_bytes;
}

static void touch_all(struct reference *r, struct ref_warp *w,
	const struct insn *insn, struct touched *t)
{
	t->count = 0;
	for (uint32_t lane = 0; lane < lane_count(w, insn); lane++) {
		struct whereabouts where = where_is(r, w, lane);

		touch(t,
			insn->address.mode == ADDRESS_CHASE
				? chase(r, w, insn, lane)
				: address_offset(r->p, &insn->address, &where),
			insn_lane_bytes(insn));
	}
}

/* ---- L2 classes ---- */

static unsigned class_of_priority(uint8_t value)
{
	switch (value) {
	case QV_L2_evict_first:
	case QV_SECONDARY_evict_first:
		return REF_FIRST;
	case QV_L2_evict_last:
		return REF_LAST;
	default:
		return REF_NORMAL;
	}
}

static unsigned class_of_property(uint64_t property)
{
	switch (property) {
	case PROPERTY_PERSISTING:
		return REF_LAST;
	case PROPERTY_STREAMING:
		return REF_FIRST;
	default:
		return REF_NORMAL;
	}
}

/* The same share of all lines each time. */
static bool is_drawn(const struct reference *r, uint64_t offset, double share)
{
	uint32_t line = (uint32_t)(offset / PROGRAM_LINE_BYTES);

	return permute_draw(r->p->seed, 77, line, 65536) <
	       ref_whole(share * 65536);
}

/* A range policy's window begins as much before the primary range as it ends
   after it: the range of `count` bytes, in the middle of 2 total - count. */
static unsigned class_by_range(
	const struct insn *policy, uint8_t buffer, uint64_t offset)
{
	int64_t from = (int64_t)offset - (int64_t)policy->address.base_bytes;
	int64_t primary = (int64_t)policy->count;
	int64_t total = (int64_t)policy->total;

	if (buffer != policy->address.buffer || from >= total ||
		from < primary - total)
		return REF_NORMAL;
	if (from >= 0 && from < primary)
		return class_of_priority(policy->q[Q_L2]);
	return class_of_priority(policy->q[Q_SECONDARY]);
}

static unsigned class_by_policy(const struct reference *r,
	const struct insn *policy, uint8_t buffer, uint64_t offset)
{
	switch (policy->q[Q_KIND]) {
	case QV_KIND_range:
		return class_by_range(policy, buffer, offset);
	case QV_KIND_fractional:
		return class_of_priority(is_drawn(r, offset, policy->fraction)
						 ? policy->q[Q_L2]
						 : policy->q[Q_SECONDARY]);
	default:
		return class_of_property(policy->total);
	}
}

/* What is written says it, in this order: a policy, a priority, a streaming
   operator, an L1 priority that keeps nothing, the window of the launch. */
static unsigned l2_class(const struct reference *r, const struct ref_warp *w,
	const struct insn *insn, uint64_t offset)
{
	const struct step *window = r->window;
	uint8_t cop = insn->q[Q_COP], l1 = insn->q[Q_L1];

	if (insn->q[Q_HINT] && w->policies[insn->policy])
		return class_by_policy(r, w->policies[insn->policy],
			insn->address.buffer, offset);
	if (insn->q[Q_L2])
		return class_of_priority(insn->q[Q_L2]);
	if (cop == QV_COP_cs || cop == QV_COP_lu)
		return REF_FIRST;
	if (insn->op == OP_LD &&
		(l1 == QV_L1_evict_first || l1 == QV_L1_no_allocate))
		return REF_FIRST;
	if (!window || window->buffer != insn->address.buffer ||
		offset < window->base_bytes ||
		offset >= window->base_bytes + window->bytes)
		return REF_NORMAL;
	return class_of_property(is_drawn(r, offset, window->hit_ratio)
					 ? window->hit
					 : window->miss);
}

/* ---- L1 ---- */

static bool looks_in_l1(const struct insn *insn)
{
	if (insn->op != OP_LD)
		return false;
	if (insn->q[Q_NC])
		return true;
	if (insn->q[Q_COP] == QV_COP_cg || insn->q[Q_COP] == QV_COP_cv)
		return false;
	switch (insn->q[Q_SEM]) {
	case QV_NONE:
	case QV_SEM_weak:
		return true;
	case QV_SEM_relaxed:
		return insn->q[Q_SCOPE] == QV_SCOPE_cta;
	default:
		return false;
	}
}

static bool stays_in_l1(const struct insn *insn)
{
	return looks_in_l1(insn) && insn->q[Q_COP] != QV_COP_lu &&
	       insn->q[Q_L1] != QV_L1_no_allocate;
}

bool ref_uses_texture(const struct reference *r, const struct insn *insn)
{
	return REF_CYCLES_OF(r, texture_caches) && insn->q[Q_NC] &&
	       insn->op == OP_LD;
}

static enum ref_effect effect_of(
	const struct reference *r, const struct insn *insn)
{
	switch (insn->op) {
	case OP_LD:
		return looks_in_l1(insn) ? REF_NOTHING : REF_DROPS;
	case OP_ST:
		if (REF_CYCLES_OF(r, l1_store_evicts))
			return REF_DROPS;
		if (insn->q[Q_L1] == QV_L1_no_allocate)
			return REF_UPDATES;
		return REF_CYCLES_OF(r, l1_store_allocates) ? REF_WRITES
							    : REF_UPDATES;
	case OP_ATOM:
	case OP_RED:
	case OP_DISCARD:
		return REF_DROPS;
	default:
		return REF_NOTHING;
	}
}

static void set_l1(const struct reference *r, const struct insn *insn,
	struct ref_request *q)
{
	uint8_t priority = insn->q[Q_L1];

	q->looks = looks_in_l1(insn);
	q->stays = stays_in_l1(insn);
	q->effect = effect_of(r, insn);
	q->l1_class = REF_NORMAL;
	if (priority == QV_L1_evict_first || insn->q[Q_COP] == QV_COP_cs)
		q->l1_class = REF_FIRST;
	else if (priority == QV_L1_evict_last)
		q->l1_class = REF_LAST;
	q->hit = priority == QV_L1_evict_unchanged ? REF_KEEPS
		 : priority == QV_L1_evict_first ||
				 priority == QV_L1_evict_normal ||
				 priority == QV_L1_evict_last
			 ? REF_MARKS
			 : REF_TOUCHES;
}

/* ---- passes through the pipe of L1 ---- */

/* The most lines of which a word in the same of the 32 banks is touched. */
static uint32_t worst_bank(const struct touched *t)
{
	uint32_t worst = 0, bank, line, byte, count;

	for (bank = 0; bank < 32; bank++) {
		for (count = 0, line = 0; line < t->count; line++) {
			bool any = false;

			for (byte = 0; byte < 4; byte++)
				any |= t->lines[line].bytes[4 * bank + byte];
			count += any;
		}
		worst = count > worst ? count : worst;
	}
	return worst;
}

/* Of lines that may hit. */
static uint32_t passes_of(const struct touched *t)
{
	uint32_t worst = worst_bank(t), fours = (t->count + 3) / 4;

	return worst > fours ? worst : fours;
}

/* Each line takes the pipe once. Lines that may hit go through together,
   bank by bank, four lines at most; the time is then the same for each. Each
   pass comes some cycles after the one before: a hit waits for the last, what
   goes on waits for those of the lines before it. */
static void set_passes(const struct reference *r, const struct touched *t,
	uint32_t index, struct ref_request *q)
{
	uint32_t line = REF_TICKS_OF(r, l1_line_cycles);
	uint32_t pass = REF_TICKS_OF(r, l1_pass_cycles);
	uint32_t passes, later = pass > line ? pass - line : 0;

	if (ref_is_atomic(q) && REF_TICKS_OF(r, sm_request_cycles) < line)
		line = REF_TICKS_OF(r, sm_request_cycles);
	q->l1_ticks = line;
	if (t->count == 1)
		return;
	q->miss_late_cycles = index * later / REF_TICKS;
	if (!q->looks)
		return;
	passes = passes_of(t);
	q->l1_ticks = passes * line / t->count;
	q->hit_late_cycles = (passes - 1) * later / REF_TICKS;
}

/* ---- requests ---- */

static enum ref_kind kind_of(const struct insn *insn)
{
	static const uint8_t kinds[] = {
		[OP_LD] = REF_LOAD,
		[OP_ST] = REF_STORE,
		[OP_ATOM] = REF_ATOMIC,
		[OP_RED] = REF_REDUCTION,
		[OP_PREFETCH] = REF_PREFETCH,
		[OP_PREFETCHU] = REF_PREFETCH,
		[OP_DISCARD] = REF_DISCARD,
		[OP_APPLYPRIORITY] = REF_PRIORITY,
	};

	return (enum ref_kind)kinds[insn->op];
}

static uint32_t prefetch_bytes(const struct insn *insn)
{
	switch (insn->q[Q_SIZE]) {
	case QV_SIZE_64B:
		return 64;
	case QV_SIZE_128B:
		return 128;
	case QV_SIZE_256B:
		return 256;
	default:
		return insn->op == OP_PREFETCH || insn->op == OP_PREFETCHU ? 128
									   : 0;
	}
}

static void set_touched(const struct touched_line *line, struct ref_request *q)
{
	uint32_t starts = 0, i;
	uint32_t bytes[4] = {0};

	for (i = 0; i < 32; i++)
		starts += line->first_words[i];
	for (i = 0; i < PROGRAM_LINE_BYTES; i++) {
		bytes[i / 32] += line->bytes[i];
		q->words[i / 4] |= line->bytes[i];
	}
	for (i = 0; i < 4; i++) {
		q->demand.at[i] = bytes[i] > 0;
		q->whole.at[i] = bytes[i] == 32;
	}
	q->operands = starts;
	q->passes = (line->lanes + starts - 1) / starts;
}

static bool is_single(const struct touched_line *line)
{
	uint32_t starts = 0, i;

	for (i = 0; i < 32; i++)
		starts += line->first_words[i];
	return starts == 1;
}

/* How many of the lines before `index` have one word alone, at `place`. */
static uint32_t singles_before(
	const struct touched *t, uint32_t index, uint32_t place)
{
	uint32_t count = 0, i;

	for (i = 0; i < index; i++)
		count += is_single(&t->lines[i]) &&
			 t->lines[i].first_words[place];
	return count;
}

/* An atomic's line with several operands has a head in each pass, and one with
   a single operand if it comes at most three lines behind such a one. Single
   values come back in rows of 32 words; a row is begun for one whose place is
   taken in all rows that were begun before. */
static void set_atomic(
	const struct touched *t, uint32_t index, struct ref_request *q)
{
	uint32_t place = 0, most = 0, here, i;

	for (i = 0; i <= 3 && i <= index; i++)
		q->headed |= !is_single(&t->lines[index - i]);
	if (!is_single(&t->lines[index]))
		return;
	while (!t->lines[index].first_words[place])
		place++;
	here = singles_before(t, index, place);
	for (i = 0; i < 32; i++)
		if (singles_before(t, index, i) > most)
			most = singles_before(t, index, i);
	q->in_row = here < most;
}

/* An instruction comes to the SM: what it stored before can be joined no longer
   if this is no store, or one after a pause, which begins when all lines of the
   last one have had their time in the pipe. */
static void pass_stores(struct reference *r, struct ref_sm *sm,
	const struct insn *insn, uint32_t lines)
{
	if (insn->op != OP_ST) {
		sm->stored_count = 0;
		return;
	}
	if (r->now > sm->last_store + REF_CYCLES_OF(r, store_merge_cycles))
		sm->stored_count = 0;
	sm->last_store =
		r->now + lines * REF_TICKS_OF(r, lsu_store_cycles) / REF_TICKS;
}

static bool same_sectors(const bool *a, const bool *b)
{
	uint32_t sector, i;

	for (sector = 0; sector < PROGRAM_LINE_BYTES; sector += 32) {
		bool in_a = false, in_b = false;

		for (i = sector; i < sector + 32; i++) {
			in_a |= a[i];
			in_b |= b[i];
		}
		if (in_a != in_b)
			return false;
	}
	return true;
}

/* Some, but not all bytes of a sector. */
static bool in_part(const bool *bytes)
{
	uint32_t sector, i, count;

	for (sector = 0; sector < PROGRAM_LINE_BYTES; sector += 32) {
		for (count = 0, i = sector; i < sector + 32; i++)
			count += bytes[i];
		if (count && count < 32)
			return true;
	}
	return false;
}

/* The entry of the SM's that has the bytes, else that of the warp's own which
   has the same sectors, both in part, else a new one, alone if there are too
   many. */
static uint32_t find_stored(struct reference *r, struct ref_warp *w,
	const struct touched_line *line, uint32_t number, bool *is_there)
{
	struct ref_sm *sm = w->block->sm;
	uint32_t i;

	*is_there = true;
	for (i = 0; i < sm->stored_count; i++)
		if (sm->stored[i].line == number &&
			!memcmp(sm->stored[i].bytes, line->bytes,
				sizeof(line->bytes)))
			return i;
	for (i = 0; i < sm->stored_count; i++)
		if (sm->stored[i].line == number && sm->stored[i].warp == w &&
			in_part(line->bytes) && in_part(sm->stored[i].bytes) &&
			same_sectors(sm->stored[i].bytes, line->bytes))
			return i;
	*is_there = false;
	if (sm->stored_count == REF_CYCLES_OF(r, store_merge_lines))
		sm->stored_count = 0;
	i = sm->stored_count++;
	sm->stored[i].line = number;
	sm->stored[i].warp = w;
	memcpy(sm->stored[i].bytes, line->bytes, sizeof(line->bytes));
	return i;
}

/* The request, if it is still under way, has what all of those that go along
   with it have stored. */
static void complete(struct reference *r, const struct ref_part *part)
{
	uint32_t i, byte, bytes[4] = {0};

	for (byte = 0; byte < PROGRAM_LINE_BYTES; byte++)
		bytes[byte / 32] += part->bytes[byte];
	for (i = 0; i < r->request_count; i++)
		if (r->requests[i]->number == part->request)
			break;
	for (byte = 0; i < r->request_count && byte < 4; byte++)
		if (bytes[byte] == 32)
			r->requests[i]->whole.at[byte] = true;
}

/* Line `index` of a store goes along with the line of the warp's last store,
   with a line of its SM's last stores, or by itself. */
static bool joins(struct reference *r, struct ref_warp *w,
	const struct touched *t, uint32_t index, const struct ref_request *q,
	bool goes_along)
{
	struct ref_sm *sm = w->block->sm;
	const struct touched_line *line = &t->lines[index];
	struct ref_part part = {.request = q->number};
	bool is_there, plain = ref_plan_owner(r, q->line) == MEMORY_PLAIN;
	uint32_t at, byte;

	at = find_stored(r, w, line, q->line, &is_there);
	if (goes_along)
		part = w->own_parts[index];
	else if (is_there)
		part = sm->stored[at].part;
	for (byte = 0; byte < PROGRAM_LINE_BYTES; byte++)
		part.bytes[byte] |= line->bytes[byte];
	sm->stored[at].part = part;
	w->own_parts[index] = part;
	if (!plain || (!goes_along && !is_there))
		return false;
	complete(r, &part);
	return true;
}

static bool is_own_store(const struct ref_warp *w, const struct insn *insn,
	const struct touched *t)
{
	uint32_t i;

	if (w->own_store.lines != t->count ||
		w->own_store.buffer != insn->address.buffer)
		return false;
	for (i = 0; i < t->count; i++)
		if (w->own_store.offsets[i] != t->lines[i].offset ||
			!same_sectors(w->own_store.bytes[i], t->lines[i].bytes))
			return false;
	return true;
}

/* A warp that could store again soon after it has stored to the same sectors
   goes on before all others: once, or as long as its scheduler has stored
   little in between. */
static bool goes_with_own(struct reference *r, struct ref_warp *w,
	const struct insn *insn, const struct touched *t)
{
	struct ref_sm *sm = w->block->sm;
	uint32_t lines = REF_CYCLES_OF(r, store_merge_lines) /
			 REF_CYCLES_OF(r, schedulers);
	uint64_t kept = (uint64_t)lines * REF_CYCLES_OF(r, warps_per_sm);
	uint64_t since, first = w->own_first, i;
	bool goes;

	if (insn->op != OP_ST) {
		w->own_store.lines = 0;
		return false;
	}
	since = ++sm->stores_of[w->scheduler] - w->own_turn;
	w->own_turn = sm->stores_of[w->scheduler];
	w->own_first = sm->stored_ever;
	sm->stored_ever += t->count;
	goes = is_own_store(w, insn, t) && t->count <= lines &&
	       w->first_try <= w->own_store.cycle +
				       REF_CYCLES_OF(r, store_merge_cycles);
	w->own_store.lines = t->count;
	if (goes && since > REF_CYCLES_OF(r, store_run))
		w->own_store.lines = 0;
	w->own_store.cycle = r->now;
	w->own_store.buffer = insn->address.buffer;
	for (i = 0; i < t->count; i++) {
		w->own_store.offsets[i] = t->lines[i].offset;
		memcpy(w->own_store.bytes[i], t->lines[i].bytes,
			PROGRAM_LINE_BYTES);
	}
	return goes && w->own_first - first <= kept;
}

static bool start(struct reference *r, struct ref_warp *w,
	const struct insn *insn, const struct touched *t, uint32_t index,
	bool goes_along)
{
	uint64_t offset = t->lines[index].offset;
	uint32_t page = ref_plan_page(r, insn->address.buffer, offset);
	struct ref_request *q = ref_request_new(
		r, kind_of(insn), ref_plan_line(r, page, offset));

	q->page = page;
	q->buffer = insn->address.buffer;
	q->warp = w;
	q->sm = w->block->sm;
	q->sm->held++;
	q->l2_class = l2_class(r, w, insn, offset);
	q->prefetch_bytes = prefetch_bytes(insn);
	set_touched(&t->lines[index], q);
	if (insn->op == OP_ST && REF_CYCLES_OF(r, store_merge_cycles))
		q->joins = joins(r, w, t, index, q, goes_along);
	if (ref_is_atomic(q))
		set_atomic(t, index, q);
	q->floats = ref_is_atomic(q) && insn->q[Q_TYPE] == QV_TYPE_f32 &&
		    insn->q[Q_ATOMIC] == QV_ATOMIC_add;
	set_l1(r, insn, q);
	set_passes(r, t, index, q);
	if (ref_uses_texture(r, insn))
		q->texture =
			(int)(w->scheduler % REF_CYCLES_OF(r, texture_caches));
	q->waits = REF_LOOSE;
	if (insn->op == OP_LD || insn->op == OP_ATOM)
		q->waits = insn->address.mode == ADDRESS_CHASE ? REF_LINK
							       : REF_VALUE;
	w->links += q->waits == REF_LINK;
	w->values += q->waits == REF_VALUE;
	w->loose += q->waits == REF_LOOSE;
	return ref_l1_enter(r, q);
}

/* Each pass of a hit takes the way to the scheduler's registers, too, beyond
   what its data had of it already. */
static void come_by_passes(struct reference *r, struct ref_warp *w,
	const struct touched *t, uint32_t hits)
{
	uint32_t passes = t->count > 1 ? passes_of(t) : 1;
	uint64_t all = (uint64_t)hits * passes *
		       REF_TICKS_OF(r, l1_pass_cycles) / t->count;

	if (passes > 1 && all > w->data_ticks)
		ref_serve(&w->block->sm->registers[w->scheduler], r->now,
			all - w->data_ticks);
}

/* On old machines the scheduler issues an instruction once more for each
   further line, and it goes through the load/store pipe as often. */
static void replay(struct reference *r, struct ref_warp *w, uint32_t lines)
{
	struct ref_sm *sm = w->block->sm;
	uint64_t over;

	r->counts.replays += lines;
	ref_serve(&sm->pipe, r->now,
		(uint64_t)lines * REF_TICKS_OF(r, lsu_cycles));
	ref_beside(r, w, (uint64_t)lines * REF_TICKS_OF(r, replay_cycles));
	over = ref_serve(&sm->slots[w->scheduler], r->now,
		(uint64_t)lines * REF_TICKS_OF(r, replay_cycles));
	if (w->ready < over)
		w->ready = over;
}

/* A pipe whose data find too many others at the SM's port stands still, and
   what was stored before can be joined no longer. */
static void hold_pipe(struct reference *r, struct ref_sm *sm)
{
	uint64_t longest =
		(uint64_t)REF_CYCLES_OF(r, store_queue_cycles) * REF_TICKS;

	if (sm->port.over > longest &&
		sm->pipe.over < sm->port.over - longest) {
		sm->pipe.over = sm->port.over - longest;
		sm->stored_count = 0;
	}
}

void ref_issue_global(
	struct reference *r, struct ref_warp *w, const struct insn *insn)
{
	struct touched t;
	uint32_t hits = 0;
	bool goes_along;

	touch_all(r, w, insn, &t);
	pass_stores(r, w->block->sm, insn, t.count);
	goes_along = goes_with_own(r, w, insn, &t);
	if (REF_TICKS_OF(r, replay_cycles) && t.count > 1 &&
		!ref_uses_texture(r, insn))
		replay(r, w, t.count - 1);
	if (insn->op == OP_LD && !ref_uses_texture(r, insn))
		r->counts.l1_requests++;
	for (uint32_t i = 0; i < t.count; i++)
		hits += start(r, w, insn, &t, i, goes_along);
	if (!ref_uses_texture(r, insn))
		come_by_passes(r, w, &t, hits);
	if (insn->op == OP_ST || insn->op == OP_ATOM || insn->op == OP_RED)
		hold_pipe(r, w->block->sm);
}

/* ---- shared memory ---- */

/* Rounds through the pipe: of distinct words in one bank, one each; of an
   atomic's lanes on one word, one each. */
static uint32_t shared_rounds(
	const uint64_t *words, uint32_t lanes, bool atomic)
{
	uint32_t worst = 1, i, k, m;

	for (i = 0; i < lanes; i++) {
		uint32_t same = 0, distinct = 0;

		for (k = 0; k < lanes; k++) {
			same += words[k] == words[i];
			for (m = 0; m < k && words[m] != words[k]; m++)
				;
			distinct += m == k && words[k] % 32 == words[i] % 32;
		}
		if (atomic && same > worst)
			worst = same;
		if (distinct > worst)
			worst = distinct;
	}
	return worst;
}

void ref_issue_shared(
	struct reference *r, struct ref_warp *w, const struct insn *insn)
{
	bool plain = insn->op == OP_LD || insn->op == OP_ST;
	uint32_t lanes = lane_count(w, insn), lane;
	uint64_t round =
		plain ? REF_TICKS : REF_TICKS_OF(r, shared_atomic_cycles);
	uint64_t words[LANES], over;
	uint32_t rounds;

	for (lane = 0; lane < lanes; lane++) {
		struct whereabouts where = where_is(r, w, lane);

		words[lane] = address_offset(r->p, &insn->address, &where) / 4;
	}
	rounds = shared_rounds(words, lanes, !plain);
	r->counts.bank_rounds += rounds;
	r->counts.bank_conflicts += rounds - 1;
	over = ref_serve(&w->block->sm->pipe, r->now, round * rounds);
	if (w->ready < over)
		w->ready = over;
	if (insn->op == OP_LD || insn->op == OP_ATOM)
		w->shared_until = over + REF_CYCLES_OF(r, shared_cycles);
}
