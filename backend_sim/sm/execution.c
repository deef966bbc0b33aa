#include <stdlib.h>

#include "backend_sim/core/books.h"
#include "backend_sim/sm/execution.h"

/* Of stores that pair, each scheduler has one among the lines that can be
   joined. */
static int make_stored(struct execution *x, const struct costs *cost)
{
	if (!cost->store_merge_cycles)
		return 0;
	x->pair_lines = cost->store_merge_lines / cost->schedulers;
	x->stored_room = cost->warps_per_sm * x->pair_lines + 1;
	x->stored = calloc(
		(size_t)cost->sm_count * x->stored_room, sizeof(*x->stored));
	return x->stored ? 0 : -1;
}

int execution_init(struct execution *x, struct core *core, struct l1 *l1,
	struct network *network, struct translation *translation)
{
	const struct costs *cost = &core->cost;

	x->core = core;
	x->l1 = l1;
	x->network = network;
	x->translation = translation;
	x->making_ticks[MAKES_WRAP] = cost->wrap_ticks;
	x->making_ticks[MAKES_DRAW] = cost->draw_ticks;
	x->making_ticks[MAKES_DRAW_WRAP] =
		cost->draw_ticks + cost->draw_wrap_ticks;
	x->lane_byte_wide = costs_ticks(
		TICKS_A_CYCLE / cost->scheduler_data_bytes_per_cycle);
	x->lane_byte_narrow = costs_ticks(
		TICKS_A_CYCLE / cost->scheduler_narrow_bytes_per_cycle);
	if (x->lane_byte_narrow > x->lane_byte_wide)
		x->lane_byte_narrow = x->lane_byte_wide;
	x->sms = calloc(cost->sm_count, sizeof(*x->sms));
	x->slots = calloc(cost->sm_count, sizeof(*x->slots));
	return x->sms && x->slots ? make_stored(x, cost) : -1;
}

void execution_free(struct execution *x)
{
	free(x->sms);
	free(x->stored);
	free(x->slots);
	free(x->warps);
	free(x->blocks);
	free(x->positions);
}

void execution_cold(struct execution *x)
{
	uint32_t sm;

	for (sm = 0; sm < x->core->cost.sm_count; sm++)
		x->sms[sm] =
			(struct sm){.credit_head = NONE, .credit_tail = NONE};
	x->window = NULL;
}

static void sm_servers(struct sm *sm, uint32_t number, uint32_t schedulers,
	struct books *books)
{
	uint32_t i;

	for (i = 0; i < schedulers; i++) {
		uint32_t key = number * schedulers + i;

		books_add(books, SERVER_ISSUE, key, &sm->issue[i]);
		books_add(books, SERVER_REGISTERS, key, &sm->data[i]);
	}
	books_add(books, SERVER_LSU, number, &sm->lsu);
	books_add(books, SERVER_BARRIER, number, &sm->barrier);
	books_add(books, SERVER_REQUESTS, number, &sm->room);
	books_add(books, SERVER_BLOCKS_SM, number, &sm->launch);
}

void execution_servers(struct execution *x, struct books *books)
{
	uint32_t i;

	for (i = 0; i < x->core->cost.sm_count; i++)
		sm_servers(&x->sms[i], i, x->core->cost.schedulers, books);
	for (i = 0; i < x->core->floor.gpc_count; i++)
		books_add(books, SERVER_BLOCKS_GPC, i, &x->launch_gpc[i]);
	books_add(books, SERVER_BLOCKS_CHIP, 0, &x->launch_chip);
}

static int make_rings(
	struct execution *x, const struct buffer *b, uint32_t index)
{
	uint32_t ring;

	x->permutations[index] =
		malloc(b->rings * sizeof(*x->permutations[index]));
	if (!x->permutations[index])
		return -1;
	for (ring = 0; ring < b->rings; ring++)
		permutation_init(&x->permutations[index][ring],
			(uint32_t)buffer_ring_slots(b), b->seed + ring);
	return 0;
}

/* What the addresses of a loop's own accesses are made of, beside its counter.
 */
static uint8_t count_terms(const struct execution *x, uint32_t repeat)
{
	const struct insn *insns = x->p->insns;
	uint32_t i, terms = 0, depth = 0, k;

	for (i = 0; i < repeat; i++)
		depth += insns[i].op == OP_REPEAT && x->end_of[i] > repeat;
	for (i = execution_next_own(x, repeat); i < x->end_of[repeat];
		i = execution_next_own(x, i)) {
		const struct address *a = &insns[i].address;

		if (insns[i].op > OP_RED || a->mode != ADDRESS_AFFINE)
			continue;
		terms += (a->lane_bytes != 0) + (a->warp_bytes != 0) +
			 (a->block_bytes != 0);
		for (k = 0; k < depth; k++)
			terms += a->loop_bytes[k] != 0;
	}
	return (uint8_t)(terms < NESTS_NOT ? terms : NESTS_NOT - 1);
}

static void find_regions(struct execution *x)
{
	size_t i;

	x->region_count = program_regions(x->p, x->regions);
	for (i = 0; i < x->p->insn_count; i++)
		if (x->p->insns[i].op == OP_REPEAT)
			x->end_of[i] = program_matching_end(x->p, (uint32_t)i);
	for (i = 0; i < x->p->insn_count; i++)
		if (x->p->insns[i].op == OP_REPEAT)
			x->terms_of[i] = count_terms(x, (uint32_t)i);
	for (i = 0; i < x->region_count; i++) {
		x->region_of[x->regions[i].insn_index] = (uint8_t)i;
		x->region_first[i] = UINT64_MAX;
		x->region_last[i] = 0;
	}
}

int execution_begin(struct execution *x, const struct program *p,
	struct result *result, struct error *error)
{
	uint32_t i;

	x->p = p;
	x->step = NULL;
	x->sequencer = &sequencer_program;
	x->result = result;
	find_regions(x);
	for (i = 0; i < p->buffer_count; i++)
		if (p->buffers[i].fill == FILL_RING &&
			make_rings(x, &p->buffers[i], i))
			return error_set(
				error, ERR_FAILED, "out of memory for rings");
	return 0;
}

void execution_end(struct execution *x)
{
	unsigned i;

	for (i = 0; i < PROGRAM_BUFFERS_MAX; i++) {
		free(x->permutations[i]);
		x->permutations[i] = NULL;
	}
}

bool execution_is_settled(const struct execution *x)
{
	bool settled = true;
	uint32_t sm;

	for (sm = 0; sm < x->core->cost.sm_count; sm++)
		settled = settled && !x->sms[sm].held &&
			  x->sms[sm].credit_head == NONE;
	return settled;
}
