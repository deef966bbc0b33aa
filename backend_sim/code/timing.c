/* The table of timing.def. */
#include <stddef.h>

#include "backend_sim/code/decode.h"
#include "backend_sim/rules/constants.h"

static const struct {
	uint8_t op, pipe, slots;
	bool is_assumed;
	uint16_t cycles, latency_cycles;
	const char *kinds;
} rows[] = {
#define TIMING(op, kinds, pipe, slots, cycles, latency)                        \
	{PTXO_##op, PIPE_##pipe, slots, false, cycles, latency, kinds},
#define TIMING_ASSUMED(op, kinds, pipe, slots, cycles, latency)                \
	{PTXO_##op, PIPE_##pipe, slots, true, cycles, latency, kinds},
#include "backend_sim/code/timing.def"
#undef TIMING
#undef TIMING_ASSUMED
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

static void set(struct code_insn *c, enum code_pipe pipe, uint8_t slots,
	uint16_t cycles, uint16_t latency)
{
	c->pipe = (uint8_t)pipe;
	c->slots = slots;
	c->pipe_cycles = cycles;
	c->latency_cycles = latency;
}

/* Between integers a conversion is a move or an extension; between them and
   reals, and to and from f64, it takes the pipe of square roots. */
static void timing_of_convert(const struct ptx_insn *insn, struct code_insn *c)
{
	const struct ptx_type_info *to = &ptx_types[insn->type];
	const struct ptx_type_info *from = &ptx_types[insn->from];
	bool wide = to->bytes == 8 || from->bytes == 8;

	if (ptx_is_real(insn->type) || ptx_is_real(insn->from)) {
		if (wide)
			set(c, PIPE_SPECIAL, 1, 8, 18);
		else if (ptx_is_real(insn->type) && ptx_is_real(insn->from) &&
			 to->bytes != from->bytes)
			set(c, PIPE_ALU, 1, 1, 5);
		else if (ptx_is_real(insn->type) && !ptx_is_real(insn->from))
			set(c, PIPE_ALU, 1, 2, 6);
		else
			set(c, PIPE_SPECIAL, 1, 8, 17);
		return;
	}
	if ((to->bytes <= from->bytes && to->bytes >= 4) ||
		(from->kind == 'u' && from->bytes == 4))
		set(c, PIPE_NONE, 0, 0, 0);
	else
		set(c, PIPE_ALU, 1, 2, 4);
}

/* A division, root or reciprocal of f32: with a rounding a sequence; without
   .ftz an approximation scales what is too small. */
static void timing_of_sequence(const struct ptx_insn *insn, struct code_insn *c)
{
	bool rounds = !insn->word[PTX_CLASS_APPROX];
	bool flushes = insn->word[PTX_CLASS_FTZ] != 0;

	if (insn->type != PTX_f32)
		return;
	switch (insn->op) {
	case PTXO_DIV:
		if (!rounds)
			set(c, PIPE_SPECIAL, flushes ? 2 : 4, 8,
				flushes ? 22 : 43);
		break;
	case PTXO_RCP:
	case PTXO_SQRT:
		if (rounds)
			set(c, PIPE_SPECIAL, 9, 13,
				insn->op == PTXO_RCP ? 77 : 56);
		else if (!flushes)
			set(c, PIPE_SPECIAL, 4, 8, 40);
		break;
	case PTXO_RSQRT:
	case PTXO_LG2:
		if (!flushes)
			set(c, PIPE_SPECIAL, 4, 8, 39);
		break;
	default:
		break;
	}
}

static bool multiplies(const struct ptx_insn *insn)
{
	return insn->op == PTXO_MMA || insn->op == PTXO_WMMA_MMA;
}

/* A tensor core starts a product of a warpgroup every so many cycles. Measured
   on an H200: N / 2, and at least 16 + N / 4 with A in shared memory, and 13.2
   and 16.2 for N up to 16 and 32 with A in registers. */
static uint32_t group_cycles(const struct ptx_insn *insn)
{
	const uint32_t n = insn->shape.n;
	const uint32_t least = insn->operands[1].kind != PTX_VECTOR ? 16 + n / 4
			       : n <= 16                            ? 13
								    : 16;

	return n / 2 > least ? n / 2 : least;
}

static void scale_product(const struct ptx_insn *insn, struct code_insn *c)
{
	const struct ptx_shape *s = &insn->shape;
	const uint32_t bytes =
		(uint32_t)s->m * s->n * s->k * ptx_types[insn->from].bytes;

	if (insn->op == PTXO_WGMMA)
		c->pipe_cycles = (uint16_t)group_cycles(insn);
	if (!multiplies(insn) || !bytes)
		return;
	c->pipe_cycles =
		(uint16_t)((c->pipe_cycles * bytes + PRODUCT_BYTES - 1) /
			   PRODUCT_BYTES);
}

/* The type that says what an operation costs: of products what is multiplied.
 */
static uint8_t type_that_costs(const struct ptx_insn *insn)
{
	return multiplies(insn) ? insn->from : insn->type;
}

void timing_of(const struct ptx_insn *insn, struct code_insn *c)
{
	size_t i;

	set(c, PIPE_ALU, 1, 2, 4);
	if (insn->op == PTXO_CVT) {
		timing_of_convert(insn, c);
		return;
	}
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].op == insn->op &&
			kind_matches(rows[i].kinds, type_that_costs(insn))) {
			c->pipe = rows[i].pipe;
			c->slots = rows[i].slots;
			c->pipe_cycles = rows[i].cycles;
			c->latency_cycles = rows[i].latency_cycles;
			c->time_assumed = rows[i].is_assumed;
			break;
		}
	timing_of_sequence(insn, c);
	scale_product(insn, c);
	/* Under a predicate a register is either moved or as it was. */
	if (insn->op == PTXO_MOV && insn->guarded && insn->type != PTX_pred)
		set(c, PIPE_ALU, 1, 2, 4);
}
