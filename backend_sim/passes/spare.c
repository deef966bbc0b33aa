#include <stdlib.h>
#include <string.h>

#include "backend_sim/flow/effect.h"
#include "backend_sim/flow/liveness.h"
#include "backend_sim/flow/uses.h"
#include "backend_sim/passes/counted.h"
#include "backend_sim/passes/spare.h"

struct spare {
	struct flat *f;
	const struct graph *g;
	struct liveness live;
	uint32_t *seen; /* [register]: 1 + the block that is looked at; owned,
			   as the others */
	bool *is_read;  /* then: whether what follows reads it, */
	uint32_t *adds; /* or 1 + the addition that nobody has read; 0: none
			   is, in `seen` of its block */
};

/* ---- results that nobody reads ---- */

static bool is_read(struct spare *s, uint32_t block, uint32_t reg)
{
	if (s->seen[reg] == block + 1)
		return s->is_read[reg];
	return liveness_has(&s->live, s->live.out, block, reg);
}

static void set_read(struct spare *s, uint32_t block, uint32_t reg, bool read)
{
	s->seen[reg] = block + 1;
	s->is_read[reg] = read;
}

static void find_unread(struct spare *s, uint32_t block)
{
	const struct graph_block *b = &s->g->blocks[block];
	struct uses uses;
	bool wanted;
	uint32_t i, k;

	for (i = b->end; i-- > b->first;) {
		uses_of(s->f, i, &uses);
		wanted = !uses.write_count ||
			 !effect_is_pure(s->f->insns[i].insn);
		for (k = 0; k < uses.write_count; k++)
			wanted |= is_read(s, block, uses.writes[k]);
		s->f->insns[i].spare |= !wanted;
		for (k = 0; k < uses.write_count && !uses.partial; k++)
			set_read(s, block, uses.writes[k], false);
		for (k = 0; wanted && k < uses.read_count; k++)
			set_read(s, block, uses.reads[k], true);
	}
}

/* ---- sums ---- */

/* The addition that nobody has read; 0: there is none. */
static uint32_t *add_of(struct spare *s, uint32_t block, uint32_t reg)
{
	if (s->seen[reg] != block + 1)
		s->adds[reg] = 0;
	s->seen[reg] = block + 1;
	return &s->adds[reg];
}

/* An addition that another one follows is a part of that one. */
static void find_sums(struct spare *s, uint32_t block)
{
	const struct graph_block *b = &s->g->blocks[block];
	struct uses uses;
	uint32_t i, k, *add;

	for (i = b->first; i < b->end; i++) {
		const struct flat_insn *flat = &s->f->insns[i];

		if (flat->spare)
			continue;
		if (counted_step(flat->insn)) {
			add = add_of(s, block,
				flat_register(s->f, flat->instance,
					flat->insn->operands[0].index));
			if (*add)
				s->f->insns[*add - 1].spare = true;
			*add = i + 1;
			continue;
		}
		uses_of(s->f, i, &uses);
		for (k = 0; k < uses.read_count; k++)
			*add_of(s, block, uses.reads[k]) = 0;
		for (k = 0; k < uses.write_count; k++)
			*add_of(s, block, uses.writes[k]) = 0;
	}
}

/* ---- the kernel ---- */

int spare_insns(struct flat *f, const struct graph *g, struct error *error)
{
	const size_t registers = (size_t)f->register_count + 1;
	struct spare s = {.f = f, .g = g};
	uint32_t b;
	int code = liveness_make(&s.live, f, g, error);

	s.seen = calloc(registers, sizeof(*s.seen));
	s.is_read = calloc(registers, sizeof(*s.is_read));
	s.adds = calloc(registers, sizeof(*s.adds));
	if (!code && (!s.seen || !s.is_read || !s.adds))
		code = error_set(error, ERR_FAILED, "out of memory");
	for (b = 0; !code && b < g->block_count; b++)
		find_unread(&s, b);
	if (!code)
		memset(s.seen, 0, registers * sizeof(*s.seen));
	for (b = 0; !code && b < g->block_count; b++)
		find_sums(&s, b);
	liveness_free(&s.live);
	free(s.seen);
	free(s.is_read);
	free(s.adds);
	return code;
}
