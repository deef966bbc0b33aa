/* Warps asleep at asynchronous barriers. */
#include "backend_sim/kernel/nap.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backend_sim/core/events.h"
#include "backend_sim/grid/copies.h"
#include "backend_sim/values/mbarrier.h"
#include "backend_sim/grid/access.h"
#include "backend_sim/kernel/issue.h"
#include "backend_sim/rules/constants.h"

/* A test that fails so often is looked at: it may do so for ever. */
#define TESTS_LOOKED 4096u
/* Who has waited so often in vain is taken to do so for ever, though clocks
   change its registers. */
#define NAPS_MOST  256u
#define TESTS_MOST (64 * TESTS_LOOKED)
/* Enough for paths_yield(): lanes that could go on go first. */
#define POLLED 65536u

bool nap_can(const struct execution *x, uint32_t warp)
{
	const struct kernel_warp *k = &x->grid->warps[warp];
	uint32_t path;

	return k->depth < 2 || !paths_find(k, true, &path);
}

void nap_answer(struct execution *x, uint32_t warp, uint32_t pc, uint32_t lanes,
	uint32_t over)
{
	const struct code_insn *c = &x->grid->code.insns[pc];
	struct kernel_warp *k = &x->grid->warps[warp];
	uint32_t *row = kernel_row(x->grid, k, &c->d);

	if (c->d.slot != NO_SLOT)
		*row = (*row & ~lanes) | over;
	write_later(k, c, core_now(x->core));
	mbarrier_waited(x, warp, pc, over);
	if (over == lanes)
		k->nap.failed = 0;
}

static uint64_t limit_of(
	const struct execution *x, uint32_t warp, uint32_t pc, uint32_t lanes)
{
	const struct code_insn *c = &x->grid->code.insns[pc];
	const row_u32 *hints;
	uint64_t cycles;

	if (c->insn->operand_count < 4)
		return WAIT_LIMIT_CYCLES;
	hints = kernel_row(x->grid, &x->grid->warps[warp], &c->s[2]);
	cycles = (uint64_t)(hints[__builtin_ctz(lanes)] *
			    x->core->cost.clock_hz / 1e9);
	return cycles < WAIT_LEAST_CYCLES ? WAIT_LEAST_CYCLES : cycles;
}

void nap_begin(struct execution *x, uint32_t warp, uint32_t pc, uint32_t lanes)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	struct warp *w = &x->warps[warp];
	struct kernel_block *b = &x->grid->blocks[w->block_index];

	k->nap.pc = pc;
	k->nap.lanes = lanes;
	k->nap.number++;
	w->next = b->asleep;
	b->asleep = warp;
	w->state = WARP_ASLEEP;
	profile_why(k, JOB_WAIT_BARRIER, pc);
	server_queued(&x->grid->sms[w->sm].meeting, warp_sender(x, warp, pc),
		core_now(x->core));
	event_push_with(x->core, warp, AT_NAP,
		core_now(x->core) + limit_of(x, warp, pc, lanes),
		k->nap.number);
}

static void unlink_warp(struct execution *x, uint32_t warp)
{
	uint32_t *at = &x->grid->blocks[x->warps[warp].block_index].asleep;

	while (*at != warp)
		at = &x->warps[*at].next;
	*at = x->warps[warp].next;
}

/* It goes on, with what it is told. */
static void end(
	struct execution *x, uint32_t warp, uint32_t over, struct sender by)
{
	const struct nap *nap = &x->grid->warps[warp].nap;

	unlink_warp(x, warp);
	meeting_goes(x, warp, by);
	nap_answer(x, warp, nap->pc, nap->lanes, over);
	x->warps[warp].state = WARP_READY;
	event_push(x->core, warp, AT_WARP, core_now(x->core) + WAKE_CYCLES);
}

/* Nobody of the block is known to wait for ever any more. */
static void forget(struct grid *g, uint32_t block)
{
	uint32_t i;

	for (i = 0; i < g->block_warps; i++) {
		struct nap *nap = &g->warps[block * g->block_warps + i].nap;

		nap->stuck = nap->failed = 0;
	}
	g->stuck_cycle = 0;
}

void nap_wake(
	struct execution *x, uint32_t block, uint32_t offset, uint32_t line)
{
	struct grid *g = x->grid;
	uint32_t warp = g->blocks[block].asleep, next, over;

	forget(g, block);
	for (; warp != NONE; warp = next) {
		const struct nap *nap = &g->warps[warp].nap;

		next = x->warps[warp].next;
		if (!mbarrier_over(x, warp, nap->pc, nap->lanes, offset))
			continue;
		over = mbarrier_over(x, warp, nap->pc, nap->lanes, NONE);
		if (over == nap->lanes)
			end(x, warp, over, sender_of_line(line));
	}
}

/* ---- what can't end ---- */

/* FNV-1a, over all that the warp is. */
static uint64_t hash_of(const struct grid *g, const struct kernel_warp *k)
{
	const uint8_t *rows = kernel_rows(g, k);
	uint64_t hash = UINT64_C(0xcbf29ce484222325), word;
	uint32_t i;

	for (i = 0; i + sizeof(word) <= g->code.register_bytes;
		i += sizeof(word)) {
		memcpy(&word, rows + i, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x100000001b3);
	}
	for (i = 0; i < k->depth; i++)
		hash = (hash ^ k->paths[i].pc ^
			       (uint64_t)k->paths[i].mask << 32) *
		       UINT64_C(0x100000001b3);
	return hash;
}

/* Whether all warps that live wait in vain: the first that does; and since
   when they have all been found to. */
static bool all_stuck(
	const struct execution *x, uint32_t *first, uint64_t *since)
{
	const struct grid *g = x->grid;
	const uint32_t end = g->end_slot * g->block_warps;
	uint32_t i;

	*first = NONE;
	*since = UINT64_MAX;
	for (i = g->first_slot * g->block_warps; i < end; i++) {
		const struct nap *nap = &g->warps[i].nap;

		if (x->warps[i].state == WARP_DONE ||
			x->warps[i].state == WARP_BARRIER)
			continue;
		if (!nap->stuck)
			return false;
		*first = *first == NONE ? i : *first;
		*since = nap->stuck < *since ? nap->stuck : *since;
	}
	return *first != NONE && !copies_live(g);
}

/* "1 arrival and 64 bytes" */
static void put_lack(const struct mbarrier *b, char *text, size_t bytes)
{
	const bool too_many = b->bytes < 0;
	const int32_t count = too_many ? -b->bytes : b->bytes;

	if (!b->bytes)
		snprintf(text, bytes, "it lacks %u arrival%s", b->pending,
			b->pending == 1 ? "" : "s");
	else
		snprintf(text, bytes, "it lacks %u arrival%s and %s%d bytes%s",
			b->pending, b->pending == 1 ? "" : "s",
			too_many ? "has " : "", count,
			too_many ? " that nobody expected" : "");
}

static void fail_stuck(struct execution *x, uint32_t warp)
{
	struct grid *g = x->grid;
	const struct nap *nap = &g->warps[warp].nap;
	const struct code_insn *c = &g->code.insns[nap->pc];
	const struct warp *w = &x->warps[warp];
	const unsigned lane = (unsigned)__builtin_ctz(nap->lanes);
	struct access_of a;
	struct mbarrier b;
	char lack[96], standing[STANDING_BYTES];

	access_begin(&a, x, warp, c, nap->pc, nap->lanes);
	access_addresses(
		&a, &c->s[0], c->s[0].slot != NO_SLOT, c->offset, c->count & 1);
	if (!access_places(&a, c->space, 8))
		return;
	b = mbarrier_read(access_bits(a.place[lane], 8));
	put_lack(&b, lack, sizeof(lack));
	standing_words(x, standing, sizeof(standing));
	grid_fail(x, warp, nap->pc,
		"block %" PRIu64 ", thread %u waits for ever at the barrier at "
		"offset %" PRIu64 " of shared memory, whose phase of parity %u "
		"does not end: %s; %s",
		g->blocks[w->block_index].number, w->index * LANES + lane,
		a.address[lane], b.parity, lack, standing);
}

/* It has come here again as it was before: what it waits for, others must do.
   All must have done so twice, for what one of them wrote the others may not
   have seen the first time. */
static void look(struct execution *x, uint32_t warp)
{
	struct grid *g = x->grid;
	uint32_t first;
	uint64_t since;

	g->warps[warp].nap.stuck = core_now(x->core);
	if (!all_stuck(x, &first, &since)) {
		g->stuck_cycle = 0;
		return;
	}
	if (!g->stuck_cycle)
		g->stuck_cycle = core_now(x->core);
	else if (since > g->stuck_cycle)
		fail_stuck(x, first);
}

void nap_in_vain(struct execution *x, uint32_t warp, uint32_t pc,
	uint32_t lanes, bool spins)
{
	struct grid *g = x->grid;
	struct kernel_warp *k = &g->warps[warp];
	struct nap *nap = &k->nap;
	uint64_t hash;

	k->polled = 1;
	k->polls = POLLED;
	nap->pc = pc;
	nap->lanes = lanes;
	nap->failed++;
	if (spins && nap->failed % TESTS_LOOKED)
		return;
	hash = hash_of(g, k);
	if (hash == nap->hash ||
		nap->failed >= (spins ? TESTS_MOST : NAPS_MOST))
		look(x, warp);
	else
		nap->stuck = 0;
	nap->hash = hash;
}

void nap_over(struct execution *x, uint32_t warp, uint32_t number)
{
	const struct nap *nap = &x->grid->warps[warp].nap;
	uint32_t over;

	if (x->core->failed || x->warps[warp].state != WARP_ASLEEP ||
		nap->number != number)
		return;
	over = mbarrier_over(x, warp, nap->pc, nap->lanes, NONE);
	end(x, warp, over, SENDER_NOBODY);
	nap_in_vain(x, warp, nap->pc, nap->lanes, false);
}
