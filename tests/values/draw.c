/* A random kernel. */
#include <string.h>

#include "tests/values/values.h"

struct draw {
	uint64_t state;
	struct kernel *k;
	uint32_t depth, loops, blocks;
	struct {
		bool is_loop, has_else;
		uint32_t block;
	} open[DEPTH_MAX];
};

/* SplitMix64, from its author's description. */
static uint32_t below(struct draw *w, uint32_t count)
{
	uint64_t z = w->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((z ^ z >> 31) >> 33) % count;
}

static uint8_t reg(struct draw *w, char class)
{
	return (uint8_t)below(w, class == 'r'   ? R_COUNT
				 : class == 'd' ? D_COUNT
				 : class == 'f' ? F_COUNT
						: G_COUNT);
}

static struct statement *add(struct draw *w, enum kind kind)
{
	struct statement *s = &w->k->items[w->k->count++];

	*s = (struct statement){.kind = (uint8_t)kind,
		.d = reg(w, 'r'),
		.s = {reg(w, 'r'), reg(w, 'r'), reg(w, 'r'), reg(w, 'r')}};
	return s;
}

/* An instruction by itself may have a guard; floats are mended behind. */
static void add_op(struct draw *w)
{
	struct statement *s = add(w, KIND_OP);
	const struct op_row *row;
	size_t i;

	s->op = (uint8_t)below(w, ROW_COUNT);
	row = &rows[s->op];
	s->d = reg(w, row->to);
	for (i = 0; row->from[i]; i++)
		s->s[i] = reg(w, row->from[i]);
	s->number = below(w, 256);
	if (below(w, 4) == 0 && !strchr(row->text, '\n') && row->to != 'f' &&
		row->to != 'g') {
		s->guard = (uint8_t)(1 + below(w, P_COUNT));
		s->guard_negated = below(w, 2);
	}
}

static void open_block(struct draw *w, bool is_loop)
{
	struct statement *s = add(w, is_loop ? KIND_LOOP : KIND_IF);

	s->d = (uint8_t)w->depth;
	s->block = w->blocks++;
	w->open[w->depth].is_loop = is_loop;
	w->open[w->depth].has_else = false;
	w->open[w->depth++].block = s->block;
	w->loops += is_loop;
}

static void close_block(struct draw *w)
{
	const bool is_loop = w->open[--w->depth].is_loop;

	add(w, is_loop ? KIND_REPEAT : KIND_END)->block =
		w->open[w->depth].block;
	w->loops -= is_loop;
}

/* The innermost loop's. */
static void add_break(struct draw *w)
{
	uint32_t i = w->depth;

	while (!w->open[--i].is_loop)
		;
	add(w, KIND_BREAK)->block = w->open[i].block;
}

static void add_memory(struct draw *w)
{
	struct statement *s = add(w, (enum kind)(KIND_STORE + below(w, 5)));

	switch (s->kind) {
	case KIND_ATOM:
		s->op = (uint8_t)below(w, ATOM_COUNT);
		s->number = 4 * below(w, OWN_BYTES / 4);
		break;
	case KIND_SUM:
		s->op = (uint8_t)below(w, SUM_WORDS);
		break;
	default:
		s->op = (uint8_t)below(w, 3);
		s->number = below(w, OWN_BYTES >> s->op) << s->op;
		break;
	}
}

static void add_exchange(struct draw *w)
{
	static const uint32_t clamps[] = {0x1f, 0x101f, 0x181f, 0x1c1f};
	struct statement *s = add(w, (enum kind)(KIND_SHARE + below(w, 5)));

	s->number = below(w, w->k->block);
	if (s->kind == KIND_SHUFFLE) {
		s->op = (uint8_t)below(w, 4);
		s->number = clamps[below(w, 4)];
		if (s->op == SHUFFLE_UP)
			s->number &= ~(uint32_t)0x1f;
	} else if (s->kind == KIND_REDUX) {
		s->op = (uint8_t)below(w, SUM_WORDS);
	}
}

static void add_else(struct draw *w)
{
	w->open[w->depth - 1].has_else = true;
	add(w, KIND_ELSE)->block = w->open[w->depth - 1].block;
}

static void add_any(struct draw *w)
{
	const uint32_t what = below(w, 100);
	const bool can_else = w->depth && !w->open[w->depth - 1].is_loop &&
			      !w->open[w->depth - 1].has_else;

	if (what < 5 && w->depth < DEPTH_MAX)
		open_block(w, false);
	else if (what < 8 && w->depth < DEPTH_MAX && w->loops < 2)
		open_block(w, true);
	else if (what < 14 && w->depth)
		close_block(w);
	else if (what < 18 && can_else)
		add_else(w);
	else if (what < 20 && w->loops)
		add_break(w);
	else if (what < 26)
		add(w, KIND_SETP)->d = (uint8_t)below(w, P_COUNT);
	else if (what < 36)
		add_memory(w);
	else if (what < 44 && !w->depth)
		add_exchange(w);
	else
		add_op(w);
}

void kernel_draw(uint32_t seed, struct kernel *k)
{
	struct draw w = {.state = seed, .k = k};
	size_t wanted;

	memset(k, 0, sizeof(*k));
	k->seed = seed;
	k->grid = 1 + below(&w, 4);
	k->block = 32 * (1 + below(&w, 4));
	wanted = 20 + below(&w, STATEMENTS_MAX - 20 - DEPTH_MAX);
	while (k->count < wanted)
		add_any(&w);
	while (w.depth)
		close_block(&w);
}
