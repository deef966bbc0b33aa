#include <stdlib.h>
#include <string.h>

#include "backend_sim/passes/assemble.h"
#include "backend_sim/passes/order.h"
#include "backend_sim/flow/parts.h"
#include "backend_sim/flow/divided.h"
#include "backend_sim/flow/effect.h"
#include "backend_sim/flow/uses.h"

/* A long block is ordered in parts, for the time of a part is that of its
   square; those of a kernel that is long itself are shorter. */
#define PART_INSNS   2048u
#define LONG_INSNS   (1u << 17)
#define PART_OF_LONG 256u

/* ---- atomics without a result ---- */

static bool has_result(
	const struct flat *f, const uint32_t *reads, const struct flat_insn *i)
{
	const struct ptx_operand *d = &i->insn->operands[0];

	if (d->kind == PTX_VECTOR)
		return true;
	return d->kind == PTX_REGISTER &&
	       reads[flat_register(f, i->instance, d->index)];
}

static bool may_reduce(const struct ptx_insn *insn)
{
	const uint8_t op = insn->qualifiers[Q_ATOMIC];

	return insn->op == PTXO_ATOM && insn->space != PTX_SHARED &&
	       op != QV_ATOMIC_cas && op != QV_ATOMIC_exch;
}

static struct ptx_insn reduction_of(const struct ptx_insn *atom)
{
	struct ptx_insn red = *atom;
	uint32_t i;

	red.op = PTXO_RED;
	red.access = OP_RED;
	red.operand_count--;
	for (i = 0; i < red.operand_count; i++)
		red.operands[i] = atom->operands[i + 1];
	return red;
}

static void count_reads(const struct flat *f, uint32_t *reads)
{
	struct uses u;
	uint32_t i, k;

	for (i = 0; i < f->count; i++) {
		uses_of(f, i, &u);
		for (k = 0; k < u.read_count; k++)
			reads[u.reads[k]]++;
	}
}

int assemble_reductions(struct flat *f, struct error *error)
{
	uint32_t *reads = calloc(f->register_count + 1, sizeof(*reads)), i;
	int code = reads ? 0 : ERR_FAILED;

	if (!code)
		count_reads(f, reads);
	for (i = 0; !code && i < f->count; i++) {
		struct flat_insn *insn = &f->insns[i];
		struct ptx_insn red;

		if (!may_reduce(insn->insn) || has_result(f, reads, insn))
			continue;
		red = reduction_of(insn->insn);
		insn->insn = flat_make_insn(f, &red);
		code = insn->insn ? 0 : ERR_FAILED;
	}
	free(reads);
	return code ? error_set(error, ERR_FAILED, "out of memory") : 0;
}

/* ---- lists ---- */

/* The new link's place, whose `next` is `next`; NOBODY without memory. */
static uint32_t link_new(
	struct order *o, uint32_t to, uint32_t next, uint8_t why)
{
	struct order_links *l = &o->links;

	if (l->count == l->capacity) {
		uint32_t larger = l->capacity * 2 + 64;
		struct order_link *grown =
			realloc(l->items, larger * sizeof(*grown));

		if (!grown) {
			o->failed = true;
			return NOBODY;
		}
		l->items = grown;
		l->capacity = larger;
	}
	l->items[l->count] = (struct order_link){to, next, why};
	return l->count++;
}

static uint32_t value_new(struct order *o, uint32_t reg)
{
	if (o->value_count == o->value_capacity) {
		uint32_t larger = o->value_capacity * 2 + 64;
		struct order_value *grown =
			realloc(o->values, larger * sizeof(*grown));

		if (!grown) {
			o->failed = true;
			return NOBODY;
		}
		o->values = grown;
		o->value_capacity = larger;
	}
	o->values[o->value_count] = (struct order_value){
		.words = (uint8_t)liveness_words(o->live, reg)};
	o->value[reg] = ++o->value_count;
	return o->value_count - 1;
}

/* ---- what depends on what ---- */

static void depend(
	struct order *o, uint32_t before, uint32_t after, uint8_t why)
{
	uint32_t link;

	if (before == after)
		return;
	link = link_new(o, after, o->nodes[before].edge, why);
	if (o->failed)
		return;
	o->nodes[before].edge = link;
	o->nodes[after].waits++;
}

/* What the register holds is read; at first what it had before the block. */
static void take(struct order *o, uint32_t i, uint32_t reg)
{
	struct order_node *n = &o->nodes[i];
	uint32_t value = o->value[reg] ? o->value[reg] - 1 : value_new(o, reg);
	uint32_t at;

	for (at = n->takes; at != NOBODY && !o->failed;
		at = o->links.items[at].next)
		if (o->links.items[at].to == value)
			return;
	if (o->failed)
		return;
	n->takes = link_new(o, value, n->takes, ORDER_VALUE);
	o->values[value].uses++;
	o->values[value].readers ^= i;
}

static void make(struct order *o, uint32_t i, uint32_t reg)
{
	struct order_node *n = &o->nodes[i];
	uint32_t value = value_new(o, reg);

	if (!o->failed)
		n->makes = link_new(o, value, n->makes, ORDER_VALUE);
}

static bool is_guard(const struct order *o, uint32_t i, uint32_t reg)
{
	const struct flat_insn *flat = &o->f->insns[o->first + i];

	return flat->insn->guarded &&
	       flat_register(o->f, flat->instance, flat->insn->guard) == reg;
}

static void read_register(struct order *o, uint32_t i, uint32_t reg)
{
	uint32_t link;

	if (o->writer[reg])
		depend(o, o->writer[reg] - 1, i,
			is_guard(o, i, reg) ? ORDER_GUARD : ORDER_VALUE);
	link = link_new(o, i, o->reader[reg], ORDER_ALONE);
	if (o->failed)
		return;
	o->reader[reg] = link + 1;
	take(o, i, reg);
}

static void write_register(
	struct order *o, uint32_t i, uint32_t reg, bool partial)
{
	uint32_t at;

	if (o->writer[reg])
		depend(o, o->writer[reg] - 1, i, ORDER_ALONE);
	for (at = o->reader[reg]; at && !o->failed;
		at = o->links.items[at - 1].next)
		depend(o, o->links.items[at - 1].to, i, ORDER_ALONE);
	o->writer[reg] = i + 1;
	o->reader[reg] = 0;
	if (partial)
		take(o, i, reg);
	if (!o->failed)
		make(o, i, reg);
}

static void add_registers(struct order *o, uint32_t i)
{
	struct uses u;
	uint32_t k;

	uses_of(o->f, o->first + i, &u);
	for (k = 0; k < u.read_count && !o->failed; k++)
		read_register(o, i, u.reads[k]);
	for (k = 0; k < u.write_count && !o->failed; k++)
		write_register(o, i, u.writes[k], u.partial);
}

static void forget(struct order *o, uint32_t reg)
{
	if (o->value[reg])
		o->values[o->value[reg] - 1].stays =
			!o->is_last ||
			liveness_has(o->live, o->live->out, o->block, reg);
	o->reader[reg] = o->writer[reg] = o->value[reg] = 0;
}

/* What is left behind the part is known; its registers are as untouched again.
 */
static void forget_registers(struct order *o)
{
	struct uses u;
	uint32_t i, k;

	for (i = 0; i < o->count; i++) {
		uses_of(o->f, o->first + i, &u);
		for (k = 0; k < u.read_count; k++)
			forget(o, u.reads[k]);
		for (k = 0; k < u.write_count; k++)
			forget(o, u.writes[k]);
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
		depend(o, o->carry - 1, i, takes ? ORDER_VALUE : ORDER_ALONE);
	o->carry = i + 1;
}

static void add_memory(struct order *o, uint32_t i)
{
	const struct ptx_insn *insn = insn_at(o, i);
	uint32_t k;

	if (effect_of(insn) == NONE_AT_ALL)
		return;
	for (k = i; k-- > 0;) {
		const struct ptx_insn *before = insn_at(o, k);

		if (!effect_keeps_order(before, insn))
			continue;
		depend(o, k, i, ORDER_ALONE);
		if (effect_covers(before, insn))
			break;
	}
}

/* Instructions `first` to before `end`, of a block or a part of it. */
static int order_part(struct order *o, uint32_t first, uint32_t end)
{
	uint32_t last, i;

	o->first = first;
	o->count = end - first;
	o->links.count = o->value_count = o->carry = 0;
	for (i = 0; i < o->count; i++)
		o->nodes[i] = (struct order_node){
			.edge = NOBODY, .takes = NOBODY, .makes = NOBODY};
	for (i = 0; i < o->count && !o->failed; i++) {
		add_registers(o, i);
		add_carry(o, i);
		add_memory(o, i);
	}
	/* What ends the block, or the part, stays behind all else. */
	last = o->count - 1;
	if (graph_is_end(&o->f->insns[o->first + last]) ||
		parts_is_sequence(insn_at(o, last)))
		for (i = 0; i < last && !o->failed; i++)
			depend(o, i, last, ORDER_ALONE);
	forget_registers(o);
	if (o->failed)
		return ERR_FAILED;
	order_place(o);
	return 0;
}

static int order_block(
	struct order *o, const struct graph_block *block, bool divided)
{
	const struct parts parts = parts_of(o->f, block, divided);
	const uint32_t most =
		o->f->count > LONG_INSNS ? PART_OF_LONG : PART_INSNS;
	uint32_t first = block->first, end;
	int code = 0;

	o->words = liveness_words_in(o->live, o->live->in, o->block);
	for (; !code && first < block->end; first = end) {
		end = parts_end(&parts, first);
		if (end - first > most)
			end = first + most;
		o->is_last = end == block->end;
		code = order_part(o, first, end);
	}
	return code;
}

int assemble_order(struct flat *f, const struct graph *g, struct error *error)
{
	const uint32_t most = f->count < PART_INSNS ? f->count : PART_INSNS;
	struct liveness live;
	struct order o = {.f = f, .live = &live};
	bool *divided = calloc(g->block_count + 1, sizeof(*divided));
	int code = liveness_make(&live, f, g, error);

	o.nodes = calloc(most + 1, sizeof(*o.nodes));
	o.ready = calloc(most / 64 + 1, sizeof(*o.ready));
	o.result = calloc(most + 1, sizeof(*o.result));
	o.writer = calloc(f->register_count + 1, sizeof(*o.writer));
	o.reader = calloc(f->register_count + 1, sizeof(*o.reader));
	o.value = calloc(f->register_count + 1, sizeof(*o.value));
	if (!code && (!o.nodes || !o.ready || !o.result || !o.writer ||
			     !o.reader || !o.value || !divided))
		code = error_set(error, ERR_FAILED, "out of memory");
	if (!code)
		code = divided_find(f, g, divided, error);
	for (; !code && o.block < g->block_count; o.block++)
		if (order_block(&o, &g->blocks[o.block], divided[o.block]))
			code = error_set(error, ERR_FAILED, "out of memory");
	liveness_free(&live);
	free(divided);
	free(o.nodes);
	free(o.ready);
	free(o.result);
	free(o.writer);
	free(o.reader);
	free(o.value);
	free(o.values);
	free(o.links.items);
	return code;
}
