/* The table of timing.def. */
#include <stddef.h>

#include "backend_sim/code/decode.h"

static const struct {
	uint8_t op, pipe, slots, latency_cycles;
	const char *kinds;
} rows[] = {
#define TIMING(op, kinds, pipe, slots, latency)                                \
	{PTXO_##op, PIPE_##pipe, slots, latency, kinds},
#include "backend_sim/code/timing.def"
#undef TIMING
};

static bool kind_matches(const char *kinds, uint8_t type)
{
	const struct ptx_type_info *t = &ptx_types[type];

	if (!*kinds)
		return true;
	for (; *kinds; kinds += 2)
		if (kinds[0] == t->kind && kinds[1] - '0' == t->bytes)
			return true;
	return false;
}

/* From and to 64 bits, and between integers and reals, a conversion takes the
   pipe of square roots; between integers it is a move or an extension. */
static void timing_of_convert(const struct ptx_insn *insn, struct code_insn *c)
{
	const struct ptx_type_info *to = &ptx_types[insn->type];
	const struct ptx_type_info *from = &ptx_types[insn->from];
	bool reals = to->kind == 'f' || to->kind == 'h' || from->kind == 'f' ||
		     from->kind == 'h' || to->kind == 'H';

	c->slots = 1;
	c->latency_cycles = 4;
	c->pipe = PIPE_ALU;
	if (!reals) {
		bool narrows = to->bytes <= from->bytes && to->bytes >= 4;

		if (narrows || (from->kind == 'u' && from->bytes == 4)) {
			c->slots = 0;
			c->latency_cycles = 0;
			c->pipe = PIPE_NONE;
		}
		return;
	}
	if (to->bytes == 8 || from->bytes == 8 || to->kind != from->kind) {
		c->pipe = PIPE_SPECIAL;
		c->latency_cycles = 14;
	}
}

/* A division, root or reciprocal with a rounding is a sequence. */
static void add_sequence(const struct ptx_insn *insn, struct code_insn *c)
{
	bool rounds = !insn->word[PTX_CLASS_APPROX];

	if (insn->type != PTX_f32)
		return;
	if (insn->op == PTXO_DIV && !rounds) {
		c->pipe = PIPE_SPECIAL;
		c->slots = 2;
		c->latency_cycles = 24;
	} else if ((insn->op == PTXO_SQRT || insn->op == PTXO_RCP) && rounds) {
		c->pipe = PIPE_FMA;
		c->slots = 7;
		c->latency_cycles = 40;
	}
}

void timing_of(const struct ptx_insn *insn, struct code_insn *c)
{
	size_t i;

	c->pipe = PIPE_ALU;
	c->slots = 1;
	c->latency_cycles = 4;
	if (insn->op == PTXO_CVT) {
		timing_of_convert(insn, c);
		return;
	}
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].op == insn->op &&
			kind_matches(rows[i].kinds, insn->type)) {
			c->pipe = rows[i].pipe;
			c->slots = rows[i].slots;
			c->latency_cycles = rows[i].latency_cycles;
			break;
		}
	add_sequence(insn, c);
}
