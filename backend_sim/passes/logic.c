#include <stdlib.h>
#include <string.h>

#include "backend_sim/flow/liveness.h"
#include "backend_sim/flow/uses.h"
#include "backend_sim/passes/logic.h"
#include "backend_sim/passes/logic_node.h"

#define MANY UINT32_MAX

struct logic {
	struct flat *f;
	const struct graph *g;
	struct liveness live;
	struct node *nodes; /* [instruction]; owned, as the others */
	uint32_t *version;  /* [register]: 1 + the instruction of the block that
			       wrote it last */
	uint32_t *readers;  /* [register]: instructions that have read that */
	uint32_t *writer; /* [register]: 1 + the only one that writes it; MANY:
			     there are more; 0: none is */
	uint32_t *seen;   /* [register]: 1 + the block that is looked at */
	bool *is_read;    /* then: whether what follows reads it */
	bool failed;
};

static uint32_t register_of(
	const struct logic *l, uint32_t i, const struct ptx_operand *o)
{
	return flat_register(l->f, l->f->insns[i].instance, o->index);
}

/* How many operands of bits it has; 0: it is something else. */
static uint32_t operands_of(const struct flat_insn *flat)
{
	const struct ptx_insn *insn = flat->insn;
	const uint32_t count = insn->op == PTXO_NOT    ? 1
			       : insn->op == PTXO_LOP3 ? 3
						       : 2;
	uint32_t k;

	if ((insn->op != PTXO_AND && insn->op != PTXO_OR &&
		    insn->op != PTXO_XOR && insn->op != PTXO_NOT &&
		    insn->op != PTXO_LOP3) ||
		insn->guarded || flat->spare || insn->type == PTX_pred ||
		insn->word[PTX_CLASS_BOOL] || ptx_types[insn->type].bytes < 4)
		return 0;
	for (k = 0; k <= count; k++)
		if (insn->operands[k].kind != PTX_REGISTER &&
			(!k || insn->operands[k].kind != PTX_NUMBER))
			return 0;
	return count;
}

/* ---- who reads a register last ---- */

static bool is_read(const struct logic *l, uint32_t block, uint32_t reg)
{
	if (l->seen[reg] == block + 1)
		return l->is_read[reg];
	return liveness_has(&l->live, l->live.out, block, reg);
}

static void set_read(struct logic *l, uint32_t block, uint32_t reg, bool read)
{
	l->seen[reg] = block + 1;
	l->is_read[reg] = read;
}

static void find_last(struct logic *l, uint32_t block, uint32_t i)
{
	const struct ptx_insn *insn = l->f->insns[i].insn;
	const uint32_t count = operands_of(&l->f->insns[i]);
	struct uses u;
	uint32_t k;

	uses_of(l->f, i, &u);
	for (k = 0; k < u.write_count && !u.partial; k++)
		set_read(l, block, u.writes[k], false);
	for (k = 1; k <= count; k++)
		if (insn->operands[k].kind == PTX_REGISTER &&
			!is_read(l, block,
				register_of(l, i, &insn->operands[k])))
			l->nodes[i].last |= (uint8_t)(1u << (k - 1));
	for (k = 0; k < u.read_count; k++)
		set_read(l, block, u.reads[k], true);
}

/* ---- what joins what ---- */

/* The instruction that has made what the register holds; NULL: any. */
static const struct ptx_insn *writer_of(
	const struct logic *l, uint32_t reg, uint32_t version)
{
	const uint32_t by = version ? version : l->writer[reg];

	return by && by != MANY ? l->f->insns[by - 1].insn : NULL;
}

/* A number, or a register that always holds one. */
static struct ptx_operand value_at(
	const struct logic *l, uint32_t i, uint32_t k)
{
	const struct ptx_operand *o = &l->f->insns[i].insn->operands[k];
	const struct ptx_insn *by = NULL;

	if (o->kind == PTX_REGISTER)
		by = writer_of(l, register_of(l, i, o), 0);
	return by && by->op == PTXO_MOV && !by->guarded &&
			       by->operands[1].kind == PTX_NUMBER &&
			       !by->operands[1].is_float
		       ? by->operands[1]
		       : *o;
}

/* The operand as it is. */
static struct node leaf_of(const struct logic *l, uint32_t i, uint32_t k)
{
	const bool wide = ptx_types[l->f->insns[i].insn->type].bytes == 8;
	struct node n = {.count = 1, .table = node_leaf(0)};
	struct ptx_operand *leaf = &n.leaves[0];

	*leaf = value_at(l, i, k);
	if (leaf->kind == PTX_REGISTER) {
		n.versions[0] = l->version[register_of(l, i, leaf)];
		return n;
	}
	if (!wide)
		leaf->bits &= UINT32_MAX;
	if (!leaf->bits || leaf->bits == (wide ? UINT64_MAX : UINT32_MAX)) {
		n.table = leaf->bits ? UINT8_MAX : 0;
		n.count = 0;
	}
	return n;
}

/* Whether the upper half of the leaf is zero. */
static bool is_narrow(
	const struct logic *l, uint32_t i, const struct node *n, uint32_t x)
{
	const struct ptx_operand *o = &n->leaves[x];
	const struct ptx_insn *by;

	if (o->kind == PTX_NUMBER)
		return o->bits <= UINT32_MAX;
	by = writer_of(l, register_of(l, i, o), n->versions[x]);
	return by && by->op == PTXO_CVT && !by->guarded &&
	       ptx_types[by->from].kind == 'u' &&
	       ptx_types[by->from].bytes <= 4;
}

/* Of 64 bits the upper half costs nothing: it is zero, or that of a value. */
static bool is_half(const struct logic *l, uint32_t i, const struct node *n)
{
	uint8_t table = n->table, ones;
	uint32_t x;

	if (ptx_types[l->f->insns[i].insn->type].bytes < 8)
		return false;
	for (x = 0; x < n->count; x++)
		if (is_narrow(l, i, n, x)) {
			ones = node_leaf(x);
			table &= (uint8_t)~ones;
			table |= (uint8_t)(table << (4u >> x));
		}
	for (x = 0; x < LEAVES; x++)
		if (table == node_leaf(x))
			return true;
	return !table;
}

/* The logic that has made the operand, if nobody else needs it, and what it is
   made of is still there. */
static const struct node *maker_of(
	const struct logic *l, uint32_t i, uint32_t k)
{
	const struct ptx_operand *o = &l->f->insns[i].insn->operands[k];
	const struct node *n;
	uint32_t reg, by, x;

	if (!(l->nodes[i].last >> (k - 1) & 1))
		return NULL;
	reg = register_of(l, i, o);
	by = l->version[reg];
	n = by ? &l->nodes[by - 1] : NULL;
	if (!n || !n->is_logic || l->readers[reg] ||
		l->f->insns[by - 1].instance != l->f->insns[i].instance ||
		ptx_types[l->f->insns[by - 1].insn->type].bytes !=
			ptx_types[l->f->insns[i].insn->type].bytes)
		return NULL;
	for (x = 0; x < n->count; x++) {
		uint32_t leaf;

		if (n->leaves[x].kind != PTX_REGISTER)
			continue;
		leaf = register_of(l, i, &n->leaves[x]);
		/* What the maker itself writes over stays without it. */
		if (leaf != reg && l->version[leaf] != n->versions[x])
			return NULL;
	}
	return n;
}

/* The instruction with the makers of the operands whose bits are set. */
static bool join(const struct logic *l, uint32_t i, uint32_t count,
	uint32_t chosen, struct node *to)
{
	uint8_t tables[LEAVES] = {0};
	uint32_t k;

	*to = (struct node){.is_logic = true};
	for (k = 1; k <= count; k++) {
		const struct node leaf = leaf_of(l, i, k);
		const struct node *from =
			chosen >> (k - 1) & 1 ? maker_of(l, i, k) : &leaf;

		if (!from || !node_add(to, from, &tables[k - 1]))
			return false;
	}
	to->table = node_apply(l->f->insns[i].insn, tables);
	node_shed(to);
	return true;
}

/* In its place, which keeps what it has where there is no memory. */
static void put(struct logic *l, uint32_t i, const struct ptx_insn *made)
{
	const struct ptx_insn *insn = flat_make_insn(l->f, made);

	if (insn)
		l->f->insns[i].insn = insn;
	else
		l->failed = true;
}

static void become_lop3(struct logic *l, uint32_t i, const struct node *n)
{
	struct ptx_insn made = *l->f->insns[i].insn;
	uint32_t x;

	made.op = PTXO_LOP3;
	made.operand_count = 5;
	for (x = 0; x <= LEAVES; x++)
		made.operands[x + 1] = (struct ptx_operand){.kind = PTX_NUMBER};
	for (x = 0; x < n->count; x++)
		made.operands[x + 1] = n->leaves[x];
	made.operands[4].bits = n->table;
	put(l, i, &made);
}

/* It leaves the register as it is. */
static void become_move(struct logic *l, uint32_t i, uint32_t from)
{
	struct ptx_insn made = *l->f->insns[i].insn;

	made.op = PTXO_MOV;
	made.operand_count = 2;
	made.operands[1] = made.operands[from];
	put(l, i, &made);
}

/* Nobody reads what has made the operand. */
static void leave_out(struct logic *l, uint32_t i, uint32_t k)
{
	const uint32_t reg =
		register_of(l, i, &l->f->insns[i].insn->operands[k]);
	const uint32_t by = l->version[reg] - 1;
	const struct node *n = &l->nodes[by];
	uint32_t x;

	l->f->insns[by].spare = l->f->insns[by].idle = true;
	for (x = 0; x < n->count; x++)
		if (n->leaves[x].kind == PTX_REGISTER &&
			register_of(l, by, &n->leaves[x]) == reg) {
			become_move(l, by, 0);
			l->version[reg] = n->versions[x];
		}
}

/* As many makers as there is room for, the last ones first. */
static void look_at(struct logic *l, uint32_t i)
{
	const uint32_t count = operands_of(&l->f->insns[i]);
	uint32_t chosen, best = 0, k;
	struct node n, found;

	if (!count || !join(l, i, count, 0, &found))
		return;
	for (chosen = 1; chosen < 1u << count; chosen++)
		if (__builtin_popcount(chosen) >= __builtin_popcount(best) &&
			join(l, i, count, chosen, &n)) {
			best = chosen;
			found = n;
		}
	for (k = 1; k <= count; k++)
		if (best >> (k - 1) & 1)
			leave_out(l, i, k);
	found.last = l->nodes[i].last;
	l->f->insns[i].is_half = is_half(l, i, &found);
	if (best || found.count < count)
		become_lop3(l, i, &found);
	l->f->insns[i].spare =
		found.count == 0 ||
		(found.count == 1 && found.table == node_leaf(0));
	l->nodes[i] = found;
}

static void pass(struct logic *l, uint32_t i)
{
	struct uses u;
	uint32_t k;

	uses_of(l->f, i, &u);
	for (k = 0; k < u.read_count; k++)
		l->readers[u.reads[k]]++;
	for (k = 0; k < u.write_count; k++) {
		l->version[u.writes[k]] = u.partial ? 0 : i + 1;
		l->readers[u.writes[k]] = 0;
	}
}

static void look_at_block(struct logic *l, uint32_t block)
{
	const struct graph_block *b = &l->g->blocks[block];
	struct uses u;
	uint32_t i, k;

	for (i = b->end; i-- > b->first;)
		find_last(l, block, i);
	for (i = b->first; i < b->end && !l->failed; i++) {
		look_at(l, i);
		pass(l, i);
	}
	for (i = b->first; i < b->end && !l->failed; i++) {
		uses_of(l->f, i, &u);
		for (k = 0; k < u.write_count; k++)
			l->version[u.writes[k]] = 0;
	}
}

static void find_writers(struct logic *l)
{
	struct uses u;
	uint32_t i, k;

	for (i = 0; i < l->f->count; i++) {
		uses_of(l->f, i, &u);
		for (k = 0; k < u.write_count; k++)
			l->writer[u.writes[k]] =
				l->writer[u.writes[k]] ? MANY : i + 1;
	}
}

int logic_join(struct flat *f, const struct graph *g, struct error *error)
{
	const size_t registers = (size_t)f->register_count + 1;
	struct logic l = {.f = f, .g = g};
	uint32_t b;
	int code = liveness_make(&l.live, f, g, error);

	l.nodes = calloc((size_t)f->count + 1, sizeof(*l.nodes));
	l.version = calloc(registers, sizeof(*l.version));
	l.readers = calloc(registers, sizeof(*l.readers));
	l.seen = calloc(registers, sizeof(*l.seen));
	l.is_read = calloc(registers, sizeof(*l.is_read));
	l.writer = calloc(registers, sizeof(*l.writer));
	l.failed = !l.nodes || !l.version || !l.readers || !l.seen ||
		   !l.is_read || !l.writer;
	if (!code && !l.failed)
		find_writers(&l);
	for (b = 0; !code && !l.failed && b < g->block_count; b++)
		look_at_block(&l, b);
	if (!code && l.failed)
		code = error_set(error, ERR_FAILED, "out of memory");
	liveness_free(&l.live);
	free(l.nodes);
	free(l.version);
	free(l.readers);
	free(l.seen);
	free(l.is_read);
	free(l.writer);
	return code;
}
