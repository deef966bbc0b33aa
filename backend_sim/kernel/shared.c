/* What accesses to shared memory cost: the block's own, and other SMs'. */
#include "backend_sim/core/server.h"
#include "backend_sim/grid/room.h"
#include "backend_sim/kernel/cost.h"
#include "backend_sim/rules/rules.h"
#include "backend_sim/rules/constants.h"

/* The warp goes on meanwhile. */
static struct sender sender_of_access(const struct access_of *a)
{
	return (struct sender){SENDER_NONE, a->pc};
}

#define BANKS      32u
#define BANK_BYTES 4u
#define WORDS_MAX  (LANES * 4) /* of an access: 16 bytes a lane */

/* What passes through the banks: by bank a chain of its words, from the last
   one that came. */
struct banks {
	uint8_t last[BANKS];       /* + 1; 0: none */
	uint8_t load[BANKS];       /* words of the bank */
	uint8_t before[WORDS_MAX]; /* as .last */
	uint64_t words[WORDS_MAX];
	uint8_t count, most;
};

static bool is_there(const struct banks *b, uint64_t word)
{
	uint8_t i = b->last[word % BANKS];

	for (; i; i = b->before[i - 1])
		if (b->words[i - 1] == word)
			return true;
	return false;
}

static void add_word(struct banks *b, uint64_t word)
{
	const unsigned bank = word % BANKS;

	b->before[b->count] = b->last[bank];
	b->words[b->count++] = word;
	b->last[bank] = b->count;
	if (++b->load[bank] > b->most)
		b->most = b->load[bank];
}

static uint32_t count_passes(const struct access_of *a, uint32_t lanes,
	uint32_t bytes, bool is_atomic)
{
	struct banks b = {.count = 0};
	uint32_t i;

	for (; lanes; lanes &= lanes - 1)
		for (i = 0; i < bytes; i += BANK_BYTES) {
			const uint64_t word =
				(a->address[__builtin_ctz(lanes)] + i) /
				BANK_BYTES;

			if (is_atomic || !is_there(&b, word))
				add_word(&b, word);
		}
	return b.most;
}

static bool is_atomic_of(const struct code_insn *c)
{
	return c->insn->op == PTXO_ATOM || c->insn->op == PTXO_RED;
}

/* Of all lanes, where they read the same, or side by side; 0: they do not. */
static uint32_t passes_together(const struct access_of *a, uint32_t bytes)
{
	const uint64_t first = a->address[0];
	uint64_t others = 0, apart = 0, l;

	for (l = 0; l < LANES; l++) {
		others |= a->address[l] ^ first;
		apart |= a->address[l] ^ (first + l * bytes);
	}
	if (!others)
		return 1;
	if (apart)
		return 0;
	return (bytes + BANK_BYTES - 1) / BANK_BYTES;
}

/* Passes through the banks: the most words of one bank, of the whole warp: 16
   bytes a lane side by side take four, lanes that read the same take one. An
   atomic goes again for each lane that meets another one on its word. */
static uint32_t bank_passes(
	const struct access_of *a, uint32_t lanes, uint32_t bytes)
{
	const bool is_atomic = is_atomic_of(a->c);
	uint32_t passes = 0;

	if (!RULE(SHARED_BANKS))
		return 1;
	if (lanes == UINT32_MAX && !is_atomic)
		passes = passes_together(a, bytes);
	if (!passes)
		passes = count_passes(a, lanes, bytes, is_atomic);
	return passes ? passes : 1;
}

/* Without conflicts: 128 bytes a pass. */
static uint32_t even_passes(uint32_t lanes, uint32_t bytes)
{
	const uint32_t all = (uint32_t)__builtin_popcount(lanes) * bytes;

	return all > 128 ? (all + 127) / 128 : 1;
}

/* So many bytes go through the banks in this many passes at least. */
static void count_wavefronts(
	const struct access_of *a, uint32_t passes, uint32_t bytes)
{
	struct counts *counts = &a->x->core->counts;
	const uint32_t line = BANKS * BANK_BYTES;
	const uint32_t least = (bytes + line - 1) / line;

	counts->shared_wavefronts += passes;
	counts->shared_conflicts += passes > least ? passes - least : 0;
}

void shared_banks(struct access_of *a)
{
	const struct core *core = a->x->core;
	struct sm *sm = &a->x->sms[a->x->warps[a->warp].sm];
	uint32_t passes = !a->c->moved ? 0
			  : a->g->even_banks
				  ? even_passes(a->shared, a->c->moved)
				  : bank_passes(a, a->shared, a->c->moved);
	uint64_t ticks =
		is_atomic_of(a->c)
			? passes * (uint64_t)core->cost.shared_atomic_ticks
			: (passes - (passes > 0)) * (uint64_t)TICKS_A_CYCLE;
	uint64_t over =
		serve(&sm->lsu, sender_of_access(a), core_now(core), ticks);

	count_wavefronts(a, passes,
		(uint32_t)__builtin_popcount(a->shared) * a->c->moved);
	access_note(a, passes, 0);
	access_mark(a, 0,
		over + core->cost.shared_cycles +
			(a->c->insn->is_cluster ? OWN_CLUSTER_CYCLES : 0),
		JOB_WAIT_SHARED);
}

bool shared_is_summed(const struct code_insn *c)
{
	const uint8_t atomic = c->insn->qualifiers[Q_ATOMIC];

	return is_atomic_of(c) && atomic != QV_ATOMIC_exch &&
	       atomic != QV_ATOMIC_cas;
}

void shared_instead(struct access_of *a, uint32_t bytes)
{
	const struct core *core = a->x->core;
	struct sm *sm = &a->x->sms[a->x->warps[a->warp].sm];
	const uint32_t passes = count_passes(a, a->global, bytes, false);
	const uint64_t over =
		serve(&sm->lsu, sender_of_access(a), core_now(core),
			passes * (uint64_t)core->cost.shared_atomic_ticks);

	access_note(a, passes, 0);
	access_mark(a, 0, over + core->cost.shared_cycles, JOB_WAIT_SHARED);
}

/* Shared memory of other SMs: the SM that asks has so many bytes a cycle. */
void shared_remote(struct access_of *a, uint32_t bytes)
{
	const struct core *core = a->x->core;
	const uint32_t lanes = (uint32_t)__builtin_popcount(a->remote);
	const uint8_t op = a->c->insn->op;
	const uint32_t ticks = op == PTXO_LD   ? REMOTE_READ_TICKS
			       : op == PTXO_ST ? REMOTE_WRITE_TICKS
					       : REMOTE_ATOMIC_TICKS;
	uint64_t over = serve(&a->g->sms[a->x->warps[a->warp].sm].remote,
		sender_of_access(a), core_now(core),
		(uint64_t)ticks * lanes * bytes);

	access_note(a, 1, 0);
	if (op == PTXO_LD || op == PTXO_ATOM)
		access_mark(a, 0,
			over + (op == PTXO_LD ? REMOTE_CYCLES
					      : REMOTE_ATOMIC_CYCLES),
			JOB_WAIT_SHARED);
	else
		a->k->remote_over = over + REMOTE_STORE_CYCLES;
}

/* Each further pass of a matrix adds two cycles. */
void shared_tiles(struct access_of *a, uint32_t count)
{
	struct sm *sm = &a->x->sms[a->x->warps[a->warp].sm];
	uint32_t passes = 0, i;
	uint64_t over;

	for (i = 0; i < count; i++)
		passes += bank_passes(a, a->shared & 0xffu << 8 * i, 16);
	over = serve(&sm->lsu, sender_of_access(a), core_now(a->x->core),
		(passes - 1) * (uint64_t)TICKS_A_CYCLE);
	count_wavefronts(a, passes, count * BANKS * BANK_BYTES);
	access_note(a, passes, 0);
	access_mark(a, 0,
		over + a->x->core->cost.shared_cycles + TILE_CYCLES +
			MORE_TILE_CYCLES * (count > 2 ? 2 : count - 1) +
			(passes - count),
		JOB_WAIT_SHARED);
}
