/* Accesses of threads to words of shared memory, held against each other. */
#include <stdlib.h>
#include <string.h>

#include "backend_sim/order/parts.h"

#define PC_MASK ((1u << 21) - 1)

static struct word *word_of(struct block_order *b, uint32_t index)
{
	struct word **page = &b->pages[index / PAGE_WORDS];

	if (!*page)
		*page = calloc(PAGE_WORDS, sizeof(**page));
	return *page ? *page + index % PAGE_WORDS : NULL;
}

/* An access at words, and what the warp knows. */
struct looker {
	const struct look *l;
	const uint32_t *clock;
	const struct warp_order *warp;
	struct seen now;
};

static struct looker looker_of(const struct look *l)
{
	const struct accessor *by = &l->by;
	const struct block_order *b = block_of(by->x, by->warp);
	const uint32_t peer = peer_of(by->x, by->warp);
	const uint32_t *clock = clock_of(by->x, by->warp);

	return (struct looker){
		.l = l,
		.clock = clock,
		.warp = &b->each[by->x->warps[by->warp].index],
		.now = {.epoch = clock[KNOWN(peer)],
			.pc = by->pc & PC_MASK,
			.peer = peer & 1023,
			.is_strong = l->is_strong},
	};
}

static bool is_same_warp(const struct seen *a, const struct seen *b)
{
	return a->peer == b->peer;
}

static bool is_same_insn(const struct seen *a, const struct seen *b)
{
	return is_same_warp(a, b) && a->epoch == b->epoch && a->pc == b->pc;
}

/* Whether the thread has nothing to do with what was, or knows it to be over. A
   thread that wrote beside others, by the same instruction, reads what one of
   them has written. */
static bool is_fine(const struct looker *k, const struct seen *was, bool wrote)
{
	if (was->is_strong && k->now.is_strong)
		return true;
	if (!is_same_warp(was, &k->now))
		return k->clock[KNOWN(was->peer)] >= was->epoch;
	if (was->epoch <= k->warp->known || !(was->lanes & ~k->now.lanes) ||
		was->epoch <= k->warp->lanes[k->l->by.lane])
		return true;
	return wrote && (k->l->by.writes ? is_same_insn(was, &k->now)
					 : was->lanes & k->now.lanes);
}

/* A store of what is there already changes nothing for whoever reads it. Where
   values are left out nobody knows. */
static bool leaves_as_is(const struct look *l, bool wrote)
{
	uint8_t was[16], is[16];
	struct access_of one;
	uint8_t *place;

	if (!l->a || l->a->c->insn->op != PTXO_ST || l->bytes > sizeof(was))
		return false;
	if (l->a->c->idle)
		return wrote;
	one = *l->a;
	place = one.place[l->by.lane];
	one.mask = 1u << l->by.lane;
	one.shared &= one.mask;
	one.remote &= one.mask;
	one.local = one.global = 0;
	memcpy(was, place, l->bytes);
	access_values(&one);
	memcpy(is, place, l->bytes);
	memcpy(place, was, l->bytes);
	return !memcmp(was, is, l->bytes);
}

/* 1: there is nothing to say; 0: the word was written as it is; less: a race.
 */
static int hold(const struct looker *k, const struct seen *was, bool wrote)
{
	const struct look *l = k->l;

	if (is_fine(k, was, wrote))
		return 1;
	if (l->by.writes && leaves_as_is(l, wrote))
		return 0;
	order_accuse_thread(&l->by, l->slot, l->offset, l->bytes, was, wrote);
	return -1;
}

static void note_write(const struct looker *k, struct word *word)
{
	const uint32_t lanes =
		is_same_insn(&word->wrote, &k->now) ? word->wrote.lanes : 0;

	*word = (struct word){.wrote = k->now};
	word->wrote.lanes |= lanes;
}

/* In the place of one of the same warp, of one that the thread knows to be
   over, or of the older one. */
static void note_read(const struct looker *k, struct word *word)
{
	struct seen *to = &word->read[0];

	if (!is_same_warp(to, &k->now) &&
		k->clock[KNOWN(to->peer)] < to->epoch) {
		if (!is_same_warp(&word->read[1], &k->now) &&
			k->clock[KNOWN(word->read[1].peer)] <
				word->read[1].epoch)
			word->read[0] = word->read[1];
		to = &word->read[1];
	}
	if (is_same_warp(to, &k->now) && to->epoch == k->now.epoch) {
		/* Of a weak and a strong one the weak one is to blame. */
		if (to->is_strong || !k->now.is_strong)
			to->pc = k->now.pc;
		to->lanes |= k->now.lanes;
		to->is_strong &= k->now.is_strong;
	} else {
		*to = k->now;
	}
}

/* False: the run has failed. */
static bool look_word(const struct looker *k, struct word *word)
{
	const struct look *l = k->l;
	int i, said = hold(k, &word->wrote, true);

	for (i = 0; said > 0 && l->by.writes && i < 2; i++)
		said = hold(k, &word->read[i], false);
	if (said <= 0)
		return !said;
	if (!l->notes)
		return true;
	if (l->by.writes)
		note_write(k, word);
	else
		note_read(k, word);
	return true;
}

static bool fail_memory(const struct look *l)
{
	grid_fail(l->by.x, l->by.warp, l->by.pc,
		"out of memory to look at accesses to shared memory");
	return false;
}

static bool look_lane(struct looker *k)
{
	const struct look *l = k->l;
	const struct order *o = l->by.x->grid->order;
	uint32_t i = l->offset >> o->shift;
	const uint32_t end = (l->offset + l->bytes - 1) >> o->shift;
	struct word *word;

	k->now.lanes = 1u << l->by.lane;
	for (; i <= end; i++) {
		word = word_of(&o->blocks[l->slot], i);
		if (!word)
			return fail_memory(l);
		if (!look_word(k, word))
			return false;
	}
	return true;
}

bool order_look(const struct look *l)
{
	struct looker k = looker_of(l);

	return look_lane(&k);
}

static bool is_strong(const struct ptx_insn *insn)
{
	const uint8_t sem = insn->qualifiers[Q_SEM];

	return insn->op == PTXO_ATOM || insn->op == PTXO_RED ||
	       (sem && sem != QV_SEM_weak);
}

bool order_words(struct access_of *a, uint32_t bytes, bool writes, bool notes)
{
	const uint32_t own = a->x->warps[a->warp].block_index;
	struct look l = {.by = {.x = a->x,
				 .warp = a->warp,
				 .pc = a->pc,
				 .who = notes ? A_THREAD : A_COPY,
				 .writes = writes},
		.bytes = bytes,
		.a = a,
		.is_strong = is_strong(a->c->insn),
		.notes = notes};
	struct looker k = looker_of(&l);
	uint32_t rest = a->shared | a->remote;

	for (; rest; rest &= rest - 1) {
		l.by.lane = (unsigned)__builtin_ctz(rest);
		l.slot = a->remote >> l.by.lane & 1 ? access_block(a, l.by.lane)
						    : own;
		l.offset = (uint32_t)a->address[l.by.lane];
		if (!look_lane(&k))
			return false;
	}
	return true;
}
