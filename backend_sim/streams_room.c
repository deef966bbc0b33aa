/* Blocks of launches that overlap take the room that SMs have. */
#include <stdlib.h>
#include <string.h>

#include "backend_sim/grid/cluster.h"
#include "backend_sim/grid/room.h"
#include "backend_sim/sm/residency.h"
#include "backend_sim/streams.h"

#define EVENT_WARPS (UINT32_C(1) << 24) /* what an event can name */

/* ---- slots ---- */

static bool overlap(
	const struct grid *g, uint32_t slot, uint32_t end, uint32_t block_warps)
{
	return (slot < g->end_slot && end > g->first_slot) ||
	       ((uint64_t)slot * block_warps <
			       (uint64_t)g->end_slot * g->block_warps &&
		       (uint64_t)end * block_warps >
			       (uint64_t)g->first_slot * g->block_warps);
}

static uint32_t round_up(uint32_t n, uint32_t to)
{
	return (n + to - 1) / to * to;
}

/* Behind those of the other, and of its warps. */
static uint32_t behind(const struct grid *g, const struct grid *of)
{
	const uint32_t warps = of->end_slot * of->block_warps;
	uint32_t slot = round_up(warps, g->block_warps) / g->block_warps;

	slot = slot > of->end_slot ? slot : of->end_slot;
	return round_up(slot, g->cluster_blocks);
}

/* The first that nobody has: where there is a conflict, behind it. */
static uint32_t find_slots(
	const struct streams *s, const struct run *run, uint32_t count)
{
	const struct grid *g = &run->grid;
	uint32_t slot = 0, i = 0;

	while (i < s->alive_count) {
		const struct run *other = &s->runs[s->alive[i++]];

		if (other == run || !overlap(&other->grid, slot, slot + count,
					    g->block_warps))
			continue;
		slot = behind(g, &other->grid);
		i = 0;
	}
	return slot;
}

int streams_slots(struct streams *s, struct run *run, struct error *error)
{
	const uint32_t sms = s->e->core.cost.sm_count;
	struct grid *g = &run->grid;
	const uint64_t most = (uint64_t)g->blocks_per_sm * sms;
	const uint32_t count = most < g->block_count ? (uint32_t)most
						     : (uint32_t)g->block_count;
	uint32_t i;

	g->first_slot = find_slots(s, run, count);
	if ((uint64_t)(g->first_slot + count) * g->block_warps >= EVENT_WARPS)
		return error_set(error, ERR_SKIPPED,
			"launches with more warps are alive at the same time "
			"than the model can name");
	run->on_sm = calloc(sms, sizeof(*run->on_sm));
	run->seen = calloc(sms, sizeof(*run->seen));
	run->free = calloc(count + 1, sizeof(*run->free));
	if (!run->on_sm || !run->seen || !run->free)
		return error_set(error, ERR_FAILED, "out of memory");
	run->free_count = 0;
	for (i = count / g->cluster_blocks; i-- > 0;)
		run->free[run->free_count++] =
			g->first_slot + i * g->cluster_blocks;
	return 0;
}

/* ---- what an SM has left ---- */

/* A warp gets registers so many at a time (room.c). */
static uint32_t registers_of(const struct grid *g)
{
	return g->block_warps * round_up(g->registers * LANES, 256);
}

static uint64_t shared_of(const struct streams *s, const struct run *run)
{
	return residency_shared(&s->e->execution, run->grid.shared_bytes);
}

/* An SM that has blocks keeps its share of L1 and shared memory. */
static uint64_t carved(
	const struct streams *s, const struct run *run, uint32_t sm)
{
	const uint64_t wanted = room_carveout(&run->grid, &s->e->execution);
	const uint64_t all = shared_of(s, run) * run->grid.blocks_per_sm;

	return s->uses[sm].blocks ? s->uses[sm].carved_bytes
				  : residency_carved(&s->e->core.cost,
					    all > wanted ? all : wanted);
}

static bool fits(const struct streams *s, const struct run *run, uint32_t sm)
{
	const struct costs *cost = &s->e->core.cost;
	const struct sm_use *use = &s->uses[sm];
	const struct grid *g = &run->grid;

	return run->on_sm[sm] < g->blocks_per_sm &&
	       use->blocks < cost->blocks_per_sm &&
	       use->warps + g->block_warps <= cost->warps_per_sm &&
	       use->registers + registers_of(g) <= cost->registers_per_sm &&
	       use->shared_bytes + shared_of(s, run) <= carved(s, run, sm);
}

/* L1 starts empty in every launch. */
static void find_l1(const struct streams *s, struct run *run, uint32_t sm)
{
	struct execution *x = &s->e->execution;
	struct sm_use *use = &s->uses[sm];

	if (!use->blocks) {
		use->carved_bytes = carved(s, run, sm);
		l1_launch_on(x->l1, sm,
			residency_l1_lines_beside(x, use->carved_bytes));
	} else if (!run->seen[sm]) {
		l1_empty(x->l1, sm);
	}
	run->seen[sm] = true;
}

static void use_sm(const struct streams *s, struct run *run, uint32_t sm)
{
	const struct grid *g = &run->grid;
	struct sm_use *use = &s->uses[sm];

	find_l1(s, run, sm);
	run->on_sm[sm]++;
	use->blocks++;
	use->warps += g->block_warps;
	use->registers += registers_of(g);
	use->shared_bytes += shared_of(s, run);
}

static void leave_sm(const struct streams *s, struct run *run, uint32_t sm)
{
	const struct grid *g = &run->grid;
	struct sm_use *use = &s->uses[sm];

	run->on_sm[sm]--;
	use->blocks--;
	use->warps -= g->block_warps;
	use->registers -= registers_of(g);
	use->shared_bytes -= shared_of(s, run);
}

/* ---- which SMs ---- */

static bool is_rest(const struct streams *s, uint32_t sm)
{
	return s->e->core.floor.sms[sm].rest;
}

/* Of two SMs with room the one with fewer blocks; then in the order in which
   blocks go to a chip that is empty (placement.h), as far as that knows no
   others. */
static bool comes_before(const struct streams *s, uint32_t a, uint32_t b)
{
	const uint32_t each = s->e->core.cost.sms_per_tpc;

	if (s->uses[a].blocks != s->uses[b].blocks)
		return s->uses[a].blocks < s->uses[b].blocks;
	if (is_rest(s, a) != is_rest(s, b))
		return is_rest(s, a);
	return a % each != b % each ? a % each < b % each : a < b;
}

/* The best of the SMs from `first` of the floor's order on that have room and
   are not taken; NONE: there is none. */
static uint32_t best_of(const struct streams *s, const struct run *run,
	uint32_t first, uint32_t end)
{
	const struct floor *floor = &s->e->core.floor;
	uint32_t best = NONE, i;

	for (i = first; i < end; i++) {
		const uint32_t sm = floor->order[i];

		if (!s->taken[sm] && fits(s, run, sm) &&
			(best == NONE || comes_before(s, sm, best)))
			best = sm;
	}
	return best;
}

static void take_none(struct streams *s)
{
	memset(s->taken, 0, s->e->core.cost.sm_count * sizeof(*s->taken));
}

/* Those that a cluster may share: a GPC, or a TPC that the rotation leaves
   over. */
static uint32_t circle_end(const struct streams *s, uint32_t first)
{
	const struct floor *floor = &s->e->core.floor;
	const struct floor_sm *a = &floor->sms[floor->order[first]];
	uint32_t i = first + 1;

	for (; i < floor->sm_count; i++) {
		const struct floor_sm *b = &floor->sms[floor->order[i]];

		if (a->gpc != b->gpc || a->rest != b->rest ||
			(a->rest && a->tpc != b->tpc))
			break;
	}
	return i;
}

/* SMs for the blocks of a cluster, of one circle. */
static bool find_sms(struct streams *s, const struct run *run, uint16_t *sms)
{
	const uint32_t all = s->e->core.floor.sm_count;
	uint32_t first, end, given, sm = NONE;

	for (first = 0; first < all && sm == NONE; first = end) {
		end = circle_end(s, first);
		take_none(s);
		for (given = 0; given < run->grid.cluster_blocks; given++) {
			sm = best_of(s, run, first, end);
			if (sm == NONE)
				break;
			s->taken[sm] = true;
			sms[given] = (uint16_t)sm;
		}
	}
	return sm != NONE;
}

/* Takes the SMs of a round: of those with room the ones that have the fewest
   blocks, as many as blocks wait. */
static uint32_t take_round(struct streams *s, const struct run *run)
{
	const uint32_t all = s->e->core.floor.sm_count;
	const uint64_t wait = run->grid.block_count - run->grid.next_block;
	uint32_t count = 0, level = 0, sm;

	take_none(s);
	while (count < wait && count < run->free_count) {
		sm = best_of(s, run, 0, all);
		if (sm == NONE || (count && s->uses[sm].blocks != level))
			break;
		level = s->uses[sm].blocks;
		s->taken[sm] = true;
		count++;
	}
	return count;
}

/* ---- blocks ---- */

static bool has_more(const struct run *run)
{
	return run->free_count && run->grid.next_block < run->grid.block_count;
}

static void open_cluster(
	struct streams *s, struct run *run, const uint16_t *sms)
{
	struct execution *x = &s->e->execution;
	struct run *was = s->owner;
	const uint32_t slot = run->free[--run->free_count];
	const uint64_t now = core_now(x->core),
		       first = run->first > now ? run->first : now;
	uint32_t i;

	streams_enter(s, run);
	x->block_count = run->grid.slot_count;
	for (i = 0; i < run->grid.cluster_blocks; i++) {
		const uint64_t from = s->uses[sms[i]].from;

		use_sm(s, run, sms[i]);
		block_open(x, slot + i, sms[i], from > first ? from : first);
	}
	streams_enter(s, was);
}

static bool is_empty(const struct streams *s)
{
	uint32_t sm;

	for (sm = 0; sm < s->e->core.cost.sm_count; sm++)
		if (s->uses[sm].blocks)
			return false;
	return true;
}

/* As on a chip of its own. */
static void open_first(struct streams *s, struct run *run)
{
	const struct grid *g = &run->grid;
	uint32_t i;

	for (i = 0; i + g->cluster_blocks <= g->slot_count && has_more(run);
		i += g->cluster_blocks)
		open_cluster(s, run, &g->placed[i]);
}

/* Rounds give one block to an SM, GPC by GPC. */
static void open_others(struct streams *s, struct run *run)
{
	const struct floor *floor = &s->e->core.floor;
	const bool is_cluster = run->grid.cluster_blocks > 1;
	uint16_t sms[JOB_CLUSTER_MAX];
	uint32_t i;

	while (is_cluster && has_more(run) && find_sms(s, run, sms))
		open_cluster(s, run, sms);
	while (!is_cluster && has_more(run) && take_round(s, run))
		for (i = 0; i < floor->sm_count; i++)
			if (s->taken[floor->order[i]])
				open_cluster(s, run, &floor->order[i]);
}

void streams_deal(struct streams *s)
{
	uint32_t i;

	for (i = 0; i < s->alive_count; i++) {
		struct run *run = &s->runs[s->alive[i]];

		if (!run->grid.next_block && is_empty(s))
			open_first(s, run);
		open_others(s, run);
		if (run->grid.next_block < run->grid.block_count)
			return; /* later ones come after it */
	}
}

static bool waits_for_places(const struct streams *s)
{
	uint32_t i;

	for (i = 0; i < s->alive_count; i++)
		if (s->runs[s->alive[i]].grid.next_block <
			s->runs[s->alive[i]].grid.block_count)
			return true;
	return false;
}

void streams_leave(
	struct streams *s, struct run *run, uint32_t slot, uint64_t cycle)
{
	const struct execution *x = &s->e->execution;
	uint32_t i;

	for (i = slot; i < slot + run->grid.cluster_blocks; i++) {
		leave_sm(s, run, x->blocks[i].sm);
		s->uses[x->blocks[i].sm].from = cycle;
	}
	run->free[run->free_count++] = slot;
	if (waits_for_places(s))
		streams_deal_later(s);
}
