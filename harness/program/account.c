#include <stdlib.h>
#include <string.h>

#include "harness/program/account.h"
#include "harness/program/launch.h"
#include "harness/program/address.h"

/* Iterations and warps that stand for all. */
#define SAMPLED_ITERATIONS      16
#define SAMPLED_WARPS           8
#define SECTORS_PER_REQUEST_MAX (PROGRAM_WARP_LANES * 4)

/* The role of a region, as it runs. */
struct crew {
	const struct program *p;
	const struct role *role;
	uint32_t blocks, warps_per_block;
};

/* Distinct sectors and lines, and lanes, of sampled requests. */
struct sampled {
	double requests, lanes, sectors, lines;
};

/* ---- one request ---- */

/* Lanes of a warp that execute an instruction. */
static uint32_t active_lanes(
	const struct crew *crew, const struct insn *insn, uint32_t warp)
{
	uint32_t threads = crew->role->threads - warp * PROGRAM_WARP_LANES;
	uint32_t lanes = crew->role->lanes;

	if (insn->guard == GUARD_THREAD0 && warp)
		return 0;
	if (insn->guard != GUARD_ALL)
		return 1;
	return threads < lanes ? threads : lanes;
}

/* The offset of a chase's slot in its buffer, after `links` links. */
static uint64_t slot_offset(const struct crew *crew, const struct buffer *b,
	const struct whereabouts *w, uint32_t links)
{
	uint32_t warp = w->block * crew->warps_per_block + w->warp;
	uint32_t threads =
		crew->blocks * crew->warps_per_block * crew->role->lanes;
	uint32_t thread = warp * crew->role->lanes + w->lane;
	uint32_t slots = (uint32_t)buffer_ring_slots(b);
	uint32_t ring = thread % b->rings;
	uint64_t position = chase_start(slots, b->rings, thread, threads);
	struct permutation order;

	position = (position + links) % slots;
	if (b->order == ORDER_SHUFFLE) {
		permutation_init(&order, slots, b->seed + ring);
		position = permutation_slot(&order, (uint32_t)position);
	}
	return ring * (b->bytes / b->rings) + position * b->slot_bytes;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

static uint32_t distinct(const uint64_t *sorted, uint32_t count, uint64_t unit)
{
	uint32_t i, sum = 0;

	for (i = 0; i < count; i++)
		sum += !i || sorted[i] / unit != sorted[i - 1] / unit;
	return sum;
}

static void sample_request(const struct crew *crew, const struct insn *insn,
	const struct whereabouts *where, struct sampled *sum)
{
	const struct address *a = &insn->address;
	uint64_t bytes = insn_access_bytes(insn);
	uint64_t sectors[SECTORS_PER_REQUEST_MAX];
	uint32_t lanes = active_lanes(crew, insn, where->warp);
	struct whereabouts w = *where;
	uint32_t count = 0;

	for (w.lane = 0; w.lane < lanes; w.lane++) {
		uint64_t at = a->mode == ADDRESS_CHASE
				      ? slot_offset(crew,
						&crew->p->buffers[a->buffer],
						&w, w.loop[0]) +
						a->base_bytes
				      : address_offset(crew->p, a, &w);
		uint64_t s = at / PROGRAM_SECTOR_BYTES;
		uint64_t last = (at + bytes - 1) / PROGRAM_SECTOR_BYTES;

		for (; s <= last && count < SECTORS_PER_REQUEST_MAX; s++)
			sectors[count++] = s;
	}
	qsort(sectors, count, sizeof(sectors[0]), by_value);
	sum->requests += lanes > 0;
	sum->lanes += lanes;
	sum->sectors += distinct(sectors, count, 1);
	sum->lines += distinct(
		sectors, count, PROGRAM_LINE_BYTES / PROGRAM_SECTOR_BYTES);
}

/* ---- one instruction ---- */

/* Warps of each block with as many active lanes as one another. */
struct alike {
	uint32_t first, count;
};

/* The counters of iteration `index` of the repeats around, inner fastest. */
static void set_loops(struct whereabouts *w, const uint64_t *counts,
	uint32_t depth, uint64_t index)
{
	while (depth--) {
		w->loop[depth] = (uint32_t)(index % counts[depth]);
		index /= counts[depth];
	}
}

/* A few iterations of a few warps, scaled to `iterations` of all warps. */
static struct sampled sample_alike(const struct crew *crew, uint32_t index,
	const struct alike *alike, const uint64_t *counts, uint32_t depth,
	double iterations)
{
	uint64_t warps = (uint64_t)crew->blocks * alike->count;
	uint64_t some = warps < SAMPLED_WARPS ? warps : SAMPLED_WARPS;
	uint64_t times = iterations < SAMPLED_ITERATIONS ? (uint64_t)iterations
							 : SAMPLED_ITERATIONS;
	double scale = (double)warps * iterations / (double)(some * times);
	struct sampled sum = {0};
	uint64_t i, k;

	for (k = 0; k < some; k++) {
		uint64_t warp = k * warps / some;
		struct whereabouts w = {
			.warp = alike->first + (uint32_t)(warp % alike->count),
			.block = (uint32_t)(warp / alike->count),
			.warps_per_block = crew->warps_per_block,
			.insn = index,
		};

		for (i = 0; i < times; i++) {
			set_loops(&w, counts, depth, i);
			sample_request(crew, &crew->p->insns[index], &w, &sum);
		}
	}
	sum.requests *= scale;
	sum.lanes *= scale;
	sum.sectors *= scale;
	sum.lines *= scale;
	return sum;
}

static void account_alike(const struct crew *crew, uint32_t index,
	const struct alike *alike, const uint64_t *counts, uint32_t depth,
	struct account *account)
{
	const struct insn *insn = &crew->p->insns[index];
	bool atomic = insn->op == OP_ATOM || insn->op == OP_RED;
	double iterations = 1, lanes;
	struct sampled s;
	uint32_t d;

	for (d = 0; d < depth; d++)
		iterations *= (double)counts[d];
	if (insn->address.mode == ADDRESS_SHARED) {
		lanes = (double)active_lanes(crew, insn, alike->first) *
			alike->count * crew->blocks * iterations;
		account->shared_atomics += atomic ? lanes : 0;
		return;
	}
	s = sample_alike(crew, index, alike, counts, depth, iterations);
	account->requests += s.requests;
	account->lanes += s.lanes;
	account->sectors += s.sectors;
	account->lines += s.lines;
	if (insn->op <= OP_RED)
		account->useful_bytes += s.lanes * insn_lane_bytes(insn);
	account->atomics += atomic ? s.lanes : 0;
}

static bool touches_memory(const struct insn *insn)
{
	return insn->address.mode != ADDRESS_NONE &&
	       insn->op != OP_CREATEPOLICY;
}

static void account_insn(const struct crew *crew, uint32_t index,
	const uint64_t *counts, uint32_t depth, struct account *account)
{
	uint32_t full = crew->role->threads / PROGRAM_WARP_LANES;
	struct alike alike[] = {
		{0, full},
		{full, crew->warps_per_block - full},
	};
	size_t i;

	if (crew->p->insns[index].guard == GUARD_THREAD0) {
		alike[0] = (struct alike){0, 1};
		alike[1].count = 0;
	}
	for (i = 0; i < 2; i++)
		if (alike[i].count)
			account_alike(
				crew, index, &alike[i], counts, depth, account);
}

void account_region(const struct program *p, size_t region, uint32_t sm_count,
	struct account *account)
{
	struct region regions[PROGRAM_REGIONS_MAX];
	size_t count = program_regions(p, regions);
	uint64_t counts[PROGRAM_DEPTH_MAX];
	uint32_t i, end, depth = 0;
	struct crew crew;

	memset(account, 0, sizeof(*account));
	if (region >= count)
		return;
	crew.p = p;
	crew.role = regions[region].role;
	crew.blocks = role_blocks(p, crew.role, sm_count);
	crew.warps_per_block = (crew.role->threads + PROGRAM_WARP_LANES - 1) /
			       PROGRAM_WARP_LANES;
	if (!crew.blocks)
		return;
	account->warps = (double)crew.blocks * crew.warps_per_block;
	account->iterations = (double)regions[region].repeat->count;
	i = regions[region].insn_index;
	end = program_matching_end(p, i);
	for (; i < end; i++) {
		const struct insn *insn = &p->insns[i];

		if (insn->op == OP_REPEAT)
			counts[depth++] = insn->count;
		else if (insn->op == OP_END)
			depth--;
		else if (touches_memory(insn))
			account_insn(&crew, i, counts, depth, account);
	}
}
