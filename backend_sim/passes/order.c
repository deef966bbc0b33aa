/* The order of a block: a list of what can start, by what hangs on it. */
#include <string.h>

#include "backend_sim/code/decode.h"
#include "backend_sim/passes/order.h"
#include "backend_sim/code/parameters.h"
#include "backend_sim/rules/rules.h"
#include "backend_sim/rules/constants.h"

/* Of two rounds of a loop the earlier one goes first where both could start
   within so long. */
#define SOON_CYCLES ORDER_SHARED_CYCLES

/* Of the text, that orders of a block are made with. */
#define WINDOWS 6u

/* What a choice is made from, and may take. */
struct bounds {
	uint32_t window; /* instructions of the text that are not placed */
	int32_t words;   /* registers of 32 bits */
};

static uint32_t latency_of(const struct flat_insn *flat)
{
	const struct ptx_insn *insn = flat->insn;
	struct code_insn c = {.slots = 0};

	if (flat->behind_exit)
		return PARAMETER_CYCLES;
	if (insn->op == PTXO_LD && insn->space == PTX_SHARED)
		return ORDER_SHARED_CYCLES;
	if (insn->op == PTXO_LD && insn->space != PTX_PARAM &&
		insn->space != PTX_CONST)
		return ORDER_GLOBAL_CYCLES;
	if (insn->op == PTXO_ATOM)
		return ORDER_GLOBAL_CYCLES;
	timing_of(insn, &c);
	return c.latency_cycles > c.slots ? c.latency_cycles : c.slots;
}

/* From the instruction to the one that is linked to it. */
static uint32_t between(
	const struct order_node *n, const struct order_link *link)
{
	return link->why == ORDER_ALONE   ? 1
	       : link->why == ORDER_VALUE ? n->latency
	       : RULE(GUARD_WAITS)        ? n->latency + GUARD_CYCLES
					  : n->latency;
}

/* Registers that the instruction takes more than it gives back, with the values
   as they are. */
static int32_t growth_of(const struct order *o, uint32_t i)
{
	const struct order_node *n = &o->nodes[i];
	int32_t words = 0;
	uint32_t at;

	for (at = n->makes; at != NOBODY; at = o->links.items[at].next) {
		const struct order_value *v = &o->values[o->links.items[at].to];

		words += v->uses || v->stays ? v->words : 0;
	}
	for (at = n->takes; at != NOBODY; at = o->links.items[at].next) {
		const struct order_value *v = &o->values[o->links.items[at].to];

		words -= v->uses == 1 && !v->stays ? v->words : 0;
	}
	return words;
}

static void measure(struct order *o)
{
	uint32_t i, e;

	for (i = o->count; i-- > 0;) {
		struct order_node *n = &o->nodes[i];

		n->latency = latency_of(&o->f->insns[o->first + i]);
		n->round = o->f->insns[o->first + i].round;
		n->height = 1;
		n->growth = growth_of(o, i);
		for (e = n->edge; e != NOBODY; e = o->links.items[e].next) {
			const struct order_link *to = &o->links.items[e];
			uint32_t far = o->nodes[to->to].height + between(n, to);

			n->height = far > n->height ? far : n->height;
		}
	}
}

/* Who is the last to read a value gives it back. */
static void use(struct order *o, uint32_t i)
{
	uint32_t at;

	o->words += (uint32_t)o->nodes[i].growth;
	for (at = o->nodes[i].takes; at != NOBODY;
		at = o->links.items[at].next) {
		struct order_value *v = &o->values[o->links.items[at].to];

		v->readers ^= i;
		if (--v->uses == 1 && !v->stays)
			o->nodes[v->readers].growth -= v->words;
	}
}

/* After all have been used: none has. */
static void give_back(struct order *o)
{
	uint32_t i, at;

	for (i = 0; i < o->count; i++)
		for (at = o->nodes[i].takes; at != NOBODY;
			at = o->links.items[at].next) {
			struct order_value *v =
				&o->values[o->links.items[at].to];

			v->uses++;
			v->readers ^= i;
		}
	for (i = 0; i < o->count; i++)
		o->nodes[i].growth = growth_of(o, i);
}

/* The most registers at once in the order of the text. */
static int32_t most_in_text(struct order *o)
{
	const uint32_t before = o->words;
	int32_t most = (int32_t)before;
	uint32_t i;

	for (i = 0; i < o->count; i++) {
		use(o, i);
		most = (int32_t)o->words > most ? (int32_t)o->words : most;
	}
	give_back(o);
	o->words = before;
	return most;
}

/* A round of an unrolled loop goes before the next one, but where it waits for
   memory: the next one would take the registers that its loads need. */
static bool is_better(
	const struct order_node *a, const struct order_node *b, uint32_t now)
{
	if (a->round != b->round && a->earliest <= now + SOON_CYCLES &&
		b->earliest <= now + SOON_CYCLES)
		return a->round < b->round;
	if (a->earliest <= now && b->earliest <= now)
		return a->height > b->height;
	return a->earliest < b->earliest;
}

/* Registers that an instruction leaves to the first round that is not done. */
static int32_t kept_for(
	const struct order *o, uint32_t lowest, const struct order_node *n)
{
	return n->round == o->nodes[lowest].round ? 0 : ORDER_WORDS_KEPT;
}

/* The first from `i` on that waits for none. */
static uint32_t next_ready(const struct order *o, uint32_t i)
{
	uint32_t word = i / 64;
	uint64_t left;

	if (i >= o->count)
		return o->count;
	left = o->ready[word] & (UINT64_MAX << i % 64);
	while (!left) {
		if (++word * 64 >= o->count)
			return o->count;
		left = o->ready[word];
	}
	return word * 64 + (uint32_t)__builtin_ctzll(left);
}

/* Of those that can start the one that most hangs on; else the one that can
   start first: among `window` of the text. With all registers taken, the one
   that gives most back. */
static uint32_t choose(const struct order *o, uint32_t lowest, uint32_t now,
	const struct bounds *bounds)
{
	const bool all = bounds->window == UINT32_MAX;
	uint32_t best = NOBODY, least = NOBODY, seen = 0;
	uint32_t i = all ? next_ready(o, lowest) : lowest;
	const struct order_node *n;
	int32_t least_words = 0;

	for (; i < o->count && seen < bounds->window;
		i = all ? next_ready(o, i + 1) : n->next) {
		int32_t words;

		n = &o->nodes[i];
		seen++;
		if (n->waits)
			continue;
		words = n->growth;
		if (least == NOBODY ||
			(words < least_words &&
				n->round == o->nodes[least].round)) {
			least = i;
			least_words = words;
		}
		if (words > 0 &&
			(int32_t)o->words + words + kept_for(o, lowest, n) >
				bounds->words)
			continue;
		if (best == NOBODY || is_better(n, &o->nodes[best], now))
			best = i;
	}
	return best == NOBODY ? least : best;
}

static void release(struct order *o, uint32_t i, uint32_t now)
{
	uint32_t e;

	for (e = o->nodes[i].edge; e != NOBODY; e = o->links.items[e].next) {
		struct order_node *n = &o->nodes[o->links.items[e].to];
		uint32_t then = now + between(&o->nodes[i], &o->links.items[e]);

		n->earliest = then > n->earliest ? then : n->earliest;
		if (--n->waits == 0)
			o->ready[o->links.items[e].to / 64] |=
				UINT64_C(1) << o->links.items[e].to % 64;
	}
}

/* As if nothing were placed. */
static void begin_again(struct order *o)
{
	uint32_t i, e;

	for (i = 0; i < o->count; i++)
		for (e = o->nodes[i].edge; e != NOBODY;
			e = o->links.items[e].next)
			o->nodes[o->links.items[e].to].waits++;
	for (i = 0; i < o->count; i++)
		o->nodes[i].earliest = 0;
	give_back(o);
}

/* A list of all that are not placed. */
static void chain(struct order *o)
{
	uint32_t i;

	memset(o->ready, 0, (o->count / 64 + 1) * sizeof(*o->ready));
	for (i = 0; i < o->count; i++) {
		o->nodes[i].before = i ? i - 1 : NOBODY;
		o->nodes[i].next = i + 1;
		o->ready[i / 64] |= (uint64_t)!o->nodes[i].waits << i % 64;
	}
}

/* Takes it out of the list, whose first is `*lowest`. */
static void unchain(struct order *o, uint32_t i, uint32_t *lowest)
{
	const struct order_node *n = &o->nodes[i];

	o->ready[i / 64] &= ~(UINT64_C(1) << i % 64);
	if (n->next < o->count)
		o->nodes[n->next].before = n->before;
	if (n->before == NOBODY)
		*lowest = n->next;
	else
		o->nodes[n->before].next = n->next;
}

/* The cycle at which a warp that is alone has begun all of them. */
static uint32_t place(struct order *o, const struct bounds *bounds)
{
	const uint32_t words = o->words;
	uint32_t lowest = 0, now = 0, done, i;

	chain(o);
	for (done = 0; done < o->count; done++) {
		i = choose(o, lowest, now, bounds);
		if (o->nodes[i].earliest > now)
			now = o->nodes[i].earliest;
		use(o, i);
		unchain(o, i, &lowest);
		o->result[done] = o->f->insns[o->first + i];
		release(o, i, now++);
	}
	o->words = words;
	return now;
}

/* With all of the block in sight whatever can start does, and what has begun
   may lack the registers to go on until loads are used. So of several windows
   the one with which the block is begun first is taken, the widest of equals.
 */
void order_place(struct order *o)
{
	static const uint32_t windows[WINDOWS] = {UINT32_MAX, 64, 32, 16, 8, 1};
	struct bounds bounds = {0};
	uint32_t least = UINT32_MAX, best = 0, i, time;

	measure(o);
	bounds.words = most_in_text(o) + ORDER_WORDS_BESIDE;
	bounds.words =
		bounds.words > ORDER_WORDS_AIM ? bounds.words : ORDER_WORDS_AIM;
	for (i = 0; i < (RULE(ORDER_WINDOWS) ? WINDOWS : 1); i++) {
		bounds.window = windows[i];
		time = place(o, &bounds);
		begin_again(o);
		if (time < least) {
			least = time;
			best = windows[i];
		}
	}
	bounds.window = best;
	place(o, &bounds);
	memcpy(o->f->insns + o->first, o->result,
		o->count * sizeof(*o->result));
}
