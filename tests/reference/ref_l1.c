/*
 * The first level: an L1 and, on some machines, texture caches of each SM. No
 * two of them know of each other. Also the TLBs, which what misses asks.
 */
#include <math.h>
#include <string.h>

#include "tests/reference/ref.h"

static struct ref_cache *cache_of(struct ref_request *q)
{
	return q->texture >= 0 ? &q->sm->texture[q->texture] : &q->sm->l1;
}

/* The remainder, of polynomials over two, of the line's number by the one that
   the table has for so many sets. */
static uint32_t set_of(const struct ref_cache *c, uint32_t line)
{
	static const uint32_t divisor[] = {
		1, 3, 7, 11, 19, 37, 67, 131, 285, 883, 1033, 2053, 4179, 8219};
	uint32_t rest = line, degree = 0;

	while (1u << degree < c->sets)
		degree++;
	for (uint32_t bit = 32; bit-- > degree;)
		if (rest >> bit & 1)
			rest ^= divisor[degree] << (bit - degree);
	return rest;
}

static uint32_t last_max(const struct reference *r, bool texture)
{
	const struct ref_cache *l1 = &r->sms->l1;
	double share = r->machine->value[PARAMETER_l1_protected_share];

	if (texture)
		return UINT32_MAX;
	if (share == 0)
		return l1->ways;
	/* of the ways that hold all its lines, evenly dealt */
	return ref_whole(share * ceil((double)l1->lines_max / l1->sets));
}

/* The line, after what the access does to its place and class. */
static struct ref_line *look(struct ref_request *q)
{
	struct ref_cache *c = cache_of(q);
	struct ref_line *line;

	if (q->hit == REF_KEEPS)
		return ref_cache_find(c, set_of(c, q->line), q->line);
	line = ref_cache_touch(c, set_of(c, q->line), q->line);
	if (line && q->hit == REF_MARKS)
		line->class = q->l1_class;
	return line;
}

/* ---- translation ---- */

/* Does the TLB hold the translation? It does from now on, in place of the one
   of its set that was used least recently. */
static bool translates(struct ref_tlb *tlb, uint32_t page)
{
	uint32_t number = (uint32_t)(page / tlb->reach_pages);
	uint32_t sets = tlb->entries / tlb->ways, i, first, victim;

	first = sets == 1 ? 0 : permute_mix(number + 1) % sets * tlb->ways;
	victim = first;
	for (i = first; i < first + tlb->ways; i++) {
		if (tlb->at[i].used && tlb->at[i].number == number) {
			tlb->at[i].touched = ++tlb->stamp;
			return true;
		}
		if (tlb->at[i].touched < tlb->at[victim].touched)
			victim = i;
	}
	tlb->at[victim].used = true;
	tlb->at[victim].number = number;
	tlb->at[victim].touched = ++tlb->stamp;
	return false;
}

static uint32_t translate(struct reference *r, const struct ref_request *q)
{
	if (translates(&q->sm->tlb, q->page))
		return 0;
	r->counts.tlb_misses++;
	if (translates(&r->tlb2, q->page))
		return REF_CYCLES_OF(r, tlb_miss_cycles);
	r->counts.tlb2_misses++;
	return REF_CYCLES_OF(r, tlb_miss_cycles) +
	       REF_CYCLES_OF(r, tlb2_miss_cycles);
}

/* ---- what stores and the like do on their way past ---- */

static void drop(struct ref_request *q)
{
	struct ref_cache *c = &q->sm->l1;
	struct ref_line *line = ref_cache_find(c, set_of(c, q->line), q->line);

	if (line)
		line->used = false;
}

/* One sector of a line may be there in part: of a store that writes several in
   part, the last. It is whole when all its words are written. */
static void write_words(struct ref_line *line, const struct ref_request *q)
{
	int sector = 3, word, written = 0;

	while (sector >= 0 && (!q->demand.at[sector] || line->valid.at[sector]))
		sector--;
	if (sector < 0)
		return;
	if (!line->partial.at[sector])
		memset(line->words, 0, sizeof(line->words));
	line->partial = sectors_none();
	for (word = 0; word < 8; word++) {
		line->words[word] |= q->words[8 * sector + word];
		written += line->words[word];
	}
	if (written == 8)
		line->valid.at[sector] = true;
	else
		line->partial.at[sector] = true;
}

static void write(struct reference *r, struct ref_request *q)
{
	struct ref_cache *c = &q->sm->l1;
	uint32_t set = set_of(c, q->line);
	struct ref_line *line = ref_cache_touch(c, set, q->line), victim;

	if (q->effect == REF_UPDATES) /* its new bytes change no times */
		return;
	if (!line)
		line = ref_cache_insert(c, set, q->line, q->l1_class,
			last_max(r, false), &victim);
	line->valid =
		sectors_either(line->valid, sectors_both(q->demand, q->whole));
	write_words(line, q);
}

/* ---- loads ---- */

/* Sectors that are there, or of which the words asked for are. */
static struct sectors present(
	const struct ref_line *line, const struct ref_request *q)
{
	struct sectors found = sectors_both(line->valid, q->demand);

	for (int sector = 0; sector < 4; sector++) {
		bool all = line->partial.at[sector] && q->demand.at[sector];

		for (int word = 0; word < 8; word++)
			if (q->words[8 * sector + word] && !line->words[word])
				all = false;
		found.at[sector] |= all;
	}
	return found;
}

static bool hits(struct reference *r, struct ref_request *q)
{
	struct ref_line *line = look(q);
	struct sectors found = line ? present(line, q) : sectors_none();
	bool all = !sectors_any(sectors_less(q->demand, found));

	*(q->texture >= 0 ? &r->counts.texture_hits : &r->counts.l1_hits) +=
		sectors_count(found);
	if (!all) {
		q->demand = sectors_less(q->demand, found);
		return false;
	}
	/* A normal line that is hit again is protected from then on. */
	if (r->machine->value[PARAMETER_l1_protected_share] > 0 &&
		q->texture < 0 && q->hit != REF_KEEPS &&
		line->class == REF_NORMAL)
		line->class = REF_LAST;
	return true;
}

/* What nobody fetches yet it fetches; it waits for the others, or for the last
   one who fetches some if all are. */
static bool fetches(struct reference *r, struct ref_request *q)
{
	struct ref_request *owner = ref_fetch_find(r, REF_BY_L1, q, q->demand);
	struct sectors coming = sectors_none();

	for (uint32_t i = 0; i < r->request_count; i++) {
		struct ref_request *o = r->requests[i];

		if (o->fetching[REF_BY_L1] && o->line == q->line &&
			o->sm == q->sm && o->texture == q->texture)
			coming = sectors_either(coming, o->demand);
	}
	if (!sectors_any(sectors_less(q->demand, coming))) {
		ref_wait(r, REF_BY_L1, owner, q);
		return false;
	}
	q->others = sectors_both(q->demand, coming);
	q->demand = sectors_less(q->demand, coming);
	if (q->texture < 0 && REF_CYCLES_OF(r, l1_promotes_lines)) {
		q->demand = sectors_all();
		q->others = sectors_none();
	}
	ref_fetch_begin(r, REF_BY_L1, q);
	return true;
}

static void miss(struct reference *r, struct ref_request *q, uint64_t cycle,
	bool is_translated)
{
	q->is_translated |= is_translated;
	if (q->stays && !fetches(r, q))
		return;
	q->tlb_cycles = q->is_translated ? 0 : translate(r, q);
	ref_net_leave_sm(r, q,
		cycle + (q->texture >= 0 ? REF_CYCLES_OF(r, texture_miss_cycles)
					 : REF_CYCLES_OF(r, l1_miss_cycles)));
}

/* Whether it hits. */
bool ref_l1_enter(struct reference *r, struct ref_request *q)
{
	struct ref_sm *sm = q->sm;
	uint64_t cycle, hit;

	if (q->texture >= 0) {
		cycle = ref_serve(&sm->texture_pipe[q->texture], r->now,
			REF_TICKS_OF(r, texture_line_cycles));
		hit = REF_CYCLES_OF(r, texture_hit_cycles);
		r->counts.texture_sectors += sectors_count(q->demand);
	} else {
		cycle = ref_serve(&sm->l1_pipe, r->now, q->l1_ticks);
		hit = REF_CYCLES_OF(r, l1_hit_cycles) + q->hit_late_cycles;
		if (q->kind == REF_LOAD)
			r->counts.l1_sectors += sectors_count(q->demand);
	}
	q->hit_cycle = cycle + hit;
	if (q->effect == REF_DROPS)
		drop(q);
	else if (q->effect != REF_NOTHING)
		write(r, q);
	if (q->looks && hits(r, q)) {
		ref_send(r, q, REF_DONE, cycle + hit);
		return true;
	}
	if (q->joins) /* the one before takes it along */
		ref_send(r, q, REF_DONE, cycle + q->miss_late_cycles);
	else
		miss(r, q, cycle + q->miss_late_cycles, false);
	return false;
}

/* The sectors have come. Those who waited have theirs a cycle later, or fetch
   what is missing still; so does who fetched them, if others were to bring
   more. */
bool ref_l1_fill(struct reference *r, struct ref_request *q)
{
	struct ref_cache *c = cache_of(q);
	struct ref_line *line = look(q), victim;
	struct ref_request *waiter;

	if (!line)
		line = ref_cache_insert(c, set_of(c, q->line), q->line,
			q->l1_class, last_max(r, q->texture >= 0), &victim);
	line->valid = sectors_either(line->valid, q->demand);
	line->partial = sectors_less(line->partial, q->demand);
	ref_fetch_end(REF_BY_L1, q);
	while ((waiter = ref_next_waiter(r, REF_BY_L1, q))) {
		waiter->demand = sectors_less(waiter->demand, line->valid);
		if (sectors_any(waiter->demand)) {
			miss(r, waiter, r->now, false);
			continue;
		}
		look(waiter);
		ref_send(r, waiter, REF_DONE,
			waiter->hit_cycle > r->now + 1 ? waiter->hit_cycle
						       : r->now + 1);
	}
	q->demand = sectors_less(q->others, line->valid);
	q->others = sectors_none();
	if (!sectors_any(q->demand))
		return true;
	ref_net_arrived(r, q);
	q->hit_cycle = r->now;
	miss(r, q, r->now, true);
	return false;
}

/* A launch begins with empty caches, and as many lines of L1 as its shared
   memory leaves. */
void ref_l1_launch(struct reference *r, uint32_t lines)
{
	for (uint32_t i = 0; i < r->sm_count; i++) {
		struct ref_sm *sm = &r->sms[i];

		ref_cache_clear(&sm->l1);
		sm->l1.lines_max = lines;
		for (int k = 0; k < REF_UNITS; k++)
			if (sm->texture[k].lines)
				ref_cache_clear(&sm->texture[k]);
	}
}
