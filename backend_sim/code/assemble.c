#include <stdlib.h>
#include <string.h>

#include "backend_sim/code/assemble.h"
#include "backend_sim/code/decode.h"
#include "backend_sim/code/effect.h"
#include "backend_sim/code/uses.h"

/* Words of 32 bits that a block may have made and not yet used up: what is left
   of 32 registers a thread, with which an SM is full. */
#define WORDS_MAX 22u

/* What the assembler takes a load for. */
#define GLOBAL_CYCLES 400u
#define SHARED_CYCLES 30u

#define NOBODY UINT32_MAX

struct node {
	uint32_t waits;   /* instructions before it that are not placed */
	uint32_t edge;    /* first of its list */
	uint32_t latency; /* cycles until its values can be used */
	uint32_t height;  /* cycles from it to the end of the block, at least */
	uint32_t earliest; /* cycle at which its operands are there */
	uint32_t uses;     /* of its values in the block, not placed yet */
	uint16_t words;    /* of its values */
	bool placed;
};

struct edge {
	uint32_t to, next;
	bool carries; /* a value */
};

struct order {
	struct flat *f;
	uint32_t first, count;
	struct node *nodes; /* owned, as the others */
	struct edge *edges;
	uint32_t edge_count, edge_capacity;
	uint32_t carry;     /* node + 1 that had to do with the carry last */
	uint32_t *writer;   /* [register]: node + 1 that wrote it last */
	uint32_t *reader;   /* [register]: 1 + its last place in `reads` */
	struct edge *reads; /* node, the reader before; as a list */
	uint32_t read_count, read_capacity;
	struct flat_insn *result;
	bool failed;
};

/* ---- what depends on what ---- */

static bool room(struct edge **list, uint32_t count, uint32_t *capacity)
{
	uint32_t larger = *capacity * 2 + 64;
	struct edge *grown;

	if (count < *capacity)
		return true;
	grown = realloc(*list, larger * sizeof(*grown));
	if (!grown)
		return false;
	*list = grown;
	*capacity = larger;
	return true;
}

static void depend(
	struct order *o, uint32_t before, uint32_t after, bool carries)
{
	if (before == after)
		return;
	if (!room(&o->edges, o->edge_count, &o->edge_capacity)) {
		o->failed = true;
		return;
	}
	o->edges[o->edge_count] =
		(struct edge){after, o->nodes[before].edge, carries};
	o->nodes[before].edge = o->edge_count++;
	o->nodes[after].waits++;
	o->nodes[before].uses += carries;
}

static void add_registers(struct order *o, uint32_t i)
{
	struct uses u;
	uint32_t k, at;

	uses_of(o->f, o->first + i, &u);
	for (k = 0; k < u.read_count; k++) {
		uint32_t r = u.reads[k];

		if (o->writer[r])
			depend(o, o->writer[r] - 1, i, true);
		if (!room(&o->reads, o->read_count, &o->read_capacity)) {
			o->failed = true;
			return;
		}
		o->reads[o->read_count] = (struct edge){i, o->reader[r], false};
		o->reader[r] = ++o->read_count;
	}
	for (k = 0; k < u.write_count; k++) {
		uint32_t r = u.writes[k];

		if (o->writer[r])
			depend(o, o->writer[r] - 1, i, false);
		for (at = o->reader[r]; at; at = o->reads[at - 1].next)
			depend(o, o->reads[at - 1].to, i, false);
		o->writer[r] = i + 1;
		o->reader[r] = 0;
	}
}

/* The registers of the block are as untouched again. */
static void forget_registers(struct order *o)
{
	struct uses u;
	uint32_t i, k;

	for (i = 0; i < o->count; i++) {
		uses_of(o->f, o->first + i, &u);
		for (k = 0; k < u.read_count; k++)
			o->reader[u.reads[k]] = o->writer[u.reads[k]] = 0;
		for (k = 0; k < u.write_count; k++)
			o->reader[u.writes[k]] = o->writer[u.writes[k]] = 0;
	}
}

static const struct ptx_insn *insn_at(const struct order *o, uint32_t i)
{
	return o->f->insns[o->first + i].insn;
}

/* The carry is a register that no operand names: what writes or takes it keeps
   its order. */
static void add_carry(struct order *o, uint32_t i)
{
	const struct ptx_insn *insn = insn_at(o, i);
	const bool takes = insn->op == PTXO_ADDC || insn->op == PTXO_SUBC ||
			   insn->op == PTXO_MADC;

	if (!takes && !insn->word[PTX_CLASS_CC])
		return;
	if (o->carry)
		depend(o, o->carry - 1, i, takes);
	o->carry = i + 1;
}

static void add_memory(struct order *o, uint32_t i)
{
	const struct ptx_insn *insn = insn_at(o, i), *before;
	enum effect effect = effect_of(insn);
	uint32_t k;

	if (effect == NONE_AT_ALL && !effect_reads_clock(insn) &&
		insn->op != PTXO_LD)
		return;
	for (k = i; k-- > 0;) {
		before = insn_at(o, k);
		if (effect_keeps_order(before) || effect_keeps_order(insn)) {
			if (effect_of(before) != NONE_AT_ALL ||
				effect_reads_clock(before) ||
				before->op == PTXO_LD)
				depend(o, k, i, false);
			if (effect_keeps_order(before))
				break; /* all others depend on it */
			continue;
		}
		if ((effect == WRITES && effect_of(before) != NONE_AT_ALL &&
			    effect_may_meet(insn, before)) ||
			(effect == READS && effect_of(before) == WRITES &&
				effect_may_meet(insn, before)))
			depend(o, k, i, false);
	}
}

/* ---- the order ---- */

static uint32_t latency_of(const struct ptx_insn *insn)
{
	struct code_insn c = {.slots = 0};

	if (insn->op == PTXO_LD && insn->space == PTX_SHARED)
		return SHARED_CYCLES;
	if (insn->op == PTXO_LD && insn->space != PTX_PARAM &&
		insn->space != PTX_CONST)
		return GLOBAL_CYCLES;
	if (insn->op == PTXO_ATOM)
		return GLOBAL_CYCLES;
	timing_of(insn, &c);
	return c.latency_cycles > c.slots ? c.latency_cycles : c.slots;
}

/* Registers of 32 bits that its values take; what costs nothing is read from
   where it stands. */
static uint16_t words_of(const struct order *o, uint32_t i)
{
	const struct ptx_insn *insn = insn_at(o, i);
	struct code_insn c = {.slots = 0};
	struct uses u;

	timing_of(insn, &c);
	if (!c.slots || (insn->op == PTXO_LD && insn->space == PTX_PARAM))
		return 0;
	uses_of(o->f, o->first + i, &u);
	if (!u.write_count || insn->op == PTXO_SETP)
		return 0;
	return (uint16_t)(u.write_count *
			  (ptx_types[insn->type].bytes == 8 ? 2 : 1));
}

static void measure(struct order *o)
{
	uint32_t i, e;

	for (i = o->count; i-- > 0;) {
		struct node *n = &o->nodes[i];

		n->latency = latency_of(insn_at(o, i));
		n->words = words_of(o, i);
		n->height = 1;
		for (e = n->edge; e != NOBODY; e = o->edges[e].next) {
			uint32_t far = o->nodes[o->edges[e].to].height +
				       (o->edges[e].carries ? n->latency : 1);

			n->height = far > n->height ? far : n->height;
		}
	}
}

/* The next instruction: of those that can start the one that most hangs on;
   else the one that can start first. With all registers taken, the first in
   the order of the text that needs none. */
static uint32_t choose(
	const struct order *o, uint32_t lowest, uint32_t now, uint32_t words)
{
	uint32_t best = NOBODY, i;

	for (i = lowest; i < o->count; i++) {
		const struct node *n = &o->nodes[i], *b;

		if (n->placed || n->waits)
			continue;
		if (words + n->words > WORDS_MAX && n->words && i != lowest)
			continue;
		if (best == NOBODY) {
			best = i;
			continue;
		}
		b = &o->nodes[best];
		if (n->earliest <= now && b->earliest <= now
				? n->height > b->height
				: n->earliest < b->earliest)
			best = i;
	}
	return best == NOBODY ? lowest : best;
}

/* Values of which this was the last use. */
static uint32_t used_up(struct order *o, uint32_t i)
{
	uint32_t words = 0, k, e;

	for (k = 0; k < o->count; k++) {
		struct node *n = &o->nodes[k];

		if (!n->placed || !n->uses)
			continue;
		for (e = n->edge; e != NOBODY; e = o->edges[e].next)
			if (o->edges[e].to == i && o->edges[e].carries &&
				!--n->uses)
				words += n->words;
	}
	return words;
}

static void place(struct order *o)
{
	uint32_t lowest = 0, now = 0, words = 0, done, i, e, freed;

	for (done = 0; done < o->count; done++) {
		while (o->nodes[lowest].placed)
			lowest++;
		i = choose(o, lowest, now, words);
		if (o->nodes[i].earliest > now)
			now = o->nodes[i].earliest;
		freed = used_up(o, i);
		words = words > freed ? words - freed : 0;
		words += o->nodes[i].uses ? o->nodes[i].words : 0;
		o->nodes[i].placed = true;
		o->result[done] = o->f->insns[o->first + i];
		for (e = o->nodes[i].edge; e != NOBODY; e = o->edges[e].next) {
			struct node *n = &o->nodes[o->edges[e].to];
			uint32_t then =
				now +
				(o->edges[e].carries ? o->nodes[i].latency : 1);

			n->earliest = then > n->earliest ? then : n->earliest;
			n->waits--;
		}
		now++;
	}
	memcpy(o->f->insns + o->first, o->result,
		o->count * sizeof(*o->result));
}

static int order_block(struct order *o)
{
	uint32_t last, i;

	o->edge_count = o->read_count = o->carry = 0;
	for (i = 0; i < o->count; i++)
		o->nodes[i] = (struct node){.edge = NOBODY};
	for (i = 0; i < o->count && !o->failed; i++) {
		add_registers(o, i);
		add_carry(o, i);
		add_memory(o, i);
	}
	/* What ends the block stays behind all else. */
	last = o->count - 1;
	if (graph_is_end(&o->f->insns[o->first + last]))
		for (i = 0; i < last && !o->failed; i++)
			depend(o, i, last, false);
	forget_registers(o);
	if (o->failed)
		return -1;
	measure(o);
	place(o);
	return 0;
}

int assemble_order(struct flat *f, const struct graph *g, struct error *error)
{
	struct order o = {.f = f};
	uint32_t b, most = 1;
	int code = 0;

	for (b = 0; b < g->block_count; b++)
		if (g->blocks[b].end - g->blocks[b].first > most)
			most = g->blocks[b].end - g->blocks[b].first;
	o.nodes = calloc(most + 1, sizeof(*o.nodes));
	o.result = calloc(most + 1, sizeof(*o.result));
	o.writer = calloc(f->register_count + 1, sizeof(*o.writer));
	o.reader = calloc(f->register_count + 1, sizeof(*o.reader));
	if (!o.nodes || !o.result || !o.writer || !o.reader)
		code = -1;
	for (b = 0; !code && b < g->block_count; b++) {
		o.first = g->blocks[b].first;
		o.count = g->blocks[b].end - o.first;
		code = order_block(&o);
	}
	free(o.nodes);
	free(o.result);
	free(o.writer);
	free(o.reader);
	free(o.edges);
	free(o.reads);
	return code ? error_set(error, ERR_FAILED, "out of memory") : 0;
}
