#include <stdlib.h>
#include <string.h>

#include "backend_sim/passes/aligned.h"
#include "backend_sim/flow/effect.h"
#include "backend_sim/passes/merge.h"
#include "backend_sim/flow/uses.h"

#define WORD_BYTES  4u
#define GROUP_MOST  4u
#define GROUP_BYTES (GROUP_MOST * WORD_BYTES)

struct group {
	uint32_t at[GROUP_MOST]; /* places in the text; 0: none, + 1 */
};

static const struct ptx_operand *address_of(const struct flat_insn *flat)
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
	       address_of(flat)->bits % WORD_BYTES == 0 &&
	       (address_of(flat)->kind == PTX_ADDRESS ||
		       address_of(flat)->kind == PTX_PLACED);
}

static bool same_base(const struct flat_insn *a, const struct flat_insn *b)
{
	const struct ptx_operand *x = address_of(a), *y = address_of(b);

	return a->instance == b->instance && x->kind == y->kind &&
	       x->is_absolute == y->is_absolute && x->index == y->index;
}

static bool names(const uint32_t *list, uint32_t count, uint32_t reg)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (list[i] == reg)
			return true;
	return false;
}

/* May the load at `to` go up to right behind the one at `from`? */
static bool may_move(const struct flat *f, uint32_t from, uint32_t to)
{
	struct uses load, u;
	uint32_t i, k;

	uses_of(f, to, &load);
	for (i = from; i < to; i++) {
		if (effect_keeps_order(f->insns[i].insn, f->insns[to].insn))
			return false;
		uses_of(f, i, &u);
		for (k = 0; k < load.read_count; k++)
			if (names(u.writes, u.write_count, load.reads[k]))
				return false;
		for (k = 0; k < load.write_count; k++)
			if (names(u.writes, u.write_count, load.writes[k]) ||
				names(u.reads, u.read_count, load.writes[k]))
				return false;
	}
	return true;
}

/* The neighbours of the load at `first`, itself among them. */
static void find_group(
	const struct flat *f, uint32_t first, uint32_t end, struct group *group)
{
	const uint64_t start = address_of(&f->insns[first])->bits &
			       ~(uint64_t)(GROUP_BYTES - 1);
	uint32_t i;

	*group = (struct group){{0}};
	for (i = first; i < end; i++) {
		const struct flat_insn *flat = &f->insns[i];
		uint64_t from;

		if (effect_of(flat->insn) == ORDERS)
			return;
		if (!is_word(flat) || flat->leads || flat->follows ||
			!same_base(flat, &f->insns[first]))
			continue;
		from = address_of(flat)->bits - start;
		if (from < GROUP_BYTES && !group->at[from / WORD_BYTES] &&
			may_move(f, first, i))
			group->at[from / WORD_BYTES] = i + 1;
	}
}

/* How many go together with the load at `first`. */
static uint32_t group_size(const struct flat *f, const uint8_t *zeros,
	uint32_t first, struct group *group)
{
	const struct flat_insn *flat = &f->insns[first];
	uint8_t known =
		aligned_base(f, zeros, flat->instance, address_of(flat));
	uint32_t word =
		(uint32_t)(address_of(flat)->bits % GROUP_BYTES / WORD_BYTES);
	uint32_t other = word ^ 1;

	if (known >= 4 && group->at[0] && group->at[1] && group->at[2] &&
		group->at[3])
		return GROUP_MOST;
	if (known < 3 || !group->at[other])
		return 1;
	group->at[word ^ 2] = group->at[other ^ 2] = 0;
	return 2;
}

static int by_place(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Behind the first one, in their order. */
static void gather(struct flat *f, struct group *group, uint32_t size)
{
	uint32_t first, i;

	qsort(group->at, GROUP_MOST, sizeof(*group->at), by_place);
	first = group->at[GROUP_MOST - size] - 1;
	f->insns[first].leads = (uint8_t)size;
	for (i = 1; i < size; i++) {
		const uint32_t from = group->at[GROUP_MOST - size + i] - 1;
		const struct flat_insn moved = f->insns[from];

		memmove(&f->insns[first + i + 1], &f->insns[first + i],
			(from - first - i) * sizeof(moved));
		f->insns[first + i] = moved;
		f->insns[first + i].follows = true;
	}
}

static void merge_block(
	struct flat *f, const uint8_t *zeros, uint32_t first, uint32_t end)
{
	struct group group;
	uint32_t i, size;

	for (i = first; i < end; i++) {
		if (!is_word(&f->insns[i]) || f->insns[i].follows)
			continue;
		find_group(f, i, end, &group);
		size = group_size(f, zeros, i, &group);
		if (size > 1)
			gather(f, &group, size);
	}
}

int merge_loads(struct flat *f, const struct graph *g, struct error *error)
{
	uint8_t *zeros = calloc(f->register_count + 1, 1);
	uint32_t b;

	if (!zeros)
		return error_set(error, ERR_FAILED, "out of memory");
	aligned_find(f, zeros);
	for (b = 0; b < g->block_count; b++)
		merge_block(f, zeros, g->blocks[b].first, g->blocks[b].end);
	free(zeros);
	return 0;
}
