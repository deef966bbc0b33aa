#include <stdlib.h>
#include <string.h>

#include "backend_sim/code/assemble.h"
#include "backend_sim/code/uses.h"

/* 32-bit words that may be loaded and not yet used, so that registers last. */
#define WORDS_MAX 48u

#define NOBODY UINT32_MAX

struct node {
	uint32_t waits;    /* instructions before it that are not placed */
	uint32_t edge;     /* first of its list */
	bool leads, loads; /* to a load; is one */
	uint16_t words;    /* it loads */
	bool placed;
};

struct edge {
	uint32_t to, next;
};

struct order {
	struct flat *f;
	uint32_t first, count;
	struct node *nodes; /* owned, as the others */
	struct edge *edges;
	uint32_t edge_count, edge_capacity;
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

static void depend(struct order *o, uint32_t before, uint32_t after)
{
	if (before == after)
		return;
	if (!room(&o->edges, o->edge_count, &o->edge_capacity)) {
		o->failed = true;
		return;
	}
	o->edges[o->edge_count] = (struct edge){after, o->nodes[before].edge};
	o->nodes[before].edge = o->edge_count++;
	o->nodes[after].waits++;
}

static void add_registers(struct order *o, uint32_t i)
{
	struct uses u;
	uint32_t k, at;

	uses_of(o->f, o->first + i, &u);
	for (k = 0; k < u.read_count; k++) {
		uint32_t r = u.reads[k];

		if (o->writer[r])
			depend(o, o->writer[r] - 1, i);
		if (!room(&o->reads, o->read_count, &o->read_capacity)) {
			o->failed = true;
			return;
		}
		o->reads[o->read_count] = (struct edge){i, o->reader[r]};
		o->reader[r] = ++o->read_count;
	}
	for (k = 0; k < u.write_count; k++) {
		uint32_t r = u.writes[k];

		if (o->writer[r])
			depend(o, o->writer[r] - 1, i);
		for (at = o->reader[r]; at; at = o->reads[at - 1].next)
			depend(o, o->reads[at - 1].to, i);
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

enum effect { NONE_AT_ALL, READS, WRITES, ORDERS };

/* What an instruction does to memory as others see it. */
static enum effect effect_of(const struct ptx_insn *insn)
{
	switch (insn->op) {
	case PTXO_LD:
		if (insn->qualifiers[Q_SEM])
			return ORDERS;
		return insn->space == PTX_PARAM || insn->space == PTX_CONST ||
				       insn->qualifiers[Q_NC]
			       ? NONE_AT_ALL
			       : READS;
	case PTXO_ST:
		return insn->qualifiers[Q_SEM] ? ORDERS : WRITES;
	case PTXO_ATOM:
	case PTXO_RED:
	case PTXO_FENCE:
	case PTXO_MEMBAR:
	case PTXO_BAR:
	case PTXO_BARRIER:
	case PTXO_BAR_WARP:
	case PTXO_CP_ASYNC:
	case PTXO_SHFL:
	case PTXO_VOTE:
	case PTXO_MATCH:
	case PTXO_REDUX:
	case PTXO_ACTIVEMASK:
	case PTXO_ELECT:
	case PTXO_NANOSLEEP:
	case PTXO_DISCARD:
		return ORDERS;
	default:
		return NONE_AT_ALL;
	}
}

static bool may_meet(const struct ptx_insn *a, const struct ptx_insn *b)
{
	return a->space == b->space || a->space == PTX_GENERIC ||
	       b->space == PTX_GENERIC;
}

static bool reads_clock(const struct ptx_insn *insn)
{
	return insn->op == PTXO_MOV && insn->operands[1].kind == PTX_SPECIAL &&
	       insn->operands[1].index >= PTXS_clock;
}

static bool keeps_order(const struct ptx_insn *insn)
{
	return effect_of(insn) == ORDERS || reads_clock(insn);
}

static const struct ptx_insn *insn_at(const struct order *o, uint32_t i)
{
	return o->f->insns[o->first + i].insn;
}

static void add_memory(struct order *o, uint32_t i)
{
	const struct ptx_insn *insn = insn_at(o, i), *before;
	enum effect effect = effect_of(insn);
	uint32_t k;

	if (effect == NONE_AT_ALL && !reads_clock(insn) && insn->op != PTXO_LD)
		return;
	for (k = i; k-- > 0;) {
		before = insn_at(o, k);
		if (keeps_order(before) || keeps_order(insn)) {
			if (effect_of(before) != NONE_AT_ALL ||
				reads_clock(before) || before->op == PTXO_LD)
				depend(o, k, i);
			if (keeps_order(before))
				break; /* all others depend on it */
			continue;
		}
		if ((effect == WRITES && effect_of(before) != NONE_AT_ALL &&
			    may_meet(insn, before)) ||
			(effect == READS && effect_of(before) == WRITES &&
				may_meet(insn, before)))
			depend(o, k, i);
	}
}

/* ---- the order ---- */

static bool is_load(const struct ptx_insn *insn)
{
	return insn->op == PTXO_LD && insn->space != PTX_PARAM &&
	       insn->space != PTX_CONST;
}

/* What a load depends on leads to it. */
static void find_leaders(struct order *o)
{
	uint32_t i, e;

	for (i = o->count; i-- > 0;) {
		struct node *n = &o->nodes[i];

		n->loads = is_load(insn_at(o, i));
		n->leads = n->loads;
		for (e = n->edge; e != NOBODY; e = o->edges[e].next)
			n->leads = n->leads || o->nodes[o->edges[e].to].leads;
		n->words =
			n->loads ? (uint16_t)((ptx_types[insn_at(o, i)->type]
								      .bytes *
							      insn_at(o, i)
								      ->vector +
						      3) /
					      4)
				 : 0;
	}
}

static uint32_t choose(const struct order *o, uint32_t lowest, uint32_t words)
{
	uint32_t plain = NOBODY, i;

	for (i = lowest; i < o->count; i++) {
		const struct node *n = &o->nodes[i];

		if (n->placed || n->waits)
			continue;
		if (n->leads && words + n->words <= WORDS_MAX)
			return i;
		if (plain == NOBODY)
			plain = i;
	}
	return plain;
}

static bool feeds(const struct order *o, uint32_t from, uint32_t to)
{
	uint32_t e;

	for (e = o->nodes[from].edge; e != NOBODY; e = o->edges[e].next)
		if (o->edges[e].to == to)
			return true;
	return false;
}

/* Loads that are placed and not used yet. */
struct pending {
	uint32_t loads[WORDS_MAX], count, words;
};

static void use(const struct order *o, struct pending *p, uint32_t i)
{
	uint32_t kept = 0, k;

	for (k = 0; k < p->count; k++)
		if (feeds(o, p->loads[k], i))
			p->words -= o->nodes[p->loads[k]].words;
		else
			p->loads[kept++] = p->loads[k];
	p->count = kept;
	if (o->nodes[i].loads && p->count < WORDS_MAX) {
		p->loads[p->count++] = i;
		p->words += o->nodes[i].words;
	}
}

static void place(struct order *o)
{
	struct pending pending = {.count = 0};
	uint32_t lowest = 0, done, i, e;

	for (done = 0; done < o->count; done++) {
		while (o->nodes[lowest].placed)
			lowest++;
		i = choose(o, lowest, pending.words);
		o->nodes[i].placed = true;
		use(o, &pending, i);
		o->result[done] = o->f->insns[o->first + i];
		for (e = o->nodes[i].edge; e != NOBODY; e = o->edges[e].next)
			o->nodes[o->edges[e].to].waits--;
	}
	memcpy(o->f->insns + o->first, o->result,
		o->count * sizeof(*o->result));
}

static int order_block(struct order *o)
{
	uint32_t last, i;

	o->edge_count = o->read_count = 0;
	for (i = 0; i < o->count; i++)
		o->nodes[i] = (struct node){.edge = NOBODY};
	for (i = 0; i < o->count && !o->failed; i++) {
		add_registers(o, i);
		add_memory(o, i);
	}
	/* What ends the block stays behind all else. */
	last = o->count - 1;
	if (graph_is_end(&o->f->insns[o->first + last]))
		for (i = 0; i < last && !o->failed; i++)
			depend(o, i, last);
	forget_registers(o);
	if (o->failed)
		return -1;
	find_leaders(o);
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
