#include <stdlib.h>

#include "backend_sim/flow/loops.h"

struct search {
	const struct graph *g;
	bool *in_loop;
	uint32_t *number; /* [block]: when the search came there, from 1; owned,
			     as the others */
	uint32_t *low;    /* [block]: the least number that it reaches */
	uint32_t *open;   /* blocks whose part is not known yet, a stack */
	uint32_t *way;    /* to the block that is looked at, a stack */
	uint8_t *next;    /* [block]: successors that were looked at */
	uint32_t count, open_count, depth;
};

static void come_to(struct search *s, uint32_t block)
{
	s->number[block] = s->low[block] = ++s->count;
	s->open[s->open_count++] = block;
	s->way[s->depth++] = block;
}

/* A part that is known has no number that is low. */
static void close_part(struct search *s, uint32_t block)
{
	const struct graph_block *b = &s->g->blocks[block];
	const bool is_one = s->open[s->open_count - 1] == block;
	uint32_t at;

	do {
		at = s->open[--s->open_count];
		s->in_loop[at] = !is_one || b->successor[0] == block ||
				 b->successor[1] == block;
		s->number[at] = UINT32_MAX;
	} while (at != block);
}

static void look_at(struct search *s, uint32_t block)
{
	const uint32_t to =
		s->next[block] < 2
			? s->g->blocks[block].successor[s->next[block]]
			: NO_BLOCK;

	if (s->next[block] < 2) {
		s->next[block]++;
		if (to != NO_BLOCK && !s->number[to])
			come_to(s, to);
		else if (to != NO_BLOCK && s->number[to] < s->low[block])
			s->low[block] = s->number[to];
		return;
	}
	s->depth--;
	if (s->depth) {
		const uint32_t from = s->way[s->depth - 1];

		s->low[from] = s->low[block] < s->low[from] ? s->low[block]
							    : s->low[from];
	}
	if (s->low[block] == s->number[block])
		close_part(s, block);
}

int loops_find(const struct graph *g, bool *in_loop, struct error *error)
{
	const size_t n = (size_t)g->block_count + 1;
	struct search s = {.g = g,
		.in_loop = in_loop,
		.number = calloc(n, sizeof(*s.number)),
		.low = calloc(n, sizeof(*s.low)),
		.open = calloc(n, sizeof(*s.open)),
		.way = calloc(n, sizeof(*s.way)),
		.next = calloc(n, sizeof(*s.next))};
	const bool made = s.number && s.low && s.open && s.way && s.next;
	uint32_t b;

	for (b = 0; made && b < g->block_count; b++) {
		if (!s.number[b])
			come_to(&s, b);
		while (s.depth)
			look_at(&s, s.way[s.depth - 1]);
	}
	free(s.number);
	free(s.low);
	free(s.open);
	free(s.way);
	free(s.next);
	return made ? 0 : error_set(error, ERR_FAILED, "out of memory");
}
