/*
 * The assembler counts the cycles until a value of known time is there, and has
 * the instruction before its reader stall for so long. What has waited for
 * memory meanwhile stalls all the same.
 */
#include <stdlib.h>

#include "backend_sim/code/decode.h"

/* Between two accesses of a warp: least distance in the code of ptxas (13.0 for
   sm_90) of the kernels of tests/kernels, of global and shared memory, loads
   and stores, shuffles. */
#define ACCESS_CYCLES 4u

/* What takes longer has a scoreboard, or is several instructions that wait. */
#define KNOWN_CYCLES 20u

struct stalls {
	struct code *code;
	uint32_t *block; /* [slot]: 1 + the block whose time is known of it */
	uint32_t *ready; /* [slot]: then, the cycle from which it can be read */
	struct code_insn *before;
	uint32_t at,
		access; /* cycles: `before`, and the next access at least */
};

static bool is_known(const struct code_insn *c)
{
	return (c->kind == CODE_VALUE || c->kind == CODE_PACK ||
		       c->kind == CODE_PREDICATE) &&
	       c->pipe != PIPE_SPECIAL && c->pipe != PIPE_F64 &&
	       c->pipe < PIPE_QUEUE && c->pipe != PIPE_MEMORY &&
	       c->latency_cycles <= KNOWN_CYCLES;
}

static uint32_t ready_of(
	const struct stalls *s, uint32_t block, uint16_t slot, uint32_t later)
{
	return s->block[slot] == block + 1 ? s->ready[slot] + later : 0;
}

/* The cycle at which the assembler takes its operands to be there. */
static uint32_t operands_at(
	const struct stalls *s, uint32_t block, const struct code_insn *c)
{
	uint32_t at = 0, ready, i;

	for (i = 0; i < c->wait_count; i++) {
		ready = ready_of(s, block, c->waits[i], 0);
		at = ready > at ? ready : at;
	}
	if (c->guarded) {
		ready = ready_of(s, block, c->guard.slot, GUARD_CYCLES);
		at = ready > at ? ready : at;
	}
	return at;
}

static void write_at(struct stalls *s, uint32_t block,
	const struct code_insn *c, uint32_t ready, bool known)
{
	uint32_t i;

	for (i = 0; i < c->write_count; i++) {
		s->block[c->writes[i]] = known ? block + 1 : 0;
		s->ready[c->writes[i]] = ready;
	}
}

static void look_at(struct stalls *s, uint32_t block, struct code_insn *c)
{
	uint32_t at = operands_at(s, block, c), least;

	if (!c->slots) {
		write_at(s, block, c, at, true);
		return;
	}
	least = s->before ? s->at + s->before->slots : 0;
	if (c->pipe == PIPE_MEMORY && s->access > least)
		least = s->access;
	at = least > at ? least : at;
	if (s->before)
		s->before->stall = (uint8_t)(at - s->at - s->before->slots);
	if (c->pipe == PIPE_MEMORY)
		s->access = at + ACCESS_CYCLES;
	s->at = at;
	s->before = c;
	write_at(s, block, c,
		at + (c->latency_cycles > c->slots ? c->latency_cycles
						   : c->slots),
		is_known(c));
}

int stalls_find(struct code *code, const struct graph *g, struct error *error)
{
	const size_t slots = (size_t)code->slot_count + 1;
	struct stalls s = {.code = code,
		.block = calloc(slots, sizeof(*s.block)),
		.ready = calloc(slots, sizeof(*s.ready))};
	const bool made = s.block && s.ready;
	uint32_t b, i;

	for (b = 0; made && b < g->block_count; b++) {
		s.before = NULL;
		s.at = s.access = 0;
		for (i = g->blocks[b].first; i < g->blocks[b].end; i++)
			look_at(&s, b, &code->insns[i]);
	}
	free(s.block);
	free(s.ready);
	return made ? 0 : error_set(error, ERR_FAILED, "out of memory");
}
