#include <stdlib.h>
#include <string.h>

#include "backend_sim/passes/aligned.h"
#include "backend_sim/passes/loads.h"
#include "backend_sim/passes/merge.h"

#define WORD_BYTES  4u
#define GROUP_MOST  4u
#define GROUP_BYTES (GROUP_MOST * WORD_BYTES)

/* Instructions of the text behind a load that its neighbours are looked for
   among; none of those that gemm_tiled and gemm_blocked have stands as far. */
#define REACH 4096u

/* Loads with one base whose words are of the same 16 bytes: of each word those
   from `first` on, in merge.sorted. */
struct group {
	uint32_t first[GROUP_MOST], end[GROUP_MOST];
};

struct merge {
	struct flat *f;
	struct loads loads; /* of the block */
	uint8_t *zeros;     /* [register]; owned, as the next */
	uint32_t *sorted;   /* loads by group and word */
	struct group *groups;
	uint32_t group_count;
	bool *moved;            /* [instruction] */
	struct flat_insn *text; /* of the block */
};

/* ---- neighbours ---- */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* By base, by 16 bytes. */
static int compare_groups(const struct flat_insn *a, const struct flat_insn *b)
{
	const struct ptx_operand *x = loads_address(a), *y = loads_address(b);
	int way = compare(a->instance, b->instance);

	way = way ? way : compare(x->kind, y->kind);
	way = way ? way : compare(x->is_absolute, y->is_absolute);
	way = way ? way : compare(x->index, y->index);
	return way ? way
		   : compare(x->bits / GROUP_BYTES, y->bits / GROUP_BYTES);
}

static uint32_t word_of(const struct flat_insn *flat)
{
	return (uint32_t)(loads_address(flat)->bits % GROUP_BYTES / WORD_BYTES);
}

static int by_group(const void *left, const void *right, void *context)
{
	const struct merge *m = context;
	const uint32_t a = *(const uint32_t *)left;
	const uint32_t b = *(const uint32_t *)right;
	const struct flat_insn *x = &m->f->insns[m->loads.list[a].at];
	const struct flat_insn *y = &m->f->insns[m->loads.list[b].at];
	int way = compare_groups(x, y);

	way = way ? way : compare(word_of(x), word_of(y));
	return way ? way : compare(a, b);
}

static void find_groups(struct merge *m)
{
	const struct flat_insn *before = NULL;
	uint32_t i, word;

	for (i = 0; i < m->loads.count; i++)
		m->sorted[i] = i;
	qsort_r(m->sorted, m->loads.count, sizeof(*m->sorted), by_group, m);
	m->group_count = 0;
	for (i = 0; i < m->loads.count; i++) {
		struct load *l = &m->loads.list[m->sorted[i]];
		const struct flat_insn *flat = &m->f->insns[l->at];
		struct group *g;

		if (!before || compare_groups(before, flat))
			m->groups[m->group_count++] = (struct group){{0}, {0}};
		before = flat;
		l->group = m->group_count - 1;
		g = &m->groups[l->group];
		word = word_of(flat);
		if (!g->end[word])
			g->first[word] = i;
		g->end[word] = i + 1;
	}
}

/* ---- what may go up ---- */

/* Whether it, 1 + a place, stands where it stood, from `from` on. */
static bool stands(const struct merge *m, uint32_t at, uint32_t from)
{
	return at > from && !m->moved[at - 1];
}

/* Those who have gone up stand before all leaders to come. */
static bool is_read(const struct merge *m, struct load *l, uint32_t from)
{
	while (l->reader && m->moved[m->loads.readers[l->reader - 1].at])
		l->reader = m->loads.readers[l->reader - 1].before;
	return l->reader && m->loads.readers[l->reader - 1].at >= from;
}

/* The first load of the word that may go up to right behind the leader. */
static uint32_t find_word(
	struct merge *m, const struct load *leader, uint32_t word)
{
	struct group *g = &m->groups[leader->group];
	uint32_t i;

	while (g->first[word] < g->end[word] &&
		(m->loads.list[m->sorted[g->first[word]]].at <= leader->at ||
			m->moved[m->loads.list[m->sorted[g->first[word]]].at]))
		g->first[word]++;
	for (i = g->first[word]; i < g->end[word]; i++) {
		struct load *l = &m->loads.list[m->sorted[i]];

		if (m->moved[l->at])
			continue;
		if (l->at > leader->at + REACH || l->effect > leader->at ||
			stands(m, l->address_writer, leader->at))
			return NO_LOAD;
		if (!stands(m, l->writer, leader->at) &&
			!is_read(m, l, leader->at))
			return m->sorted[i];
	}
	return NO_LOAD;
}

/* The loads that go by with the leader, itself among them: how many. */
static uint32_t find_members(
	struct merge *m, uint32_t leader, uint32_t members[GROUP_MOST])
{
	const struct flat_insn *flat = &m->f->insns[m->loads.list[leader].at];
	const uint8_t known = aligned_base(
		m->f, m->zeros, flat->instance, loads_address(flat));
	const uint32_t word = word_of(flat), other = word ^ 1;
	uint32_t i, count = 0;

	if (known < 3)
		return 1;
	for (i = 0; i < GROUP_MOST; i++) {
		members[i] = i == word
				     ? leader
				     : find_word(m, &m->loads.list[leader], i);
		count += members[i] != NO_LOAD;
	}
	if (known >= 4 && count == GROUP_MOST)
		return GROUP_MOST;
	if (members[other] == NO_LOAD)
		return 1;
	members[word ^ 2] = members[other ^ 2] = NO_LOAD;
	return 2;
}

static int by_place(const void *left, const void *right)
{
	return compare(*(const uint32_t *)left, *(const uint32_t *)right);
}

/* Behind the first one, in their order. */
static void gather(struct merge *m, uint32_t members[GROUP_MOST], uint32_t size)
{
	uint32_t i;

	qsort(members, GROUP_MOST, sizeof(*members), by_place);
	m->f->insns[m->loads.list[members[0]].at].leads = (uint8_t)size;
	for (i = 1; i < size; i++) {
		const uint32_t at = m->loads.list[members[i]].at;

		m->loads.list[members[i - 1]].follower = members[i];
		m->f->insns[at].follows = true;
		m->moved[at] = true;
	}
}

/* ---- the new text ---- */

static void rewrite(struct merge *m, uint32_t first, uint32_t end)
{
	struct flat_insn *insns = m->f->insns;
	uint32_t count = 0, i, load;

	for (i = first; i < end; i++) {
		if (m->moved[i])
			continue;
		m->text[count++] = insns[i];
		load = m->loads.load_of[i];
		for (load = load ? m->loads.list[load - 1].follower : NO_LOAD;
			load != NO_LOAD; load = m->loads.list[load].follower)
			m->text[count++] = insns[m->loads.list[load].at];
	}
	memcpy(insns + first, m->text, count * sizeof(*insns));
}

static bool merge_block(struct merge *m, uint32_t first, uint32_t end)
{
	uint32_t members[GROUP_MOST], i, size;
	bool changed = false;

	if (loads_find(&m->loads, first, end))
		return false;
	find_groups(m);
	for (i = 0; i < m->loads.count; i++) {
		if (m->moved[m->loads.list[i].at])
			continue;
		size = find_members(m, i, members);
		if (size == 1)
			continue;
		gather(m, members, size);
		changed = true;
	}
	if (changed)
		rewrite(m, first, end);
	return true;
}

/* ---- the kernel ---- */

/* Of the largest block. */
static uint32_t most_insns(const struct graph *g)
{
	uint32_t most = 0, b;

	for (b = 0; b < g->block_count; b++) {
		const uint32_t count = g->blocks[b].end - g->blocks[b].first;

		most = count > most ? count : most;
	}
	return most;
}

static bool make(struct merge *m, struct flat *f, const struct graph *g)
{
	const uint32_t most = most_insns(g);
	const size_t n = (size_t)most + 1;

	*m = (struct merge){.f = f,
		.zeros = calloc(
			(size_t)f->register_count + 1, sizeof(*m->zeros)),
		.sorted = calloc(n, sizeof(*m->sorted)),
		.groups = calloc(n, sizeof(*m->groups)),
		.moved = calloc((size_t)f->count + 1, sizeof(*m->moved)),
		.text = calloc(n, sizeof(*m->text))};
	return !loads_make(&m->loads, f, most) && m->zeros && m->sorted &&
	       m->groups && m->moved && m->text;
}

static void free_all(struct merge *m)
{
	loads_free(&m->loads);
	free(m->zeros);
	free(m->sorted);
	free(m->groups);
	free(m->moved);
	free(m->text);
}

int merge_loads(struct flat *f, const struct graph *g, struct error *error)
{
	struct merge m;
	bool made = make(&m, f, g);
	uint32_t b;
	int code = made ? aligned_find(f, m.zeros, error) : 0;

	for (b = 0; made && !code && b < g->block_count; b++)
		made = merge_block(&m, g->blocks[b].first, g->blocks[b].end);
	free_all(&m);
	return made ? code : error_set(error, ERR_FAILED, "out of memory");
}
