/* Loads of words of shared memory, and what stands before them. */
#include <stdlib.h>

#include "backend_sim/flow/effect.h"
#include "backend_sim/flow/uses.h"
#include "backend_sim/passes/loads.h"

#define WORD_BYTES 4u

const struct ptx_operand *loads_address(const struct flat_insn *flat)
{
	return &flat->insn->operands[1];
}

/* A whole word of shared memory, at a register or a variable. */
static bool is_word(const struct flat_insn *flat)
{
	const struct ptx_insn *insn = flat->insn;

	return insn->op == PTXO_LD && insn->space == PTX_SHARED &&
	       !insn->qualifiers[Q_SEM] && !insn->guarded &&
	       insn->vector <= 1 && ptx_types[insn->type].bytes == WORD_BYTES &&
	       loads_address(flat)->bits % WORD_BYTES == 0 &&
	       (loads_address(flat)->kind == PTX_ADDRESS ||
		       loads_address(flat)->kind == PTX_PLACED);
}

static bool add_reader(struct loads *l, uint32_t reg, uint32_t at)
{
	if (l->reader_count == l->reader_capacity) {
		const uint32_t larger = 2 * l->reader_capacity + 256;
		struct reader *grown =
			realloc(l->readers, larger * sizeof(*grown));

		if (!grown)
			return false;
		l->readers = grown;
		l->reader_capacity = larger;
	}
	l->readers[l->reader_count] = (struct reader){at, l->reader[reg]};
	l->reader[reg] = ++l->reader_count;
	return true;
}

static void add_load(
	struct loads *l, uint32_t at, uint32_t effect, const struct uses *u)
{
	struct load *load = &l->list[l->count++];

	*load = (struct load){.at = at, .effect = effect, .follower = NO_LOAD};
	if (u->read_count)
		load->address_writer = l->writer[u->reads[0]];
	if (u->write_count) {
		load->writer = l->writer[u->writes[0]];
		load->reader = l->reader[u->writes[0]];
	}
	l->load_of[at] = l->count;
}

static bool note_uses(struct loads *l, uint32_t at, const struct uses *u)
{
	uint32_t k;

	for (k = 0; k < u->read_count; k++)
		if (!add_reader(l, u->reads[k], at))
			return false;
	for (k = 0; k < u->write_count; k++) {
		l->writer[u->writes[k]] = at + 1;
		l->reader[u->writes[k]] = 0;
	}
	return true;
}

/* Whether a load of shared memory stays behind it, registers apart. */
static bool may_change_shared(const struct ptx_insn *insn)
{
	const enum effect effect = effect_of(insn);

	return effect == ORDERS || effect == CLOCKS ||
	       (effect == WRITES && (insn->space == PTX_SHARED ||
					    insn->space == PTX_GENERIC));
}

static bool find(struct loads *l, uint32_t first, uint32_t end)
{
	uint32_t effect = 0, i;
	struct uses u;

	l->count = l->reader_count = 0;
	for (i = first; i < end; i++) {
		const struct flat_insn *flat = &l->f->insns[i];

		uses_of(l->f, i, &u);
		if (is_word(flat))
			add_load(l, i, effect, &u);
		if (may_change_shared(flat->insn))
			effect = i + 1;
		if (!note_uses(l, i, &u))
			return false;
	}
	return true;
}

/* The registers are as untouched again. */
static void forget_uses(struct loads *l, uint32_t first, uint32_t end)
{
	struct uses u;
	uint32_t i, k;

	for (i = first; i < end; i++) {
		uses_of(l->f, i, &u);
		for (k = 0; k < u.read_count; k++)
			l->reader[u.reads[k]] = l->writer[u.reads[k]] = 0;
		for (k = 0; k < u.write_count; k++)
			l->reader[u.writes[k]] = l->writer[u.writes[k]] = 0;
	}
}

int loads_find(struct loads *l, uint32_t first, uint32_t end)
{
	const bool found = find(l, first, end);

	forget_uses(l, first, end);
	return found ? 0 : ERR_FAILED;
}

int loads_make(struct loads *l, const struct flat *f, uint32_t most_insns)
{
	const size_t registers = (size_t)f->register_count + 1;

	*l = (struct loads){.f = f,
		.list = calloc((size_t)most_insns + 1, sizeof(*l->list)),
		.load_of = calloc((size_t)f->count + 1, sizeof(*l->load_of)),
		.writer = calloc(registers, sizeof(*l->writer)),
		.reader = calloc(registers, sizeof(*l->reader))};
	return l->list && l->load_of && l->writer && l->reader ? 0 : ERR_FAILED;
}

void loads_free(struct loads *l)
{
	free(l->list);
	free(l->load_of);
	free(l->writer);
	free(l->reader);
	free(l->readers);
}
